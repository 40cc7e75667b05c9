"""Compiled runs that can be resumed: a portfolio lets its members advance in turns.

A loop over compiled calls costs some ten microseconds for each; one kernel for a whole portfolio would save them, but
compile for more than a minute, and again for every other number of members.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from autov.algorithms.base import Outcome
from autov.core import Array, Box
from autov.core.ending import end_if_asked
from autov.kernels.objective import Objective

FIRST = 1_000_000  # numbers, points times variables, of the first slice of a call: most runs are shorter
SLICE = 0.1  # seconds of the others


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
class ResumableRun:
    """A run of one algorithm, in kernels' terms; ``work`` changes as it goes on.

    Attributes:
        kernel: ``kernel(plan, work, objective, lower, upper, budget, final, nfev, best, traced) -> traced``.
        plan: what the settings say.
        work: the state; its scalars have at least nfev, generation (batches told), nans and best.
        box: where to search.
        least: points of the smallest batch.
        points: the last points told, from the work.
    """

    kernel: Any
    plan: Any
    work: Any
    box: Box
    least: int
    points: Callable[[Any], tuple[Array, Array]]

    def advance(self, objective: Objective, budget: int, final: bool, trace: Trace, traced: int) -> int:
        """Batches until it has made so many evaluations; those that do not fit wait, unless this is the final call.

        Long calls are made in slices of the same bits: between two of them Python sees Ctrl-C, and a thread whether it
        is asked to end.
        """
        goal, step = self.nfev, max(1, FIRST // self.box.dim)
        while True:
            goal, begun = min(budget, goal + step), time.perf_counter()
            traced = self.kernel(*self.arguments(objective, goal, final and goal == budget, trace, traced))
            if goal == budget:
                return traced
            end_if_asked()
            spent = max(time.perf_counter() - begun, 1e-9)
            step = max(1, int(step * min(4.0, SLICE / spent)))

    def arguments(self, objective: Objective, goal: int, final: bool, trace: Trace, traced: int) -> tuple[Any, ...]:
        """Of the kernel."""
        lower, upper = self.box.lower, self.box.upper
        return self.plan, self.work, objective, lower, upper, goal, final, trace.nfev, trace.best, traced

    @property
    def nfev(self) -> int:
        """Evaluations made."""
        return int(self.work.scalars["nfev"][0])

    @property
    def batches(self) -> int:
        """Batches told."""
        return int(self.work.scalars["generation"][0])

    @property
    def nans(self) -> int:
        """NaN among the values."""
        return int(self.work.scalars["nans"][0])

    @property
    def best(self) -> float:
        """The best value so far."""
        return float(self.work.scalars["best"][0])


@runtime_checkable
class Resumable(Protocol):
    """A compiled algorithm whose run can be resumed."""

    def resumable_run(self, state: Any) -> ResumableRun:
        """The run that begins with a state."""
        ...


def run_to_end(
    run: ResumableRun, objective: Objective, maxfev: int, begun: list[ResumableRun] | None = None
) -> Outcome:
    """Advance until maxfev evaluations are made; ``begun`` gets the run."""
    trace = Trace.of(max(maxfev - run.nfev, 0) // run.least + 3)
    if begun is not None:
        begun.append(run)
    count = run.advance(objective, maxfev, True, trace, 0)
    population, values = run.points(run.work)
    return Outcome(
        run.work.best, run.best, count - 1, population, values, trace.nfev[:count], trace.best[:count],
        run.nans,
    )  # fmt: skip


def outcome_so_far(begun: Sequence[ResumableRun]) -> Outcome | None:
    """What runs have found until now, whether they go on or were interrupted; None if nothing is evaluated."""
    used = [run for run in begun if run.nfev]
    if not used:
        return None
    best = min(used, key=lambda run: run.best)
    population, values = best.points(best.work)
    return Outcome(
        best.work.best.copy(), best.best, max(0, sum(run.batches for run in used) - 1), population, values,
        np.array([sum(run.nfev for run in used)]), np.array([best.best]), sum(run.nans for run in used),
    )  # fmt: skip
