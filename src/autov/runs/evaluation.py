"""How Python functions of single points are evaluated, here or by workers, and what is done about points that fail."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from autov.algorithms.base import Batch
from autov.core import Array, InputError, WorkerError, counted, generator, real_numbers
from autov.core.ending import end_if_asked
from autov.engines import MESSAGE, WAIT, Engine, OnMap, Processes, Serial, engine_of
from autov.engines.engine import Found
from autov.problems import Constrained, PointFunction, Problem, instance_of, takes_points
from autov.runs.evaluation_journal import Arrived, ArrivingBatch, number_of, stacked
from autov.runs.run_state import WorkerTime
from autov.runs.run_store import Told

TOGETHER = 0.02  # seconds of work that travel in one message: long for a message, short for a batch
LONG = 40  # times as long as a message is what travels in it, so that it costs 2.5 %
RAISED, LATE, LOST = "raised", "timed out", "worker lost"
KINDS = (RAISED, LATE, LOST)
_AT = ", at x = "  # in the text of an error


@dataclass(frozen=True)
class FaultPolicy:
    """The treatment of evaluations that fail.

    Attributes:
        timeout: seconds that an evaluation may take; then its worker is replaced and the point counts as infinitely
            bad. None for any time.
        on_error: what an exception of the function, or the death of its worker, does: "raise" ends the run, "worst"
            lets the point count as infinitely bad.
    """

    timeout: float | None = None
    on_error: str = "raise"

    def __post_init__(self) -> None:
        fits = isinstance(self.timeout, (int, float, np.number)) and not isinstance(self.timeout, bool)
        if self.timeout is not None and not (fits and 0 < self.timeout < np.inf):
            raise InputError(f"timeout: must be a positive number of seconds or None, got {self.timeout!r}")
        if self.on_error not in ("raise", "worst"):
            raise InputError(f"on_error: must be 'raise' or 'worst', got {self.on_error!r}")

    @property
    def worst(self) -> bool:
        """Whether exceptions count as worst."""
        return self.on_error == "worst"


DEFAULT = FaultPolicy()


def fault_policy(faults: Any) -> FaultPolicy:
    """The policy that is given, or the default."""
    if faults is None:
        return DEFAULT
    if not isinstance(faults, FaultPolicy):
        raise InputError(f"faults: must be autov.FaultPolicy(...), got {faults!r}")
    return faults


class FaultCount:
    """How many evaluations failed and counted as worst, by what happened, and the first of them."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.first = ""

    def note(self, what: str, reason: str, point: Array | None) -> None:
        """One more."""
        self.counts[what] = self.counts.get(what, 0) + 1
        self.first = self.first or f"{reason}{'' if point is None else f' at x = {point_text(point)}'}"

    def add(self, counts: Mapping[str, int], first: str = "") -> None:
        """Those of another count."""
        for what, count in counts.items():
            self.counts[what] = self.counts.get(what, 0) + count
        self.first = self.first or first

    def lose(self, policy: FaultPolicy, reason: str, point: Array) -> str:
        """Take note of a point whose worker died or was replaced, and tell which; raise it where that is wanted."""
        late = reason.startswith("took longer")
        if not late and not policy.worst:
            raise lost_at(reason, point)
        what = LATE if late else LOST
        self.note(what, reason, point)
        return what


def sentence(counts: Mapping[str, int], first: str = "") -> str:
    """What to tell people; nothing if there were none."""
    if not counts:
        return ""
    parts = ", ".join(f"{count:,} {what}" for what, count in counts.items())
    what = f"{counted(sum(counts.values()), 'evaluation')} failed and counted as worst"
    return f"{what} ({parts}){f': {first}' if first else ''}."


def point_text(point: Array) -> str:
    """A point in a message."""
    return " ".join(np.array2string(np.asarray(point), threshold=20, separator=", ").split())


def lost_at(reason: str, point: Array) -> WorkerError:
    """The error of a point that ended its worker."""
    return WorkerError(f"{reason}{_AT}{point_text(point)}")


def names_point(error: str) -> bool:
    """Whether the text of an error is that of a point that ended its worker."""
    return _AT in error


def one_line(error: BaseException) -> str:
    """Type and text of an exception."""
    text: Any = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"


class HasPoint(Protocol):
    """A function of single points."""

    def point(self, x: Array, /) -> Told:
        """The value at one point (d,)."""
        ...


@dataclass(frozen=True, eq=False)
class PointRows:
    """A problem with constraints: points give rows of all that is known of them."""

    problem: Constrained

    def point(self, x: Array) -> Array:
        """See `Constrained.rows`."""
        return self.problem.row(x)


