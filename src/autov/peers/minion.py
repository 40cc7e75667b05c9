"""L-SHADE, jSO, ARRDE, IMODE, JADE, NL-SHADE-RSP, BIPOP-aCMA-ES and RCMAES of minionpy, a C++ library.

Population sizes are the library's, which depend on the variables and shrink over the budget (5 d for L-SHADE, 6 d^2
for IMODE); its tolerances are off, so that all of the budget is used, but for the two kinds of CMA-ES, which restart
when they are met. Its last generation may go over the budget: the part that does is not evaluated. An exception comes
out of the C++ code as a RuntimeError, and here as what it was before. The library keeps points inside the box.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from autov.algorithms.base import Batch
from autov.algorithms.population import initial_points
from autov.core import Array, Box, check_choice, check_ranges
from autov.peers.libraries import Peer, library, release

METHODS = {
    "lshade": "LSHADE", "jso": "jSO", "arrde": "ARRDE", "imode": "IMODE", "jade": "JADE", "nlshade-rsp": "NLSHADE_RSP",
    "bipop": "BIPOP_aCMAES", "rcmaes": "RCMAES",
}  # fmt: skip
RESTARTING = ("arrde", "bipop", "rcmaes")  # begin anew when they have converged
UNSEEN = ("bipop", "rcmaes")  # start at a single first point without looking at it


@dataclass(frozen=True)
class Minion(Peer):
    """Settings; ``popsize=None`` is the library's first size, whatever the popsize of the comparison."""

    prefix: ClassVar[str] = "minion"
    methods: ClassVar[tuple[str, ...]] = tuple(METHODS)
    method: str
    popsize: int | None = None
    version: str = field(default_factory=partial(release, "minionpy"))

    def __post_init__(self) -> None:
        check_choice(self, method=self.methods)
        check_ranges(self, popsize=(4, 10**6))

    def check_fit(self, box: Box, popsize: int, maxfev: int, x0: Array | None = None) -> None:  # noqa: ARG002
        """Say what does not fit."""
        library("minionpy")
        initial_points(box, popsize, x0)

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Run until the objective ends it."""
        options: dict[str, Any] = {"population_size": self.popsize or 0}
        if self.method not in RESTARTING:
            options |= {"x_tol": -1.0, "f_tol": -1.0}
        raised: list[BaseException] = []

        def call(points: list[list[float]]) -> list[float]:
            try:
                return np.minimum(objective(np.array(points)), np.finfo(float).max).tolist()
            except BaseException as error:
                raised.append(error)
                raise

        given = initial_points(box, popsize, x0)
        if len(given) == 1 and self.method in UNSEEN:
            objective(given)
        bounds = list(zip(box.lower.tolist(), box.upper.tolist(), strict=True))
        minimizer = library("minionpy").Minimizer(
            call, bounds, given.tolist() or None, algo=METHODS[self.method], maxevals=maxfev, seed=seed, options=options
        )
        try:
            minimizer.optimize()
        except RuntimeError:
            if raised:
                raise raised[0] from None
            raise


resolve = Minion.of
