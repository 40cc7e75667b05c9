"""Points that were evaluated already, where all variables are whole numbers: nobody asks for them twice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autov.algorithms.base import Batch
from autov.core import Array
from autov.problems import Constrained, FreeVariables, Problem

Cells = Callable[[Array], Array]  # points (n, d) -> what they are rounded to


class KnownPoints:
    """Values of rounded points. A known point costs no evaluation; as many known ones as maxfev end the run.

    Without that end an algorithm that has contracted to a few points would go on asking for them.
    """

    def __init__(self, cells: Cells, most: int) -> None:
        self.cells, self.left = cells, most
        self._values: dict[bytes, float] = {}

    @property
    def exhausted(self) -> bool:
        """Whether too many known points were asked for."""
        return self.left <= 0

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

    def complete(self, x: Array, evaluate: Batch) -> Array:
        """Values of the rows of x, of which only those not known are evaluated, each once."""
        keys = self.keys(x)
        fresh = {key: i for i, key in reversed(list(enumerate(keys))) if key not in self._values}
        rows = sorted(fresh.values())
        if rows:
            values = evaluate(x[rows])
            self._values.update((keys[i], float(f)) for i, f in zip(rows, values, strict=True))
        self.left -= len(keys) - len(rows)
        return np.array([self._values[key] for key in keys])


def cells_of(problem: Problem) -> Cells | None:
    """How points of a problem are rounded if all its variables are whole numbers, else None."""
    if isinstance(problem, FreeVariables):
        inner, complete = problem.problem, problem.complete
        if isinstance(inner, Constrained) and inner.whole[problem.free].all():
            return lambda x: inner.settled(complete(x))
        return None
    if isinstance(problem, Constrained) and problem.whole.all():
        return problem.settled
    return None