def giving_rows(problem: Any) -> Any:
    """The problem for calls with single points: rows where it has constraints, else itself."""
    return PointRows(problem) if isinstance(problem, Constrained) and problem.gives_rows else problem


def _batch_rows(problem: Constrained, x: Array, arrived: Arrived) -> Array:
    rows = problem.rows(x, generator(0))
    for i, row in enumerate(rows):
        arrived(i, row)
    return rows[:, 0]


class Recorded(Protocol):
    """Values of a batch that are known already, what happened where they failed, and a place for those that come."""

    known: dict[int, float]
    failed: dict[int, str]

    def keep(self, index: int, value: float, failed: str = "") -> None:
        """The value of a point of the batch, and what happened if it failed."""
        ...


@dataclass(frozen=True, eq=False)
class PointCall:
    """A call for engines: the value at a point, the seconds it took, and what was raised where that is no error."""

    point: Callable[[Array], Told]
    worst: bool

    @property
    def __wrapped__(self) -> Callable[[Array], Told]:
        return self.point

    def __call__(self, x: Array) -> tuple[Told, float, str]:
        """See the class; the value is infinite if something was raised."""
        start = time.perf_counter()
        try:
            value = self.point(x)
        except InputError:
            raise
        except (Exception, SystemExit) as error:
            if not self.worst:
                raise
            return np.inf, time.perf_counter() - start, one_line(error)
        return value, time.perf_counter() - start, ""


