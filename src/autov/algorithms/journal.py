"""Every evaluation of a run as it comes: for people, for exceptions, and for runs that go on after a crash."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from autov.algorithms.run_store import SavedRun
from autov.core import Array

KEPT = 10_000_000  # numbers that are kept unasked, for an exception to carry
Arrived = Callable[[int, float], None]  # the row of a batch and its value
ArrivingBatch = Callable[[Array, Arrived], Array]  # values (n,) of points (n, d), each reported when it is there


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
        return f"Evaluations({self.x.shape[0]} points of {self.x.shape[1]} variables{best})"


class Journal:
    """A function of batches around another one: it keeps what comes, and takes what was saved instead of calling."""

    def __init__(self, call: ArrivingBatch, dim: int, keep: bool = True, saved: SavedRun | None = None) -> None:
        self.call, self.keep, self.saved = call, keep, saved
        self.count = 0
        self._dim = dim
        self._batches: list[tuple[Array, Array, np.ndarray]] = []  # points, values, which are there

    def __call__(self, x: Array) -> Array:
        """Values (n,) of points (n, d)."""
        first = self.count
        values, there = np.full(len(x), np.nan), np.zeros(len(x), dtype=bool)
        if self.keep:
            self._batches.append((x.copy(), values, there))
        if self.saved is not None:
            self.saved.fill(first, x, values, there)
        missing = np.flatnonzero(~there)

        def arrived(row: int, value: float) -> None:
            i = int(missing[row])
            values[i], there[i] = value, True
            if self.saved is not None:
                self.saved.add(first + i, x[i], value)

        if len(missing):
            values[missing] = self.call(x[missing], arrived)
            if self.saved is not None and not there.all():  # a batch that comes as a whole
                self.saved.add_all(first, x, values, ~there)
            there[:] = True
        self.count += len(x)
        return values

    def observe(self, x: Array, f: Array) -> None:
        """Take evaluations that were made elsewhere."""
        if self.saved is not None:
            self.saved.add_all(self.count, x, f, np.ones(len(x), dtype=bool))
        if self.keep:
            self._batches.append((np.array(x), np.array(f), np.ones(len(x), dtype=bool)))
        self.count += len(x)

    def evaluations(self) -> Evaluations:
        """What was kept."""
        x = [points[there] for points, _, there in self._batches]
        f = [values[there] for _, values, there in self._batches]
        return Evaluations(np.concatenate([np.empty((0, self._dim)), *x]), np.concatenate([np.empty(0), *f]))

    def attach(self, error: BaseException, made: Evaluations) -> None:
        """Let an exception carry the evaluations that were made before it."""
        if not len(made.fun):
            return
        with contextlib.suppress(AttributeError, TypeError):
            error.autov_evaluations = made  # type: ignore[attr-defined]
            place = "" if self.saved is None else f" and in {self.saved.path}: the same call goes on from there"
            error.add_note(f"{len(made.fun)} evaluations were made: x and fun of error.autov_evaluations{place}")
