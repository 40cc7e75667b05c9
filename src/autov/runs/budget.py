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
from autov.runs.point_cache import PointCache

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
