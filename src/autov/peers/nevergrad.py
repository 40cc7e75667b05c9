"""NGOpt, the algorithm selector of nevergrad.

J. Rapin and O. Teytaud, Nevergrad: a gradient-free optimization platform, 2018. It is asked for one point at a time;
its own bounds keep points inside, up to rounding. The start is a uniform point of the box: nevergrad's own, the centre,
is the optimum of many test functions (some of the algorithms that it may select look at the centre even so). What it
runs depends on variables and budget, and it may fit models of its own: they get one BLAS thread (more are far slower
for such small ones), and are cut off by nevergrad after 20 seconds, which a very slow machine might notice.
"""

from __future__ import annotations

import builtins
import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from autov.algorithms.base import Batch
from autov.algorithms.population import initial_points
from autov.core import Array, Box, InputError
from autov.peers.libraries import global_stream, library, release, start


@dataclass(frozen=True)
class NGOpt:
    """It has no settings: the selector looks at dimension and budget, and ignores the popsize of the comparison."""

    version: str = field(default_factory=partial(release, "nevergrad"))

    @property
    def name(self) -> str:
        """As `autov.compare` knows it."""
        return "nevergrad:ngopt"

    def check_fit(self, box: Box, popsize: int, maxfev: int, x0: Array | None = None) -> None:  # noqa: ARG002
        """Say what does not fit."""
        _nevergrad()
        initial_points(box, popsize, x0)

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Run until the objective ends it."""
        nevergrad = _nevergrad()
        with threadpool_limits(1), _global_seed(seed), _quiet():
            given = initial_points(box, popsize, x0)
            first, _ = start(box, 1, seed, given[:1])
            space = nevergrad.p.Array(init=first[0], lower=box.lower, upper=box.upper)
            space.random_state = np.random.RandomState(seed)
            optimizer = nevergrad.optimizers.NGOpt(parametrization=space, budget=maxfev, num_workers=1)
            for point in given:
                optimizer.suggest(point)
            for _ in range(maxfev):
                candidate = optimizer.ask()
                optimizer.tell(candidate, min(float(objective(candidate.value[None])[0]), 1e300))


def _nevergrad() -> Any:
    """The library; NumPy 2.4 no longer converts its one-element predictions to numbers by itself."""
    with _quiet():
        found = library("nevergrad")
        models = library("nevergrad.optimization.metamodel")
    models.float = lambda value: builtins.float(np.asarray(value).item())
    return found


@contextlib.contextmanager
def _global_seed(seed: int) -> Iterator[None]:
    """Parts of nevergrad draw from NumPy's global stream: seed it, and keep cma from seeding it by the clock."""
    options = library("cma").CMAOptions.defaults()
    default = options["seed"]
    options["seed"] = np.nan
    try:
        with global_stream(seed):
            yield
    finally:
        options["seed"] = default


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without the warnings of nevergrad and of the libraries that its models use."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"(nevergrad|sklearn|cma|bayes_opt|scipy)(\.|$)")
        yield


def resolve(name: str) -> NGOpt:
    """Only ``ngopt``."""
    if name != "ngopt":
        raise InputError(f"algorithm: unknown 'nevergrad:{name}'; there is nevergrad:ngopt")
    return NGOpt()
