"""A compiled run that can be cut into pieces: what a portfolio lets its members do in turns.

A loop over compiled pieces costs some ten microseconds for each; one kernel for a whole portfolio would save them, but
compile for more than a minute, and again for every other number of members.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from autov.algorithms.base import Outcome
from autov.core import Array, Box
from autov.kernels.objective import Objective


@dataclass(frozen=True, eq=False)
class Trace:
    """Evaluations made and the best value so far after each batch, with space for all of them."""

    nfev: np.ndarray
    best: Array

    @classmethod
    def of(cls, batches: int) -> Trace:
        """Space for so many batches."""
        return cls(np.empty(batches, np.int64), np.empty(batches))


@dataclass(frozen=True, eq=False)
class Pieces:
    """A run of one algorithm, in kernels' terms; ``work`` changes as it goes on.

    Attributes:
        kernel: ``kernel(plan, work, objective, lower, upper, budget, final, nfev, best, traced) -> traced``.
        plan: what the settings say.
        work: the state.
        box: where to search.
        least: points of the smallest batch.
        places: of evaluations, batches told and NaN among the counters of the work; of the best among its numbers.
        points: the last points told, from the work.
    """

    kernel: Callable[..., int]
    plan: Any
    work: Any
    box: Box
    least: int
    places: tuple[int, int, int, int]
    points: Callable[[Any], tuple[Array, Array]]

    def go_on(self, objective: Objective, budget: int, final: bool, trace: Trace, traced: int) -> int:
        """Batches until it has made so many evaluations; those that do not fit wait, unless this is the final call."""
        box = self.box
        return self.kernel(
            self.plan, self.work, objective, box.lower, box.upper, budget, final, trace.nfev, trace.best, traced
        )

    @property
    def nfev(self) -> int:
        """Evaluations made."""
        return int(self.work.counters[self.places[0]])

    @property
    def told(self) -> int:
        """Batches told."""
        return int(self.work.counters[self.places[1]])

    @property
    def nans(self) -> int:
        """NaN among the values."""
        return int(self.work.counters[self.places[2]])

    @property
    def best(self) -> float:
        """The best value so far."""
        return float(self.work.numbers[self.places[3]])


@runtime_checkable
class InPieces(Protocol):
    """A compiled algorithm whose run can be cut."""

    def pieces(self, state: Any) -> Pieces:
        """The run that begins with a state."""
        ...


def run_whole(pieces: Pieces, objective: Objective, maxfev: int) -> Outcome:
    """One piece until maxfev evaluations are made."""
    trace = Trace.of(max(maxfev - pieces.nfev, 0) // pieces.least + 3)
    count = pieces.go_on(objective, maxfev, True, trace, 0)
    population, values = pieces.points(pieces.work)
    return Outcome(
        pieces.work.best, pieces.best, count - 1, population, values, trace.nfev[:count], trace.best[:count],
        pieces.nans,
    )  # fmt: skip
