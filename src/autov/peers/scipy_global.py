"""Global solvers of SciPy: DIRECT in its locally biased form, and dual annealing.

J. M. Gablonsky and C. T. Kelley, A locally-biased form of the DIRECT algorithm, Journal of Global Optimization 21,
2001; Y. Xiang, D. Y. Sun, W. Fan and X. G. Gong, Generalized simulated annealing algorithm and its application to the
Thomson model, Physics Letters A 233, 1997. Settings are SciPy's; limits and tolerances that would end a run before its
budget are off. Variables are scaled to the unit box. Both begin at the centre: DIRECT always does, and has no random
numbers, so every seed gives the same run; first points are evaluated before it. Dual annealing starts near the centre,
or at the first of the given points, and the others are evaluated before.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from autov.algorithms.base import Batch
from autov.algorithms.population import initial_points
from autov.core import Array, Box, check_choice
from autov.core.streams import generator
from autov.peers.libraries import Peer, library, release
from autov.peers.starts import unit_call, unit_starts

METHODS = ("direct", "dual-annealing")


@dataclass(frozen=True)
class SciPyGlobal(Peer):
    """It has no settings but its method."""

    prefix: ClassVar[str] = "scipy"
    methods: ClassVar[tuple[str, ...]] = tuple(METHODS)
    method: str
    version: str = field(default_factory=partial(release, "scipy"))

    def __post_init__(self) -> None:
        check_choice(self, method=self.methods)

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Run until the objective ends it."""
        self.check_fit(box, popsize, maxfev, x0)
        call, optimize, bounds = unit_call(objective, box), library("scipy.optimize"), [(0.0, 1.0)] * box.dim
        given = initial_points(box, popsize, x0)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)
            warnings.simplefilter("ignore", optimize.OptimizeWarning)
            if self.method == "direct":
                if len(given):
                    objective(given)
                optimize.direct(call, bounds, eps=1e-4, maxfun=maxfev + 1, maxiter=maxfev + 1, vol_tol=0, len_tol=0)
                return
            if len(given) > 1:
                objective(given[1:])
            start = next(unit_starts(box, popsize, seed, x0))
            optimize.dual_annealing(call, bounds, maxiter=maxfev, maxfun=10 * maxfev, x0=start, rng=generator(seed, 1))
