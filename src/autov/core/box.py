"""The search space: a box of lower and upper bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.core.errors import InputError
from autov.core.types import Array, Generator

NARROWEST, WIDEST = 1e-100, 1e100  # squares of differences must neither vanish nor overflow


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
