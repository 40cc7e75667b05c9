"""Design an operator for a function compiled by Numba: everything runs in compiled code, on all cores.

The same from the command line:
    autov design examples/design_for_a_compiled_function.py:egg_box --dim 10 --lower -5 --upper 5 --generations 10
"""

import sys

import numpy as np
from numba import njit

import autov


@njit
def egg_box(x):
    """Many local minima of nearly the same depth."""
    return (0.1 * x**2 - np.cos(3 * x)).sum()


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    problem = autov.function_problem(egg_box, bounds=[(-5, 5)] * 10)
    found = autov.design(problem, rows=5, population=20, generations=3 if quick else 40, rng=1)
    print(found.operator)
    spent = ", ".join(f"{what} {count:,}" for what, count in found.spent.items())
    print(f"re-tested mean {found.retested_fitness:.4g}; {found.evaluations:,} evaluations ({spent})")
