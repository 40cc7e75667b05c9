"""What people tell an `Optimizer` of constraints, for an algorithm that models them."""

from __future__ import annotations

import numpy as np

from autov.core import Array, InputError
from autov.problems import Constrained


class ToldRows:
    """Values and constraints (1 + m,) by point; a point that is told again has the mean of what is known of it."""

    def __init__(self) -> None:
        self._rows: dict[bytes, Array] = {}
        self.width = 0  # 1 + m; 0 before anything is told

    def add(self, x: Array, rows: Array, counts: np.ndarray) -> Array:
        """Take rows (n, 1 + m) of points (n, d), told ``counts`` times by now; what is known of them."""
        self.width = max(self.width, rows.shape[1])
        for point, row, count in zip(x, rows, counts.tolist(), strict=True):
            key, row = _key(point), self._wide(row)
            before = self._wide(self._rows.get(key, row))
            mean = before + (row - before) / count
            self._rows[key] = np.where(np.isnan(mean), np.where(np.isnan(before), row, before), mean)
        return self.of(x)

    def restore(self, x: Array, rows: Array) -> None:
        """Take rows of points in place of all."""
        self._rows, self.width = {_key(point): row for point, row in zip(x, rows, strict=True)}, rows.shape[1]

    def of(self, x: Array) -> Array:
        """What is known of points (n, d), NaN where nothing is."""
        width = max(self.width, 1)
        nothing = np.full(width, np.nan)
        return np.array([self._wide(self._rows.get(_key(point), nothing)) for point in x]).reshape(len(x), width)

    def _wide(self, row: Array) -> Array:
        missing = self.width - len(row)
        return row if missing <= 0 else np.append(row, np.full(missing, np.nan))


def rows_of(
    rules: Constrained, x: Array, f: Array, violation: Array, constraints: Array | None, width: int
) -> Array:  # fmt: skip
    """What is known of rounded points (n, 1 + m): the value, and what must not be above 0; NaN where it is not known.

    Args:
        rules: of the problem; its ``returned`` says that infeasible points have values, too.
        x: points (n, d).
        f: their values as they were told.
        violation: that was told besides, (n,).
        constraints: that were told, (n, k) or (n,).
        width: of earlier rows, 0 if there are none.
    """
    found = rules.assessed(x, violation)
    parts, known = [found[1]], (found[0] == 0) | rules.returned
    if constraints is not None:
        parts.append(np.reshape(constraints, (len(f), -1)))
    elif rules.returned and np.isfinite(f).any():
        raise InputError(
            'tell: constraints="returned" was given, so values need constraints=, what must not be above 0'
        )
    made = np.column_stack([np.where(known & np.isfinite(f), f, np.nan), *parts])
    if constraints is None:
        made[violation > 0, 1:] = np.nan  # by how much each constraint is violated is not known
    if rules.returned and constraints is not None and width > 1 and made.shape[1] != width:
        raise InputError(f"tell: expected {width - 1} constraints for each point, as before, got {made.shape[1] - 1}")
    return made


def _key(point: Array) -> bytes:
    return (point + 0.0).tobytes()  # no negative zeros
