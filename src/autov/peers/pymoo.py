"""Genetic algorithm, differential evolution and particle swarm of pymoo.

J. Blank and K. Deb, pymoo: multi-objective optimization in Python, IEEE Access 8, 2020. The settings are pymoo's (its
GA crosses over with probability 0.9 and drops duplicates); the population is that of the comparison, and pymoo's own
stopping rules are off. pymoo keeps points inside the box.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from autov.algorithms.base import Batch
from autov.algorithms.population import initial_points, require_popsize
from autov.core import Array, Box, check_choice, check_ranges
from autov.peers.libraries import Peer, library, release, start

METHODS = {"ga": "GA", "de": "DE", "pso": "PSO"}


@dataclass(frozen=True)
class Pymoo(Peer):
    """Settings; ``popsize=None`` is that of the comparison."""

    prefix: ClassVar[str] = "pymoo"
    methods: ClassVar[tuple[str, ...]] = tuple(METHODS)
    method: str
    popsize: int | None = None
    version: str = field(default_factory=partial(release, "pymoo"))

    def __post_init__(self) -> None:
        check_choice(self, method=self.methods)
        check_ranges(self, popsize=(4, 10**6))

    def check_fit(self, box: Box, popsize: int, maxfev: int, x0: Array | None = None) -> None:  # noqa: ARG002
        """Say what does not fit."""
        library("pymoo")
        require_popsize(self.name, self.popsize or popsize, 4)
        initial_points(box, popsize, x0)

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Run until the objective ends it, or a GA finds only duplicates."""
        self.check_fit(box, popsize, maxfev)
        count = self.popsize or popsize
        problem = library("pymoo.core.problem").Problem(box.dim, 1, xl=box.lower, xu=box.upper)
        options = {}
        if x0 is not None:
            options["sampling"], _ = start(box, count, seed, initial_points(box, count, x0))
        module = library(f"pymoo.algorithms.soo.nonconvex.{self.method}")
        algorithm = getattr(module, METHODS[self.method])(pop_size=count, **options)
        algorithm.setup(problem, seed=seed, termination=library("pymoo.core.termination").NoTermination())
        with np.errstate(invalid="ignore"):  # inf - inf, of points that have no value
            while (infills := algorithm.ask()) is not None and len(infills):
                infills.set("F", objective(infills.get("X").astype(float))[:, None])
                infills.set("G", np.zeros((len(infills), 0)))
                for one in infills:
                    one.evaluated.update(("F", "G", "H"))
                algorithm.tell(infills=infills)


resolve = Pymoo.of
