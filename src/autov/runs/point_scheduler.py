"""Many runs on one engine, point by point: while a run waits for the last points of a batch, workers have others.

Every run is a thread that computes next to nothing: it asks its algorithm for points, puts them into a common queue and
sleeps until all of them have values. Only evaluations go to the engine. Results do not depend on the order in which
they are made, since every run has its own streams.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from autov.algorithms.base import Algorithm, External
from autov.core import Array, InputError, WorkerError
from autov.engines import WAIT, Engine
from autov.engines.pickled import pack_error, unpack_error
from autov.problems import Problem, instance_of
from autov.runs.driver import solve
from autov.runs.evaluation import DEFAULT, RAISED, FaultCount, FaultPolicy, giving_rows, in_message, one_line
from autov.runs.evaluation_journal import number_of, stacked
from autov.runs.live_run import Run
from autov.runs.run_store import Told

PATIENCE = 0.05  # seconds to wait for a run that is computing before workers are left alone


class Job(NamedTuple):
    """One run: the number of its problem, its algorithm, and what else `solve` takes."""

    problem: int
    algorithm: Algorithm
    options: dict[str, Any]


class ScheduledRun(NamedTuple):
    """A run that has ended, or what it raised, and how many of its evaluations failed."""

    run: Run | None
    error: BaseException | None
    faults: FaultCount


@lru_cache(maxsize=64)
def _instance(problem: Problem, run: int) -> Any:
    return instance_of(problem, run)


@dataclass(frozen=True, eq=False)
class RunPoint:
    """A call for engines: value, seconds, and what was raised, as bytes, at a point of the instance of a run."""

    problems: tuple[Problem, ...]

    def __call__(self, item: tuple[int, int, Array]) -> tuple[Told, float, bytes | None]:
        """The item is the number of a problem, the number of a run, and a point."""
        number, run, x = item
        start = time.perf_counter()
        try:
            value, raised = giving_rows(_instance(self.problems[number], run)).point(x), None
        except (Exception, SystemExit) as error:
            value, raised = np.inf, pack_error(error)
        return value, time.perf_counter() - start, raised

    @property
    def __wrapped__(self) -> Any:
        return getattr(self.problems[0], "fun", type(self.problems[0]))


class CheapEvaluations(BaseException):
    """A run was given up since its points are so cheap that a run travels whole; it has the values of its batches."""

    def __init__(self, batches: list[Array]) -> None:
        super().__init__("evaluations are cheap")
        self.batches = batches
        self.faults = FaultCount()  # of those batches


class _Cancelled(BaseException):
    """Raised in the threads of runs that nobody waits for any more."""


@dataclass(eq=False)
class _Batch:
    """Points of a run that are being evaluated."""

    points: Array
    values: list[Told]
    left: int
    before: list[Array] = field(default_factory=list)  # values of the run's earlier batches, where they may be needed
    done: threading.Event = field(default_factory=threading.Event)
    error: BaseException | None = None


class PointScheduler:
    """Runs jobs on an engine; the threads of runs and the caller share what is guarded by one condition.

    Attributes:
        cost: seconds of an evaluation, measured by the workers; None before the first.
        best: the best value and point so far of each run that has begun and not ended, by its index.
    """

    def __init__(
        self, problems: Sequence[Problem], engine: Engine, policy: FaultPolicy = DEFAULT, cheap: float = 0.0
    ) -> None:  # fmt: skip
        """With ``cheap``, a run whose points take fewer seconds than that ends as `CheapEvaluations` after a batch."""
        self.problems, self.engine, self.policy, self.cheap = tuple(problems), engine, policy, cheap
        self.cost: float | None = None
        self.best: dict[int, tuple[float, Array]] = {}
        self._measured = 0
        self._chunk = 1  # points that travel together
        self._call = RunPoint(self.problems)
        self._changed = threading.Condition()
        self._ready: deque[tuple[int, _Batch, int]] = deque()  # job, batch, row
        self._computing = 0  # runs whose threads do something other than wait for values
        self._open: dict[int, _Batch | None] = {}
        self._ended: deque[tuple[int, ScheduledRun]] = deque()
        self._faults: dict[int, FaultCount] = {}
        self._closed = False

    def map(self, jobs: Sequence[Job]) -> Generator[tuple[int, ScheduledRun], None, None]:
        """(index, outcome) of the jobs as they end, in any order."""
        sent: dict[int, tuple[int, _Batch, int]] = {}
        self._closed = False
        self.best = {}

        def lost(_: int, reason: str) -> tuple[float, float, Any]:
            return np.inf, np.nan, reason

        points = sum(int(job.options.get("popsize", 1)) for job in jobs)  # of all runs in one step
        self._chunk = in_message(self.engine, self.cost, points) if self.policy.timeout is None else 1
        found = self.engine.map(
            self._call, self._items(jobs, sent), chunk=self._chunk, timeout=self.policy.timeout, lost=lost
        )
        try:
            with closing(found):
                for number, (value, seconds, failure) in found:
                    self._measure(seconds)
                    self._deliver(*sent.pop(number), value, failure)
                    yield from self._outcomes()
            yield from self._outcomes()
        finally:
            self._close()

    def _items(self, jobs: Sequence[Job], sent: dict[int, tuple[int, _Batch, int]]) -> Iterator[Any]:
        """Points for the engine, those of runs that began first before others."""
        waiting, count = deque(range(len(jobs))), 0
        alone = any(isinstance(job.algorithm, External) for job in jobs)  # libraries may share a state among threads
        while True:
            with self._changed:
                self._fill(jobs, waiting, alone)
                if not self._ready:
                    if not self._open:
                        return
                    if self._computing:
                        self._changed.wait(PATIENCE if sent else None)
                        if not self._ready and not sent:
                            continue
                entry = self._ready.popleft() if self._ready else None
            if entry is None:
                yield WAIT
                continue
            index, batch, row = sent[count] = entry
            count += 1
            yield jobs[index].problem, _number(jobs[index]), batch.points[row]

    def _fill(self, jobs: Sequence[Job], waiting: deque[int], alone: bool) -> None:
        """Begin another run where the points that wait would not last, and none is about to ask for more."""
        while waiting and not self._computing and len(self._ready) < 2 * self._chunk * self.engine.workers:
            if alone and self._open:
                return
            index = waiting.popleft()
            self._open[index] = None
            self._computing += 1
            self._faults[index] = FaultCount()
            threading.Thread(target=self._run, args=(index, jobs[index]), daemon=True).start()
            self._changed.wait_for(lambda: not self._computing, PATIENCE)

    def _run(self, index: int, job: Job) -> None:
        """The thread of a run."""
        run, error, problem = None, None, self.problems[job.problem]
        try:
            run = solve(problem, job.algorithm, evaluate=lambda x: self._values(index, x), rows=True, **job.options)
        except BaseException as caught:
            error = caught
        with self._changed:
            self._computing -= 1
            self._open.pop(index, None)
            faults = self._faults.pop(index)
            if isinstance(error, CheapEvaluations):
                error.faults = faults
            self._ended.append((index, ScheduledRun(run, error, faults)))
            self._changed.notify_all()

    def _values(self, index: int, x: Array) -> Array:
        """Values of a batch; called in the thread of its run."""
        batch = _Batch(np.array(x), [np.nan] * len(x), len(x))
        with self._changed:
            if self._closed:
                raise _Cancelled
            before = self._open[index]
            if before is not None and self.cheap:
                batch.before = [*before.before, stacked(before.values)]
                if self.cost is not None and self.cost < self.cheap:
                    raise CheapEvaluations(batch.before)
            self._open[index] = batch
            self._ready.extend((index, batch, row) for row in range(len(x)))
            self._computing -= 1
            self._changed.notify_all()
        batch.done.wait()
        if batch.error is not None:
            raise batch.error
        return stacked(batch.values)

    def _measure(self, seconds: float) -> None:
        if seconds == seconds:  # not that of a lost worker
            self._measured += 1
            self.cost = (self.cost or 0.0) + (seconds - (self.cost or 0.0)) / self._measured

    def _error_of(self, index: int, point: Array, failure: Any) -> BaseException | None:
        """What a failed evaluation means for its run: an error, or a point that counts as worst."""
        faults = self._faults.get(index, FaultCount())
        if isinstance(failure, str):  # the worker was lost
            try:
                faults.lose(self.policy, failure, point)
            except WorkerError as error:
                return error
        elif failure is not None:
            raised = unpack_error(failure)
            if not self.policy.worst or isinstance(raised, InputError):
                return raised
            faults.note(RAISED, one_line(raised), point)
        return None

    def _deliver(self, index: int, batch: _Batch, row: int, value: Told, failure: Any) -> None:
        """A value for the run that waits for it; the last one, or an error, lets its thread go on."""
        error = self._error_of(index, batch.points[row], failure)
        batch.values[row] = value
        batch.left -= 1
        if number_of(value) < self.best.get(index, (np.inf,))[0]:
            self.best[index] = number_of(value), batch.points[row]
        if batch.error is None and (error is not None or not batch.left):
            batch.error = error
            with self._changed:
                if error is not None:  # the run ends: its other points need no values
                    self._ready = deque(entry for entry in self._ready if entry[1] is not batch)
                self._computing += 1
            batch.done.set()

    def _outcomes(self) -> Iterator[tuple[int, ScheduledRun]]:
        while self._ended:
            index, fed = self._ended.popleft()
            if fed.run is not None:
                self.best.pop(index, None)
            yield index, fed

    def _close(self) -> None:
        """Let all threads end."""
        with self._changed:
            self._closed = True
            for batch in self._open.values():
                if batch is not None and not batch.done.is_set():
                    batch.error = _Cancelled()
                    batch.done.set()


def _number(job: Job) -> int:
    return int(job.options.get("run", 0))


def run_scheduled(scheduler: PointScheduler, jobs: Sequence[Job], keep: Callable[[int, Run, FaultCount], Any]) -> None:
    """Keep the outcome of each job; the first error of a run ends all."""
    with closing(scheduler.map(jobs)) as outcomes:
        for index, outcome in outcomes:
            if outcome.run is None:
                raise outcome.error or RuntimeError("a run ended without a result")
            keep(index, outcome.run, outcome.faults)
