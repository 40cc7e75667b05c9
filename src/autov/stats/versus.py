"""Runs of one algorithm against those of another: the test that fits, and how large the difference is.

A. Vargha and H. D. Delaney, A critique and improvement of the CL common language effect size statistics of McGraw and
Wong, Journal of Educational and Behavioral Statistics 25, 2000 (A12).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autov.core import Array
from autov.stats.ranksum import cleaned, holm, least_p, mark, rank_sum
from autov.stats.signedrank import Posterior, bayesian_signed_rank, least_signed_p, signed_rank


@dataclass(frozen=True)
class Versus:
    """Runs against those of a reference.

    Attributes:
        p: two-sided; corrected where one reference is compared with many.
        smaller: how often a run is smaller, ties half: of all pairs of runs (A12), or of runs on the same instance.
        ratio: median divided by the reference's; None where one of them is not a positive number.
        least: the smallest p that this many runs can have.
        posterior: of the Bayesian test, which has no p.
    """

    p: float
    smaller: float
    ratio: float | None
    least: float
    posterior: Posterior | None = None

    def mark(self, level: float = 0.05) -> str:
        """``+`` better than the reference, ``-`` worse, ``=`` no difference shown, ``?`` too few runs to tell."""
        if self.posterior is None:
            return mark(self.p, self.smaller, level, self.least)
        if self.posterior.better > 1 - level:
            return "+"
        return "-" if self.posterior.worse > 1 - level else "="

    @property
    def effect(self) -> str:
        """Both effect sizes in short: ``0.97 x0.12``."""
        return f"{self.smaller:.2f}" + ("" if self.ratio is None else f" x{self.ratio:.2g}")


def versus(
    values: Sequence[float] | Array, reference: Sequence[float] | Array, paired: bool = False, bayesian: bool = False
) -> Versus:  # fmt: skip
    """The signed-rank test of paired runs, which meet the same instances, else the rank-sum test.

    Args:
        values: best values of runs, or gaps to the minimum.
        reference: those of the reference; paired with the values run by run where ``paired``.
        paired: run i of both meets the same instance.
        bayesian: the Bayesian signed-rank test instead, of paired runs.
    """
    ratio = ratio_of_medians(values, reference)
    if bayesian:
        found = bayesian_signed_rank(values, reference)
        return Versus(math.nan, signed_rank(values, reference)[1], ratio, 0.0, found)
    if paired:
        return Versus(*signed_rank(values, reference), ratio, least_signed_p(len(values)))
    return Versus(*rank_sum(values, reference), ratio, least_p(len(values), len(reference)))


def one_with_many(found: Mapping[str, Versus], level: float = 0.05) -> dict[str, Versus]:
    """Comparisons of one reference with many, their p-values corrected by Holm's method.

    Where not even the smallest possible p would be significant then, no run could tell: ``least`` is 1 for all.
    """
    hopeless = min((one.least for one in found.values()), default=0.0) * len(found) >= level
    corrected = holm([one.p for one in found.values()])
    return {
        name: replace(one, p=float(p), least=1.0 if hopeless else one.least)
        for (name, one), p in zip(found.items(), corrected, strict=True)
    }


def ratio_of_medians(values: Sequence[float] | Array, reference: Sequence[float] | Array) -> float | None:
    """The median of the values divided by the reference's; None where one of them is not a positive number."""
    own, other = (float(np.median(cleaned(x, "values"))) for x in (values, reference))
    return own / other if 0 < own < math.inf and 0 < other < math.inf else None
