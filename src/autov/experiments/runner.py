"""Run the tasks of an experiment that a store does not have yet."""

from __future__ import annotations

import contextlib
import os
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

from autov.algorithms.base import Compiled
from autov.core import Array, InputError, identity
from autov.engines import Engine, Processes, engine_of
from autov.engines.engine import Found
from autov.engines.pickled import dumps
from autov.experiments.plan import Experiment
from autov.experiments.row import Failure
from autov.experiments.store import Store
from autov.experiments.task import Task
from autov.experiments.trace import Trace, grid, improvements, sample
from autov.problems import Problem, instance_of, takes_points
from autov.runs import Run, solve
from autov.runs.evaluation import (
    DEFAULT,
    FaultCount,
    FaultPolicy,
    check_policy,
    engine_for,
    evaluating_here,
    names_point,
)
from autov.runs.point_scheduler import Job, PointScheduler

DEADLY = "WorkerError:"  # how errors of tasks that ended their worker begin

TaskProgress = Callable[[int, int, float | None], object]  # finished tasks, all tasks, seconds left (None: unknown)


@runtime_checkable
class Listener(Protocol):
    """A progress callback that also wants to know what the runs found, stored ones first."""

    def __call__(self, done: int, total: int, left: float | None) -> object:
        """Hear how far it is."""
        ...

    def begin(self, cells: Iterable[tuple[str, str]]) -> None:
        """Hear which (problem, algorithm) there are."""
        ...

    def ran(self, problem: str, label: str, best: float) -> None:
        """Hear the best value of a run."""
        ...


class Tally(NamedTuple):
    """How many tasks a call of `run` ran, and which failed."""

    total: int  # tasks of the experiment
    ran: int  # tasks that it ran, those that failed included
    failures: list[Failure]
    seconds: float


class TaskResult(NamedTuple):
    """What comes back from a worker: values, or what was raised."""

    best: float
    samples: Array | None
    seconds: float
    error: str = ""
    traceback: str = ""
    trace: Trace | None = None
    failed: dict[str, int] | None = None  # evaluations that counted as worst


def execute(task: Task, policy: FaultPolicy = DEFAULT) -> TaskResult:
    """Run one task; what it raises is a result, too."""
    try:
        start, faults = time.perf_counter(), FaultCount()
        problem = _problem_of(task)
        with evaluating_here(instance_of(problem, task.run), policy, faults) as evaluate:
            result = solve(problem, task.solver, evaluate=evaluate, rows=True, **run_options(task))
        return _result(task, problem, result, time.perf_counter() - start, faults)
    except (Exception, SystemExit) as error:  # a function may call exit()
        return _failed(error)


@dataclass(frozen=True, eq=False)
class Execution:
    """A call for engines; it holds the problems that no name tells, so that a worker gets and compiles each once."""

    functions: tuple[Problem, ...]
    policy: FaultPolicy = DEFAULT

    @classmethod
    def of(cls, tasks: list[Task], policy: FaultPolicy) -> Execution:
        """For these tasks."""
        return cls(tuple({id(task.function): task.function for task in tasks if task.function}.values()), policy)

    def item(self, task: Task) -> tuple[Task, int | None]:
        """What is sent for a task."""
        places = (i for i, function in enumerate(self.functions) if function is task.function)
        return replace(task, function=None), next(places, None)

    def __call__(self, item: tuple[Task, int | None]) -> Any:
        """Run it."""
        task, place = item
        return self.run(task if place is None else replace(task, function=self.functions[place]))

    def run(self, task: Task) -> Any:
        """The result of a task."""
        return execute(task, self.policy)


def _problem_of(task: Task) -> Problem:
    problem = task.make_problem()
    if task.content and task.function is None and identity(problem) != task.content:
        raise InputError(f"problem: {task.problem} has changed since the comparison began; run it again")
    return problem


def run_options(task: Task) -> dict[str, Any]:
    """What `solve` is told of a task."""
    return {"maxfev": task.maxfev, "popsize": task.popsize, "seed": task.seed, "run": task.run}


def _result(task: Task, problem: Problem, result: Run, seconds: float, faults: FaultCount) -> TaskResult:
    samples = sample(result.trace_nfev, result.trace_best, grid(task.maxfev))
    exact = instance_of(problem, task.run).objective() is None
    trace = improvements(*(result.improved if exact and result.improved else (result.trace_nfev, result.trace_best)))
    return TaskResult(result.fun, samples, seconds, trace=trace, failed=faults.counts)


def _failed(error: BaseException) -> TaskResult:
    trace = "".join(traceback.format_exception(error))
    return TaskResult(float("nan"), None, 0.0, f"{type(error).__name__}: {error}", trace)


