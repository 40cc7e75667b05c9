"""The matrix adaptation strategy with a surrogate: most points of a generation get values of a model.

A generation is a sequence of batches. Its points are ordered by the model, and the best of them are evaluated, in
portions that grow, until the model ranks recent points as the function does; then the strategy learns from the model's
order of all points. Where that does not come about, all points are evaluated, and the strategy learns from their
values. ``queue`` holds the order of the points: first those with known values, then the batch, then the others.

`step` follows each batch. `refill` makes the points of a generation anew from the state alone, so that they need not be
kept between two calls. A model is fitted to the best of the recent points, in the unit box.
"""

from __future__ import annotations

import numpy as np

from autov.compiler.functions import internal, kernel, noinline
from autov.kernels.matrix_adaptation.restarts import inside
from autov.kernels.matrix_adaptation.steps import es_ask, es_update, fill_rates
from autov.kernels.matrix_adaptation.surrogate_fit import FEWEST, archive, correlation, fit
from autov.kernels.matrix_adaptation.surrogate_optimum import seek_optimum
from autov.kernels.matrix_adaptation.surrogate_work import OF_FUNCTION, OF_RANKS, Plan, Work, make_step, unit, workspace
from autov.kernels.matrix_adaptation.work import SMOOTH
from autov.kernels.models.quadratic_model import DIAGONAL, NONE, ROUND, count_terms, largest_kind, predict
from autov.kernels.models.search_batch import evaluate_batch, may_evaluate, trace
from autov.kernels.order import sort_order

__all__ = [  # with what a caller needs to make and read a Work
    "DIAGONAL",
    "OF_FUNCTION",
    "OF_RANKS",
    "ROUND",
    "Plan",
    "Work",
    "proceed",
    "run",
    "workspace",
]


RARER = 1e-6  # times terms and evaluations: fits take the third power of the terms, so in long runs they get rarer


@internal
def refill(plan, work, lower, upper):
    """The points of the generation and the batch, from the state alone."""
    own = work.strategy.scalars[0]
    fill_rates(plan.strategy, own.batch, lower.size, own, work.strategy.weights)
    sample(plan, work, lower, upper)
    fill_batch(work)


@internal
def begin(plan, work, lower, upper):
    """The first batch: all given points, or as many as a first model needs."""
    state, own = work.scalars[0], work.strategy.scalars[0]
    fill_rates(plan.strategy, own.batch, lower.size, own, work.strategy.weights)
    begin_generation(plan, work, lower, upper)
    given = work.strategy.given.shape[0]
    if given > 0:
        state.batch = given
        fill_batch(work)


@kernel
def proceed(plan, work, lower, upper, told):
    """Fill the batch that waits, from a state alone, and take its values if it is told; in a new state, begin."""
    if work.scalars[0].batch == 0:
        begin(plan, work, lower, upper)
        return
    refill(plan, work, lower, upper)
    if told:
        step(plan, work, lower, upper)


@internal
def fill_batch(work):
    """Copy the points to evaluate next."""
    state = work.scalars[0]
    for i in range(state.batch):
        row = work.strategy.x[work.queue[state.known + i]]
        for k in range(row.size):
            work.x[i, k] = row[k]


@internal
def sample(plan, work, lower, upper):
    """Points of the generation; the first one is the model's optimum, if there is one."""
    strategy, d = work.strategy, lower.size
    es_ask(plan.strategy, strategy, lower, upper)
    if work.scalars[0].injected == 0:
        return
    z, moved, target = strategy.z[0], strategy.step[0], strategy.x[0]
    sigma = strategy.scalars[0].sigma
    make_step(strategy, work.z, moved)
    for k in range(d):
        z[k] = work.z[k]
        y = inside(strategy.mean[k] + sigma * moved[k], plan.strategy.bounds, plan.strategy.margin)
        target[k] = min(max(lower[k] + y * (upper[k] - lower[k]), lower[k]), upper[k])


@noinline
def begin_generation(plan, work, lower, upper):
    """Sample the next generation, order it by the model, and take the first portion."""
    state = work.scalars[0]
    n = work.strategy.scalars[0].batch
    state.known = 0
    state.injected = 0
    if state.kind != NONE:
        seek_optimum(plan, work)
        state.injected = 1
    sample(plan, work, lower, upper)
    for i in range(n):
        work.queue[i] = i
    order_queue(work, lower, upper)
    least = np.int64(plan.portion * n)
    if state.archived < FEWEST:
        least = max(least, FEWEST - state.archived)
    state.batch = min(n, least + 1)
    if largest_kind(lower.size, plan.middle) == NONE:
        state.batch = n
    fill_batch(work)


