"""BOBYQA and Sbplx of NLopt, S. G. Johnson, The NLopt nonlinear-optimization package.

M. J. D. Powell, The BOBYQA algorithm for bound constrained optimization without derivatives, report NA2009/06,
Cambridge, 2009; T. Rowan, Functional stability analysis of numerical algorithms, PhD thesis, University of Texas, 1990
(Subplex, of which Sbplx is a variant). Variables are scaled to the unit box, the first step is a tenth of it. A solver
that has converged starts again from a uniform point; the first start is near the centre. Exceptions do not go through
the library: the first one is kept, the run is stopped, and it is raised afterwards.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from autov.algorithms.base import Batch
from autov.algorithms.population import initial_points
from autov.core import Array, Box, InputError, check_choice, check_ranges
from autov.peers.libraries import Peer, library, release
from autov.peers.starts import LARGEST, unit_call, unit_starts

METHODS = {"bobyqa": "LN_BOBYQA", "sbplx": "LN_SBPLX"}
TOLERANCE = 1e-10  # of the width of the box, below which a solver has converged


@dataclass(frozen=True)
class NLopt(Peer):
    """Settings."""

    prefix: ClassVar[str] = "nlopt"
    methods: ClassVar[tuple[str, ...]] = tuple(METHODS)
    method: str
    step: float = 0.1  # the first one, of the width of the box
    version: str = field(default_factory=partial(release, "nlopt"))

    def __post_init__(self) -> None:
        check_choice(self, method=self.methods)
        check_ranges(self, step=(1e-9, 0.5))

    def check_fit(self, box: Box, popsize: int, maxfev: int, x0: Array | None = None) -> None:  # noqa: ARG002
        """Say what does not fit."""
        library("nlopt")
        if self.method == "bobyqa" and box.dim < 2:
            raise InputError(f"bounds: {self.name} needs at least 2 variables, got {box.dim}")
        initial_points(box, popsize, x0)

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Run until the objective ends it."""
        self.check_fit(box, popsize, maxfev, x0)
        nlopt, value = library("nlopt"), unit_call(objective, box)
        raised: list[BaseException] = []
        for start in unit_starts(box, popsize, seed, x0):
            solver = nlopt.opt(getattr(nlopt, METHODS[self.method]), box.dim)

            def call(u: Array, gradient: Array, solver: object = solver) -> float:  # noqa: ARG001
                if raised:
                    return LARGEST
                try:
                    return value(u)
                except BaseException as error:
                    raised.append(error)
                    solver.force_stop()  # type: ignore[attr-defined]
                    return LARGEST

            solver.set_min_objective(call)
            solver.set_lower_bounds(np.zeros(box.dim))
            solver.set_upper_bounds(np.ones(box.dim))
            solver.set_initial_step(np.full(box.dim, self.step))
            solver.set_xtol_abs(TOLERANCE)
            with contextlib.suppress(nlopt.RoundoffLimited, nlopt.ForcedStop, RuntimeError):  # no more from here
                solver.optimize(start)
            if raised:
                raise raised[0]


resolve = NLopt.of
