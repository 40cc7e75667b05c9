"""How far a run has come: for callbacks, which get a `RunState`, and for the log, which gets a line now and then."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from autov.core import Array
from autov.runs.live_run import Run

LOG = logging.getLogger("autov")
LOG.addHandler(logging.NullHandler())
SLOW, IDLE = 0.01, 0.8  # seconds of an evaluation, and part of the workers' time, for advice about the schedule
SOONEST, LATEST = 10.0, 60.0  # seconds between two lines: as long again as the run has taken, within these


@dataclass(frozen=True, eq=False)
class RunState:
    """The progress of a run; immutable.

    Attributes:
        x: the best point.
        fun: its value; infinity where no feasible point was found.
        nfev: evaluations made.
        maxfev: the most evaluations.
        nit: batches after the first.
        population: the last points of the algorithm (n, d).
        population_energies: their values (n,).
        seconds: since the run began.
        seconds_left: until the budget is used up, at the speed so far; None if it is not known.
        workers: evaluations that can be made at once.
        busy: the part of the workers' time that went into the function, 0 to 1; None if it is not known.
        members: evaluations of each member, by its name.
    """

    x: Array
    fun: float
    nfev: int
    maxfev: int
    nit: int
    population: Array
    population_energies: Array
    seconds: float
    seconds_left: float | None
    workers: int
    busy: float | None
    members: Mapping[str, int]


class WorkerTime:
    """Seconds that workers spent in the function, summed over evaluations."""

    def __init__(self) -> None:
        self.workers, self.seconds, self.count = 1, 0.0, 0
        self.begun: float | None = None  # when the first was sent

    def begin(self, workers: int) -> None:
        """Evaluations are sent to this number of workers."""
        self.workers = workers
        if self.begun is None:
            self.begun = time.perf_counter()

    def add(self, seconds: float) -> None:
        """One evaluation; NaN where its time is not known."""
        if seconds == seconds:
            self.seconds += seconds
            self.count += 1

    @property
    def busy(self) -> float | None:
        """Part of the time since then; None where nothing was measured."""
        if not self.count or self.begun is None:
            return None
        return min(1.0, self.seconds / (self.workers * max(time.perf_counter() - self.begun, 1e-9)))

    @property
    def advice(self) -> str:
        """A sentence where several workers often waited for slow evaluations; else nothing."""
        busy = self.busy
        if busy is None or self.workers < 2 or busy >= IDLE or self.seconds < SLOW * self.count:
            return ""
        return (
            f" The {self.workers} workers were busy {busy:.0%} of the time: the algorithm asks for few points at once; "
            'schedule="asynchronous" gives them more.'
        )


class Progress:
    """Counts evaluations as they arrive, tells the log, and makes states for callbacks.

    Args:
        maxfev: the budget.
        shown: what people see of a value: infinity for one that is not feasible.
        members: evaluations of each algorithm that takes part, asked when a line is written.
        now: a clock.
    """

    def __init__(
        self, maxfev: int, shown: Callable[[float], float] = float, members: Callable[[], Mapping[str, int]] = dict,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:  # fmt: skip
        self.maxfev, self.time = maxfev, WorkerTime()
        self.nfev = self.stored = 0  # evaluations, and those of them that a store had
        self.best = np.inf
        self._shown, self._members, self._now, self._start = shown, members, now, now()
        self._told = False
        self._next = self._start + SOONEST

    def stored_value(self, value: float) -> None:
        """A value came from a store."""
        self.stored += 1
        self._count(value)

    def arrived(self, value: float) -> None:
        """A value came from the function."""
        self._count(value)
        if self._now() >= self._next:
            self.tell()

    def _count(self, value: float) -> None:
        self.nfev += 1
        if value < self.best:
            self.best = value

    def tell(self) -> None:
        """A line for the log; the next one is due when the run has taken as long again."""
        seconds = self._now() - self._start
        self._next = self._now() + min(max(seconds, SOONEST), LATEST)
        if LOG.isEnabledFor(logging.INFO):
            LOG.info("%s", self._line(seconds))
            self._told = True

    def end(self, message: str) -> None:
        """The run has ended; the log hears of it if it heard of the run."""
        if self._told:
            LOG.info("%d evaluations, best %.6g. %s", self.nfev, self._shown(self.best), message)

    def _line(self, seconds: float) -> str:
        best = self._shown(self.best)
        parts = [f"{self.nfev} of {self.maxfev} evaluations"]
        parts.append(f"best {best:.6g}" if np.isfinite(best) else "no feasible or finite value yet")
        left = self.seconds_left(self.nfev)
        parts.append(f"{duration(seconds)} so far" + ("" if left is None else f", about {duration(left)} left"))
        busy, workers = self.time.busy, self.time.workers
        if busy is not None:
            parts.append(f"{busy:.0%} of {workers} worker{'s' * (workers > 1)} busy")
        members = self._members()
        if total := sum(members.values()):
            parts.append(", ".join(f"{name} {count / total:.0%}" for name, count in members.items()))
        return "; ".join(parts)

    def seconds_left(self, nfev: int) -> float | None:
        """Until the budget is used up, at the speed so far; values of a store took no time."""
        made = nfev - self.stored
        return None if made <= 0 else (self._now() - self._start) / made * max(self.maxfev - nfev, 0)

    def state(self, run: Run) -> RunState:
        """What callbacks get."""
        return RunState(
            _read_only(run.x), run.fun, run.nfev, self.maxfev, run.nit, _read_only(run.population),
            _read_only(run.values), run.seconds, self.seconds_left(run.nfev), self.time.workers, self.time.busy,
            MappingProxyType(dict(run.members)),
        )  # fmt: skip


def _read_only(values: Any) -> Array:
    copied = np.array(values)
    copied.setflags(write=False)
    return copied


def duration(seconds: float) -> str:
    """Seconds in words: "42 s", "3 min 5 s", "2 h 10 min", "3 d 4 h"."""
    whole = int(seconds + 0.5)
    for size, name, smaller, small in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size} {name}" + (f" {rest} {small}" if rest else "")
    return f"{whole} s"
