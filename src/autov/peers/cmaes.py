"""CMA-ES of the package cmaes.

M. Nomura and M. Shibata, cmaes: a simple yet practical Python library for CMA-ES, arXiv:2402.01373, 2024. Variables
are scaled to the unit box, in which the library keeps points by drawing again; the start is a uniform point with a
step size of 0.3. When the library says that it has converged, it starts again from another point with twice the
population, as the package's own example of IPOP-CMA-ES does. First points are evaluated before, and their mean is the
start.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from autov.algorithms.base import Batch
from autov.algorithms.population import initial_points
from autov.core import Array, Box
from autov.peers.libraries import library, release, start
from autov.peers.restarted import RestartedCMA

LARGEST = 1e300  # instead of infinity: the library takes differences of values


@dataclass(frozen=True)
class SimpleCMA(RestartedCMA):
    """Settings of the package cmaes."""

    package: ClassVar[str] = "cmaes"
    least: ClassVar[int] = 4
    version: str = field(default_factory=partial(release, "cmaes"))

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Run until the objective ends it."""
        self.check_fit(box, popsize, maxfev)
        cmaes = library("cmaes")
        given = initial_points(box, popsize, x0)
        points, rng = start(box, 1, seed, given.mean(axis=0)[None] if len(given) else given)
        if len(given):
            objective(given)
        mean, size = (points[0] - box.lower) / box.width, self.popsize
        unit = np.tile([0.0, 1.0], (box.dim, 1))
        while True:
            strategy = cmaes.CMA(mean, self.sigma, unit, seed=int(rng.integers(2**31)), population_size=size)
            while not strategy.should_stop():
                asked = [strategy.ask() for _ in range(strategy.population_size)]
                values = objective(box.lower + np.array(asked) * box.width)
                strategy.tell(list(zip(asked, np.minimum(values, LARGEST).tolist(), strict=True)))
            mean, size = rng.random(box.dim), int(strategy.population_size) * self.growth
            if size > maxfev:  # a population that could not be evaluated
                size = self.popsize


resolve = SimpleCMA.of
