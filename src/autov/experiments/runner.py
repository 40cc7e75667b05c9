"""Run the tasks of an experiment that a store does not have yet."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import NamedTuple

from autov.algorithms import Evolution, solve
from autov.core import Array, InputError, WorkerError
from autov.engines import worker_count
from autov.engines.pools import single_threaded
from autov.experiments.curve import grid, sample
from autov.experiments.plan import Experiment
from autov.experiments.row import Failure
from autov.experiments.store import Store
from autov.experiments.task import Task

Progress = Callable[[int, int, float | None], object]  # finished tasks, all tasks, seconds left (None: unknown)


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


Results = Generator[tuple[Task, Result | None], None, None]  # None: the store has it meanwhile


def execute(task: Task) -> Result:
    """Run one task; what it raises is a result, too."""
    try:
        start = time.perf_counter()
        result = solve(
            task.make_problem(), task.make_algorithm(), maxfev=task.maxfev, popsize=task.popsize, seed=task.seed,
            run=task.run,
        )  # fmt: skip
        samples = sample(result.trace_nfev, result.trace_best, grid(task.maxfev))
        return Result(result.fun, samples, time.perf_counter() - start)
    except Exception as error:
        return Result(float("nan"), None, 0.0, f"{type(error).__name__}: {error}", traceback.format_exc())


def run(
    experiment: Experiment, store: Store | str | os.PathLike[str] | None, workers: int | None = None,
    progress: Progress | None = None,
) -> Outcome:  # fmt: skip
    """Run what is missing, in worker processes, and write each result as it comes.

    Results do not depend on the workers. Ctrl-C raises KeyboardInterrupt when the workers have ended; what is finished
    stays in the store, and the next call goes on. Tasks that raise do not stop the others.
    """
    count = worker_count(workers)
    if not isinstance(store, Store):
        with Store(store) as opened:
            return run(experiment, opened, count, progress)
    start = time.perf_counter()
    missing = store.missing(experiment.tasks)
    todo = sorted(missing, key=lambda task: (-_cost(task), task.run))  # long ones first, then run by run
    total = len({task.key for task in experiment.tasks})
    ran, spent = 0, 0.0
    left = sum(_cost(task) for task in todo)
    if progress is not None:
        progress(total - len(todo), total, None)
    results = _in_processes(todo, store, count) if count > 1 and len(todo) > 1 else _here(todo, store)
    with contextlib.closing(results):
        for i, (task, result) in enumerate(results, start=1):
            if result is not None:
                ran += 1
                _write(store, task, result)
                spent += _cost(task)
            left -= _cost(task)
            if progress is not None:
                rate = (time.perf_counter() - start) / spent if spent else None
                progress(total - len(todo) + i, total, None if rate is None else rate * left)
    return Outcome(total, ran, store.failures(experiment.tasks), time.perf_counter() - start)


def _cost(task: Task) -> int:
    return task.maxfev * task.dim


def _write(store: Store, task: Task, result: Result) -> None:
    if result.samples is None:
        store.fail(task, result.error, result.traceback)
    else:
        store.add(task, result.best, result.samples, result.seconds)


def _here(todo: list[Task], store: Store) -> Results:
    import numba
    from threadpoolctl import threadpool_limits

    threads = numba.get_num_threads()
    try:
        with threadpool_limits(1):  # as in workers: sums of BLAS depend on its threads
            numba.set_num_threads(1)
            for task in todo:
                yield task, None if store.has(task) else execute(task)
    finally:
        numba.set_num_threads(threads)


def _in_processes(todo: list[Task], store: Store, count: int) -> Results:
    _check_pickles(todo)
    _warm_up(todo)
    queue, pending = deque(todo), dict[Future[Result], Task]()
    pool = ProcessPoolExecutor(min(count, len(todo)), initializer=_start_worker)
    try:
        while queue or pending:
            while queue and len(pending) < 2 * count:
                task = queue.popleft()
                if store.has(task):  # another process was faster
                    yield task, None
                else:
                    pending[pool.submit(execute, task)] = task
            for future in wait(pending, return_when=FIRST_COMPLETED).done if pending else ():
                yield pending.pop(future), future.result()
        pool.shutdown()
    except BrokenProcessPool:
        raise WorkerError(
            "a worker process ended abruptly (out of memory?); finished tasks are kept, run again to go on"
        ) from None
    finally:
        for future, task in pending.items():  # finished, but not yet written when the loop was left
            if future.done() and not future.cancelled() and future.exception() is None:
                _write(store, task, future.result())
        processes = list((getattr(pool, "_processes", None) or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def _start_worker() -> None:
    """One thread; Ctrl-C is the parent's; and no worker outlives its parent."""
    single_threaded()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def _check_pickles(todo: list[Task]) -> None:
    for task in {(task.label, task.problem): task for task in todo if task.solver or task.function}.values():
        try:
            pickle.dumps(task)
        except Exception as error:
            raise InputError(
                f"workers: {task.label} on {task.problem} cannot be sent to worker processes ({error}); define it at "
                f"the top level of a module or use workers=1"
            ) from None


def _warm_up(todo: list[Task]) -> None:
    """Compile, or load from Numba's cache, what workers will need: several that fill the cache at once may collide."""
    for task in {task.problem: task for task in todo if task.function is None}.values():
        with contextlib.suppress(Exception):  # the task will say it
            solve(task.make_problem(), Evolution(), maxfev=6, popsize=3)
