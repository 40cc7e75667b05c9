"""CMA-ES of the package cma (pycma), N. Hansen, Y. Akimoto and P. Baudis, doi:10.5281/zenodo.2559634.

Variables are scaled to the unit box, the library's own transformation keeps points inside, and the start is a uniform
point with a step size of 0.3. Whenever the library's stopping rules say that it has converged, it starts again from
another point with twice the population, as its ``fmin2`` does with ``restarts`` (IPOP-CMA-ES), until the budget ends.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from autov.algorithms.base import Batch
from autov.algorithms.population import initial_points
from autov.core import Array, Box
from autov.peers.libraries import library, release, start
from autov.peers.restarted import RestartedCMA
from autov.peers.surrogate_cma import SurrogateCMA


@dataclass(frozen=True)
class PyCMA(RestartedCMA):
    """Settings of the package cma."""

    package: ClassVar[str] = "cma"
    least: ClassVar[int] = 3
    version: str = field(default_factory=partial(release, "cma"))

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Run until the objective ends it. Of several first points the mean is the start."""
        self.check_fit(box, popsize, maxfev)
        cma = library("cma")
        given = initial_points(box, popsize, x0)
        points, rng = start(box, 1, seed, given.mean(axis=0)[None] if len(given) else given)
        mean, size = (points[0] - box.lower) / box.width, self.popsize
        quiet = {"verbose": -9, "verb_log": 0, "verb_disp": 0, "seed": np.nan}
        while True:
            options = {**quiet, "bounds": [0, 1], "randn": lambda *shape: rng.standard_normal(shape)}
            if size is not None:
                options["popsize"] = size
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", module=r"cma(\.|$)")
                strategy = cma.CMAEvolutionStrategy(mean, self.sigma, options)
                strategy.inject((given - box.lower) / box.width, force=True)
                while not strategy.stop():
                    points = strategy.ask()
                    strategy.tell(points, objective(box.lower + np.array(points) * box.width).tolist())
            mean, size, given = rng.random(box.dim), int(strategy.popsize) * self.growth, given[:0]
            if size > maxfev:  # a population that could not be evaluated
                size = self.popsize


def resolve(name: str) -> PyCMA | SurrogateCMA:
    """``default``, a population size, or ``lq``."""
    return SurrogateCMA() if name == "lq" else PyCMA.of(name)
