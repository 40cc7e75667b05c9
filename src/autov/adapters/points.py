"""One point at a time, for libraries that ask so and tell in any order."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from autov.algorithms import Metaheuristic, resolve_algorithm
from autov.core import Array, Box, InputError, generator
from autov.problems import Space
from autov.runs import Optimizer
from autov.runs.described import CATEGORIES

LOST = 2  # times as many other points as a batch has: then nobody waits for the rest of it


def popsize_for(maxfev: int, least: int = 1) -> int:
    """The square root of twice the budget, from 10 to 100 points, and at least as many as are out at once.

    Of sizes from 10 to 100, those near it were best on smooth, rugged and mixed functions of 3 to 5 variables with 200
    and with 1000 evaluations.
    """
    return max(10, min(100, math.isqrt(2 * maxfev)), least)


def popsize_used(algorithm: Any, popsize: int) -> int | None:
    """The popsize, where an algorithm uses it."""
    return popsize if getattr(algorithm, "uses_popsize", True) else None


def asked_algorithm(algorithm: Any = None) -> Any:
    """The algorithm that is meant, if it can be asked."""
    found = resolve_algorithm(algorithm)
    if not isinstance(found, Metaheuristic):
        raise InputError(f"algorithm: {found.name} can only be run as a whole, not asked; take one that can be asked")
    return found


def algorithm_for(space: Space, given: Any, usual: Any) -> Any:
    """The algorithm that was given, or the usual one, or that for categories where there are any; for these variables.

    Args:
        space: the variables.
        given: what people gave; None if nothing.
        usual: which one it is without categories.
    """
    name = given if given is not None else CATEGORIES if any(count > 1 for count in space.categories) else usual
    found = asked_algorithm(name)
    with_variables = getattr(found, "with_variables", None)
    return found if with_variables is None else with_variables(space.categories, space.integrality)


class Points:
    """Points of an algorithm one by one: in the unit box of this many variables, or coordinates of a space.

    When all points of a batch are out and none is told, further ones are uniform: the caller has a worker
    that would wait otherwise. Who has asked may never tell: after twice as many of them as the batch has points, what
    is missing counts as worst. When the budget is used up, a new run begins with the best point so far as its first.
    """

    def __init__(self, algorithm: Any, space: int | Space, maxfev: int, popsize: int, seed: int) -> None:
        box = Box.cube(0.0, 1.0, space) if isinstance(space, int) else space.search_box
        self.algorithm, self.box, self.maxfev, self.popsize = algorithm, box, maxfev, popsize
        self._seed, self._runs = seed, 0
        self._extra = generator(seed, 1)
        self._best, self._best_x = np.inf, None
        self._begin(None)

    def _begin(self, x0: Array | None) -> None:
        self._optimizer = Optimizer(
            self.box, popsize=popsize_used(self.algorithm, self.popsize), x0=x0,
            rng=np.random.SeedSequence([self._seed, self._runs]),
            algorithm=self.algorithm, maxfev=self.maxfev,
        )  # fmt: skip
        self._runs += 1
        self._next_batch()

    def _next_batch(self) -> None:
        batch = self._optimizer.ask()
        self._queue = list(batch)
        self._untold = Counter(point.tobytes() for point in batch)
        self._patience = LOST * len(batch)

    def ask(self) -> Array:
        """The next point, (dim,)."""
        if not self._untold:
            if self._optimizer.stop():
                self._begin(self._best_x)
            else:
                self._next_batch()
        return self._queue.pop(0) if self._queue else self.box.sample(1, self._extra)[0]

    def tell(self, x: Array, value: float) -> None:
        """The value of a point, one that was asked for or another; NaN is worst.

        Another one counts for the best point, with which the next run begins; the present one uses it if it can.
        """
        if value < self._best:
            self._best, self._best_x = value, x.copy()
        if x.tobytes() in self._untold or self._optimizer.takes_points:
            self._optimizer.tell(x[None], np.array([value]))
        if not self._queue and x.tobytes() not in self._untold:
            self._patience -= 1
        self._untold[x.tobytes()] -= 1
        self._untold = +self._untold  # without what is told, and without points of other origin
        if self._patience <= 0 and self._untold:
            lost = np.array([np.frombuffer(point) for point in self._untold.elements()])
            self._optimizer.tell(lost, np.full(len(lost), np.inf))
            self._untold.clear()
