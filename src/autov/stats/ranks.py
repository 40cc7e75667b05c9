"""Average ranks of algorithms over problems, Friedman's test and Nemenyi's critical difference.

M. Friedman, The use of ranks to avoid the assumption of normality implicit in the analysis of variance, Journal of
the American Statistical Association 32, 1937.
P. Nemenyi, Distribution-free multiple comparisons, PhD thesis, Princeton University, 1963.
J. Demsar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine Learning Research 7,
2006: its critical values are those of the studentized range divided by sqrt(2).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import chi2, rankdata, studentized_range

from autov.core import Array, InputError


def _ranks(values: Array) -> Array:
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 2 or 0 in x.shape or np.isnan(x).any():
        raise InputError(f"values: must be one number for each problem and algorithm, got shape {x.shape}")
    return rankdata(x, axis=1)


def average_ranks(values: Array) -> Array:
    """Mean rank of each column of values (problems, algorithms): 1 is best, equal values share their ranks."""
    return _ranks(values).mean(axis=0)


def friedman(values: Array) -> float:
    """P-value of Friedman's test that all columns are alike, corrected for ties; 1 where all ranks are tied.

    Not a number for fewer than two problems, which say nothing of ranks.
    """
    ranks = _ranks(values)
    n, k = ranks.shape
    spread = ((ranks - (k + 1) / 2) ** 2).sum() / (n * (k - 1)) if k > 1 else 0.0
    if n < 2:
        return math.nan
    if spread == 0:
        return 1.0
    statistic = n * ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum() / spread
    return float(chi2.sf(statistic, k - 1))


def critical_difference(algorithms: int, problems: int, level: float = 0.05) -> float:
    """Average ranks that differ by less than this are not significantly different (Nemenyi)."""
    if algorithms < 2 or problems < 1:
        return math.nan
    q = float(studentized_range.ppf(1 - level, algorithms, np.inf)) / math.sqrt(2)
    return q * math.sqrt(algorithms * (algorithms + 1) / (6 * problems))