@internal
def order_queue(work, lower, upper):
    """Order the points without values by the model."""
    state, strategy = work.scalars[0], work.strategy
    rest = strategy.scalars[0].batch - state.known
    if state.kind == NONE:
        return
    u, away, v = work.vectors[0], work.vectors[1], work.vectors[2]
    for i in range(rest):
        unit(strategy.x[work.queue[state.known + i]], lower, upper, u)
        work.predicted[i] = predict(u, state.kind, work.model, away, v)
    sort_order(work.predicted, rest, work.order)
    for i in range(rest):
        work.order[1, i] = work.queue[state.known + work.order[0, i]]
    for i in range(rest):
        work.queue[state.known + i] = work.order[1, i]


@noinline
def learn(plan, work, lower, upper):
    """Let the strategy learn from the values, or from the model where not all points have one."""
    state, strategy = work.scalars[0], work.strategy
    own = strategy.scalars[0]
    n = own.batch
    smallest = np.inf
    for i in range(state.known):
        smallest = min(smallest, work.known_f[i])
        strategy.f[work.queue[i]] = work.known_f[i]
    if state.known < n:
        u, away, v = work.vectors[0], work.vectors[1], work.vectors[2]
        for i in range(n):
            unit(strategy.x[i], lower, upper, u)
            strategy.f[i] = predict(u, state.kind, work.model, away, v)
    sort_order(strategy.f, n, strategy.order)
    own.best = state.best
    for k in range(work.best.size):
        strategy.best[k] = work.best[k]
    runs = own.runs
    es_update(plan.strategy, strategy, lower, upper, smallest, state.known)
    mirror_mean(plan.strategy, strategy)
    if own.runs > runs:
        state.archived = 0
        state.place = 0
        state.kind = NONE


@internal
def mirror_mean(plan, strategy):
    """Where the mean has left the box, take its mirror image inside, with mirrored steps: the same distribution there.

    A model in the box then sees the steps as they are.
    """
    d, mean = strategy.best.size, strategy.mean
    margin = plan.margin if plan.bounds == SMOOTH else 0.0
    for k in range(d):
        if mean[k] < -margin or mean[k] > 1 + margin:
            u = (mean[k] + margin) / (1 + 2 * margin)
            turns = np.rint(0.5 * u)
            if u - 2 * turns < 0:
                for j in range(d):
                    strategy.matrix[j, k] = -strategy.matrix[j, k]
            mean[k] = abs(u - 2 * turns) * (1 + 2 * margin) - margin


@noinline
def step(plan, work, lower, upper):
    """Take the values of the batch; the next one follows."""
    state, own = work.scalars[0], work.strategy.scalars[0]
    n = own.batch
    archive(work, lower, upper)
    terms = count_terms(state.kind, lower.size)
    gap = terms * max(plan.refit, RARER * terms * state.nfev)
    if state.kind == NONE or state.nfev - state.fitted >= gap:
        fit(plan, work)
    state.tau = correlation(work)
    if state.known < n and (state.tau < plan.tau or (own.generation == 0 and work.strategy.given.shape[0] > 0)):
        more = (state.known + 1) // 2
        state.batch = min(more, n - state.known)
        order_queue(work, lower, upper)
        fill_batch(work)
        return
    learn(plan, work, lower, upper)
    begin_generation(plan, work, lower, upper)


@kernel
def run(plan, work, objective, lower, upper, budget, final, trace_nfev, trace_best, traced):
    """Batches until ``budget`` evaluations are made since the start; return the number of traced batches.

    Of a batch that does not fit into the budget, what fits is evaluated if this is the ``final`` call, and not told;
    otherwise nothing, and a later call with a larger budget goes on as if there had been no break.
    """
    state = work.scalars[0]
    if state.batch == 0:
        begin(plan, work, lower, upper)
    else:
        refill(plan, work, lower, upper)
    while may_evaluate(state, budget, final):
        whole = evaluate_batch(work, objective, budget)
        if whole:
            step(plan, work, lower, upper)
        traced = trace(state, trace_nfev, trace_best, traced)
        if not whole:
            break
    return traced
