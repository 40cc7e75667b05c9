"""Run the tasks of an experiment that a store does not have yet."""

from __future__ import annotations

import contextlib
import os
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from autov.algorithms import solve
from autov.algorithms.base import Compiled
from autov.core import Array, InputError, identity
from autov.engines import Processes, engine_of
from autov.engines.pickled import dumps
from autov.experiments.curve import grid, sample
from autov.experiments.plan import Experiment
from autov.experiments.row import Failure
from autov.experiments.store import Store
from autov.experiments.task import Task
from autov.experiments.trace import Trace, improvements
from autov.problems import instance_of

TaskProgress = Callable[[int, int, float | None], object]  # finished tasks, all tasks, seconds left (None: unknown)


class Outcome(NamedTuple):
    """What a call of `run` did."""

    total: int  # tasks of the experiment
    ran: int  # tasks that it ran, those that failed included
    failures: list[Failure]
    seconds: float


class Result(NamedTuple):
    """What comes back from a worker: values, or what was raised."""

    best: float
    samples: Array | None
    seconds: float
    error: str = ""
    traceback: str = ""
    trace: Trace | None = None


def execute(task: Task) -> Result:
    """Run one task; what it raises is a result, too."""
    try:
        start = time.perf_counter()
        problem = task.make_problem()
        if task.content and task.function is None and identity(problem) != task.content:
            raise InputError(f"problem: {task.problem} has changed since the comparison began; run it again")
        result = solve(
            problem, task.solver, maxfev=task.maxfev, popsize=task.popsize, seed=task.seed,
            run=task.run,
        )  # fmt: skip
        samples = sample(result.trace_nfev, result.trace_best, grid(task.maxfev))
        exact = instance_of(problem, task.run).objective() is None
        trace = improvements(
            *(result.improved if exact and result.improved else (result.trace_nfev, result.trace_best))
        )
        return Result(result.fun, samples, time.perf_counter() - start, trace=trace)
    except Exception as error:
        return Result(float("nan"), None, 0.0, f"{type(error).__name__}: {error}", traceback.format_exc())


def run(
    experiment: Experiment, store: Store | str | os.PathLike[str] | None, workers: Any = None,
    progress: TaskProgress | None = None,
) -> Outcome:  # fmt: skip
    """Run what is missing, in worker processes, and write each result as it comes.

    Results do not depend on the workers. Ctrl-C raises KeyboardInterrupt when the workers have ended; what is finished
    stays in the store, and the next call goes on. Tasks that raise do not stop the others.
    """
    if not isinstance(store, Store):
        with Store(store) as opened:
            return run(experiment, opened, workers, progress)
    if progress is not None and not callable(progress):
        raise InputError(f"progress: must be callable, got {progress!r}")
    start = time.perf_counter()
    missing = store.missing(experiment.tasks)
    todo = sorted(missing, key=lambda task: (-_cost(task), task.run))  # long ones first, then run by run
    total = len({task.key for task in experiment.tasks})
    ran, spent, done = 0, 0.0, total - len(todo)
    left = sum(_cost(task) for task in todo)
    if progress is not None:
        progress(done, total, None)
    sent: list[Task] = []

    def those_missing() -> Iterator[Task]:
        nonlocal left, done
        for task in todo:
            if store.has(task):  # another process was faster
                left, done = left - _cost(task), done + 1
            else:
                sent.append(task)
                yield task

    with engine_of(workers if len(todo) > 1 else 1, "processes") as engine:
        if isinstance(engine, Processes):
            _check_pickles(todo)
            _warm_up(todo)
        with contextlib.closing(engine.map(execute, those_missing())) as results:
            for index, result in results:
                task = sent[index]
                ran += 1
                _write(store, task, result)
                spent, left, done = spent + _cost(task), left - _cost(task), done + 1
                if progress is not None:
                    progress(done, total, (time.perf_counter() - start) / spent * left)
    if progress is not None and not ran:
        progress(done, total, 0.0)
    return Outcome(total, ran, store.failures(experiment.tasks), time.perf_counter() - start)


def _cost(task: Task) -> int:
    return task.maxfev * task.dim


def _write(store: Store, task: Task, result: Result) -> None:
    if result.samples is None:
        store.fail(task, result.error, result.traceback)
    else:
        store.add(task, result.best, result.samples, result.seconds, result.trace)


def _check_pickles(todo: list[Task]) -> None:
    for task in {(task.label, task.problem): task for task in todo}.values():
        try:
            dumps(task)
        except Exception as error:
            raise InputError(
                f"workers: {task.label} on {task.problem} cannot be sent to worker processes ({error}); define it at "
                f"the top level of a module or use workers=1"
            ) from None


def _warm_up(todo: list[Task]) -> None:
    """Compile, or load from Numba's cache, what workers will need: several that fill the cache at once may collide."""
    for task in {(task.problem, task.algorithm): task for task in todo if task.function is None}.values():
        if not isinstance(task.solver, Compiled):
            continue
        with contextlib.suppress(Exception):  # the task will say it
            solve(task.make_problem(), task.solver, maxfev=6, popsize=3)  # type: ignore[arg-type]
