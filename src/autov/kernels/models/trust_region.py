"""Local search with quadratic models in a trust region, in the manner of BOBYQA; see `autov.algorithms.trust_region`.

A search begins with a batch of points around its start. From then on a batch is one point: a trial step, which
minimises the model in the trust region, or a geometry step, which replaces a point that is far from the others. The
first model has 2 n + 1 points; new ones are added while there is room, and then replace others. Radii: ``delta`` is
that of the trust region, ``rho`` its lower bound. Lengths are parts of the box width.
"""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import internal, kernel, noinline
from autov.kernels.models.bounded_step import bounded_step
from autov.kernels.models.first_model import (
    begin_search,
    finite_value,
    forget_model,
    move_base,
    new_points,
    next_model,
    take_first,
    write_point,
)
from autov.kernels.models.geometry_step import geometry_step
from autov.kernels.models.interpolation import add_row, append, dot, exchange, lagrange_values
from autov.kernels.models.local_search import evaluate_batch, goes_on, may_evaluate, place, take_batch, trace
from autov.kernels.models.quadratic import absorb, fill_lagrange, fill_least_norm, hessian_times
from autov.kernels.models.trust_region_work import FIRST, GEOMETRY, GIVEN, TRIAL, Plan, Work, workspace
from autov.kernels.order import sort_order

__all__ = ["Plan", "Work", "begin", "run", "step", "workspace"]

REFRESHES = 5  # new sets of points of one search, at most
FAR = 1e-3  # square of a step over that of the centre's distance from the base below which the base moves
ROUNDING = 1e-13  # of the largest value
POISED = 0.01  # beta over the fourth power of the step's length above which a point is added, not exchanged
NONE = -1


@kernel
def begin(plan, work, lower, upper):
    """Fill the first batch: the given points, if there are several without a value, or those of the first model."""
    state = work.scalars[0]
    count, unknown = work.given.shape[0], 0
    for i in range(count):
        if not work.given_f[i] < np.inf:
            unknown += 1
    if unknown > 1:
        state.phase = GIVEN
        state.batch = count
        for i in range(count):
            place(work.x[i], work.given[i], lower, upper)
    else:
        begin_search(plan, work, lower, upper)


@internal
def take_given(work):
    """Keep the values of the given points and sort these: searches start at the best first."""
    count, d = work.given.shape
    sort_order(work.f, count, work.order)
    for i in range(count):
        work.given_f[i] = work.told_f[work.order[0, i]]
        for k in range(d):
            work.x[i, k] = work.given[work.order[0, i], k]
    for i in range(count):
        for k in range(d):
            work.given[i, k] = work.x[i, k]


@noinline
def step(plan, work, lower, upper):
    """Take the values of the batch and write the next one."""
    state = work.scalars[0]
    take_batch(work)
    if state.phase == GIVEN:
        take_given(work)
        begin_search(plan, work, lower, upper)
        return
    if state.phase == FIRST:
        if not take_first(work):
            next_model(plan, work, lower, upper)
            return
        far = NONE
    else:
        ratio = take_point(work)
        if ratio == np.inf:  # the points have no inverse any more
            renew(plan, work, lower, upper)
            return
        far = NONE
        if state.phase == TRIAL and ratio < 0.1:
            far = farthest(work, max(2 * state.delta, 10 * state.rho))
            if far == NONE and ratio <= 0 and max(state.delta, state.length) <= state.rho and not lower_rho(state):
                next_model(plan, work, lower, upper)
                return
    propose(plan, work, lower, upper, far)


@internal
def renew(plan, work, lower, upper):
    """Another set of points, or the next model if that did not help before."""
    if work.scalars[0].refreshed < REFRESHES:
        new_points(work, lower, upper)
    else:
        next_model(plan, work, lower, upper)


