"""DD-CMA-ES and SEP-CMA-ES of pypop7.

Q. Duan et al., PyPop7: a pure-Python library for population-based black-box optimization, Journal of Machine Learning
Research 25, 2024; Y. Akimoto and N. Hansen, Diagonal acceleration for covariance matrix adaptation evolution
strategies, Evolutionary Computation 28, 2020; R. Ros and N. Hansen, A simple modification in CMA-ES achieving linear
time and space complexity, PPSN 2008. Variables are scaled to the unit box, the start is a uniform point with a step
size of 0.3, and restarts double the population. The library does not know bounds: points outside are mirrored into the
box, again and again (clipped to it, they would lie on plateaus on which both lose their way). It asks for one point at
a time. First points are evaluated before, and their mean is the start. Should its numbers become useless (not finite),
it starts anew.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from autov.algorithms.base import Batch
from autov.algorithms.population import initial_points
from autov.core import Array, Box, InputError, check_choice, check_ranges
from autov.peers.libraries import Peer, library, release, start

METHODS = {"ddcma": ("ddcma", "DDCMA"), "sepcma": ("sepcmaes", "SEPCMAES")}  # module and class
EXTRA = "pypop7"  # of its own: the package brings many others along
LARGEST = 1e300  # instead of infinity: the library takes differences of values


class _UselessError(Exception):
    """The library asked for a point that is not finite."""


@dataclass(frozen=True)
class PyPop(Peer):
    """Settings; ``popsize=None`` is the library's 4 + 3 ln d, whatever the popsize of the comparison."""

    prefix: ClassVar[str] = "pypop7"
    methods: ClassVar[tuple[str, ...]] = tuple(METHODS)
    method: str
    popsize: int | None = None
    sigma: float = 0.3  # of the width of the box
    version: str = field(default_factory=partial(release, "pypop7", EXTRA))

    def __post_init__(self) -> None:
        check_choice(self, method=self.methods)
        check_ranges(self, popsize=(4, 10**6), sigma=(1e-9, 1e3))

    def check_fit(self, box: Box, popsize: int, maxfev: int, x0: Array | None = None) -> None:  # noqa: ARG002
        """Say what does not fit."""
        self._kind()
        if box.dim < 2:
            raise InputError(f"bounds: {self.name} needs at least 2 variables, got {box.dim}")
        initial_points(box, popsize, x0)

    def _kind(self) -> Any:
        module, name = METHODS[self.method]
        library("pypop7", EXTRA)
        return getattr(library(f"pypop7.optimizers.es.{module}", EXTRA), name)

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Run until the objective ends it."""
        self.check_fit(box, popsize, maxfev)
        given = initial_points(box, popsize, x0)
        points, rng = start(box, 1, seed, given.mean(axis=0)[None] if len(given) else given)
        if len(given):
            objective(given)

        def call(x: Array) -> float:
            if not np.isfinite(x).all():
                raise _UselessError
            t = np.abs(x) % 2.0  # a mirrored box repeats after twice its width
            inside = np.minimum(t, 2.0 - t)
            return min(float(objective((box.lower + inside * box.width)[None])[0]), LARGEST)

        problem = {
            "fitness_function": call, "ndim_problem": box.dim, "lower_boundary": np.zeros(box.dim),
            "upper_boundary": np.ones(box.dim),
        }  # fmt: skip
        options: dict[str, Any] = {
            "mean": (points[0] - box.lower) / box.width, "sigma": self.sigma, "verbose": 0,
            "seed_rng": int(rng.integers(2**31)),
        }  # fmt: skip
        if self.popsize is not None:
            options["n_individuals"] = self.popsize
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.filterwarnings("ignore", module=r"pypop7(\.|$)")
            try:
                self._kind()(problem, options).optimize()
            except (_UselessError, np.linalg.LinAlgError):
                return  # the driver starts it again, with another seed and what is left of the budget


resolve = PyPop.of
