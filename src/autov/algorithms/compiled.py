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
from autov.compiler.precompile import precompile
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
        """Space for this number of batches."""
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
        waiting: points of the next batch, from the work.
    """

    kernel: Any
    plan: Any
    work: Any
    box: Box
    least: int
    points: Callable[[Any], tuple[Array, Array]]
    waiting: Callable[[Any], int]

    def advance(self, objective: Objective, budget: int, final: bool, trace: Trace, traced: int) -> int:
        """Batches up to this number of evaluations; those that do not fit wait, unless this is the final call.

        Long calls consist of bit-identical slices: between two of them Python sees Ctrl-C, and a thread whether it
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

    @property
    def best_x(self) -> Array:
        """Its point."""
        return self.work.best

    @property
    def batch(self) -> int:
        """Points of the next batch."""
        return self.waiting(self.work)

    def population(self) -> tuple[Array, Array]:
        """The last points told."""
        return self.points(self.work)

    def calls(self, objective: Objective, trace: Trace) -> list[tuple[Any, tuple[Any, ...]]]:
        """The kernel, with such arguments as it will get."""
        return [(self.kernel, self.arguments(objective, 0, True, trace, 0))]


class AnyRun(Protocol):
    """A compiled run that can be resumed: that of one algorithm, or of several that share a budget."""

    @property
    def least(self) -> int:
        """Points of the smallest batch."""
        ...

    @property
    def nfev(self) -> int:
        """Evaluations made."""
        ...

    @property
    def batches(self) -> int:
        """Batches told."""
        ...

    @property
    def nans(self) -> int:
        """NaN among the values."""
        ...

    @property
    def best(self) -> float:
        """The best value so far."""
        ...

    @property
    def best_x(self) -> Array:
        """Its point."""
        ...

    @property
    def batch(self) -> int:
        """Points of the next batch."""
        ...

    def population(self) -> tuple[Array, Array]:
        """The last points told."""
        ...

    def advance(self, objective: Objective, budget: int, final: bool, trace: Trace, traced: int) -> int:
        """Batches up to this number of evaluations; those that do not fit wait, unless this is the final call."""
        ...

    def calls(self, objective: Objective, trace: Trace) -> list[tuple[Any, tuple[Any, ...]]]:
        """Kernels that it will call, with such arguments."""
        ...


@runtime_checkable
class Resumable(Protocol):
    """A compiled algorithm whose run can be resumed."""

    def resumable_run(self, state: Any) -> AnyRun:
        """The run that begins with a state."""
        ...


class Turns:
    """Runs that advance in turns: what they have made and found together, also while one of them is at work."""

    def __init__(self, runs: list[AnyRun]) -> None:
        self.runs = runs
        self.last: AnyRun | None = None  # that told a batch last
        self._found: tuple[float, Array] | None = None  # the best value and its point, after the last advance

    def advance_one(
        self, run: AnyRun, objective: Objective, budget: int, final: bool, trace: Trace, traced: int
    ) -> int:  # fmt: skip
        """Let one advance until it has made this number of evaluations; its trace becomes a part of the whole."""
        before, told, begin, all_before, best = run.nfev, run.batches, traced, self.nfev, self.best
        traced = run.advance(objective, budget, final, trace, traced)
        piece = slice(begin, traced)
        trace.nfev[piece] += all_before - before
        trace.best[piece] = np.minimum(trace.best[piece], best)
        if run.nfev > before and (run.best < best or self._found is None):
            self._found = run.best, run.best_x.copy()
        if run.batches > told or (self.last is None and run.nfev):
            self.last = run
        return traced

    @property
    def nfev(self) -> int:
        """Evaluations of all."""
        return sum(run.nfev for run in self.runs)

    @property
    def batches(self) -> int:
        """Batches that all have told."""
        return sum(run.batches for run in self.runs)

    @property
    def nans(self) -> int:
        """NaN among the values of all."""
        return sum(run.nans for run in self.runs)

    @property
    def best(self) -> float:
        """The best value of all."""
        return self._best()[0]

    @property
    def best_x(self) -> Array:
        """Its point; of equal values the one that was found first."""
        return self._best()[1]

    def _best(self) -> tuple[float, Array]:
        found = self._found
        for run in self.runs:
            if run.nfev and (found is None or run.best < found[0]):
                found = run.best, run.best_x
        return (np.inf, np.empty(0)) if found is None else found

    def population(self) -> tuple[Array, Array]:
        """The last points told."""
        return (self.last or next((run for run in self.runs if run.nfev), self.runs[0])).population()

    def calls(self, objective: Objective, trace: Trace) -> list[tuple[Any, tuple[Any, ...]]]:
        """Kernels of all, each once, in the order in which they are needed."""
        found = [call for run in self.runs for call in run.calls(objective, trace)]
        return [call for i, call in enumerate(found) if all(call[0] is not other[0] for other in found[:i])]


def run_to_end(run: AnyRun, objective: Objective, maxfev: int, begun: list[AnyRun] | None = None) -> Outcome:
    """Advance until maxfev evaluations are made; ``begun`` gets the run."""
    trace = Trace.of(max(maxfev - run.nfev, 0) // run.least + 3)
    if begun is not None:
        begun.append(run)
    precompile(run.calls(objective, trace)[1:])
    count = run.advance(objective, maxfev, True, trace, 0)
    population, values = run.population()
    return Outcome(
        run.best_x, run.best, count - 1, population, values, trace.nfev[:count], trace.best[:count], run.nans
    )


def outcome_so_far(begun: Sequence[AnyRun]) -> Outcome | None:
    """What a run has found until now, whether it goes on or was interrupted; None if nothing is evaluated."""
    used = [run for run in begun if run.nfev]
    if not used:
        return None
    run = used[0]
    population, values = run.population()
    return Outcome(
        run.best_x.copy(), run.best, max(0, run.batches - 1), population, values, np.array([run.nfev]),
        np.array([run.best]), run.nans,
    )  # fmt: skip