@noinline
def propose(plan, work, lower, upper, far):
    """Write the next batch: a geometry step that replaces point ``far``, or a trial step if there is none."""
    state = work.scalars[0]
    n = work.base.size
    low, high = work.short[0], work.short[1]
    m = state.points
    while True:
        for j in range(n):
            low[j] = min(work.low[j] - work.centre[j], 0.0)
            high[j] = max(work.high[j] - work.centre[j], 0.0)
        if far == NONE:
            state.predicted, state.least = bounded_step(
                work.hessian, work.curvatures, work.points[:m], work.gradient, low, high, state.delta, work.step,
                work.short[2], work.short[3], work.short[4:6], work.held,
            )  # fmt: skip
            state.length = math.sqrt(dot(work.step, work.step, n))
            if state.length >= 0.5 * state.rho and state.predicted > 0:
                state.phase = TRIAL
                break
            if is_done(work):
                next_model(plan, work, lower, upper)
                return
            if not is_exact(work):
                far = farthest(work, 10 * state.rho)
            if far == NONE:
                if not lower_rho(state):
                    next_model(plan, work, lower, upper)
                    return
                continue
            state.delta = max(min(0.1 * state.delta, 0.5 * distance(work, far)), state.rho)
            if state.delta <= 1.5 * state.rho:
                state.delta = state.rho
        radius = max(min(0.1 * distance(work, far), state.delta), state.rho)
        lagrange, slope = work.vectors[0], work.short[2]
        fill_lagrange(work.points[:m], work.centre, work.z[: m - n - 1], work.b, far, lagrange, slope)
        geometry_step(work.points[:m], state.opt, far, lagrange, slope, low, high, radius, work.step, work.short[3])
        state.length = math.sqrt(dot(work.step, work.step, n))
        state.phase = GEOMETRY
        state.target = far
        break
    if not state.length > 0:
        next_model(plan, work, lower, upper)
        return
    if state.length * state.length <= FAR * dot(work.centre, work.centre, n) and not move_base(work):
        renew(plan, work, lower, upper)
        return
    state.batch = 1
    for j in range(n):
        work.short[2, j] = work.centre[j] + work.step[j]
    write_point(work, 0, work.short[2], lower, upper)


@internal
def lower_rho(state):
    """Reduce the lower bound of the radius; return whether that is possible."""
    if state.rho <= state.smallest:
        return False
    ratio = state.rho / state.smallest
    before = state.rho
    if ratio <= 16:
        state.rho = state.smallest
    elif ratio <= 250:
        state.rho = math.sqrt(ratio) * state.smallest
    else:
        state.rho = 0.1 * before
    state.delta = max(0.5 * before, state.rho)
    state.recent = state.nfev
    return True


@internal
def is_exact(work):
    """Whether the model's last errors are so small that a smaller radius may be taken at once."""
    state = work.scalars[0]
    if state.nfev <= state.recent + 2:
        return False
    error = max(state.error_a, max(state.error_b, state.error_c))
    if state.least > 0 and error > 0.125 * state.rho * state.rho * state.least:
        return False
    m, n = state.points, work.base.size
    slope = work.short[2]  # at the end of the step
    for j in range(n):  # away from a bound the model must rise by more than its error
        rise = error
        end = work.centre[j] + work.step[j]
        if end <= work.low[j]:
            rise = slope[j] * state.rho
        elif end >= work.high[j]:
            rise = -slope[j] * state.rho
        if rise < error:
            curvature = work.hessian[j, j]
            for k in range(m):
                curvature += work.curvatures[k] * work.points[k, j] * work.points[k, j]
            if rise + 0.5 * curvature * state.rho * state.rho < error:
                return False
    return True


@internal
def is_done(work):
    """Whether all that is left to gain, and the last errors of the model, are rounding of values."""
    state, largest, spread = work.scalars[0], 0.0, False
    for k in range(state.points):
        largest = max(largest, abs(work.values[k]))
        spread |= work.values[k] != work.values[0]
    error = max(state.error_a, max(state.error_b, state.error_c))
    if error > ROUNDING * largest or state.predicted > 1e-3 * ROUNDING * largest:
        return False
    return state.taken >= 3 or not spread


@internal
def square_distance(work, k):
    """Of a point from the best one."""
    total = 0.0
    for j in range(work.base.size):
        step = work.points[k, j] - work.centre[j]
        total += step * step
    return total


@internal
def distance(work, k):
    """Of a point from the best one."""
    return math.sqrt(square_distance(work, k))


@internal
def farthest(work, limit):
    """The point that is farthest from the best one, if it is farther than the limit."""
    found, most = NONE, limit * limit
    for k in range(work.scalars[0].points):
        square = square_distance(work, k)
        if square > most:
            found, most = k, square
    return found


