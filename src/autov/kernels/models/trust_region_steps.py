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
from autov.kernels.models.first_model import begin_search, move_base, new_points, next_model, take_first, write_point
from autov.kernels.models.geometry_step import geometry_step
from autov.kernels.models.interpolation import dot
from autov.kernels.models.quadratic import fill_lagrange
from autov.kernels.models.search_batch import (
    GIVEN,
    begin_given,
    evaluate_batch,
    goes_on,
    may_evaluate,
    rank_given,
    take_batch,
    trace,
)
from autov.kernels.models.trust_region_update import take_point
from autov.kernels.models.trust_region_work import FIRST, GEOMETRY, NONE, TRIAL, Plan, Work, workspace

__all__ = ["Plan", "Work", "begin", "run", "step", "workspace"]

REFRESHES = 5  # new sets of points of one search, at most
FAR = 1e-3  # square of a step over that of the centre's distance from the base below which the base moves
ROUNDING = 1e-13  # of the largest value


@kernel
def begin(plan, work, lower, upper):
    """Fill the first batch: the given points, if there are several without a value, or those of the first model."""
    if not begin_given(work, lower, upper):
        begin_search(plan, work, lower, upper)


@noinline
def step(plan, work, lower, upper):
    """Take the values of the batch and write the next one."""
    state = work.scalars[0]
    take_batch(work)
    if state.phase == GIVEN:
        rank_given(work)
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
            low[j] = (1.0 - state.edge) * min(work.low[j] - work.centre[j], 0.0)
            high[j] = (1.0 - state.edge) * max(work.high[j] - work.centre[j], 0.0)
        if far == NONE:
            state.predicted, state.least = bounded_step(
                work.hessian, work.curvatures, work.points[:m], work.gradient, low, high, state.delta, work.step,
                work.short[2], work.short[3], work.short[4:6], work.at_bound,
            )  # fmt: skip
            # On the border of the region the length is delta; rounding must not decide whether it exceeds rho.
            state.length = min(math.sqrt(dot(work.step, work.step, n)), state.delta)
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
        state.length = min(math.sqrt(dot(work.step, work.step, n)), radius)
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
