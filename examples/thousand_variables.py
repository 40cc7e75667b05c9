"""Solve your own problem with 1000 variables: ten lines."""

import sys

import numpy as np
from numba import njit

import autov


@njit
def chain(x):
    """Springs between neighbours, and a bumpy floor."""
    return ((x[1:] - x[:-1]) ** 2).sum() + (1 - np.cos(x)).sum()


budget = 4_000 if "--quick" in sys.argv else 20_000
result = autov.minimize(chain, bounds=[(-10, 10)] * 1000, maxfev=budget, rng=1)
print(f"{result.fun:.5g} after {result.nfev} evaluations")
