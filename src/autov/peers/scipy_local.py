"""Local solvers of SciPy, `scipy.optimize.minimize`: SLSQP, L-BFGS-B, Powell and COBYQA.

D. Kraft, A software package for sequential quadratic programming, DFVLR-FB 88-28, 1988; C. Zhu, R. H. Byrd, P. Lu and
J. Nocedal, Algorithm 778: L-BFGS-B, ACM Transactions on Mathematical Software 23, 1997; M. J. D. Powell, An efficient
method for finding the minimum of a function of several variables without calculating derivatives, The Computer Journal
7, 1964; T. M. Ragonneau, Model-based derivative-free optimization methods and software, PhD thesis, 2022. Variables are
scaled to the unit box, for SLSQP to one of width 10: its first step depends on the scale, and in the unit box it is far
too long (BBOB, other instances than those of the quality page: area 0.101 instead of 0.117 with 10 variables and 1,000
evaluations). A solver that has converged starts again from a uniform point; the first start is near the centre. SLSQP
and L-BFGS-B take SciPy's difference quotients, whose evaluations count. Tolerances are below SciPy's, which are made
for a quick answer, and no limit but the budget ends a run.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from autov.algorithms.base import Batch
from autov.core import Array, Box, check_choice
from autov.peers.libraries import Peer, library, release
from autov.peers.starts import unit_call, unit_starts

UNLIMITED = 10**9
OPTIONS: dict[str, dict[str, Any]] = {
    "slsqp": {"ftol": 1e-12, "maxiter": UNLIMITED},
    "l-bfgs-b": {"ftol": 1e-14, "gtol": 1e-10, "maxiter": UNLIMITED, "maxfun": UNLIMITED},
    "powell": {"xtol": 1e-6, "ftol": 1e-6, "maxiter": UNLIMITED, "maxfev": UNLIMITED},
    "cobyqa": {
        "initial_tr_radius": 0.1, "final_tr_radius": 1e-9, "maxiter": UNLIMITED, "maxfev": UNLIMITED,
    },
}  # fmt: skip
WIDTHS = {"slsqp": 10.0}  # of the box that a solver sees; others see the unit box


@dataclass(frozen=True)
class SciPyLocal(Peer):
    """It has no settings but its method; tolerances are those of OPTIONS."""

    prefix: ClassVar[str] = "scipy"
    methods: ClassVar[tuple[str, ...]] = tuple(OPTIONS)
    method: str
    version: str = field(default_factory=partial(release, "scipy"))

    def __post_init__(self) -> None:
        check_choice(self, method=self.methods)

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Run until the objective ends it."""
        self.check_fit(box, popsize, maxfev, x0)
        value, optimize = unit_call(objective, box), library("scipy.optimize")
        width = WIDTHS.get(self.method, 1.0)
        bounds = [(0.0, width)] * box.dim
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)
            warnings.simplefilter("ignore", optimize.OptimizeWarning)
            for start in unit_starts(box, popsize, seed, x0):
                optimize.minimize(
                    lambda z: value(z / width), start * width, method=self.method.upper(), bounds=bounds,
                    options=dict(OPTIONS[self.method]),
                )  # fmt: skip
