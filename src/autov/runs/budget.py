"""Evaluations under a budget: the one place where they are counted, checked and the best is kept."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

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


def population_of(popsize: int | None, algorithm: Any, given: Any = None, stacklevel: int = 3) -> int:
    """The population of algorithms that have none of their own; a warning where it is given and not used.

    Args:
        popsize: as it was given; None for 100.
        algorithm: settings.
        given: what the caller named it by.
        stacklevel: whose line the warning names; 3 is who calls the caller.
    """
    if popsize is None:
        return 100
    size = whole_number("popsize", popsize, 2)
    if not getattr(algorithm, "uses_popsize", True):
        name = given if isinstance(given, str) else algorithm.name
        warnings.warn(f"popsize: {name} has its own population size and ignores {size}", stacklevel=stacklevel)
    return size


class Evaluations(NamedTuple):
    """Points and their values in the order they were asked for."""

    x: Array
    fun: Array

    @property
    def noisy(self) -> bool:
        """Whether a point was evaluated more than once and has different finite values."""
        x, f = self
        with np.errstate(over="ignore", invalid="ignore"):
            sums = (x * np.arange(1.0, x.shape[1] + 1)).sum(axis=1)  # equal for equal points, hardly ever for others
        order = np.argsort(sums, kind="stable")
        one, other = order[:-1], order[1:]
        unlike = (sums[one] == sums[other]) & np.isfinite(f[one]) & np.isfinite(f[other]) & (f[one] != f[other])
        return bool((x[one[unlike]] == x[other[unlike]]).all(axis=1).any())

    def __repr__(self) -> str:
        best = f", best {self.fun.min():.6g}" if len(self.fun) else ""
        return f"Evaluations({_size(self.x)}{best})"


class ConstrainedEvaluations(Evaluations):
    """Evaluations under constraints.

    ``fun`` is the value also of an infeasible point, where it is known (functions that return their constraints), and
    infinite where it is not.

    Attributes:
        violation: how far each point is from being feasible, (n,): 0 if it is, infinite if the evaluation failed.
        constraints: (n, m), what must not be above 0; None where only violations are known.
    """

    violation: Array
    constraints: Array | None

    @classmethod
    def of(cls, x: Array, fun: Array, violation: Array, constraints: Array | None = None) -> ConstrainedEvaluations:
        """All of it."""
        made = cls(x, fun)
        made.violation, made.constraints = violation, constraints
        return made

    @property
    def feasible(self) -> np.ndarray:
        """Which points are feasible, (n,) bool."""
        return self.violation == 0

    @property
    def best(self) -> Array:
        """Values of feasible points, infinite for others."""
        return np.where(self.feasible, self.fun, np.inf)

    def __reduce__(self) -> Any:
        return type(self).of, (self.x, self.fun, self.violation, self.constraints)

    def __repr__(self) -> str:
        best = f", best {self.best.min():.6g}" if len(self.fun) else ""
        made = f"{_size(self.x)}, {int(self.feasible.sum())} feasible"
        return f"ConstrainedEvaluations({made}{best})"


def _size(x: Any) -> str:
    """How many points, an array or a list of described ones, of how many variables."""
    return f"{len(x)} points" + (f" of {len(x[0])} variables" if len(x) else "")


class PointCache:
    """Values of rounded points: a known point costs no evaluation.

    Where all variables are integers it grows with what is evaluated. An algorithm that has contracted asks for
    known points only: then it is `stale` and begins anew. When all points are known, or far more known points than new
    ones were asked for, nothing is left to do. Elsewhere it has what was known before the run, and does not grow.
    """

    def __init__(self, cells: Cells, number: float, maxfev: int, grows: bool = True) -> None:
        self.cells, self.number, self.grows = cells, number, grows
        self._left = REPEATS * maxfev
        self._in_a_row = 0
        self._values: dict[bytes, float] = {}

    @property
    def exhausted(self) -> bool:
        """Whether there is nothing left to ask for."""
        return self._left <= 0 or len(self._values) >= self.number

    def __len__(self) -> int:
        return len(self._values)

    @property
    def stale(self) -> bool:
        """Whether nothing new was asked for in a long time."""
        return self.grows and self._in_a_row >= STALE

    def refresh(self) -> None:
        """The algorithm begins anew."""
        self._in_a_row = 0

    def keys(self, x: Array) -> list[bytes]:
        """What each row is known by."""
        return [row.tobytes() for row in self.cells(x)]

    def prefix(self, x: Array, count: int) -> int:
        """How many first rows of x need at most count evaluations."""
        for end, places in enumerate(self._needed(self.keys(x))):
            if end == count:
                return places
        return len(x)

    def _needed(self, keys: list[bytes]) -> list[int]:
        """Places of what is evaluated: points that are not known, of equal ones the first where values are kept."""
        fresh: set[bytes] = set()
        places = []
        for i, key in enumerate(keys):
            if key not in self._values and key not in fresh:
                places.append(i)
                if self.grows:
                    fresh.add(key)
        return places

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
        rows = self._needed(keys)
        f = np.array([self._values.get(key, np.nan) for key in keys])
        if rows:
            f[rows] = evaluate(x[rows])
            if self.grows:
                self._values.update((keys[i], float(f[i])) for i in rows)
                f = np.array([self._values[key] for key in keys])
        self._left -= len(keys) - len(rows)
        self._in_a_row = 0 if rows else self._in_a_row + len(keys)
        return f


def point_cache_for(problem: Problem, maxfev: int, known: Evaluations | None = None) -> PointCache | None:
    """What keeps the values of a problem if all its variables are integers, or if some are known; else None."""
    cells, number = _cells_of(problem)
    if known is None and number == np.inf:
        return None
    cache = PointCache(cells, number, maxfev, number < np.inf)
    if known is not None:
        cache.learn(*known)
    return cache


def _cells_of(problem: Problem) -> tuple[Cells, float]:
    """How points are rounded, and how many there are then."""
    if isinstance(problem, FreeVariables):
        inner, complete = problem.problem, problem.complete
        if isinstance(inner, Constrained):
            whole = bool(inner.whole[problem.free].all())
            return lambda x: inner.rounded(complete(x)), _number_of_points(problem.box) if whole else np.inf
    elif isinstance(problem, Constrained):
        return problem.rounded, _number_of_points(problem.box) if problem.whole.all() else np.inf
    return lambda x: x + 0.0, np.inf  # no negative zeros


def _number_of_points(box: Box) -> float:
    with np.errstate(over="ignore"):
        return min(
            float(np.prod(np.rint(box.width))), sys.float_info.max
        )  # the box reaches half a unit beyond the integers at its ends


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
        self, evaluate: Batch, box: Box, maxfev: int, known: PointCache | None = None, observe: Observe | None = None,
        before: Evaluations | None = None,
    ) -> None:  # fmt: skip
        self.evaluate, self.box, self.maxfev, self.observe = evaluate, box, maxfev, observe
        self.known = known  # where all variables are integers, or values were known before the run
        self.nfev = self.batches = self.nans = 0
        self.best, self.best_x = np.inf, np.empty(box.dim)
        self.found = before is not None  # whether there is a best point
        if before is not None:
            i = int(np.argmin(before.fun))
            self.best, self.best_x = float(before.fun[i]), before.x[i].copy()
        self.watch: Callable[[], bool] | None = None
        self.gives_rows = False  # whether ``evaluate`` may give rows (`Constrained.rows`)
        self.rows: dict[bytes, Array] = {}  # those of the last evaluations, by point
        self.stopped = False
        self.members: dict[str, int] = {}  # evaluations of each algorithm that takes part
        self.leader, self._led_to = "", np.inf  # who found the best value, and that value
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

    def take(self, x: Array, evaluate: Batch | None = None) -> Array:
        """Values of the rows of x, no more than ``affordable``; NaN counts as infinite.

        Args:
            x: points.
            evaluate: what makes values of those that are not known, counts them and calls `note`.
        """
        evaluate = evaluate or self._take
        return evaluate(x) if self.known is None else self.known.complete(x, evaluate)

    def _take(self, x: Array) -> Array:
        found = self.evaluate(x)
        if self.gives_rows and np.ndim(found) == 2:
            self.rows = {point.tobytes(): row for point, row in zip(x, found, strict=True)}
            found = found[:, 0]
        f, nans = values_of(found, len(x))
        self.note(x, f, nans)
        return f

    def note(self, x: Array, f: Array, nans: int) -> None:
        """Take note of evaluations that were made."""
        if self.observe is not None:
            self.observe(x, f)
        i = int(np.argmin(f))
        if f[i] < self.best or not self.found:
            lowest = np.minimum.accumulate(np.append(self.best, f))
            at = np.flatnonzero(lowest[1:] < lowest[:-1])
            self._improved.append((self.nfev + 1 + at, f[at]))
            self.best, self.best_x, self.found = float(f[i]), x[i].copy(), True
        self.nfev += len(x)
        self.nans += nans
        if self.batches == len(self._counts):
            self._counts = np.concatenate([self._counts, np.empty_like(self._counts)])
            self._bests = np.concatenate([self._bests, np.empty_like(self._bests)])
        self._counts[self.batches], self._bests[self.batches] = self.nfev, self.best
        self.batches += 1
        end_if_asked()

    def credit(self, member: str, count: int) -> None:
        """The last evaluations, this many, were those of a member."""
        self.members[member] = self.members.get(member, 0) + count
        if self.best < self._led_to:
            self.leader, self._led_to = member, self.best

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
