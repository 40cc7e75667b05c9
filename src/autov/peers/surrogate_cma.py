"""lq-CMA-ES of the package cma: CMA-ES whose populations are mostly ranked by a linear or quadratic model.

N. Hansen, A global surrogate assisted CMA-ES, GECCO 2019. The loop is that of ``cma.fmin_lq_surr2``: a population is
evaluated point by point until the model ranks it well enough, and the optimum of the model is in the next. Variables
are scaled to the unit box, the library's own transformation keeps points inside, the first step size is 0.3. When the
library's stopping rules say that it has converged, it starts again from a uniform point with twice the population and
an empty model; the first start is near the centre, or the mean of the given points, which are evaluated before.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from autov.algorithms.base import Batch
from autov.algorithms.population import initial_points
from autov.core import Array, Box, InputError, check_ranges
from autov.core.streams import generator
from autov.peers.libraries import global_stream, library, release
from autov.peers.starts import unit_call, unit_starts


@dataclass(frozen=True)
class SurrogateCMA:
    """Settings; the population is the library's 4 + 3 ln d, whatever the popsize of the comparison."""

    sigma: float = 0.3  # of the width of the box
    growth: int = 2  # factor of the population at a restart
    version: str = field(default_factory=partial(release, "cma"))

    def __post_init__(self) -> None:
        check_ranges(self, sigma=(1e-9, 1e3), growth=(1, 10))

    @property
    def name(self) -> str:
        """As `autov.compare` knows it."""
        return "cma:lq"

    def check_fit(self, box: Box, popsize: int, maxfev: int, x0: Array | None = None) -> None:  # noqa: ARG002
        """Say what does not fit."""
        library("cma")
        if box.dim < 2:
            raise InputError(f"bounds: {self.name} needs at least 2 variables, got {box.dim}")
        initial_points(box, popsize, x0)

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Run until the objective ends it."""
        self.check_fit(box, popsize, maxfev, x0)
        cma, models, call = library("cma"), library("cma.fitness_models"), unit_call(objective, box)
        given, rng, size = initial_points(box, popsize, x0), generator(seed, 1), None
        if len(given):
            objective(given)
        options = {
            "verbose": -9, "verb_log": 0, "verb_disp": 0, "seed": np.nan, "bounds": [0, 1],
            "randn": lambda *shape: rng.standard_normal(shape),
        }  # fmt: skip
        with warnings.catch_warnings(), np.errstate(all="ignore"), global_stream(seed):
            warnings.filterwarnings("ignore", module=r"cma(\.|$)")
            for start in unit_starts(box, popsize, seed, given.mean(axis=0) if len(given) else None):
                strategy = cma.CMAEvolutionStrategy(
                    start, self.sigma, options | ({} if size is None else {"popsize": size})
                )
                surrogate = models.SurrogatePopulation(call)
                while not strategy.stop():
                    points = strategy.ask()
                    strategy.tell(points, surrogate(points))
                    strategy.inject([surrogate.model.xopt])
                size = int(strategy.popsize) * self.growth
                if size > maxfev:  # a population that could not be evaluated
                    size = None
