"""Who is significantly better than whom, on how many problems."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence

import numpy as np

from autov.core import Array
from autov.stats.versus import versus


def wins(
    values: Callable[[str, str], Array], problems: Sequence[str], algorithms: Sequence[str], level: float = 0.05,
    paired: Collection[str] = (),
) -> np.ndarray:  # fmt: skip
    """On how many problems row i is significantly better than column j, shape (algorithms, algorithms).

    ``values(problem, algorithm)`` are the final values of the runs; on problems that are paired, run i of all
    algorithms meets the same instance. Problems that one of the two has not finished are left out.
    """
    count = np.zeros((len(algorithms), len(algorithms)), np.int64)
    for problem in problems:
        runs = [np.asarray(values(problem, algorithm), dtype=np.float64) for algorithm in algorithms]
        for i, j in itertools.combinations(range(len(algorithms)), 2):
            if runs[i].size and runs[j].size:
                sign = versus(runs[i], runs[j], problem in paired and runs[i].size == runs[j].size).mark(level)
                count[i, j] += sign == "+"
                count[j, i] += sign == "-"
    return count
