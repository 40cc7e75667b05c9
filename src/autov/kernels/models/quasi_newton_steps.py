"""Quasi-Newton steps in a box with difference quotients: one step of the search.

A search is a sequence of gradients and lines. The points of a gradient are one batch, and so are ``line_points`` points
of a line. ``phase`` says what the batch that waits is for. See `autov.algorithms.quasi_newton`.
"""

from __future__ import annotations

import numpy as np

from autov.compiler.functions import internal, kernel, noinline
from autov.kernels.models.box_quadratic import minimize_quadratic
from autov.kernels.models.differences import (
    CENTRAL,
    EPS,
    FORWARD,
    WIDE,
    difference_points,
    noise_width,
    take_quotients,
)
from autov.kernels.models.quasi_newton_work import Plan, Work, workspace
from autov.kernels.models.search_batch import (
    approach,
    begin_given,
    end_search,
    evaluate_batch,
    goes_on,
    may_evaluate,
    next_start,
    place,
    rank_given,
    take_batch,
    trace,
)
from autov.kernels.models.second_derivatives import is_convex, set_first, update_matrices

__all__ = ["Plan", "Work", "begin", "run", "step", "workspace"]

GRADIENT, LINE = 1, 2  # phase
SHORTEN = 0.1  # least factor between two lengths on a line, and least part of the length that a parabola may ask for
TINY = 1e-9  # longest move of a long run, in the unit box, that ends its search: bounds are approached without end
RATIO = 0.25  # between the lengths of one batch


@kernel
def begin(plan, work, lower, upper):
    """The first batch: the given points if there are several without values, else that of the first search."""
    if not begin_given(work, lower, upper):
        start(plan, work, lower, upper)


@noinline
def start(plan, work, lower, upper):
    """Begin a search."""
    state = work.scalars[0]
    state.f = next_start(work, work.u)
    state.unknown = 0 if state.f < np.inf else 1
    state.highest = state.f if state.f < np.inf else -np.inf
    state.updates = -1
    state.kind = FORWARD
    first_points(plan, work, lower, upper)


@internal
def first_points(plan, work, lower, upper):
    """Ask for the first batch of a gradient."""
    work.scalars[0].phase = GRADIENT
    work.scalars[0].first = 0
    difference_points(plan, work, lower, upper)


@noinline
def step(plan, work, lower, upper):
    """Take the values of the batch and write the next one."""
    take_batch(work)
    state = work.scalars[0]
    for i in range(state.batch):
        if work.f[i] < np.inf:
            state.highest = max(state.highest, work.f[i])
    if state.phase == LINE:
        line_step(plan, work, lower, upper)
    elif state.phase == GRADIENT:
        gradient_step(plan, work, lower, upper)
    else:
        rank_given(work)
        start(plan, work, lower, upper)


@internal
def finish(plan, work, lower, upper):
    """End the search and begin another one."""
    end_search(work, work.u)
    start(plan, work, lower, upper)


@internal
def gradient_step(plan, work, lower, upper):
    """Quotients of the batch; after the last one, a new line."""
    state, d = work.scalars[0], work.u.size
    n = 0
    if state.unknown == 1:
        state.f = work.f[0]
        state.unknown = 0
        n = 1
        if not state.f < np.inf:
            finish(plan, work, lower, upper)
            return
    if not take_quotients(work, n, lower, upper):
        difference_points(plan, work, lower, upper)
        return
    if state.updates >= 0:
        update_matrices(plan, work)
    for k in range(d):
        work.old_u[k] = work.u[k]
        work.old_g[k] = work.g[k]
    new_line(plan, work, lower, upper)


@noinline
def new_line(plan, work, lower, upper):
    """A direction from the quadratic model, and the first points on it."""
    state, d = work.scalars[0], work.u.size
    if state.updates < 0:
        set_first(work)
    model = work.secant if state.updates > 0 and is_convex(work.secant, work.factor) else work.matrix
    minimize_quadratic(work.u, work.g, model, work.factor, work.p, work.scratch, work.point, work.fixed)
    state.slope = 0.0
    for k in range(d):
        state.slope += work.g[k] * work.p[k]
    if not -state.slope > EPS * abs(state.f) * 0.01:
        failed(plan, work, lower, upper)
        return
    state.line_length = 0.0
    state.line_f = state.f
    state.tried = 0
    state.phase = LINE
    line_batch(plan, work, 1.0, lower, upper)


