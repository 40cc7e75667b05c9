"""Constraints in SciPy's forms: `LinearConstraint`, `NonlinearConstraint`, `Bounds` and the older dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from autov.core import Array, InputError, locate, real_numbers

EQUALITY = 1e-4  # an equality holds within this (times the size of its right side, if that is above 1), as in CEC'2006
LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True, eq=False)
class Constraint:
    """lower <= fun(x) <= upper, for each of the numbers that fun gives.

    Attributes:
        fun: of a point (d,) that gives a number or (m,); if vectorized, of a batch (n, d) that gives (n,) or (n, m).
        lower: smallest allowed value, a number or (m,); -inf for none.
        upper: largest allowed value.
        vectorized: fun takes batches.
    """

    fun: Callable[..., Any]
    lower: Any = -np.inf
    upper: Any = np.inf
    vectorized: bool = False

    def values(self, x: Array) -> Array:
        """What the constraint bounds, (n, m)."""
        if not self.vectorized:
            return self._point_by_point(x)
        found = _numbers(self._given(x))
        if found.ndim not in (1, 2) or len(found) != len(x):
            raise InputError(
                f"constraints: a vectorized one must give shape ({len(x)},) or ({len(x)}, m) for a batch of shape "
                f"{x.shape}, got {found.shape}"
            )
        return found[:, None] if found.ndim == 1 else found

    def _point_by_point(self, x: Array) -> Array:
        given = [self._given(row) for row in x]
        if all(isinstance(one, float) for one in given):  # most are, and there may be thousands of constraints
            return np.array(given, dtype=np.float64)[:, None]
        rows = [np.atleast_1d(_numbers(one)) for one in given]
        for row in rows:
            if row.ndim > 1:
                raise InputError(f"constraints: must give a number or shape (m,) for a point, got {row.shape}")
            if len(row) != len(rows[0]):
                raise InputError(
                    f"constraints: a function gives {len(rows[0])} numbers at one point and {len(row)} at another"
                )
        return np.stack(rows)

    def _given(self, x: Array) -> Any:
        try:
            return self.fun(x.copy())
        except Exception as error:
            space = getattr(self.fun, "space", None)  # of a described space
            locate(error, x if space is None or x.ndim > 1 else space.point(x), "constraint")
            raise

    def limits(self, count: int) -> tuple[Array, Array]:
        """Lower and upper, (m,) each, equalities widened."""
        try:
            lower, upper = (
                np.broadcast_to(np.asarray(b, dtype=np.float64), (count,)) for b in (self.lower, self.upper)
            )
        except ValueError:
            raise InputError(
                f"constraints: a function gives {count} numbers, its bounds have shapes {np.shape(self.lower)} and "
                f"{np.shape(self.upper)}"
            ) from None
        room = np.where(lower == upper, EQUALITY * _size(lower), 0.0)
        with np.errstate(over="ignore"):
            return _as_finite(lower - room, lower), _as_finite(upper + room, upper)

    def excess(self, x: Array) -> Array:
        """How far each value is outside its bounds, (n, m), as SciPy counts it; NaN counts as infinite."""
        values = self.values(x)
        return exceeded(values, limits_of([self], [values.shape[1]]))[0]

    def violation(self, x: Array) -> Array:
        """One number for each point, (n,): the sum of what is outside, each over the size of its bound if above 1."""
        values = self.values(x)
        return exceeded(values, limits_of([self], [values.shape[1]]))[1].sum(axis=1)


class Limits(NamedTuple):
    """Bounds of several constraints, one behind the other, (m,) each."""

    lower: Array  # equalities widened
    upper: Array
    lower_size: Array  # in which violations of these are measured
    upper_size: Array
    widths: tuple[int, ...]  # how many numbers each constraint gives


def limits_of(constraints: Sequence[Constraint], widths: Sequence[int]) -> Limits:
    """The bounds of constraints that give so many numbers each."""
    both = [constraint.limits(width) for constraint, width in zip(constraints, widths, strict=True)]
    lower, upper = (np.concatenate(bounds) for bounds in zip(*both, strict=True))
    return Limits(lower, upper, _size(lower), _size(upper), tuple(widths))


def exceeded(values: Array, limits: Limits) -> tuple[Array, Array]:
    """How far values (n, m) are outside their bounds, and that over the sizes of these; NaN counts as infinite."""
    lower, upper = limits.lower, limits.upper
    with np.errstate(invalid="ignore", over="ignore"):  # an infinite value at an infinite bound is inside
        below = np.where(lower == -np.inf, -np.inf, lower - values)
        above = np.where(upper == np.inf, -np.inf, values - upper)
    low = below > above
    size = np.where(low, limits.lower_size, limits.upper_size)
    outside = np.maximum(np.maximum(below, above), 0.0)
    outside = np.where(np.isnan(values) | np.isnan(outside), np.inf, outside)
    found = outside / size
    far = np.isinf(outside) & np.isfinite(values) & np.isfinite(np.where(low, lower, upper))
    if far.any():  # the difference of two numbers near the largest one
        halves = np.where(low, lower / 2 - values / 2, values / 2 - upper / 2)
        found, outside = np.where(far, halves / (size / 2), found), np.where(far, LARGEST, outside)
    return outside, found


def one_sided(values: Array, limits: Limits) -> Array:
    """Values (n, m) as numbers (n, m') that are not above 0 inside their bounds, in the sizes of these."""
    low, high = np.isfinite(limits.lower), np.isfinite(limits.upper)
    with np.errstate(invalid="ignore", over="ignore"):
        below = (limits.lower - values)[:, low] / limits.lower_size[low]
        above = (values - limits.upper)[:, high] / limits.upper_size[high]
    return np.concatenate([below, above], axis=1)


def summed(found: Array, widths: Sequence[int]) -> Array:
    """The sum of each row of (n, m), first over the numbers of each constraint, then over these in their order."""
    if any(width != 1 for width in widths):
        parts = np.split(found, np.cumsum(widths)[:-1], axis=1)
        found = np.stack([np.ascontiguousarray(part).sum(axis=1) for part in parts], axis=1)
    return found.cumsum(axis=1)[:, -1]


def _numbers(found: Any) -> Array:
    try:
        if found is None:
            raise TypeError
        return real_numbers(found)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"constraints: must give numbers, got {found!r}") from None


