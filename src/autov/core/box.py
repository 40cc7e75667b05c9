"""The search space: a box of lower and upper bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.core.errors import InputError
from autov.core.types import Array, Generator

NARROWEST, WIDEST = 1e-100, 1e100  # squares of differences must neither vanish nor overflow


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
        width = upper - lower
        fits = ((width >= NARROWEST) | (width == 0)) & (width <= WIDEST) & (np.abs(lower) <= WIDEST)
        if not fits.all():
            raise InputError(
                f"bounds: upper - lower must be 0 or lie between {NARROWEST:g} and {WIDEST:g} for every variable"
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