@internal
def failed(plan, work, lower, upper):
    """No descent along the line: with central quotients, then with those that the noise demands, then the end."""
    state = work.scalars[0]
    if state.kind == FORWARD:
        state.kind = CENTRAL
        first_points(plan, work, lower, upper)
        return
    if state.kind == CENTRAL:
        state.width = noise_width(work)
        if state.width > 0:
            state.kind = WIDE
            state.updates = -1
            first_points(plan, work, lower, upper)
            return
    finish(plan, work, lower, upper)


@internal
def to_line(work, length):
    """Write the point of the line at a length."""
    edge = work.scalars[0].edge
    for k in range(work.u.size):
        u = work.u[k]
        work.point[k] = approach(u + length * work.p[k], u, edge)


@internal
def line_batch(plan, work, length, lower, upper):
    """Ask for points of the line: at a length, and at shorter ones if there are several."""
    state = work.scalars[0]
    state.length = length
    state.batch = max(1, np.int64(plan.line_points))
    for i in range(state.batch):
        to_line(work, length)
        place(work.x[i], work.point, lower, upper)
        length *= RATIO


@internal
def line_step(plan, work, lower, upper):
    """Take the values of points of the line: go on along it, or move to the best point of it."""
    state, d = work.scalars[0], work.u.size
    value, length, slope = work.f[0], state.length, state.slope
    shorter = length
    for i in range(1, state.batch):
        shorter *= RATIO
        if work.f[i] < value:
            value, length = work.f[i], shorter
    state.tried += 1
    bend = value - state.f - slope * length
    wanted = np.inf  # where the parabola through both points has its minimum
    if bend > 0:
        wanted = -slope * length * length / (2 * bend) if bend < np.inf else 0.0
    if value <= state.f + plan.decrease * slope * length and value < state.line_f:
        state.line_f = value
        state.line_length = length
        to_line(work, length)
        for k in range(d):
            work.line_u[k] = work.point[k]
        if state.tried < plan.tries:
            wanted = min(max(wanted, SHORTEN * length), plan.growth * length, longest(work))
            promised = slope * wanted + bend * (wanted / length) * (wanted / length)  # by the parabola
            if value - state.f - promised > plan.exactness * -promised:
                line_batch(plan, work, wanted, lower, upper)
                return
        move(plan, work, lower, upper)
    elif state.line_length > 0:
        move(plan, work, lower, upper)
    elif state.tried >= plan.tries:
        failed(plan, work, lower, upper)
    else:
        line_batch(plan, work, length * min(max(wanted / length, SHORTEN), 0.5), lower, upper)


@internal
def longest(work):
    """The length at which the last variable of the line reaches the border."""
    most = 0.0
    for k in range(work.u.size):
        if work.p[k] > 0:
            most = max(most, (1 - work.u[k]) / work.p[k])
        elif work.p[k] < 0:
            most = max(most, -work.u[k] / work.p[k])
    return most


@internal
def move(plan, work, lower, upper):
    """Go to the best point of the line; its gradient is next."""
    state = work.scalars[0]
    gain, moved = state.f - state.line_f, 0.0
    for k in range(work.u.size):
        moved = max(moved, abs(work.line_u[k] - work.u[k]))
        work.u[k] = work.line_u[k]
    state.f = state.line_f
    if gain <= 8 * EPS * abs(state.f) or (state.edge > 0 and moved < TINY):
        failed(plan, work, lower, upper)
    else:
        first_points(plan, work, lower, upper)


@kernel
def run(plan, work, objective, lower, upper, budget, final, trace_nfev, trace_best, traced):
    """Batches until ``budget`` evaluations are made; return the number of traced batches."""
    state = work.scalars[0]
    while goes_on(state) and may_evaluate(state, budget, final):
        whole = evaluate_batch(work, objective, budget)
        if whole:
            step(plan, work, lower, upper)
        traced = trace(state, trace_nfev, trace_best, traced)
        if not whole:
            break
    return traced
