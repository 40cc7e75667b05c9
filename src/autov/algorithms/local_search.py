"""What local searches with restarts share: `LocalSearch`, whose steps are kernels of `autov.kernels.models`.

A subclass is a frozen dataclass of settings with the module of its kernels. Asking is reading the batch that waits;
telling is one kernel. A search starts at the points it is given, else at the centre; when it has converged, the next
one starts far from where the others ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from autov.algorithms.base import Outcome, renewed
from autov.algorithms.compiled import AnyRun, ResumableRun, run_to_end
from autov.algorithms.matrix_adaptation import waiting_batch
from autov.algorithms.population import initial_points
from autov.core import Array, Box, Generator, InputError
from autov.kernels.objective import Objective


@dataclass(frozen=True, eq=False)
class LocalSearchState:
    """``work`` holds all that a step reads or changes; x and f are the last points told."""

    key: np.ndarray  # two words of the counter-based stream
    box: Box
    work: Any  # a named tuple of arrays
    x: Array
    f: Array

    @property
    def scalars(self) -> np.ndarray:
        """The record of the search."""
        return self.work.scalars

    @property
    def generation(self) -> int:
        """Batches told."""
        return int(self.scalars["generation"][0])


class LocalSearch:
    """Methods of all local searches; subclasses are frozen dataclasses with their settings."""

    name: ClassVar[str]
    kernels: ClassVar[ModuleType]
    uses_popsize: ClassVar[bool] = False
    compiles: ClassVar[bool] = True
    starts_near: ClassVar[bool] = True  # small first steps where a good point is known
    scale: float  # first step, as a part of the box width

    def plan(self) -> Any:
        """The settings as the kernels read them."""
        return self.kernels.Plan(*(float(getattr(self, name)) for name in self.kernels.Plan._fields))

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> LocalSearchState:
        """`start` with a key from the generator."""
        return self.start(rng.integers(0, 2**64, 2, dtype=np.uint64), box, popsize, maxfev, x0)

    def start(
        self, key: np.ndarray, box: Box, popsize: int, maxfev: int, x0: Array | None = None
    ) -> LocalSearchState:  # fmt: skip
        """The first search starts at the first point of x0, the second at the next one."""
        given = initial_points(box, popsize, x0)
        return self.start_at(key, box, maxfev, given, np.full(len(given), np.inf), self.scale)

    def start_at(
        self, key: np.ndarray, box: Box, maxfev: int, x: Array, f: Array, scale: float
    ) -> LocalSearchState:  # fmt: skip
        """Searches that start at points (k, d) with values f, infinity where they are not known.

        Args:
            key: two words of the stream.
            box: where to search.
            maxfev: the most evaluations that will be made.
            x: first points, in the order of the searches.
            f: their values; a known one is not evaluated again.
            scale: first step, as a part of the box width.
        """
        plan, given = self.plan(), np.clip((x - box.lower) / box.width, 0, 1)
        work = self.kernels.workspace(plan, key, box.dim, maxfev, given, np.array(f, dtype=np.float64))
        work.scalars["scale"] = scale
        self.kernels.begin(plan, work, box.lower, box.upper)
        _restore_given(work, box, x)
        return LocalSearchState(key.copy(), box, work, np.empty((0, box.dim)), np.empty(0))

    def ask(self, state: LocalSearchState, rng: Generator) -> tuple[Array, LocalSearchState]:  # noqa: ARG002
        """The batch that waits for its values; asking again gives the same."""
        return state.work.x[: int(state.scalars["batch"][0])].copy(), state

    def tell(self, state: LocalSearchState, x: Array, f: Array, rng: Generator) -> LocalSearchState:  # noqa: ARG002
        """One step of the kernels, on copies."""
        n = int(state.scalars["batch"][0])
        if np.shape(x) != (n, state.box.dim) or np.shape(f) != (n,):
            raise InputError(f"tell: needs the {n} points that were asked for, got shapes {np.shape(x)}, {np.shape(f)}")
        work = _copied(state.work)
        work.f[:n] = f
        self.kernels.step(self.plan(), work, state.box.lower, state.box.upper)
        return renewed(state, work=work, x=np.array(x), f=np.array(f))

    def calls(self, state: LocalSearchState) -> list[tuple[Any, tuple[Any, ...]]]:
        """Kernels that ``tell`` will call, with such arguments."""
        return [(self.kernels.step, (self.plan(), _copied(state.work), state.box.lower, state.box.upper))]

    def population(self, state: LocalSearchState) -> tuple[Array, Array]:
        """The last points told."""
        return state.x, state.f

    def run_compiled(
        self, state: LocalSearchState, objective: Objective, maxfev: int, begun: list[AnyRun] | None = None
    ) -> Outcome:  # fmt: skip
        """Continue until maxfev evaluations are made, as one compiled piece: identical to ask and tell."""
        return run_to_end(self.resumable_run(state), objective, maxfev, begun)

    def resumable_run(self, state: LocalSearchState) -> ResumableRun:
        """The run that begins with a state, which can be resumed."""
        return ResumableRun(self.kernels.run, self.plan(), _copied(state.work), state.box, 1, last_batch, waiting_batch)


def last_batch(work: Any) -> tuple[Array, Array]:
    """The last points told, or those evaluated if not even the first batch was whole."""
    told = int(work.scalars["told"][0])
    return work.told_x[:told].copy(), work.told_f[:told].copy()


def _restore_given(work: Any, box: Box, x: Array) -> None:
    """Points of the first batch that are given ones, as they were given: the unit box rounds them."""
    n = min(int(work.scalars["batch"][0]), len(x))
    rounding = 4 * np.finfo(float).eps * np.maximum(abs(box.lower), abs(box.upper))
    for i in range(n):
        if (abs(work.x[i] - x[i]) <= rounding).all():
            work.x[i] = x[i]


def _copied(work: Any) -> Any:
    """A named tuple of copies; a record is copied as the words it is made of, which is faster."""
    copies = {
        name: array.view(np.int64).copy().view(array.dtype) if array.dtype.names else array.copy()
        for name, array in work._asdict().items()
    }
    return work._replace(**copies)
