"""Design an operator for a vectorised function: one call evaluates a generation of all candidates and runs.

The search is small, for a look: its operator has the smallest mean in the table that is printed, but 30 runs do not
tell it apart from the two known operators. See design_for_a_compiled_function.py for one that pays.

The same from the command line:
    autov design examples/design_for_a_vectorized_function.py:gauges --vectorized --dim 8 --lower -3 --upper 3 \
        --space operator --rows 4 --population 16 --generations 15 --trial-popsize 30 --trial-generations 40
"""

import sys

import numpy as np

import autov
from autov.reports.design_files import comparison_table


def gauges(x):
    """Values (n,) of points (n, d): sharp minima, each variable with many that are not the best."""
    y = x - 0.3 * np.arange(x.shape[1])
    return (np.abs(y) + 2 * np.sin(6 * y) ** 2).sum(axis=1)


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    problem = autov.function_problem(gauges, bounds=[(-3, 3)] * 8, vectorized=True, minimum=0.0)
    trial = autov.TrialBudget(popsize=30, generations=5 if quick else 40, runs=3)
    found = autov.design(
        problem, space="operator", rows=4, population=16, generations=2 if quick else 15, trial=trial, rng=1
    )
    print(found.operator)
    print(comparison_table(found, 0))
    spent = ", ".join(f"{what} {count:,}" for what, count in found.spent.items())
    print(f"{found.evaluations:,} evaluations ({spent})")
