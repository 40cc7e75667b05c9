"""Design an operator for a vectorised function: one call evaluates a generation of all candidates and runs.

The same from the command line:
    autov design examples/design_for_a_vectorized_function.py:ripples --vectorized --dim 5 --lower -3 --upper 3 \
        --generations 10
"""

import sys

import numpy as np

import autov


def ripples(x):
    """Values (n,) of points (n, d)."""
    return (x**2).sum(axis=1) + np.abs(np.sin(8 * x)).sum(axis=1)


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    problem = autov.function_problem(ripples, bounds=[(-3, 3)] * 5, vectorized=True)
    trial = autov.TrialBudget(popsize=30, generations=20, runs=3)
    found = autov.design(problem, rows=4, population=16, generations=2 if quick else 30, trial=trial, rng=1)
    print(found.operator)
    spent = ", ".join(f"{what} {count:,}" for what, count in found.spent.items())
    print(f"re-tested mean {found.retested_fitness:.4g}; {found.evaluations:,} evaluations ({spent})")