@noinline
def take_point(work):
    """Take the value of a trial or geometry step into the model; return the decrease over the one predicted.

    Infinity says that the model cannot take it.
    """
    state = work.scalars[0]
    m, n = state.points, work.base.size
    f = finite_value(work.values, m, work.f[0])
    best = work.values[state.opt]
    lagrange, scratch, slope, product = work.vectors[0], work.vectors[1], work.short[2], work.short[3]
    hessian_times(work.hessian, work.curvatures, work.points[:m], work.step, product)
    change = dot(work.gradient, work.step, n) + 0.5 * dot(work.step, product, n)
    error = f - best - change
    ratio = (best - f) / max(-change, 1e-300)
    if not abs(error) < np.inf:
        return np.inf
    state.error_c = state.error_b
    state.error_b = state.error_a
    state.error_a = abs(error)
    if state.length > state.rho:
        state.recent = state.nfev
    if state.phase == TRIAL:
        adapt_delta(state, ratio)
    points, z = work.points[:m], work.z[: m - n - 1]
    beta = lagrange_values(points, work.centre, state.opt, z, work.b, work.step, lagrange, scratch)
    t = state.target
    if m < work.values.size and beta > POISED * dot(work.step, work.step, n) ** 2:
        t = m
        m += 1
        state.points = m
        points, z = work.points[:m], work.z[: m - n - 1]
        append(z, work.b, t, lagrange, beta)
        work.curvatures[t] = 0.0
    else:
        if state.phase == TRIAL:
            t = least_useful(work, lagrange, beta, f < best)
            if t == NONE:
                return np.inf
        if not exchange(z, work.b, m, t, lagrange, beta, scratch):
            return np.inf
        absorb(work.hessian, work.curvatures, work.points, t)
    work.values[t] = f
    for j in range(n):
        work.points[t, j] = work.centre[j] + work.step[j]
    fill_lagrange(points, work.centre, z, work.b, t, lagrange, slope)
    add_row(work.curvatures, error, lagrange, m)
    add_row(work.gradient, error, slope, n)
    if f < best:
        state.opt = t
        hessian_times(work.hessian, work.curvatures, points, work.step, product)
        for j in range(n):
            work.gradient[j] += product[j]
            work.centre[j] = work.points[t, j]
    if state.phase == TRIAL:
        doubt(work)
    state.taken += 1
    return ratio


@internal
def adapt_delta(state, ratio):
    """The radius of the trust region after a trial step."""
    if ratio <= 0.1:
        state.delta = min(0.5 * state.delta, state.length)
    elif ratio <= 0.7:
        state.delta = max(0.5 * state.delta, state.length)
    else:
        state.delta = max(0.5 * state.delta, 2 * state.length)
    if state.delta <= 1.5 * state.rho:
        state.delta = state.rho


@internal
def least_useful(work, lagrange, beta, improved):
    """The point that the new one replaces: the system stays well-conditioned, and far points go first."""
    state = work.scalars[0]
    m, n = state.points, work.base.size
    found, most, largest = NONE, 0.0, 0.0
    area = state.delta * state.delta
    for k in range(m):
        if k == state.opt and not improved:
            continue
        alpha = square = 0.0
        for j in range(m - n - 1):
            alpha += work.z[j, k] * work.z[j, k]
        for j in range(n):
            gap = work.points[k, j] - work.centre[j]
            if improved:
                gap -= work.step[j]
            square += gap * gap
        weight = max(1.0, (square / area) * (square / area))
        tau = lagrange[k] * lagrange[k]
        score = weight * (alpha * beta + tau)
        largest = max(largest, weight * tau)
        if score > most:
            found, most = k, score
    return found if most > 0.5 * largest else NONE


@internal
def doubt(work):
    """Forget the Hessian if three times in a row the model without a memory had a far smaller gradient."""
    state = work.scalars[0]
    m, n = state.points, work.base.size
    curvatures, gradient = work.vectors[0], work.short[2]
    fill_least_norm(
        work.points[:m], work.values, state.opt, work.centre, work.z[: m - n - 1], work.b, work.vectors[1], curvatures,
        gradient,
    )  # fmt: skip
    own = other = 0.0
    for j in range(n):
        own += free_square(work.gradient[j], work.centre[j], work.low[j], work.high[j])
        other += free_square(gradient[j], work.centre[j], work.low[j], work.high[j])
    state.doubts += 1
    if own < 10 * other:
        state.doubts = 0
    if state.doubts >= 3:
        forget_model(work)
        state.doubts = 0


@internal
def free_square(slope, x, low, high):
    """The square of a gradient's element, 0 where it points out of the box."""
    if (x <= low and slope >= 0) or (x >= high and slope <= 0):
        return 0.0
    return slope * slope


@kernel
def run(plan, work, objective, lower, upper, budget, final, trace_nfev, trace_best, traced):
    """Batches until ``budget`` evaluations are made since the start; return the number of traced ones.

    Of a batch that does not fit into the budget, what fits is evaluated if this is the ``final`` call, and not told;
    otherwise nothing, and a later call with a larger budget goes on as if there had been no break.
    """
    state = work.scalars[0]
    while goes_on(state) and may_evaluate(state, budget, final):
        whole = evaluate_batch(work, objective, budget)
        if whole:
            step(plan, work, lower, upper)
        traced = trace(state, trace_nfev, trace_best, traced)
        if not whole:
            break
    return traced