def run(
    experiment: Experiment, store: Store | str | os.PathLike[str] | None, workers: Any = None,
    progress: TaskProgress | None = None, policy: FaultPolicy = DEFAULT, retry_failed: bool = False,
) -> Tally:  # fmt: skip
    """Run what is missing, in worker processes, and write each result as it comes.

    Results do not depend on the workers. Ctrl-C raises KeyboardInterrupt when the workers have ended; what is finished
    stays in the store, and the next call goes on. Tasks that raise, or end their worker, do not stop the others. Those
    that raised are run again by the next call, those that ended their worker only with ``retry_failed``, or where the
    point that did it is known and counts as worst now.
    """
    if not isinstance(store, Store):
        with Store(store) as opened:
            return run(experiment, opened, workers, progress, policy, retry_failed)
    if progress is not None and not callable(progress):
        raise InputError(f"progress: must be callable, got {progress!r}")
    start = time.perf_counter()
    missing = store.missing(experiment.tasks)
    if not retry_failed:
        deadly = {
            failure.key for failure in store.failures(experiment.tasks)
            if failure.error.startswith(DEADLY) and not (policy.worst and names_point(failure.error))
        }  # fmt: skip
        missing = [task for task in missing if task.key not in deadly]
    if missing:
        store.check_writable()
    if policy != DEFAULT:
        for task in {(task.problem, task.dim): task for task in missing}.values():
            check_policy(task.make_problem(), policy)
    todo = sorted(missing, key=lambda task: (-_cost(task), task.run))  # long ones first, then run by run
    total = len({task.key for task in experiment.tasks})
    ran, spent, done = 0, 0.0, total - len(todo)
    left = sum(_cost(task) for task in todo)
    listener = progress if isinstance(progress, Listener) else None
    if listener is not None:
        listener.begin((task.problem, task.label) for task in experiment.tasks)
        for row in store.rows(experiment.tasks):
            listener.ran(row.problem, row.label, row.best)
    if progress is not None:
        progress(done, total, None)
    sent: list[Task] = []
    call = Execution.of(todo, policy)

    def those_missing() -> Iterator[Any]:
        nonlocal left, done
        for task in todo:
            if store.has(task):  # another process was faster
                left, done = left - _cost(task), done + 1
            else:
                sent.append(task)
                yield call.item(task)

    with contextlib.ExitStack() as opened:
        if policy.timeout is not None:
            engine = opened.enter_context(engine_for(workers, policy))
            results, sent = _map_points(todo, engine, policy), todo
        else:
            here = len(todo) < 2 and not all(map(_travels, todo))  # nothing is gained by refusing a single one
            engine = opened.enter_context(engine_of(1 if here else workers, "processes"))
            if isinstance(engine, Processes):
                _check_pickles(todo)
                _warm_up(todo)
            results = _map_runs(call, those_missing(), sent, engine)
        with contextlib.closing(results):
            for index, result in results:
                task = sent[index]
                ran += 1
                _write(store, task, result)
                spent, left, done = spent + _cost(task), left - _cost(task), done + 1
                if listener is not None and result.samples is not None:
                    listener.ran(task.problem, task.label, result.best)
                if progress is not None:
                    progress(done, total, (time.perf_counter() - start) / spent * left)
    if progress is not None and not ran:
        progress(done, total, 0.0)
    return Tally(total, ran, store.failures(experiment.tasks), time.perf_counter() - start)


def _map_runs(call: Execution, items: Iterator[Any], sent: list[Task], engine: Engine) -> Found[TaskResult]:
    """Whole runs on the workers; those that end their worker are made again point by point, which tells the point."""
    again: list[int] = []

    def lost(index: int, reason: str) -> TaskResult | None:
        if takes_points(instance_of(sent[index].make_problem(), sent[index].run)):
            again.append(index)
            return None
        return TaskResult(float("nan"), None, 0.0, f"{DEADLY} {reason}", "")

    with contextlib.closing(engine.map(call, items, lost=lost)) as found:
        for index, result in found:
            if result is not None:
                yield index, result
    if again:
        with contextlib.closing(_map_points([sent[i] for i in again], engine, call.policy)) as made:
            for place, result in made:
                yield again[place], result


def _map_points(todo: list[Task], engine: Engine, policy: FaultPolicy) -> Found[TaskResult]:
    """Tasks whose single evaluations go to the workers, which can then be replaced when one takes too long."""
    distinct = {(task.problem, task.dim, task.content): task for task in todo}
    problems = [_problem_of(task) for task in distinct.values()]
    numbers = {key: i for i, key in enumerate(distinct)}
    jobs = [Job(numbers[t.problem, t.dim, t.content], t.solver, run_options(t)) for t in todo]
    with contextlib.closing(PointScheduler(problems, engine, policy).map(jobs)) as found:
        for index, (made, error, faults) in found:
            if made is not None:
                yield index, _result(todo[index], problems[jobs[index].problem], made, made.seconds, faults)
            elif isinstance(error, (Exception, SystemExit)):
                yield index, _failed(error)


def _cost(task: Task) -> int:
    return task.maxfev * task.dim


def _write(store: Store, task: Task, result: TaskResult) -> None:
    if result.samples is None:
        store.fail(task, result.error, result.traceback)
    else:
        store.add(task, result.best, result.samples, result.seconds, result.trace, result.failed)


def _travels(task: Task) -> bool:
    try:
        dumps(task)
    except Exception:
        return False
    return True


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
