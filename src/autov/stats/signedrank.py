"""Wilcoxon's signed-rank test of runs that meet the same instances, pair by pair, and its Bayesian form.

F. Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1, 1945.
A. Benavoli, G. Corani, F. Mangili, M. Zaffalon and F. Ruggeri, A Bayesian Wilcoxon signed-rank test based on the
Dirichlet process, International Conference on Machine Learning, 2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import wilcoxon

from autov.core import Array, InputError, generator
from autov.stats.ranksum import cleaned

PRIOR = 0.5  # strength of the prior, one pair without a difference
SAMPLES = 10_000  # of the posterior


def _differences(values: Sequence[float] | Array, reference: Sequence[float] | Array) -> Array:
    x, y = cleaned(values, "values"), cleaned(reference, "reference")
    if x.shape != y.shape:
        raise InputError(f"values: must be paired with the reference, got {x.size} and {y.size} runs")
    same = x == y
    return np.where(same, 0.0, np.where(same, 0.0, x) - np.where(same, 0.0, y))  # two infinities are equal


def signed_rank(values: Sequence[float] | Array, reference: Sequence[float] | Array) -> tuple[float, float]:
    """The two-sided p-value, and the share of pairs in which the value is smaller (equal ones count half).

    Pairs without a difference say nothing and are left out of the test. The distribution is exact for up to 50 pairs
    (13 where differences are equal) and normal for more; p is never below what this many pairs can have at all.
    """
    d = _differences(values, reference)
    smaller = float(((d < 0) + 0.5 * (d == 0)).mean())
    left = d[d != 0]
    if not left.size:
        return 1.0, smaller
    found: Any = wilcoxon(left)
    return float(min(max(found.pvalue, least_signed_p(left.size)), 1.0)), smaller


def least_signed_p(pairs: int) -> float:
    """The smallest p-value that this many pairs can have, all of them with a difference in one direction."""
    return min(1.0, 2.0 ** (1 - pairs))


class Posterior(NamedTuple):
    """Probabilities that a run is better (smaller), equal or worse than the reference's on a fresh instance."""

    better: float
    equal: float
    worse: float


def bayesian_signed_rank(
    values: Sequence[float] | Array, reference: Sequence[float] | Array, region: float = 0.0, seed: int = 0
) -> Posterior:  # fmt: skip
    """How probable it is that values are better, equal within the region, or worse, given these pairs.

    The posterior is that of a Dirichlet process whose prior has the weight of half a pair without a difference; each
    of 10,000 samples counts for the hypothesis with the largest share of sums of two differences.
    """
    if region < 0:
        raise InputError(f"region: must not be negative, got {region!r}")
    d = np.append(_differences(values, reference), 0.0)
    finite = np.abs(d[np.isfinite(d)]).max(initial=1.0)
    d = np.clip(d, -4 * finite, 4 * finite)  # an infinite difference is larger than all sums of others
    sums = d[:, None] + d[None, :]
    rng = generator(seed)
    weights = rng.dirichlet(np.append(np.ones(len(d) - 1), PRIOR), SAMPLES)
    shares = np.array([
        np.einsum("si,ij,sj->s", weights, hypothesis.astype(float), weights, optimize=True)
        for hypothesis in (sums < -2 * region, np.abs(sums) <= 2 * region, sums > 2 * region)
    ])  # fmt: skip
    won = np.bincount(shares.argmax(axis=0), minlength=3) / SAMPLES
    return Posterior(*(float(share) for share in won))