def in_message(engine: Engine, cost: float | None, count: int) -> int:
    """Points that travel together: enough that a message costs little in comparison and its sender keeps up.

    Args:
        engine: where they go.
        cost: seconds of a point; None if it is not known.
        count: points there are; at least four messages for each worker, so that all end at about the same time.
    """
    if cost is None:
        return 1
    workers, message = engine.workers, getattr(engine, "message", MESSAGE)
    together = max(TOGETHER, LONG * message, 2 * workers * message)
    return max(1, min(count // (4 * workers), int(together / max(cost, 1e-9))))


class PointEvaluator:
    """Values of points by single calls on an engine; where calls are short, several travel together."""

    def __init__(
        self, engine: Engine, policy: FaultPolicy = DEFAULT, faults: FaultCount | None = None,
        spent: WorkerTime | None = None,
    ) -> None:  # fmt: skip
        self.engine, self.policy = engine, policy
        self.faults = FaultCount() if faults is None else faults
        self.time = WorkerTime() if spent is None else spent
        self.cost: float | None = None  # seconds of a call, measured by the workers
        self._problem: Any = None

    def __call__(
        self, problem: HasPoint, x: Array, recorded: Recorded | None = None, at: Array | None = None,
        arrived: Arrived | None = None,
    ) -> Array:  # fmt: skip
        """Values (n,) of the rows of x, or rows (n, k) of a problem that gives them.

        In messages the points are ``at``, if that is given.
        """
        self._arrived = arrived
        self._at = x if at is None else at
        if problem is not self._problem:  # engines know a function by its object
            self._problem, self._call, self.cost = problem, PointCall(problem.point, self.policy.worst), None
        values: list[Told] = [np.nan] * len(x)
        known = {} if recorded is None else {i: v for i, v in recorded.known.items() if 0 <= i < len(x)}
        for i, value in known.items():
            values[i] = value
            if recorded is not None and i in recorded.failed:
                self.faults.add({recorded.failed[i]: 1})
        todo = [i for i in range(len(x)) if i not in known]
        if (
            self.cost is None and len(todo) > 4 * self.engine.workers and not isinstance(self.engine, OnMap)
        ):  # a few first, which say how long a call takes
            self._evaluate(x, todo[: 2 * self.engine.workers], values, recorded)
            todo = todo[2 * self.engine.workers :]
        self._evaluate(x, todo, values, recorded)
        return stacked(values)

    def as_they_come(self, problem: HasPoint, items: Iterator[Array]) -> Found[Told]:
        """(index, value) of points as workers take them from the items; one that fails counts as the policy says."""
        sent: list[Array] = []

        def taken() -> Iterator[Array]:
            for item in items:
                if item is not WAIT:
                    sent.append(item)
                yield item

        def lost(index: int, reason: str) -> tuple[float, float, str]:
            self.faults.lose(self.policy, reason, sent[index])
            return np.inf, np.nan, ""

        self.time.begin(self.engine.workers)
        call = PointCall(problem.point, self.policy.worst)
        with closing(self.engine.map(call, taken(), timeout=self.policy.timeout, lost=lost)) as found:
            for index, (value, seconds, raised) in found:
                self.time.begin(self.engine.workers)
                self.time.add(seconds)
                if raised:
                    self.faults.note(RAISED, raised, None if " failed at x = " in raised else sent[index])
                yield index, value

    def _evaluate(self, x: Array, todo: list[int], values: list[Told], recorded: Recorded | None) -> None:
        what: dict[int, str] = {}  # happened to points that failed

        def lost(index: int, reason: str) -> tuple[float, float, str]:
            what[index] = self.faults.lose(self.policy, reason, self._at[todo[index]])
            return np.inf, np.nan, ""

        spent = []
        self.time.begin(self.engine.workers)
        items, together = (x[i] for i in todo), in_message(self.engine, self.cost, len(todo))
        try:
            with closing(
                self.engine.map(self._call, items, chunk=together, timeout=self.policy.timeout, lost=lost)
            ) as found:
                for index, (value, seconds, raised) in found:
                    values[todo[index]] = value
                    spent.append(seconds)
                    self.time.add(seconds)
                    if raised:
                        what[index] = RAISED
                        self.faults.note(RAISED, raised, None if " failed at x = " in raised else self._at[todo[index]])
                    if recorded is not None:
                        recorded.keep(todo[index], number_of(value), what.get(index, ""))
                    if self._arrived is not None:
                        self._arrived(todo[index], value)
        except WorkerError as error:
            if isinstance(item := getattr(error, "item", None), np.ndarray):
                raise lost_at(str(error), item[-self._at.shape[1] :]) from None
            raise
        spent = [seconds for seconds in spent if seconds == seconds]
        if spent:
            self.cost = sum(spent) / len(spent)


def in_turn(function: HasPoint, spent: WorkerTime, x: Array, arrived: Arrived) -> Array:
    """Values (n,) of the rows of x, one call after the other in this thread; each is reported when it is there."""
    values = np.empty(len(x))
    spent.begin(1)
    for i, row in enumerate(x):
        start = time.perf_counter()
        value = function.point(row)
        values[i] = number_of(value)
        spent.add(time.perf_counter() - start)
        arrived(i, value)
        end_if_asked()
    return values


@contextmanager
def engine_for(workers: Any, policy: FaultPolicy) -> Iterator[Engine]:
    """The engine for evaluations of a Python function; one worker process where calls must end in time."""
    with engine_of(workers, "processes") as engine:
        if policy.timeout is None or not isinstance(engine, Serial):
            yield engine
            return
    with Processes(1) as engine:
        yield engine


@contextmanager
def evaluating(
    problem: Problem, workers: Any, spent: WorkerTime, policy: FaultPolicy = DEFAULT, faults: FaultCount | None = None
) -> Iterator[ArrivingBatch | None]:  # fmt: skip
    """What evaluates batches of a Python function on workers and reports each value when it is there.

    None for problems that make random numbers, and for compiled ones: they evaluate themselves.
    """
    if takes_points(problem):
        assert isinstance(problem, PointFunction)
        function: HasPoint = giving_rows(problem)
        if type(workers) is int and workers == 1 and policy == DEFAULT:
            yield partial(in_turn, function, spent)
            return
        with engine_for(workers, policy) as engine:
            evaluator = PointEvaluator(engine, policy, faults, spent)
            yield lambda x, arrived: evaluator(function, x, arrived=arrived)
        return
    engine_of(workers, "processes").close()  # says what is wrong with workers
    check_policy(problem, policy)
    if isinstance(problem, Constrained) and problem.gives_rows and not getattr(problem, "uses_rng", True):
        yield partial(_batch_rows, problem)
        return
    yield None if getattr(problem, "uses_rng", True) else lambda x, _: real_numbers(problem(x, generator(0)))


@contextmanager
def evaluating_here(problem: Problem, policy: FaultPolicy, faults: FaultCount) -> Iterator[Batch | None]:
    """What evaluates batches of an instance in one worker; None where the problem evaluates itself."""
    check_policy(problem, policy)
    if policy == DEFAULT or not isinstance(problem, PointFunction):
        yield None
        return
    with engine_for(1, policy) as engine:
        yield partial(PointEvaluator(engine, policy, faults), giving_rows(problem))


def check_policy(problem: Problem, policy: FaultPolicy) -> None:
    """Refuse a policy that needs single evaluations where there are none."""
    if not takes_points(instance_of(problem, 0)) and policy != DEFAULT:
        name = "timeout" if policy.timeout is not None else "on_error"
        raise InputError(f"{name}: only for Python functions of single points, which {problem.name} is not")
