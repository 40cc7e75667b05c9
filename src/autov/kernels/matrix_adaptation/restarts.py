"""How the matrix adaptation strategy keeps to the box, ends a run and begins another one."""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import internal
from autov.kernels.matrix_adaptation.work import (
    BASE,
    BATCH,
    BIPOP,
    BOUNDS,
    CAPACITY,
    CLIP,
    FOLD,
    GENERATION,
    GROWTH,
    HUGE,
    IMPROVED,
    LARGE,
    LAST_LARGE,
    MARGIN,
    MIXED,
    NEVER,
    NO_LIMIT,
    PATIENCE,
    RESTART_MEAN,
    RESTART_SIGMA,
    RESTARTS,
    RUN_BEST,
    RUN_GENERATION,
    RUN_LIMIT,
    RUN_NFEV,
    RUNS,
    SIGMA,
    SIGMA_FIRST,
    SMALL,
    SMOOTH,
    SPENT_LARGE,
    SPENT_SMALL,
    TINY,
    TOL_F,
    TOL_X,
    UNIFORM,
    WINDOW,
    WINDOW_HIGH,
    WINDOW_LOW,
)
from autov.kernels.random import POPULATION, RESTART, fill_uniforms, subkey


@internal
def inside(y, bounds, margin):
    """The variable in [0, 1] at which y is evaluated."""
    if bounds == CLIP:
        return min(max(y, 0.0), 1.0)
    if bounds == FOLD:
        return abs(y - 2 * np.rint(0.5 * y))
    if y < -margin or y > 1 + margin:  # fold at the turning points of the transformation
        u = (y + margin) / (1 + 2 * margin)
        y = abs(u - 2 * np.rint(0.5 * u)) * (1 + 2 * margin) - margin
    if y < margin:
        return (y + margin) * (y + margin) / (4 * margin)
    if y > 1 - margin:
        return 1 - (1 + margin - y) * (1 + margin - y) / (4 * margin)
    return y


@internal
def outside(u, bounds, margin):
    """A y with inside(y) = u, for u in [0, 1]."""
    if bounds == SMOOTH and u < margin:
        return 2 * math.sqrt(margin * max(u, 0.0)) - margin
    if bounds == SMOOTH and u > 1 - margin:
        return 1 + margin - 2 * math.sqrt(margin * max(1 - u, 0.0))
    return u


@internal
def begin_run(n, sigma, counters, numbers):
    """What is counted and noted as at the start of a run of n points."""
    counters[BATCH] = n
    counters[RUN_NFEV] = 0
    counters[RUN_GENERATION] = 0
    counters[IMPROVED] = 0
    counters[WINDOW] = 0
    numbers[SIGMA] = sigma
    numbers[RUN_BEST] = np.inf
    numbers[WINDOW_LOW] = np.inf
    numbers[WINDOW_HIGH] = -np.inf


@internal
def has_ended(plan, counters, numbers, d, deviation, smallest):
    """Whether the run has converged or got stuck; the smallest value is that of the last generation."""
    if not (deviation > TINY and numbers[SIGMA] > TINY and numbers[SIGMA] < HUGE):
        return True
    if plan.choices[RESTARTS] == NEVER:
        return False
    spread = d / counters[BATCH]  # a matrix is learnt in about d^2 evaluations: d spread generations
    if smallest < numbers[RUN_BEST]:
        numbers[RUN_BEST] = smallest
        counters[IMPROVED] = counters[RUN_GENERATION]
    if counters[RUN_GENERATION] - counters[IMPROVED] > plan.numbers[PATIENCE] * (60 + 30 * spread):
        return True
    numbers[WINDOW_LOW] = min(numbers[WINDOW_LOW], smallest)
    numbers[WINDOW_HIGH] = max(numbers[WINDOW_HIGH], smallest)
    counters[WINDOW] += 1
    if counters[WINDOW] >= 10 + 30 * spread:
        low, high = numbers[WINDOW_LOW], numbers[WINDOW_HIGH]
        if high <= low + plan.numbers[TOL_F] * abs(low):  # also if all are infinite
            return True
        counters[WINDOW] = 0
        numbers[WINDOW_LOW] = np.inf
        numbers[WINDOW_HIGH] = -np.inf
    return deviation < plan.numbers[TOL_X] or counters[RUN_NFEV] >= counters[RUN_LIMIT]


@internal
def restart(plan, work, lower, upper):
    """Begin another run, with the population and the step size that the regime of restarts says."""
    counters = work.counters
    d = lower.size
    base = counters[BASE]
    n = base
    sigma = plan.numbers[SIGMA_FIRST] * plan.numbers[RESTART_SIGMA]
    if counters[SMALL] == 1:
        counters[SPENT_SMALL] += counters[RUN_NFEV]
    elif counters[RUNS] > 1:
        counters[SPENT_LARGE] += counters[RUN_NFEV]
        counters[LAST_LARGE] = counters[RUN_NFEV]
    counters[RUNS] += 1
    counters[SMALL] = 0
    counters[RUN_LIMIT] = NO_LIMIT
    if plan.choices[RESTARTS] == BIPOP and counters[SPENT_SMALL] < counters[SPENT_LARGE]:
        first, second = subkey(work.key, counters[GENERATION], RESTART)
        u = work.weights[:2]  # those of the run that has ended
        fill_uniforms(first, second, 0, u)
        n = np.int64(base * max(1.0, 0.5 * counters[LARGE] / base) ** (u[0] * u[0]))
        sigma *= 10 ** (-2 * u[1])
        counters[SMALL] = 1
        counters[RUN_LIMIT] = counters[LAST_LARGE] // 2
    elif plan.choices[RESTARTS] != NEVER:
        n = max(base, np.int64(counters[LARGE] * plan.numbers[GROWTH]))
        if n > counters[CAPACITY]:
            n = base
        counters[LARGE] = n
    where = plan.choices[RESTART_MEAN]
    if where == UNIFORM or (where == MIXED and counters[SMALL] == 0):
        first, second = subkey(work.key, counters[GENERATION], POPULATION)
        fill_uniforms(first, second, 0, work.mean[:d])
    else:
        for k in range(d):
            u_k = (work.best[k] - lower[k]) / (upper[k] - lower[k])
            work.mean[k] = outside(u_k, plan.choices[BOUNDS], plan.numbers[MARGIN])
    for k in range(work.mean.size):
        work.path[k] = 0.0
        work.slow[k] = 0.0
    for k in range(d):
        for j in range(d):
            work.matrix[k, j] = (1.0 if j == k else 0.0) if work.basis.size == 0 else work.basis[k, j]
    begin_run(n, sigma, counters, work.numbers)
