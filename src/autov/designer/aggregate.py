"""One number for a candidate from its medians on several training problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

from autov.core import Array, InputError

AGGREGATES = ("rank", "log-gap", "panel")
SMALLEST_GAP, LARGEST_GAP = 1e-12, 1e300
SOLVED = 1e-8  # values closer than this to a known minimum are equal


def needs_minima(aggregate: str, problems: int) -> bool:
    """Whether the fitness on so many problems is relative to their known minima."""
    return aggregate == "panel" or (aggregate == "log-gap" and problems > 1)


def check_minima(aggregate: str, problems: Sequence[Any]) -> None:
    """Refuse an aggregate that the problems do not allow."""
    if aggregate == "log-gap" and len(problems) > 1:
        for problem in problems:
            if problem.minimum is None:
                raise InputError(f"aggregate: log-gap needs a known minimum and {problem.name} has none; use rank")


def fitness_of(medians: Array, aggregate: str, minima: Sequence[float | None], reference: Array) -> Array:
    """Fitness (c,) of medians (problems, c).

    One problem: the median itself, as in the paper. Several: the mean over problems of the candidate's rank among
    those compared ("rank": no scale matters, but it is relative to the others), or of log10 of its gap to the minimum
    over the reference gap, the median of the first population ("log-gap": absolute, so that it can be compared
    between generations).
    """
    if len(medians) == 1:
        return medians[0]
    if aggregate == "rank":
        return np.mean([rankdata(row, method="average") for row in medians], axis=0)
    gaps = np.clip(medians - np.array(minima, dtype=np.float64)[:, None], SMALLEST_GAP, LARGEST_GAP)
    return np.log10(gaps / reference[:, None]).mean(axis=0)


def reference_gaps(medians: Array, minima: Sequence[float | None]) -> Array:
    """Median gap of the first population on each problem."""
    known = np.array([np.nan if m is None else m for m in minima])
    return np.clip(np.median(medians, axis=1) - known, SMALLEST_GAP, LARGEST_GAP)


def panel_shares(values: Array, panel: Array, minima: Sequence[float | None]) -> Array:
    """Share (problems, c) of the panel's results that are better than those of each candidate, ties half.

    Unlike ranks among candidates it is the same in every generation, and unlike a median it has no scale.

    Args:
        values: (problems, c, runs) of candidates, NaN for runs not made.
        panel: (problems, results) of other algorithms.
        minima: known minima; values closer than 1e-8 to them are equal.
    """
    shares = np.empty(values.shape[:2])
    for p, minimum in enumerate(minima):
        floor = -np.inf if minimum is None else minimum + SOLVED
        others, own = np.sort(np.maximum(panel[p], floor)), np.maximum(values[p], floor)
        below = np.searchsorted(others, own, side="left") + np.searchsorted(others, own, side="right")
        each = np.where(np.isnan(own), np.nan, 0.5 * below / len(others))
        shares[p] = np.nanmean(each, axis=1)
    return shares
