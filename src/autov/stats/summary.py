"""What is said about the runs of one algorithm on one problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autov.core import Array


class Summary(NamedTuple):
    """Smaller is better, so ``best`` is the smallest value."""

    n: int
    mean: float
    std: float  # of the sample (n - 1); 0 for one run
    median: float
    q1: float
    q3: float
    best: float
    worst: float


NOTHING = Summary(0, *(float("nan"),) * 7)


def summarise(values: Sequence[float] | Array) -> Summary:
    """Mean, standard deviation, quartiles and extremes. A run that found nothing counts as infinite, not as absent."""
    x = np.asarray(values, dtype=np.float64)
    if x.size == 0:
        return NOTHING
    x = np.sort(np.where(np.isnan(x), np.inf, x))
    n = x.size
    if not np.isfinite(x).all():  # differences of infinities are not numbers: no spread, and quartiles without mixing
        median, q1, q3 = (float(np.quantile(x, q, method="inverted_cdf")) for q in (0.5, 0.25, 0.75))
        return Summary(n, float(x.sum()), float("nan"), median, q1, q3, float(x[0]), float(x[-1]))
    std = float(x.std(ddof=1)) if n > 1 else 0.0
    median, q1, q3 = (float(q) for q in np.quantile(x, (0.5, 0.25, 0.75)))
    return Summary(n, float(x.mean()), std, median, q1, q3, float(x[0]), float(x[-1]))
