"""Who is significantly better than whom, on how many problems."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from autov.core import Array
from autov.stats.ranksum import least_p, mark, rank_sum


def wins(
    values: Callable[[str, str], Array], problems: Sequence[str], algorithms: Sequence[str], level: float = 0.05
) -> np.ndarray:  # fmt: skip
    """On how many problems row i is significantly better than column j (rank sum test), shape (algorithms, algorithms).

    ``values(problem, algorithm)`` are the final values of the runs. Problems that one of the two has not finished are
    left out.
    """
    count = np.zeros((len(algorithms), len(algorithms)), np.int64)
    for problem in problems:
        runs = [np.asarray(values(problem, algorithm), dtype=np.float64) for algorithm in algorithms]
        for i, j in itertools.combinations(range(len(algorithms)), 2):
            if runs[i].size and runs[j].size:
                sign = mark(*rank_sum(runs[i], runs[j]), level, least_p(runs[i].size, runs[j].size))
                count[i, j] += sign == "+"
                count[j, i] += sign == "-"
    return count
