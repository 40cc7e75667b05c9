"""Problems that are learnt from evaluations of others: samples of a Gaussian process, compiled."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from autov.core import Array, Box, Generator, generator
from autov.kernels.functions.process import FEATURES, FLOOR, HEAD, MEAN, POINTS, RATIO, ROUGH, SMOOTH, sampled_batch
from autov.kernels.objective import Objective, compile_objective
from autov.problems.classics import evaluate
from autov.problems.constraints import Constraint
from autov.problems.feasibility import Constrained
from autov.problems.gaussian_process import Process, sample
from autov.problems.problem import Problem

FEATURE_COUNT = 300  # of a sample


@functools.cache
def _compiled() -> Any:
    return compile_objective(sampled_batch)


@dataclass(frozen=True, eq=False)
class LearnedFunction:
    """One sample: a function that has the values that were seen, and likely ones elsewhere."""

    name: str
    box: Box
    table: Array = field(repr=False)  # see `kernels.functions.process`
    minimum: float | None = None
    optimum: Array | None = None
    noisy: ClassVar[bool] = False

    def __call__(self, x: Array, rng: Generator) -> Array:
        """Values of the rows of x."""
        return evaluate(self, x, rng)

    def objective(self) -> Objective:
        """The compiled form."""
        none = np.empty(0)
        return Objective(_compiled().address, self.table, none, none, np.empty((0, 0)))


@dataclass(frozen=True, eq=False)
class LearnedFamily:
    """Samples of the process of one source; every run gets its own.

    Attributes:
        name: of the source.
        search_box: where optimisers search; integers reach half a unit beyond.
        process: fitted to points of this box.
        whole: which variables are integers; empty for none.
        constraints: as they are; instances under constraints are not compiled as a whole.
    """

    name: str
    search_box: Box
    process: Process = field(repr=False)
    whole: tuple[bool, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    minimum: float | None = None
    optimum: Array | None = None
    noisy: ClassVar[bool] = False

    @functools.cached_property
    def _first(self) -> Problem:
        return self.instance(0)

    @property
    def box(self) -> Box:
        """The same for all instances."""
        return self._first.box

    @property
    def recorded(self) -> Array:
        """The best point that was recorded, in the unit box."""
        return self.process.u[int(np.argmin(self.process.residual))]

    def instance(self, run: int) -> Problem:
        """The sample of a run."""
        box, d, process = self.search_box, self.search_box.dim, self.process
        frequencies, amplitudes, phases, weights = sample(process, FEATURE_COUNT, generator(run, 3, d))
        head = np.zeros(HEAD)
        head[[FEATURES, POINTS, MEAN, FLOOR]] = len(phases), len(weights), process.mean, process.floor
        head[[SMOOTH, ROUGH, RATIO]] = 1 - process.share, process.share, process.ratio
        whole = np.array(self.whole or (False,) * d, dtype=np.float64)
        table = np.concatenate([
            head, box.lower, box.width, process.lengths, whole,
            np.column_stack([frequencies, amplitudes, phases]).ravel(),
            np.column_stack([process.u / process.lengths, weights]).ravel(),
        ])  # fmt: skip
        found = LearnedFunction(f"{self.name}, sample {run}", box, table)
        if not self.constraints:
            return found
        inner = np.array(self.whole or (False,) * d)
        lower, upper = np.where(inner, np.ceil(box.lower), box.lower), np.where(inner, np.floor(box.upper), box.upper)
        shown = Seen(found, Box(lower, upper))
        return Constrained(shown, self.constraints, self.whole)

    def identity_parts(self) -> Any:
        """What decides its values."""
        process = self.process
        numbers = [process.u, process.residual, process.lengths]
        others = [process.ratio, process.share, process.mean, process.variance, process.floor]
        return ["LearnedFamily", self.name, self.search_box, *numbers, others, self.whole, self.constraints]

    def __call__(self, x: Array, rng: Generator) -> Array:
        """Values on the first instance."""
        return self._first(x, rng)

    def objective(self) -> Objective | None:
        """The compiled form of the first instance."""
        return self._first.objective()


@dataclass(frozen=True, eq=False)
class Seen:
    """A sample on the bounds of integers themselves, for constraints around it; it is called in batches."""

    sample: LearnedFunction
    box: Box
    vectorized: ClassVar[bool] = True
    uses_rng: ClassVar[bool] = False
    noisy: ClassVar[bool] = False
    minimum: float | None = None
    optimum: Array | None = None

    @property
    def name(self) -> str:
        """That of the sample."""
        return self.sample.name

    def __call__(self, x: Array, rng: Generator) -> Array:
        """Values of the rows of x."""
        return self.sample(x, rng)

    def objective(self) -> None:
        """Constraints are Python functions."""
        return
