"""Differential evolution of SciPy, `scipy.optimize.differential_evolution`.

Its stopping rule and the polishing by L-BFGS-B are off, so that all of the budget goes to differential evolution; the
population is that of the comparison (SciPy's own 15 d would be 450 points for 30 variables), drawn as SciPy draws it,
by Latin hypercube. All else is SciPy's default: best1bin, dithered mutation, immediate updating. SciPy keeps points
inside the box.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from autov.algorithms.base import Batch
from autov.algorithms.population import initial_points, require_popsize
from autov.core import Array, Box, InputError, check_ranges, generator
from autov.peers import scipy_global, scipy_local
from autov.peers.libraries import library, release
from autov.peers.scipy_global import SciPyGlobal
from autov.peers.scipy_local import SciPyLocal


@dataclass(frozen=True)
class SciPyDE:
    """Settings; ``popsize=None`` is that of the comparison."""

    popsize: int | None = None
    strategy: str = "best1bin"
    recombination: float = 0.7
    version: str = field(default_factory=partial(release, "scipy"))

    def __post_init__(self) -> None:
        check_ranges(self, popsize=(5, 10**6), recombination=(0, 1))

    @property
    def name(self) -> str:
        """As `autov.compare` knows it."""
        return "scipy:de"

    def check_fit(self, box: Box, popsize: int, maxfev: int, x0: Array | None = None) -> None:  # noqa: ARG002
        """Say what does not fit."""
        require_popsize(self.name, self.popsize or popsize, 5)
        initial_points(box, popsize, x0)

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Run until the objective ends it."""
        count = self.popsize or popsize
        self.check_fit(box, popsize, maxfev)
        given = initial_points(box, count, x0)
        rng = generator(seed)
        sampler = library("scipy.stats.qmc").LatinHypercube(box.dim, rng=rng)
        points = box.clip(box.lower + sampler.random(count) * box.width)
        points[: len(given)] = given
        library("scipy.optimize").differential_evolution(
            lambda x: float(objective(x[None])[0]), np.column_stack([box.lower, box.upper]), init=points,
            strategy=self.strategy, recombination=self.recombination, maxiter=maxfev, tol=0, atol=-1, polish=False,
            rng=rng,
        )  # fmt: skip


def resolve(name: str) -> SciPyDE | SciPyLocal | SciPyGlobal:
    """``de``, one of the local solvers or one of the global ones."""
    if name == "de":
        return SciPyDE()
    if name in scipy_local.OPTIONS:
        return SciPyLocal(name)
    if name in scipy_global.METHODS:
        return SciPyGlobal(name)
    known = ("de", *scipy_local.OPTIONS, *scipy_global.METHODS)
    raise InputError(f"algorithm: unknown 'scipy:{name}'; one of {', '.join(f'scipy:{one}' for one in known)}")
