"""Design an optimiser for a function compiled by Numba: everything runs in compiled code, on all cores.

Ten dials that do not influence each other, which no optimiser is told: the search finds one that makes use of it. With
2,000 evaluations for a run it is better than seven of the eight baselines in the table that is printed, and as
good as the eighth (rank-sum test, 30 runs of each on instances that the search never saw).

The same from the command line, which prints the same kind of table:
    autov design examples/design_for_a_compiled_function.py:dials --dim 10 --lower -5 --upper 5 \
        --population 20 --generations 30 --budgets 2000
"""

import sys

import numpy as np
from numba import njit

import autov
from autov.reports.design_files import comparison_table

RIGHT = np.linspace(-3.0, 3.0, 10)


@njit
def dials(x):
    """Each dial has one right place and many that only look right."""
    y = x - RIGHT
    return (y * y + 4.0 * (1.0 - np.cos(5.0 * y))).sum()


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    problem = autov.function_problem(dials, bounds=[(-5, 5)] * 10, minimum=0.0)
    size = {"population": 20, "generations": 30, "trial": {"evaluations": 2000}}
    if quick:
        size = {"population": 4, "generations": 1, "trial": {"evaluations": 300}, "race_size": 2, "race_runs": 2}
    found = autov.design(problem, **size, rng=1, workers=-1)
    print(comparison_table(found, 0))
    spent = ", ".join(f"{what} {count:,}" for what, count in found.spent.items())
    print(f"{found.evaluations:,} evaluations ({spent}); the optimiser: found.algorithm")
