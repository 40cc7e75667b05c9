"""Design an operator for a slow Python function of one point: worker processes evaluate it.

The same from the command line (the runs that try a candidate are kept short, since every evaluation is dear):
    autov design examples/design_for_a_slow_function.py:simulate --dim 3 --lower 0 --upper 1 --workers 2 \
        --population 6 --generations 3 --runs 1 --reevaluate 0 --no-final-race \
        --retest-runs 4 --trial-popsize 8 --trial-generations 5
"""

import math
import sys

import autov
from autov.reports.design_files import comparison_table


def simulate(x):
    """A small integral by brute force, instead of a simulation."""
    steps = 200
    return sum((math.sin(7 * x[0] * t / steps) - x[1]) ** 2 + x[2] ** 2 for t in range(steps)) / steps


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    problem = autov.function_problem(simulate, bounds=[(0, 1)] * 3)
    trial = autov.TrialBudget(popsize=8, generations=5, runs=1)
    found = autov.design(
        problem, rows=3, population=6, generations=1 if quick else 10, trial=trial, reevaluate=0, final_race=False,
        retest_runs=4, workers=2, rng=1,
    )  # fmt: skip
    print(comparison_table(found, 0))
    spent = ", ".join(f"{what} {count:,}" for what, count in found.spent.items())
    print(f"re-tested mean {found.retested_fitness:.4g}; {found.evaluations:,} evaluations ({spent})")
