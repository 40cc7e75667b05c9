"""The points that runs of a comparison were at: rows have none, so each run is made again, which gives the same run."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from autov.core import Array, InputError
from autov.engines import engine_of
from autov.experiments.comparison import Comparison
from autov.experiments.runner import Execution, run_options
from autov.experiments.task import Task
from autov.problems import instance_of
from autov.runs import solve
from autov.runs.evaluation import DEFAULT, FaultCount, FaultPolicy, evaluating_here


class BestPoints(NamedTuple):
    """What bettered the best value of a run, in its order."""

    counts: np.ndarray  # (n,) the number of the evaluation, from 1
    values: Array  # (n,) falling
    points: Array  # (n, d)


def best_points(
    comparison: Comparison, workers: Any = 1, policy: FaultPolicy = DEFAULT
) -> dict[tuple[str, str, int], BestPoints]:
    """Make all runs of a comparison again and note the points; it takes as many evaluations as the comparison did.

    Args:
        comparison: of `compare`, not of a file.
        workers: processes, -1 for all cores, an Executor, a Dask client, or a map-like callable.
        policy: of evaluations that fail.

    Returns:
        (problem, algorithm, run) -> its points. A run that is not the same when it is repeated raises InputError.
    """
    rows = {row.key: row for row in comparison.rows}
    tasks = [task for task in comparison.tasks if task.key in rows]
    if len(tasks) < len(rows):
        raise InputError("comparison: its runs cannot be made again, because it was read from a file of results")
    call, found = Repetition.of(tasks, policy), {}
    with (
        engine_of(workers, "processes") as engine,
        contextlib.closing(engine.map(call, map(call.item, tasks))) as results,
    ):
        for index, (made, best) in results:
            task, stored = tasks[index], rows[tasks[index].key].best
            if best != stored:
                raise InputError(
                    f"points: run {task.run} of {task.label} on {task.problem} is not the same when it is repeated: "
                    f"its best value was {stored!r} and is {best!r}"
                )
            found[task.problem, task.label, task.run] = made
    return found


class Repetition(Execution):
    """A call for engines that makes a run again."""

    def run(self, task: Task) -> tuple[BestPoints, float]:
        """Its points and its best value."""
        noted, problem = _Noted(), instance_of(task.make_problem(), task.run)
        with evaluating_here(problem, self.policy, FaultCount()) as evaluate:
            made = solve(problem, task.solver, evaluate=evaluate, rows=True, observe=noted, **run_options(task))
        return noted.points(problem.box.dim), made.fun


class _Noted:
    """Sees all evaluations and keeps those that bettered the best value."""

    def __init__(self) -> None:
        self.count, self.best = 0, np.inf
        self.kept: list[tuple[int, float, Array]] = []

    def __call__(self, x: Array, f: Array) -> None:
        lowest = np.minimum.accumulate(np.append(self.best, f))
        for i in np.flatnonzero(lowest[1:] < lowest[:-1]):
            self.kept.append((self.count + int(i) + 1, float(f[i]), np.array(x[i], dtype=np.float64)))
        self.count, self.best = self.count + len(f), float(lowest[-1])

    def points(self, dim: int) -> BestPoints:
        counts, values, points = zip(*self.kept, strict=True) if self.kept else ((), (), ())
        return BestPoints(np.array(counts, np.int64), np.array(values), np.array(points).reshape(-1, dim))


Points = Mapping[tuple[str, str, int], BestPoints]
