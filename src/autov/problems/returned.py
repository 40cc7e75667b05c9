"""Functions that return their value and their constraints together, so that one simulation tells both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from autov.core import Array, Generator, InputError, locate, real_numbers
from autov.problems.constraints import EQUALITY
from autov.problems.function import Function
from autov.problems.value_function import as_given

FORM = "(value, g) or (value, g, h), with g <= 0 and h = 0 where a point is feasible"


@dataclass(frozen=True, eq=False)
class ReturnedConstraints(Function):
    """A function that returns ``(value, g)`` or ``(value, g, h)``: a point is feasible where g <= 0 and h = 0.

    g and h are numbers or (m,); if vectorized, (n,) or (n, m). They become one row of numbers, none of which is above
    0 at a feasible point: g, and h within the tolerance as two inequalities.
    """

    returns_constraints: ClassVar[bool] = True

    def __call__(self, x: Array, rng: Generator) -> Array:
        """The values alone."""
        return self.rows(x)[:, 0] if self.vectorized else super().__call__(x, rng)

    def point(self, x: Array) -> float:
        """The value alone."""
        return float(self.row(x)[0])

    def row(self, x: Array) -> Array:
        """The value at a point and its constraints, (1 + m,)."""
        return self._rows(x, 1)[0]

    def rows(self, x: Array) -> Array:
        """The values of a batch and their constraints, (n, 1 + m), by one call if vectorized."""
        return self._rows(x, len(x)) if self.vectorized else np.stack([self.row(point) for point in x])

    def _rows(self, x: Array, count: int) -> Array:
        try:
            found = self.fun(x.copy(), *self.args)
        except Exception as error:
            locate(error, as_given(self.fun, x))
            raise
        if not isinstance(found, (tuple, list)) or len(found) not in (2, 3):
            raise InputError(f"objective: {self.name} must return {FORM}, got {found!r}")
        try:
            value, g, *rest = (self._columns(part, count) for part in found)
        except (TypeError, ValueError, OverflowError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"objective: {self.name} must return numbers as {FORM}, got {found!r}") from None
        if value.shape[1] != 1:
            raise InputError(f"objective: {self.name} must return one value for a point, got shape {value.shape[1:]}")
        return np.concatenate([value, g, *(side * h - EQUALITY for h in rest for side in (1, -1))], axis=1)

    def _columns(self, part: Any, count: int) -> Array:
        """Numbers of ``count`` points, (count, m)."""
        if part is None:
            raise TypeError
        array = real_numbers(part)
        if not self.vectorized:
            array = np.atleast_1d(array)[None]
        elif array.ndim == 1:
            array = array[:, None]
        if array.ndim != 2 or len(array) != count:
            rows = f", for a batch with {count} rows each" if self.vectorized else ""
            raise InputError(
                f"objective: {self.name} must return {FORM}{rows}; a part of it has shape {np.shape(part)}"
            )
        return array
