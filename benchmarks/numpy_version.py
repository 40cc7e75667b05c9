"""The compiled run, written as clean vectorised NumPy: the reference of the benchmarks and of a test."""

from __future__ import annotations

import numpy as np

from autov.core import Array, Generator
from autov.operators import AffineOperator
from autov.problems import Classic


def rastrigin(x: Array) -> Array:
    """Rastrigin's function of a batch."""
    return (x * x - 10.0 * np.cos(2.0 * np.pi * x) + 10.0).sum(axis=1)


def numpy_run(operator: AffineOperator, problem: Classic, maxfev: int, popsize: int, rng: Generator) -> float:
    """Best value of one run of Algorithm 2 on Rastrigin's function with an operator of form h3."""
    lower, upper, dim = problem.box.lower, problem.box.upper, problem.dim
    cumulative = np.cumsum(operator.probability / operator.probability.sum())
    cumulative[-1] = 1.0
    variance = operator.std**2
    x = lower + rng.random((popsize, dim)) * (upper - lower)
    f = rastrigin(x)
    for used in range(popsize, maxfev, popsize):
        n = min(popsize, maxfev - used)
        pair = rng.integers(0, popsize, (2, 2, n))
        first, second = np.where(f[pair[0]] <= f[pair[1]], pair[0], pair[1])
        x1 = x[first]
        row = np.searchsorted(cumulative, rng.random((n, dim)), side="right")
        # One normal a variable, like the kernel: the sum of the weighted differences is one normal.
        mean, spread = x1.copy(), np.zeros((n, dim))
        for j, y in enumerate((x[second], lower, upper)):
            difference = y - x1
            mean += operator.mean[row, j] * difference
            spread += variance[row, j] * difference**2
        offspring = mean + np.sqrt(spread) * rng.standard_normal((n, dim))
        offspring = np.clip(offspring, lower, upper)
        union, values = np.concatenate([x, offspring]), np.concatenate([f, rastrigin(offspring)])
        keep = np.argpartition(values, popsize - 1)[:popsize]
        x, f = union[keep], values[keep]
    return float(f.min())
