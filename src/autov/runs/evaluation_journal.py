"""The evaluations of a run as they come, and those that a store has of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from autov.core import Array, InputError
from autov.runs.budget import Evaluations
from autov.runs.run_store import SavedRun, Told

KEPT = 10_000_000  # numbers that are kept unasked, for an exception to carry
Arrived = Callable[[int, Told], None]  # the row of a batch and its value
ArrivingBatch = Callable[[Array, Arrived], Array]  # values (n,) of points (n, d), each reported when it is there


def number_of(value: Told) -> float:
    """The number that orders points."""
    return float(value[0]) if isinstance(value, np.ndarray) and value.ndim else float(value)


def stacked(values: Sequence[Told]) -> Array:
    """Numbers (n,) of points, or rows (n, k) where some of them have more; what is not known of others is NaN."""
    width = max((len(value) for value in values if isinstance(value, np.ndarray) and value.ndim), default=1)
    numbers = np.array([number_of(value) for value in values], dtype=np.float64)
    if width == 1:
        return numbers
    rows = np.full((len(values), width), np.nan)
    rows[:, 0] = numbers
    for row, value in zip(rows, values, strict=True):
        if isinstance(value, np.ndarray) and value.ndim:
            row[: len(value)] = value
    return rows


class Counts(Protocol):
    """Sees every value when it is there."""

    def stored_value(self, value: float, /) -> None:
        """One that was saved."""
        ...

    def arrived(self, value: float, /) -> None:
        """One of the function."""
        ...


class Journal:
    """A function of batches around another one: it keeps what comes, and takes what was saved instead of calling."""

    def __init__(
        self, call: ArrivingBatch | None, dim: int, keep: bool = True, saved: SavedRun | None = None,
        progress: Counts | None = None, earlier: Evaluations | None = None,
    ) -> None:  # fmt: skip
        self.call, self.keep, self.saved, self.progress = call, keep, saved, progress
        self.count = 0
        self._dim = dim
        self._width: int | None = None  # of rows
        self._batches: list[tuple[Array, Array, np.ndarray, dict[int, Array]]] = []  # points, values, there, rows
        self.best_row: Array | None = None  # of the best point, where points give rows
        if earlier is not None:
            if keep:
                self._batches.append((earlier.x, earlier.fun, np.ones(len(earlier.fun), dtype=bool), {}))
            for value in earlier.fun if progress is not None else ():
                progress.stored_value(float(value))  # type: ignore[union-attr]

    def __call__(self, x: Array) -> Array:
        """Values (n,) of points (n, d); rows (n, 2 + m) where the function gives them."""
        first = self.count
        values, there = np.full(len(x), np.nan), np.zeros(len(x), dtype=bool)
        rows: dict[int, Array] = {}
        if self.keep:
            self._batches.append((x.copy(), values, there, rows))
        if self.saved is not None:
            self.saved.fill(first, x, values, there, rows)
            for row in rows.values():
                self._note(row)
            if self.progress is not None:
                for value in values[there]:
                    self.progress.stored_value(float(value))
        missing = np.arange(len(x)) if self.saved is None else np.flatnonzero(~there)
        number, progress = missing.tolist(), self.progress

        def arrived(row: int, value: Told) -> None:
            i = number[row]
            if isinstance(value, np.ndarray):
                self._note(value)
                rows[i] = value
            found = number_of(value)
            values[i], there[i] = found, True
            if self.saved is not None:
                self.saved.add(first + i, x[i], value)
            if progress is not None:
                progress.arrived(found)

        if len(missing):
            assert self.call is not None
            made = self.call(x if len(missing) == len(x) else x[missing], arrived)
            values[missing] = made if made.ndim == 1 else made[:, 0]
            if not there.all():  # a batch that comes as a whole
                if self.saved is not None:
                    self.saved.add_all(first, x, values, ~there)
                if progress is not None:
                    for value in values[~there]:
                        progress.arrived(float(value))
                there[:] = True
        self.count += len(x)
        told: dict[int, Told] = dict(enumerate(values))
        return stacked(list((told | rows).values())) if rows else values

    def _note(self, row: Array) -> None:
        """Take note of a row; one number alone is that of an evaluation that failed, or has no constraints."""
        if len(row) == 1:
            return
        if self._width not in (None, len(row)):
            raise InputError(
                f"constraints: fun returns {self._width - 2} numbers at one point and {len(row) - 2} at another"
            )
        self._width = len(row)
        if self.best_row is None or row[0] < self.best_row[0]:
            self.best_row = row

    def rows(self) -> Array | None:
        """All that is known of the points that were kept, (n, 2 + m); NaN for those of which only the value is."""
        if self._width is None:
            return None
        found = []
        for _, values, there, rows in self._batches:
            made = np.full((len(values), self._width), np.nan)
            for i, row in rows.items():
                if len(row) > 1:
                    made[i] = row
            found.append(made[there])
        return np.concatenate(found) if found else None

    def observe(self, x: Array, f: Array) -> None:
        """Take evaluations that were made elsewhere."""
        if self.saved is not None:
            self.saved.add_all(self.count, x, f, np.ones(len(x), dtype=bool))
        if self.keep:
            self._batches.append((np.array(x), np.array(f), np.ones(len(x), dtype=bool), {}))
        self.count += len(x)

    def note(self, x: Array, value: Told, stored: bool) -> None:
        """Take the evaluation of a point (d,) that is saved already."""
        number = number_of(value)
        rows = {0: value} if isinstance(value, np.ndarray) and value.ndim else {}
        for row in rows.values():
            self._note(row)
        if self.progress is not None:
            (self.progress.stored_value if stored else self.progress.arrived)(number)
        if self.keep:
            self._batches.append((x[None].copy(), np.array([number]), np.ones(1, dtype=bool), rows))
        self.count += 1

    def evaluations(self) -> Evaluations:
        """What was kept."""
        x = [points[there] for points, _, there, _ in self._batches]
        f = [values[there] for _, values, there, _ in self._batches]
        return Evaluations(np.concatenate([np.empty((0, self._dim)), *x]), np.concatenate([np.empty(0), *f]))
