"""Variables without bounds: a box around the first point."""

from __future__ import annotations

from typing import Any

import numpy as np

from autov.core import Array, InputError, check_inside

REACH = 10.0  # how far to search from x0, times the size of x0 where that is above 1


def bounded(bounds: Any, x0: Any) -> tuple[Any, np.ndarray | None]:
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
