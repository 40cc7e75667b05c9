"""Convergence of a run as a few numbers: the best value so far at fixed counts of evaluations."""

from __future__ import annotations

import numpy as np

from autov.core import Array

POINTS, DECADES = 50, 2.0


def grid(maxfev: int) -> np.ndarray:
    """At most 50 evaluation counts, evenly spaced in their logarithm over the last two decades of the budget."""
    points = np.geomspace(max(1.0, maxfev / 10**DECADES), maxfev, POINTS)
    return np.unique(np.rint(points).astype(np.int64))


def sample(trace_nfev: np.ndarray, trace_best: Array, counts: np.ndarray) -> Array:
    """Best value after each count of evaluations; NaN before the first batch is finished."""
    last = np.searchsorted(np.asarray(trace_nfev), counts, side="right") - 1
    best = np.asarray(trace_best, dtype=np.float64)
    return np.where(last >= 0, best[np.maximum(last, 0)], np.nan)
