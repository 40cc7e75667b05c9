"""Wilcoxon's rank sum test between two sets of runs, and its marks + - = and ?.

F. Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1, 1945.
H. B. Mann and D. R. Whitney, On a test of whether one of two random variables is stochastically larger than the
other, Annals of Mathematical Statistics 18, 1947.
S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.

`scipy.stats.mannwhitneyu` is used and not `scipy.stats.ranksums`: both are the same test, but ranksums takes no
account of ties, and runs on a step function (f6) or runs that all reach the optimum are full of them. Samples of at
most eight runs without ties get the exact distribution, others the normal one with corrections for ties and
continuity.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import mannwhitneyu

from autov.core import Array, InputError


def cleaned(values: Sequence[float] | Array, name: str) -> Array:
    """The values of at least one run; a run without a value is the worst run."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or x.size == 0:
        raise InputError(f"{name}: must be at least one number, got shape {x.shape}")
    return np.where(np.isnan(x), np.inf, x)


def rank_sum(values: Sequence[float] | Array, reference: Sequence[float] | Array) -> tuple[float, float]:
    """The two-sided p-value, and how often a run of values is smaller than one of the reference (ties count half)."""
    x, y = cleaned(values, "values"), cleaned(reference, "reference")
    if np.unique(np.concatenate([x, y])).size == 1:  # nothing but ties: no evidence
        return 1.0, 0.5
    result = mannwhitneyu(x, y, alternative="two-sided", method="auto")
    smaller = 1.0 - float(result.statistic) / (x.size * y.size)
    return float(min(result.pvalue, 1.0)), smaller


def least_p(runs: int, others: int) -> float:
    """The smallest p-value that this many runs can have, with all of one sample better than all of the other.

    Three runs against three are 0.1 at least: whatever they find, nothing is significant at 0.05.
    """
    return min(1.0, 2 / math.comb(runs + others, runs))


def mark(p: float, smaller: float, level: float = 0.05, least: float = 0.0) -> str:
    """``+`` for significantly better (smaller) than the reference, ``-`` for worse, ``=`` for no difference shown.

    ``?`` where ``least``, the smallest p-value that there could be, is not below the level: too few runs to tell.
    """
    if least >= level:
        return "?"
    if p >= level or smaller == 0.5:
        return "="
    return "+" if smaller > 0.5 else "-"


def holm(pvalues: Sequence[float] | Array) -> Array:
    """P-values corrected for how many there are (Holm's step-down), in the order given."""
    p = np.asarray(pvalues, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected
