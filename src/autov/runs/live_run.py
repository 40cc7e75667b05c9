"""What has come out of a run, at any time, and how people see it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from autov.core import Array
from autov.problems import (
    Constrained,
    Problem,
    to_base,
    unpenalized,
)
from autov.runs.budget import BudgetedObjective

Watch = Callable[["Run"], bool | None]


@dataclass(frozen=True, eq=False)
class Run:
    """The result of a run, or of its part so far."""

    x: Array
    fun: float
    nfev: int
    nit: int  # batches after the first
    population: Array
    values: Array
    trace_nfev: np.ndarray  # evaluations made when ...
    trace_best: Array  # ... the best value so far was this
    nans: int
    stopped: bool  # by the monitor, before the budget was used up
    seconds: float
    experienced: bool | None = None  # whether experience was of use; None where there was none
    improved: tuple[np.ndarray, Array] | None = None  # evaluations that bettered it, and values; not of compiled runs
    members: Mapping[str, int] = field(default_factory=dict)  # evaluations of each; not of compiled runs
    leader: str = ""  # who of them found the best point


class LiveRun:
    """A run that is always there: what has come out of it until now, whether it goes on, ended or was interrupted."""

    def __init__(self) -> None:
        self._so_far: Callable[[], Run | None] = lambda: None
        self._changes: list[Callable[[Run], Run]] = []

    def follow(self, so_far: Callable[[], Run | None]) -> None:
        """Ask this for the run from now on."""
        self._so_far = so_far

    def show(self, change: Callable[[Run], Run]) -> None:
        """Show the run as people see it; what is given later is applied first."""
        self._changes.insert(0, change)

    @property
    def run(self) -> Run | None:
        """What has come out; None if nothing is evaluated."""
        found = self._so_far()
        if found is not None:
            for change in self._changes:
                found = change(found)
        return found


def presented(problem: Problem) -> Callable[[Run], Run]:
    """How people see runs on a problem: points as its objective got them, infinity for points that are not feasible."""
    base, _ = to_base(problem, np.empty((0, problem.box.dim)))
    if not isinstance(base, Constrained):
        return lambda run: run

    def present(run: Run) -> Run:
        points = {}
        if isinstance(problem, Constrained):
            points = {"x": problem.rounded(run.x[None])[0], "population": problem.rounded(run.population)}
        values = {"values": unpenalized(run.values), "trace_best": unpenalized(run.trace_best)}
        return replace(run, fun=float(unpenalized(run.fun)), **values, **points)

    return present


def run_so_far(spent: BudgetedObjective, population: Array, values: Array, stopped: bool) -> Run:
    """What has come out until now."""
    trace_nfev, trace_best = spent.trace()
    return Run(
        spent.best_x, spent.best, spent.nfev, max(spent.batches - 1, 0), population, values, trace_nfev, trace_best,
        spent.nans, stopped and spent.left > 0, time.perf_counter() - spent.start, members=spent.members,
        leader=spent.leader,
    )  # fmt: skip
