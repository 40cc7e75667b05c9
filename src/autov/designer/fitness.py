"""The fitness of candidates: one figure from the best values of their runs, on one problem or on several.

``over_runs`` says how the runs on one problem become a figure. The paper takes the median, which a candidate that fails
in a quarter of its runs does not feel; the other ways do.

- "median": of the best values, as in the paper.
- "quantile": the value that nine runs of ten do not exceed.
- "gap": the geometric mean of the gaps to the known minimum, on top of that minimum: the mean of their logarithms in
  the unit of the values.
- "rank": how often other candidates are better in the same run, which has the same instance for all of them; equal
  values count half. It has no unit, and it is relative to the candidates of the moment.

Apart from the median, values closer than 1e-8 to a known minimum are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

from autov.core import Array, InputError
from autov.stats.floor import SOLVED, floored

AGGREGATES = ("rank", "log-gap", "panel")
OVER_RUNS = ("median", "quantile", "gap", "rank")
UPPER = 0.9  # the quantile
SMALLEST_GAP, LARGEST_GAP = 1e-12, 1e300


def needs_minima(aggregate: str, problems: int, over_runs: str = "median") -> bool:
    """Whether the fitness on this many problems is relative to their known minima."""
    return aggregate == "panel" or over_runs == "gap" or (aggregate == "log-gap" and problems > 1)


def check_minima(aggregate: str, problems: Sequence[Any], over_runs: str = "median") -> None:
    """Refuse a fitness that the problems do not allow."""
    wanted = {"aggregate: log-gap": aggregate == "log-gap" and len(problems) > 1, "over_runs: gap": over_runs == "gap"}
    for name, needed in wanted.items():
        for problem in problems if needed else ():
            if problem.minimum is None:
                raise InputError(f"{name} needs a known minimum and {problem.name} has none; use rank")


def unit_of(aggregate: str, over_runs: str, problems: int) -> str:
    """What fitness measures: "rank", "log-gap" or "panel"; "" where it is a best value."""
    if aggregate == "panel" or (problems > 1 and over_runs != "rank"):
        return aggregate
    return "rank" if over_runs == "rank" else ""


def upper_quantile(values: Array, part: float = UPPER) -> Array:
    """The smallest value (...,) that at least such a part of the runs (..., runs) do not exceed; NaN is no run."""
    made = (~np.isnan(values)).sum(axis=-1)
    place = np.clip(np.ceil(part * made - 1e-9).astype(np.int64) - 1, 0, values.shape[-1] - 1)
    return np.take_along_axis(np.sort(values, axis=-1), place[..., None], axis=-1)[..., 0]


def one_figure(values: Array, over_runs: str, minimum: float | None) -> Array:
    """A figure (c,) in the unit of the values (c, runs), NaN for runs not made: median, upper quantile or mean gap."""
    if over_runs == "median":
        return np.nanmedian(values, axis=1)
    own = np.where(np.isnan(values), np.nan, floored(values, minimum))
    if over_runs == "quantile":
        return upper_quantile(own)
    assert minimum is not None  # check_minima
    return minimum + 10.0 ** np.nanmean(np.log10(np.clip(own - minimum, SOLVED, LARGEST_GAP)), axis=1)


def mean_ranks(values: Array, minimum: float | None) -> Array:
    """How often others are better than each candidate (c,) in runs (c, runs) that both have made; ties count half.

    Candidates with many runs and those with few are compared in the runs of both, so that nobody gains by having met
    weaker candidates.
    """
    own = np.where(np.isnan(values), np.nan, floored(values, minimum))
    found = np.empty(len(own))
    for i, row in enumerate(own):
        both = ~np.isnan(own) & ~np.isnan(row)
        better = ((own < row) + 0.5 * (own == row)) * both
        found[i] = (better.sum(axis=1) / np.maximum(both.sum(axis=1), 1)).mean()
    return found


def fitness_of(figures: Array, aggregate: str, minima: Sequence[float | None], reference: Array) -> Array:
    """Fitness (c,) of the figures (problems, c) of candidates on each problem.

    One problem: the figure itself. Several: the mean over problems of the candidate's rank among
    those compared ("rank": no scale matters, but it is relative to the others), or of log10 of its gap to the minimum
    over the reference gap, the median of the first population ("log-gap": absolute, so that it can be compared
    between generations).
    """
    if len(figures) == 1:
        return figures[0]
    if aggregate == "rank":
        return np.mean([rankdata(row, method="average") for row in figures], axis=0)
    gaps = np.clip(figures - np.array(minima, dtype=np.float64)[:, None], SMALLEST_GAP, LARGEST_GAP)
    return np.log10(gaps / reference[:, None]).mean(axis=0)


def reference_gaps(figures: Array, minima: Sequence[float | None]) -> Array:
    """Median gap of the first population on each problem."""
    known = np.array([np.nan if m is None else m for m in minima])
    return np.clip(np.median(figures, axis=1) - known, SMALLEST_GAP, LARGEST_GAP)


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
        others, own = np.sort(floored(panel[p], minimum)), floored(values[p], minimum)
        below = np.searchsorted(others, own, side="left") + np.searchsorted(others, own, side="right")
        each = np.where(np.isnan(own), np.nan, 0.5 * below / len(others))
        shares[p] = np.nanmean(each, axis=1)
    return shares
