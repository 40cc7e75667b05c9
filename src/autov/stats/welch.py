"""Welch's test between two samples of which only mean, standard deviation and size are known.

B. L. Welch, The generalization of "Student's" problem when several different population variances are involved,
Biometrika 34, 1947.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.stats import ttest_ind_from_stats

PRINTED = 5e-5  # relative: half a unit of the fifth digit, to which tables print means


class Moments(NamedTuple):
    """What tables print about runs."""

    mean: float
    std: float
    n: int


def welch(a: Moments, b: Moments, floor: float | None = None) -> float | None:
    """The two-sided p-value of equal means; None where something is not known.

    Means that are equal to five digits are equal, as are two means below ``floor``: with standard deviations of zero
    the last printed digit would decide. One run has no standard deviation: None.
    """
    if not all(math.isfinite(value) for value in (*a, *b)) or min(a.n, b.n) < 2:
        return None
    if floor is not None and max(a.mean, b.mean) < floor:
        return 1.0
    if math.isclose(a.mean, b.mean, rel_tol=PRINTED):
        return 1.0
    if a.std == b.std == 0.0:
        return 0.0
    return float(ttest_ind_from_stats(*a, *b, equal_var=False).pvalue)
