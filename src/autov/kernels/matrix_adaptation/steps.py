"""The steps of the matrix adaptation evolution strategy, and a whole run made of them.

`es_start` and `fill_rates`, then `es_ask` and `es_tell` in turns; `es_run` repeats these on a compiled objective until
a budget is used up, and goes on from there when it is called again with a larger one. What the settings say is a
`Plan` of numbers, so that no setting causes a new compilation. What changes is a `Work`.

Coordinates are those of the unit box. Rows of ``matrix`` are the columns of M, so that both products of a generation,
the steps M z and the update of M, are sums of rows times numbers and share one piece of vector code.
"""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import internal, kernel, noinline
from autov.kernels.evolution.run import evaluate_blocks, initial
from autov.kernels.matrix_adaptation.restarts import has_ended, inside, outside, restart
from autov.kernels.matrix_adaptation.work import (
    CENTRE,
    CLIP,
    FOLD,
    HUGE,
    NO_LIMIT,
    TINY,
    Plan,
    Work,
    base_popsize,
    fill_rates,
    most_points,
    note_best,
    workspace,
)
from autov.kernels.matrix_products import add_products, multiply_rows
from autov.kernels.order import sort_order
from autov.kernels.random import NORMALS, fill_normals, subkey

__all__ = [  # with what a caller needs to make and read a Work
    "Plan",
    "Work",
    "base_popsize",
    "es_ask",
    "es_next",
    "es_run",
    "es_start",
    "es_tell",
    "es_update",
    "fill_rates",
    "most_points",
    "sort_order",
    "workspace",
]


def es_start(plan, work, lower, upper, capacity, maxfev):
    """Fill the state of a new run; the mean is uniform, the centre, or that of the given points.

    Not compiled: it is done once in a run. The rates are left to those who read them.
    """
    state = work.scalars[0]
    d = lower.size
    given = work.given.shape[0]
    state.popsize = base_popsize(plan, d, maxfev)
    state.large = state.popsize
    state.capacity = capacity
    state.runs = 1
    state.run_limit = NO_LIMIT
    state.batch = max(state.popsize, given)  # all given points; the next population has its own size again
    state.best = state.run_best = state.window_low = np.inf
    state.window_high = -np.inf
    state.sigma = plan.sigma
    work.matrix[:d, :d] = np.eye(d) if work.basis.size == 0 else work.basis[:d, :d]
    if given > 0:
        average(work.given, plan.bounds, plan.margin, lower, upper, work.mean)
    elif plan.first_mean == CENTRE:
        work.mean[:d] = 0.5
    else:
        initial(work.key, np.zeros(d), np.ones(d), work.mean[None, :d], 0)


@kernel
def average(points, bounds, margin, lower, upper, mean):
    """The mean of given points, as they would be drawn."""
    for k in range(lower.size):
        total = 0.0
        for i in range(points.shape[0]):
            total += outside((points[i, k] - lower[k]) / (upper[k] - lower[k]), bounds, margin)
        mean[k] = total / points.shape[0]


@kernel
def es_next(plan, work, lower, upper, told):
    """Ask, and tell if there are values, from a state alone: what is not kept between two calls is made anew."""
    state = work.scalars[0]
    fill_rates(plan, state.batch, lower.size, state, work.weights)
    es_ask(plan, work, lower, upper)
    if told:
        es_tell(plan, work, lower, upper)


