"""Everything a comparison table says, from the final values of all runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from autov.core import Array, InputError
from autov.stats.ranks import average_ranks, critical_difference, friedman
from autov.stats.ranksum import holm, least_p, mark, rank_sum
from autov.stats.summary import Summary, summarise


@dataclass(frozen=True)
class Score:
    """One algorithm on one problem."""

    problem: str
    algorithm: str
    summary: Summary
    p: float | None  # against the reference, corrected if asked for; None for the reference and for empty cells
    mark: str  # + better than the reference, - worse, = similar, ? too few runs to tell; "" where there is no p


@dataclass(frozen=True)
class Scores:
    """Cells, +/-/= counts and average ranks."""

    reference: str
    level: float
    corrected: bool
    cells: dict[tuple[str, str], Score]
    counts: dict[str, tuple[int, int, int]]  # for each algorithm but the reference
    ranks: dict[str, float]  # of what is shown, over the problems that every algorithm has finished
    ranked: int  # how many those are
    friedman: float  # not a number for fewer than two problems
    critical_difference: float
    show: Literal["mean", "median"] = "mean"  # what is ranked
    too_few: bool = False  # whether some cells have too few runs for any difference to be significant


def score(
    values: Callable[[str, str], Array], problems: Sequence[str], algorithms: Sequence[str], reference: str, *,
    level: float = 0.05, correct: bool = False, show: Literal["mean", "median"] = "mean",
) -> Scores:  # fmt: skip
    """Score ``values(problem, algorithm)``, the final values of the runs.

    What the table shows is what is ranked: means or medians. With ``correct`` the p-values of all cells are
    Holm-corrected together before they are marked.
    """
    if reference not in algorithms:
        raise InputError(f"reference: {reference!r} is none of the algorithms ({', '.join(algorithms)})")
    if not 0 < level < 1:
        raise InputError(f"level: must lie between 0 and 1, got {level!r}")
    runs = {(f, a): np.asarray(values(f, a), dtype=np.float64) for f in problems for a in algorithms}
    summaries = {key: summarise(x) for key, x in runs.items()}
    tests = {
        (f, a): rank_sum(runs[f, a], runs[f, reference])
        for f in problems
        for a in algorithms
        if a != reference and runs[f, a].size and runs[f, reference].size
    }
    pvalues = np.array([p for p, _ in tests.values()])
    final = dict(zip(tests, holm(pvalues) if correct else pvalues, strict=True))
    least = {(f, a): least_p(runs[f, a].size, runs[f, reference].size) for f, a in tests}
    hopeless = correct and min(least.values(), default=1.0) * len(tests) >= level  # Holm's first step fails for all
    cells = {}
    for f in problems:
        for a in algorithms:
            p = float(final[f, a]) if (f, a) in tests else None
            sign = "" if p is None else mark(p, tests[f, a][1], level, 1.0 if hopeless else least[f, a])
            cells[f, a] = Score(f, a, summaries[f, a], p, sign)
    counts = {
        a: (signs.count("+"), signs.count("-"), signs.count("="))
        for a in algorithms
        if a != reference
        for signs in [[cells[f, a].mark for f in problems]]
    }
    complete = [f for f in problems if all(summaries[f, a].n for a in algorithms)]
    shown = np.array([[getattr(summaries[f, a], show) for a in algorithms] for f in complete])
    ranks = average_ranks(shown).tolist() if complete else [math.nan] * len(algorithms)
    return Scores(
        reference, level, correct, cells, counts, dict(zip(algorithms, ranks, strict=True)), len(complete),
        friedman(shown) if complete else math.nan, critical_difference(len(algorithms), len(complete), level), show,
        any(cell.mark == "?" for cell in cells.values()),
    )  # fmt: skip
