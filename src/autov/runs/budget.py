"""Evaluations under a budget: the one place where they are counted, checked and the best is kept."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from autov.algorithms.base import Batch
from autov.core import Array, Box, InputError, values_of, whole_number
from autov.core.ending import end_if_asked
from autov.problems import Constrained, FreeVariables, Problem

STALE = 200  # known points in a row after which an algorithm begins anew
REPEATS = 50  # known points for each evaluation of the budget after which a run ends
Cells = Callable[[Array], Array]  # points (n, d) -> what they are rounded to
Observe = Callable[[Array, Array], None]  # points (n, d) that were evaluated and their values (n,)


def budget_of(maxfev: int | None, dim: int) -> int:
    """The most evaluations of a run: 1,000 (d + 10) where it runs until it has converged."""
    return 1000 * (dim + 10) if maxfev is None else whole_number("maxfev", maxfev, 1)


def population_of(popsize: int | None, algorithm: Any, stacklevel: int = 3) -> int:
    """The population of algorithms that have none of their own; a warning where it is given and not used.

    Args:
        popsize: as it was given; None for 100.
        algorithm: settings.
        stacklevel: whose line the warning names; 3 is who calls the caller.
    """
    if popsize is None:
        return 100
    size = whole_number("popsize", popsize, 2)
    if not getattr(algorithm, "uses_popsize", True):
        warnings.warn(
            f"popsize: this algorithm ({algorithm.name}) has its own and ignores {size}", stacklevel=stacklevel
        )
    return size


class PointCache:
    """Values of rounded points: a known point costs no evaluation.

    An algorithm that has contracted asks for known points only: then it is `stale` and begins anew. When all points are
    known, or far more known points than new ones were asked for, nothing is left to do.
    """

    def __init__(self, cells: Cells, number: float, maxfev: int) -> None:
        self.cells, self.number = cells, number
        self._left = REPEATS * maxfev
        self._in_a_row = 0
        self._values: dict[bytes, float] = {}

    @property
    def exhausted(self) -> bool:
        """Whether there is nothing left to ask for."""
        return self._left <= 0 or len(self._values) >= self.number

    @property
    def stale(self) -> bool:
        """Whether nothing new was asked for in a long time."""
        return self._in_a_row >= STALE

    def refresh(self) -> None:
        """The algorithm begins anew."""
        self._in_a_row = 0

    def keys(self, x: Array) -> list[bytes]:
        """What each row is known by."""
        return [row.tobytes() for row in self.cells(x)]

    def prefix(self, x: Array, count: int) -> int:
        """How many first rows of x need at most count evaluations."""
        fresh: set[bytes] = set()
        for i, key in enumerate(self.keys(x)):
            if key not in self._values and key not in fresh:
                if len(fresh) == count:
                    return i
                fresh.add(key)
        return len(x)

    def value(self, key: bytes) -> float | None:
        """The value of a point, if it is known."""
        return self._values.get(key)

    def learn(self, x: Array, f: Array) -> None:
        """Take values of points."""
        self._values.update(zip(self.keys(x), map(float, f), strict=True))

    def arrays(self, dim: int) -> tuple[Array, Array]:
        """All known points (n, dim), rounded, and their values, in the order they came."""
        points = np.frombuffer(b"".join(self._values), dtype=np.float64)
        return points.reshape(-1, dim).copy(), np.array(list(self._values.values()))

    def complete(self, x: Array, evaluate: Batch) -> Array:
        """Values of the rows of x, of which only those not known are evaluated, each once."""
        keys = self.keys(x)
        fresh = {key: i for i, key in reversed(list(enumerate(keys))) if key not in self._values}
        rows = sorted(fresh.values())
        if rows:
            values = evaluate(x[rows])
            self._values.update((keys[i], float(f)) for i, f in zip(rows, values, strict=True))
        self._left -= len(keys) - len(rows)
        self._in_a_row = 0 if rows else self._in_a_row + len(keys)
        return np.array([self._values[key] for key in keys])


def point_cache_for(problem: Problem, maxfev: int) -> PointCache | None:
    """What keeps the values of a problem if all its variables are whole numbers, else None."""
    if isinstance(problem, FreeVariables):
        inner, complete = problem.problem, problem.complete
        if isinstance(inner, Constrained) and inner.whole[problem.free].all():
            return PointCache(lambda x: inner.rounded(complete(x)), _number_of_points(problem.box), maxfev)
        return None
    if isinstance(problem, Constrained) and problem.whole.all():
        return PointCache(problem.rounded, _number_of_points(problem.box), maxfev)
    return None


def _number_of_points(box: Box) -> float:
    with np.errstate(over="ignore"):
        return float(np.prod(np.rint(box.width)))  # the box reaches half a unit beyond the whole numbers at its ends


class BudgetSpent(Exception):  # noqa: N818
    """The budget is used up or the monitor said stop: raised through an optimiser that runs as a whole."""


class NothingNew(Exception):  # noqa: N818
    """Only known points are asked for: raised through an optimiser that runs as a whole, which then begins anew."""


class BudgetedObjective:
    """Counts evaluations, keeps the best point and how it came about; never evaluates more than maxfev points.

    As a function, for optimisers that call it instead of being asked, it clips points to the box, cuts the last batch
    and raises `BudgetSpent` when the budget is used up.
    """

    def __init__(
        self, evaluate: Batch, box: Box, maxfev: int, known: PointCache | None = None, observe: Observe | None = None
    ) -> None:
        self.evaluate, self.box, self.maxfev, self.observe = evaluate, box, maxfev, observe
        self.known = known  # where all variables are whole numbers
        self.nfev = self.batches = self.nans = 0
        self.best, self.best_x = np.inf, np.empty(box.dim)
        self.watch: Callable[[], bool] | None = None
        self.stopped = False
        self.start = time.perf_counter()
        self._counts, self._bests = np.empty(64, np.int64), np.empty(64)
        self._improved: list[tuple[np.ndarray, Array]] = []

    @property
    def left(self) -> int:
        """Evaluations that may still be made; none when too many known points were asked for."""
        return 0 if self.known is not None and self.known.exhausted else self.maxfev - self.nfev

    def affordable(self, x: Array) -> Array:
        """The first rows of x that may be taken."""
        return x[: self.left] if self.known is None else x[: self.known.prefix(x, self.left)]

    def take(self, x: Array) -> Array:
        """Values of the rows of x, no more than ``affordable``; NaN counts as infinite."""
        if self.known is not None:
            return self.known.complete(x, self._take)
        return self._take(x)

    def _take(self, x: Array) -> Array:
        f, nans = values_of(self.evaluate(x), len(x))
        self.note(x, f, nans)
        return f

    def note(self, x: Array, f: Array, nans: int) -> None:
        """Take note of evaluations that were made."""
        if self.observe is not None:
            self.observe(x, f)
        i = int(np.argmin(f))
        if f[i] < self.best or not self.nfev:
            lowest = np.minimum.accumulate(np.append(self.best, f))
            at = np.flatnonzero(lowest[1:] < lowest[:-1])
            self._improved.append((self.nfev + 1 + at, f[at]))
            self.best, self.best_x = float(f[i]), x[i].copy()
        self.nfev += len(x)
        self.nans += nans
        if self.batches == len(self._counts):
            self._counts = np.concatenate([self._counts, np.empty_like(self._counts)])
            self._bests = np.concatenate([self._bests, np.empty_like(self._bests)])
        self._counts[self.batches], self._bests[self.batches] = self.nfev, self.best
        self.batches += 1
        end_if_asked()

    def trace(self) -> tuple[np.ndarray, Array]:
        """Evaluations made after each batch, and the best value then; nothing is copied, so it may be asked often."""
        return self._counts[: self.batches], self._bests[: self.batches]

    def improvements(self) -> tuple[np.ndarray, Array]:
        """The numbers of the evaluations that bettered the best value, from 1, and their values."""
        if not self._improved:
            return np.empty(0, np.int64), np.empty(0)
        counts, values = zip(*self._improved, strict=True)
        return np.concatenate(counts), np.concatenate(values)

    def __call__(self, x: Array) -> Array:
        """Values of the rows of x, shape (n,)."""
        x = self.affordable(self.box.clip(np.atleast_2d(np.asarray(x, dtype=np.float64))))
        if self.stopped or not self.left:
            raise BudgetSpent
        if not x.size:
            return np.empty(0)
        if np.isnan(x).any():
            raise InputError("algorithm: asked for a point that has NaN in it")
        f = self.take(x)
        self.stopped = self.watch is not None and self.watch()
        if self.stopped or not self.left:
            raise BudgetSpent
        if self.known is not None and self.known.stale:
            raise NothingNew
        return f