@noinline
def es_ask(plan, work, lower, upper):
    """Fill z, step and the points x of the next generation."""
    d, state = lower.size, work.scalars[0]
    n = state.batch
    generation = state.generation
    sigma = state.sigma
    bounds, margin = plan.bounds, plan.margin
    first, second = subkey(work.key, generation, NORMALS)
    fill_normals(first, second, 0, (n * d + 1) // 2, work.bits, work.words, work.normal)
    for i in range(n):
        for k in range(d):
            work.z[i, k] = work.normal[i * d + k]
    multiply_rows(work.z, work.matrix, work.step, n, d)
    given = work.given.shape[0] if generation == 0 else 0
    for i in range(n):
        target, step = work.x[i], work.step[i]
        if i < given:
            for k in range(d):
                target[k] = work.given[i, k]
            take_given(target, lower, upper, bounds, margin, sigma, work.mean, work.basis, step, work.z[i])
        elif bounds == FOLD:
            for k in range(d):
                y = work.mean[k] + sigma * step[k]
                y = abs(y - 2 * np.rint(0.5 * y))
                target[k] = min(max(lower[k] + y * (upper[k] - lower[k]), lower[k]), upper[k])
        else:
            for k in range(d):
                y = inside(work.mean[k] + sigma * step[k], bounds, margin)
                target[k] = min(max(lower[k] + y * (upper[k] - lower[k]), lower[k]), upper[k])


@internal
def take_given(point, lower, upper, bounds, margin, sigma, mean, basis, step, z):
    """The step of a given point follows from the point; it is not longer than a normal one plausibly is."""
    d = lower.size
    square = 0.0
    for k in range(d):
        u = outside((point[k] - lower[k]) / (upper[k] - lower[k]), bounds, margin)
        step[k] = (u - mean[k]) / sigma
        square += step[k] * step[k]
    shrink = min(1.0, (math.sqrt(d) + 2 * d / (d + 2)) / math.sqrt(max(square, TINY)))
    for k in range(d):
        step[k] *= shrink
    for k in range(d):  # the first matrix is orthogonal: its transpose is its inverse
        z[k] = step[k]
        if basis.size > 0:
            z[k] = 0.0
            for j in range(d):
                z[k] += basis[k, j] * step[j]


@internal
def adapt(plan, work):
    """Move the mean, then the paths, the matrix and the step size; return the largest deviation of a variable."""
    state, w = work.scalars[0], work.weights
    d = work.best.size
    wide = work.mean.size
    n = state.batch
    sigma, c_sigma, c_c, c_1, c_mu = state.sigma, state.c_sigma, state.c_c, state.c_1, state.c_mu
    keep, add = 1 - c_sigma, math.sqrt(state.mu_eff * c_sigma * (2 - c_sigma))
    keep_slow, add_slow = 1 - c_c, math.sqrt(state.mu_eff * c_c * (2 - c_c))
    path, slow, mean = work.path, work.slow, work.mean
    for k in range(wide):
        path[k] *= keep
        slow[k] *= keep_slow
    for rank in range(n // 2):
        i = work.order[0, rank]
        z, step = work.z[i], work.step[i]
        a, b, c = add * w[rank], add_slow * w[rank], sigma * w[rank]
        for k in range(d):
            path[k] += a * z[k]  # s <- (1 - c_s) s + sqrt(mu_eff c_s (2 - c_s)) <z>
            slow[k] += b * z[k]
            mean[k] += c * step[k]  # y <- y + sigma <d>
    if plan.bounds == CLIP:
        for k in range(d):
            mean[k] = min(max(mean[k], 0.0), 1.0)

    # M <- M (I + c_1/2 (s s' - I) + c_mu/2 (sum w z z' - I)) = (1 - ...) M + sum of (M z)(w z)', and M z is the step.
    total = 0.0
    for rank in range(n):
        i = work.order[0, rank]
        z, scaled = work.z[i], work.scaled[i]
        weight = w[rank]
        total += weight
        if rank >= n // 2:
            square = 0.0
            for k in range(d):
                square += z[k] * z[k]
            weight *= d / max(square, 1e-30)
        weight *= 0.5 * c_mu
        for k in range(d):
            scaled[k] = weight * z[k]
    last = work.step[n]
    for k in range(wide):
        last[k] = 0.0
    for k in range(d):
        row = work.matrix[k]
        factor = slow[k]
        work.scaled[n, k] = 0.5 * c_1 * factor
        for j in range(wide):
            last[j] += factor * row[j]
    add_products(work.matrix, 1 - 0.5 * c_1 - 0.5 * c_mu * total, work.scaled, work.step, n + 1)

    square = 0.0
    for k in range(d):
        square += path[k] * path[k]
    expected = math.sqrt(d) * (1 - 1 / (4.0 * d) + 1 / (21.0 * d * d))
    sigma *= math.exp(min(1.0, c_sigma / state.d_sigma * (math.sqrt(square) / expected - 1)))

    for j in range(wide):
        last[j] = 0.0
    for k in range(d):
        row = work.matrix[k]
        for j in range(wide):
            last[j] += row[j] * row[j]
    longest = 0.0
    for j in range(d):
        longest = max(longest, last[j])
        if not last[j] < HUGE:
            longest = np.inf
    longest = math.sqrt(longest)
    # A box seen through folding has no end: without this limit the step grows for ever on a function far from its
    # optimum.
    state.sigma = min(sigma, max(plan.longest, plan.sigma) / longest)
    return longest * state.sigma


@noinline
def es_tell(plan, work, lower, upper):
    """Take the values f of the points that `es_ask` filled last; the state is then that of the next generation."""
    state = work.scalars[0]
    n = state.batch
    note_best(work.x, work.f, n, state, work.best)
    sort_order(work.f, n, work.order)
    es_update(plan, work, lower, upper, work.f[work.order[0, 0]], n)


@internal
def es_update(plan, work, lower, upper, smallest, evaluated):
    """Learn from the order of the points: `es_tell` without values but the smallest; so many points were evaluated."""
    state = work.scalars[0]
    n = state.batch
    deviation = adapt(plan, work)
    state.generation += 1
    state.told = n
    state.nfev += evaluated
    state.run_nfev += evaluated
    state.run_generation += 1
    ended = has_ended(plan, state, lower.size, deviation, smallest)
    if ended:
        restart(plan, work, lower, upper)
    elif state.generation == 1:
        state.batch = state.popsize
    if ended or n != state.batch:
        fill_rates(plan, state.batch, lower.size, state, work.weights)


@internal
def keep_told(work):
    """Copy the last points told to where they stay."""
    for i in range(work.scalars[0].told):
        work.told_f[i] = work.f[i]
        for k in range(work.best.size):
            work.told_x[i, k] = work.x[i, k]


@kernel
def es_run(plan, work, objective, lower, upper, budget, final, trace_nfev, trace_best, traced):
    """Generations until ``budget`` evaluations are made since the start; return the number of traced generations.

    Of a generation that does not fit into the budget, what fits is evaluated if this is the ``final`` call, and not
    told; otherwise nothing, and a later call with a larger budget goes on as if there had been no break. After each
    generation the evaluations made and the best value are written behind the first ``traced`` ones.
    """
    state = work.scalars[0]
    fill_rates(plan, state.batch, lower.size, state, work.weights)
    while state.nfev < budget:
        n = state.batch
        m = min(n, budget - state.nfev)
        if m < n and not final:
            break
        if m < n:
            keep_told(work)
        es_ask(plan, work, lower, upper)
        state.nans += evaluate_blocks(work.key, state.generation, objective, work.x[:m], work.f[:m])
        if m < n:
            note_best(work.x, work.f, m, state, work.best)
            state.nfev += m
        else:
            es_tell(plan, work, lower, upper)
        if traced < trace_nfev.size:
            trace_nfev[traced] = state.nfev
            trace_best[traced] = state.best
            traced += 1
        if m < n:
            return traced
    keep_told(work)
    return traced