def _as_finite(widened: Array, bound: Array) -> Array:
    return np.where(np.isfinite(bound), np.clip(widened, -LARGEST, LARGEST), bound)


def _size(bound: Array) -> Array:
    return np.where(np.isfinite(bound), np.maximum(np.abs(bound), 1.0), 1.0)


def _linear(x: Array, matrix: Array) -> Array:
    return (x[:, None, :] * matrix).sum(axis=2)  # row by row the same bits, whatever the size of the batch


def _identity(x: Array) -> Array:
    return x


def is_linear(constraint: Constraint) -> bool:
    """Whether it is a matrix or are bounds, and no function of a user."""
    return constraint.fun is _identity or (isinstance(constraint.fun, partial) and constraint.fun.func is _linear)


def _with_args(x: Array, fun: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    return fun(x, *args)


def constraints_of(given: Any, dim: int, vectorized: bool = False) -> tuple[Constraint, ...]:
    """Constraints from what SciPy's users write: one, or a sequence of them.

    Args:
        given: `scipy.optimize.LinearConstraint`, `NonlinearConstraint`, `Bounds`, a dict with type, fun and args, a
            `Constraint`, or a sequence of these.
        dim: variables.
        vectorized: functions take batches (n, d), as the objective does.
    """
    if given is None:
        return ()
    if isinstance(given, str):
        raise _unknown(given)
    if isinstance(given, (Mapping, Constraint)) or hasattr(given, "lb"):
        given = [given]
    try:
        items = list(given)
    except TypeError:
        raise _unknown(given) from None
    return tuple(_one(item, dim, vectorized) for item in items)


def _one(item: Any, dim: int, vectorized: bool) -> Constraint:
    if isinstance(item, Constraint):
        return item
    if isinstance(item, Mapping):
        return _of_dict(item, vectorized)
    if not hasattr(item, "lb") or not hasattr(item, "ub"):
        raise _unknown(item)
    lower, upper = _bounds(item)
    if hasattr(item, "A"):
        matrix = item.A.toarray() if hasattr(item.A, "toarray") else item.A
        matrix = np.atleast_2d(np.asarray(matrix, dtype=np.float64))
        if matrix.shape[1] != dim:
            raise InputError(f"constraints: a linear one has {matrix.shape[1]} columns, there are {dim} variables")
        found = Constraint(partial(_linear, matrix=matrix), lower, upper, True)
        found.limits(len(matrix))
        return found
    if callable(getattr(item, "fun", None)):
        return Constraint(item.fun, lower, upper, vectorized)
    found = Constraint(_identity, lower, upper, True)  # Bounds
    found.limits(dim)
    return found


def _of_dict(item: Mapping[str, Any], vectorized: bool) -> Constraint:
    kind = str(item.get("type", "")).lower()
    if kind not in ("eq", "ineq") or not callable(item.get("fun")):
        raise InputError(f"constraints: a dict has type 'eq' or 'ineq' and a callable fun, got {dict(item)!r}")
    fun, args = item["fun"], item.get("args", ())
    if not isinstance(args, (tuple, list)):
        raise InputError(f"constraints: args of a dict must be a tuple of further arguments, got {args!r}")
    if args:
        fun = partial(_with_args, fun=fun, args=tuple(args))
    return Constraint(fun, 0.0, 0.0 if kind == "eq" else np.inf, vectorized)


def _bounds(item: Any) -> tuple[Array, Array]:
    try:
        lower, upper = np.asarray(item.lb, dtype=np.float64), np.asarray(item.ub, dtype=np.float64)
        sound = bool((lower <= upper).all())
    except (TypeError, ValueError):
        sound = False
        lower = upper = np.empty(0)
    if not sound:
        raise InputError(f"constraints: lb must not be above ub, got {item.lb!r} and {item.ub!r}")
    return lower, upper


def _unknown(item: Any) -> InputError:
    return InputError(
        f"constraints: expected scipy.optimize.LinearConstraint, NonlinearConstraint, Bounds, a dict with type and "
        f'fun, a sequence of them, or "returned" with a user function, got {item!r}'
    )
