"""Points that were evaluated already, where all variables are whole numbers: nobody asks for them twice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autov.algorithms.base import Batch
from autov.core import Array, Box
from autov.problems import Constrained, FreeVariables, Problem

STALE = 200  # known points in a row after which an algorithm begins anew
REPEATS = 50  # known points for each evaluation of the budget after which a run ends
Cells = Callable[[Array], Array]  # points (n, d) -> what they are rounded to


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
