"""How the matrix adaptation strategy keeps to the box, ends a run and begins another one."""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import internal
from autov.kernels.matrix_adaptation.work import BIPOP, CLIP, FOLD, HUGE, MIXED, NEVER, NO_LIMIT, SMOOTH, TINY, UNIFORM
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
def begin_run(n, sigma, state):
    """What is counted and noted as at the start of a run of n points."""
    state.batch = n
    state.run_nfev = 0
    state.run_generation = 0
    state.improved = 0
    state.window = 0
    state.sigma = sigma
    state.run_best = np.inf
    state.window_low = np.inf
    state.window_high = -np.inf


@internal
def has_ended(plan, state, d, deviation, smallest):
    """Whether the run has converged or got stuck; the smallest value is that of the last generation."""
    if not (deviation > TINY and state.sigma > TINY and state.sigma < HUGE):
        return True
    if plan.restarts == NEVER:
        return False
    spread = d / state.batch  # a matrix is learnt in about d^2 evaluations: d spread generations
    if smallest < state.run_best:
        state.run_best = smallest
        state.improved = state.run_generation
    if state.run_generation - state.improved > plan.patience * (60 + 30 * spread):
        return True
    state.window_low = min(state.window_low, smallest)
    state.window_high = max(state.window_high, smallest)
    state.window += 1
    if state.window >= 10 + 30 * spread:
        low, high = state.window_low, state.window_high
        if high <= low + plan.tol_f * abs(low):  # also if all are infinite
            return True
        state.window = 0
        state.window_low = np.inf
        state.window_high = -np.inf
    return deviation < plan.tol_x or state.run_nfev >= state.run_limit


@internal
def restart(plan, work, lower, upper):
    """Begin another run, with the population and the step size that the regime of restarts says."""
    state = work.scalars[0]
    d = lower.size
    base = state.popsize
    n = base
    sigma = plan.sigma * plan.restart_sigma
    if state.small == 1:
        state.spent_small += state.run_nfev
    elif state.runs > 1:
        state.spent_large += state.run_nfev
        state.last_large = state.run_nfev
    state.runs += 1
    state.small = 0
    state.run_limit = NO_LIMIT
    if plan.restarts == BIPOP and state.spent_small < state.spent_large:
        first, second = subkey(work.key, state.generation, RESTART)
        u = work.weights[:2]  # those of the run that has ended
        fill_uniforms(first, second, 0, u)
        n = np.int64(base * max(1.0, 0.5 * state.large / base) ** (u[0] * u[0]))
        sigma *= 10 ** (-2 * u[1])
        state.small = 1
        state.run_limit = state.last_large // 2
    elif plan.restarts != NEVER:
        n = max(base, np.int64(state.large * plan.growth))
        if n > state.capacity:
            n = base
        state.large = n
    where = plan.restart_mean
    if where == UNIFORM or (where == MIXED and state.small == 0):
        first, second = subkey(work.key, state.generation, POPULATION)
        fill_uniforms(first, second, 0, work.mean[:d])
    else:
        for k in range(d):
            u_k = (work.best[k] - lower[k]) / (upper[k] - lower[k])
            work.mean[k] = outside(u_k, plan.bounds, plan.margin)
    for k in range(work.mean.size):
        work.path[k] = 0.0
        work.slow[k] = 0.0
    for k in range(d):
        for j in range(d):
            work.matrix[k, j] = (1.0 if j == k else 0.0) if work.basis.size == 0 else work.basis[k, j]
    begin_run(n, sigma, state)
