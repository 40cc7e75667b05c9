"""The batch of an algorithm while its values come, and points next to it that were handed out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autov.core import Array, InputError
from autov.runs.budget import PointCache


class PendingPoints:
    """Which points are asked for, which of them are handed out, and the values that came.

    Args:
        rounded: points (n, d) as the objective sees them.
        dim: how many variables they have.
        known: values that need no evaluation, if there are any.
    """

    def __init__(self, rounded: Callable[[Array], Array], dim: int, known: PointCache | None) -> None:
        self._rounded, self.known = rounded, known
        self._none = np.empty((0, dim))
        self.further = self._none  # handed out outside the batch and not told
        self.clear()

    def clear(self) -> None:
        """There is no batch."""
        self.take(self._none)

    def take(self, asked: Array, values: Array | None = None, out: np.ndarray | None = None) -> None:
        """A batch of the algorithm; with the values that came and what is handed out, one that was saved."""
        self.asked, self.x = asked, self._rounded(asked)
        self.values = np.full(len(asked), np.nan) if values is None else values  # NaN: not told yet
        self.out = np.zeros(len(asked), bool) if out is None else out
        if values is None:
            self._fill_known()

    def __len__(self) -> int:
        return len(self.asked)

    @property
    def open(self) -> bool:
        """Whether values of the batch are missing."""
        return bool(np.isnan(self.values).any())

    @property
    def pending(self) -> np.ndarray:
        """Which points of the batch are handed out and not told."""
        return self.out & np.isnan(self.values)

    @property
    def handed_out(self) -> Array:
        """All points that are handed out and not told."""
        return np.concatenate([self.x[self.pending], self.further])

    @property
    def waiting(self) -> Array:
        """All points that are not told: those of the batch, handed out or not, and those next to it."""
        return np.concatenate([self.x[np.isnan(self.values)], self.further])

    def hand_out(self, most: int, again: bool) -> Array:
        """At most this many points of the batch that are not told; ``again``: also those that are handed out."""
        missing = np.isnan(self.values)
        places = np.flatnonzero(missing if again else missing & ~self.out)
        if self.known is not None and self.known.grows:
            places = self._distinct(self.known, places, self.further if again else self.handed_out)
        places = places[: max(most, 0)]
        self.out[places] = True
        return self.x[places].copy()

    def _distinct(self, known: PointCache, places: np.ndarray, taken: Array) -> np.ndarray:
        """Of integer points that are there twice the first, and none that is taken."""
        keys = set(known.keys(taken))
        first = {key: i for i, key in reversed(list(zip(places, known.keys(self.asked[places]), strict=True)))}
        return np.array(sorted(i for key, i in first.items() if key not in keys), np.int64)

    def fill(self, x: Array, f: Array) -> np.ndarray:
        """Put values to the points that were asked for; which points of x are none of them, (m,) bool."""
        waiting = np.flatnonzero(np.isnan(self.values))[: len(x)]
        if len(waiting) == len(x) and np.array_equal(self.x[waiting], x):  # in the order they were asked for
            self.values[waiting] = f
            return np.zeros(len(x), dtype=bool)
        own = np.ones(len(x), dtype=bool)
        for i, point in enumerate(x):
            match = np.flatnonzero(np.isnan(self.values) & (self.x == point).all(axis=1))
            if len(match):
                self.values[match[0]] = f[i]
                own[i] = False
        return own

    def fill_again(self, x: Array, f: Array) -> None:
        """Put means to points of the batch that were told before."""
        for point, mean in zip(x, f, strict=True):
            self.values[(self.x == point).all(axis=1) & ~np.isnan(self.values)] = mean

    def learn(self, x: Array, f: Array) -> bool:
        """Take values of points that need no further evaluation; whether they are kept."""
        if self.known is None or not self.known.grows:
            return False
        self.known.learn(x, f)
        self._fill_known()
        return True

    def _fill_known(self) -> None:
        """Put values to what is known."""
        if self.known is not None:
            for i, key in enumerate(self.known.keys(self.asked)):
                value = self.known.value(key)
                if value is not None and np.isnan(self.values[i]):
                    self.values[i] = value

    def take_beside(self, x: Array) -> np.ndarray:
        """Which points of x were handed out outside the batch, (m,) bool; they are no longer pending."""
        further = np.zeros(len(x), bool)
        for i, point in enumerate(x if len(self.further) else x[:0]):
            match = (self.further == point).all(axis=1)
            further[i] = match.any()
            self.further = self.further[~match]
        return further

    def forget(self, x: Array, stand_in: Callable[[Array], Array]) -> None:
        """Give up pending points; those of the batch get the value that ``stand_in`` has for them."""
        for point in x:
            match = np.flatnonzero(self.pending & (self.x == point).all(axis=1))
            if len(match):
                self.values[match[:1]] = stand_in(point[None])
            elif not self.take_beside(point[None]).any():
                raise InputError(f"forget: {np.array2string(point, separator=', ')} is not pending")
