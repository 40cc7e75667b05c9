"""Everything a comparison table says, from the final values of all runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from autov.core import Array, InputError
from autov.stats.ranks import average_ranks, critical_difference, friedman
from autov.stats.summary import Summary, summarise
from autov.stats.versus import Versus, one_with_many, versus


@dataclass(frozen=True)
class Score:
    """One algorithm on one problem."""

    problem: str
    algorithm: str
    summary: Summary
    p: float | None  # against the reference, corrected if asked for; None for the reference and for empty cells
    mark: str  # + better than the reference, - worse, = similar, ? too few runs to tell; "" where there is no test
    versus: Versus | None = None  # the test and effect sizes; None for the reference and for empty cells


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
    paired: tuple[str, ...] = ()  # problems whose runs were tested pair by pair


def score(
    values: Callable[[str, str], Array], problems: Sequence[str], algorithms: Sequence[str], reference: str, *,
    level: float = 0.05, correct: bool = False, show: Literal["mean", "median"] = "mean",
    judged: Callable[[str, str], Array] | None = None, paired: Collection[str] = (), bayesian: bool = False,
) -> Scores:  # fmt: skip
    """Score ``values(problem, algorithm)``, the final values of the runs.

    The table shows the ranked statistic: means or medians.

    Args:
        values: of runs, for summaries.
        problems: names.
        algorithms: labels.
        reference: the label that all others are tested against.
        level: of significance.
        correct: Holm's correction of the p-values on each problem, where one reference is compared with many.
        show: statistic to show and rank.
        judged: values as they are tested and ranked: gaps to the minimum, in which equal results are equal.
        paired: problems on which run i of all algorithms meets the same instance.
        bayesian: the Bayesian signed-rank test; all problems must be paired.
    """
    if reference not in algorithms:
        raise InputError(f"reference: {reference!r} is none of the algorithms ({', '.join(algorithms)})")
    if not 0 < level < 1:
        raise InputError(f"level: must lie between 0 and 1, got {level!r}")
    keys = [(f, a) for f in problems for a in algorithms]
    summaries = {key: summarise(values(*key)) for key in keys}
    runs = {key: np.asarray((judged or values)(*key), dtype=np.float64) for key in keys}
    tested: dict[tuple[str, str], Versus] = {}
    for f in problems:
        base = runs[f, reference]
        row = {
            a: versus(runs[f, a], base, f in paired and len(runs[f, a]) == len(base), bayesian)
            for a in algorithms
            if a != reference and runs[f, a].size and base.size
        }
        row = one_with_many(row, level) if correct and not bayesian else row
        tested |= {(f, a): one for a, one in row.items()}
    cells = {}
    for key in keys:
        one = tested.get(key)
        p = None if one is None or bayesian else one.p
        cells[key] = Score(*key, summaries[key], p, "" if one is None else one.mark(level), one)
    counts = {
        a: (signs.count("+"), signs.count("-"), signs.count("="))
        for a in algorithms
        if a != reference
        for signs in [[cells[f, a].mark for f in problems]]
    }
    complete = [f for f in problems if all(summaries[f, a].n for a in algorithms)]
    shown = np.array([[getattr(summarise(runs[f, a]), show) for a in algorithms] for f in complete])
    ranks = average_ranks(shown).tolist() if complete else [math.nan] * len(algorithms)
    return Scores(
        reference, level, correct and not bayesian, cells, counts, dict(zip(algorithms, ranks, strict=True)),
        len(complete), friedman(shown) if complete else math.nan,
        critical_difference(len(algorithms), len(complete), level), show,
        any(cell.mark == "?" for cell in cells.values()), tuple(f for f in problems if f in paired),
    )  # fmt: skip
