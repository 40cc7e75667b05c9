"""The search space: a box of lower and upper bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.core.errors import InputError
from autov.core.types import Array, Generator

NARROWEST, WIDEST = 1e-100, 1e100  # squares of differences must neither vanish nor overflow
REACH = 10.0  # how far to search from x0 without bounds, times the size of x0 where that is above 1


def check_inside(name: str, points: Array, lower: Array, upper: Array) -> None:
    """Refuse points (n, d) of which one is not between the bounds (d,), which may be infinite; say which variable."""
    inside = (points >= lower) & (points <= upper)  # not where a number is NaN
    if not inside.all():
        row, i = (int(index) for index in np.argwhere(~inside)[0])
        raise InputError(
            f"{name}: must lie inside the bounds; variable {i} is {points[row, i]:g}, not in [{lower[i]:g}, "
            f"{upper[i]:g}]"
        )


@dataclass(frozen=True, eq=False)
class Box:
    """All x with lower <= x <= upper, both finite, shape (d,); equal bounds fix a variable."""

    lower: Array
    upper: Array

    def __post_init__(self) -> None:
        lower = np.array(np.atleast_1d(self.lower), dtype=np.float64, order="C")
        upper = np.array(np.atleast_1d(self.upper), dtype=np.float64, order="C")
        if lower.ndim != 1 or lower.shape != upper.shape or lower.size == 0:
            raise InputError(f"bounds: lower and upper must be vectors of one length, got {lower.shape}, {upper.shape}")
        finite = np.isfinite(lower) & np.isfinite(upper)
        if not finite.all():
            i = int(np.argmin(finite))
            raise InputError(f"bounds: variable {i} has [{lower[i]}, {upper[i]}], both must be finite numbers")
        if not (lower <= upper).all():
            i = int(np.argmin(lower <= upper))
            raise InputError(f"bounds: variable {i} has [{lower[i]}, {upper[i]}], lower must not be above upper")
        if (lower == upper).all():
            raise InputError("bounds: all variables are fixed (lower equals upper), at least one must be free")
        with np.errstate(over="ignore"):  # an infinite width is refused below
            width = upper - lower
        fits = ((width >= NARROWEST) | (width == 0)) & (width <= WIDEST) & (np.abs(lower) <= WIDEST)
        if not fits.all():
            i = int(np.argmin(fits))
            raise InputError(
                f"bounds: variable {i} has [{lower[i]:g}, {upper[i]:g}]; upper - lower must be 0 or lie between "
                f"{NARROWEST:g} and {WIDEST:g}, and no bound beyond {WIDEST:g}"
            )
        lower.flags.writeable = False
        upper.flags.writeable = False
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies of arrays can be written, which is another type to kernels: they would be compiled again for it.
        return type(self), (self.lower, self.upper)

    @classmethod
    def cube(cls, low: float, high: float, dim: int) -> Box:
        """The box [low, high]^dim."""
        return cls(np.full(dim, float(low)), np.full(dim, float(high)))

    @classmethod
    def of(cls, bounds: Any) -> Box:
        """A Box from what SciPy users write: a sequence of (min, max) pairs, a scipy ``Bounds``, or a Box."""
        if isinstance(bounds, Box):
            return bounds
        if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
            lower, upper = np.broadcast_arrays(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub))
            return cls(lower, upper)
        try:
            pairs = np.asarray(bounds, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"bounds: expected one (min, max) pair of numbers per variable, got {bounds!r}") from None
        if pairs.ndim != 2 or pairs.shape[1] != 2 or len(pairs) == 0:
            raise InputError(f"bounds: expected one (min, max) pair per variable, got an array of shape {pairs.shape}")
        return cls(pairs[:, 0], pairs[:, 1])

    @property
    def dim(self) -> int:
        """Number of variables."""
        return self.lower.size

    @property
    def width(self) -> Array:
        """Upper minus lower."""
        return self.upper - self.lower

    def holds(self, x: Array) -> bool:
        """Whether the rows of x, shape (n, d), are points of the box."""
        return x.ndim == 2 and x.shape[1] == self.dim and bool(((x >= self.lower) & (x <= self.upper)).all())

    def clip(self, x: Array) -> Array:
        """The nearest points inside."""
        return np.clip(x, self.lower, self.upper)

    def sample(self, n: int, rng: Generator) -> Array:
        """N uniform points, shape (n, d)."""
        return self.lower + rng.random((n, self.dim)) * self.width

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Box):
            return NotImplemented
        return np.array_equal(self.lower, other.lower) and np.array_equal(self.upper, other.upper)

    def __hash__(self) -> int:
        return hash((self.lower.tobytes(), self.upper.tobytes()))


def inferred_bounds(bounds: Any, x0: Any) -> tuple[Any, np.ndarray | None]:
    """Finite bounds, and which of them, (d, 2) bool, were made up; bounds as they are where all are finite.

    A missing (infinite, None) bound becomes x0 - 10 max(1, |x0|) or x0 + 10 max(1, |x0|). One pair in SciPy's `Bounds`
    is for all variables of x0.
    """
    points = None if x0 is None else _points(x0)
    pairs = _pairs(bounds, points)
    if pairs is None:
        return bounds, None
    missing = ~np.isfinite(pairs)
    if not missing.any():
        return pairs, None
    i = int(np.argmax(missing.any(axis=1)))
    if np.isnan(pairs).any() or pairs[i, 0] == np.inf or pairs[i, 1] == -np.inf:
        return bounds, None  # the box says what is wrong
    if points is None:
        raise InputError(
            f"bounds: variable {i} has [{pairs[i, 0]:g}, {pairs[i, 1]:g}]; give finite bounds, or x0, around which "
            f"{REACH:g} max(1, |x0|) are searched then"
        )
    if points.ndim != 2 or points.shape[1] != len(pairs):
        raise InputError(f"x0: must be a point of {len(pairs)} variables, got shape {points.shape}")
    if not np.isfinite(points).all():
        raise InputError(f"x0: must be finite where bounds are missing, got {x0!r}")
    check_inside("x0", points, pairs[:, 0], pairs[:, 1])
    reach = REACH * np.maximum(1.0, np.abs(points).max(axis=0))
    found = np.column_stack([points.min(axis=0) - reach, points.max(axis=0) + reach])
    return np.where(missing, found, pairs), missing


def _points(x0: Any) -> Array:
    try:
        return np.atleast_2d(np.asarray(x0, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"x0: must be an array of numbers, got {x0!r}") from None


def _pairs(bounds: Any, points: Array | None) -> Array | None:
    """Bounds (d, 2), infinite where there are none; None if they cannot be read, or are a box."""
    try:
        if bounds is None:
            return None if points is None else np.tile([-np.inf, np.inf], (points.shape[-1], 1))
        if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
            pairs = np.stack(np.broadcast_arrays(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub)), axis=1)
            count = 1 if points is None or len(pairs) > 1 else points.shape[-1]
            return np.tile(pairs, (count, 1)).astype(np.float64)
        if hasattr(bounds, "lower"):
            return None
        pairs = [(-np.inf if low is None else low, np.inf if high is None else high) for low, high in bounds]
        return np.array(pairs, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
