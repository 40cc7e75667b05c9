"""Where the trust-region search begins: its start, the points of the first model, a new base, new points.

A model has n of the d variables: all of them, if there are not too many. Else a search takes the variables in random
blocks, with one model for each until rho is a tenth of what it was; after all blocks the next begin with a smaller rho.
"""

from __future__ import annotations

import numpy as np

from autov.compiler.functions import internal, noinline
from autov.kernels.models.interpolation import add_row, dot, invert
from autov.kernels.models.quadratic import fill_least_norm, hessian_times, make_explicit
from autov.kernels.models.search_batch import end_search, next_start, place
from autov.kernels.models.trust_region_work import FIRST
from autov.kernels.order import sort_order
from autov.kernels.random import PARENTS, fill_uniforms, subkey

LARGEST = 1e150  # values beyond this enter a model as this
WIDEST = 0.25  # first rho, at most: two steps from one side of the box must fit
SHRINK = 0.1  # of rho from one model of a block to the next


@internal
def begin_search(plan, work, lower, upper):
    """The next start, and the first batch there."""
    state = work.scalars[0]
    value = next_start(work, work.whole)
    state.radius = min(state.scale, WIDEST)
    state.passes = 0
    state.block = 0
    state.refreshed = 0
    choose_block(plan, work)
    fill_first(work, value, lower, upper)


@internal
def choose_block(plan, work):
    """The variables of the next model, and where its rho ends."""
    state, d, n = work.scalars[0], work.whole.size, work.free.size
    state.smallest = plan.smallest
    if n == d:
        for j in range(n):
            work.free[j] = j
        return
    if state.block == 0:
        first, second = subkey(work.key, state.generation, PARENTS)
        fill_uniforms(first, second, 0, work.tried[0])
        sort_order(work.tried[0], d, work.order)
    begin = min(state.block * n, d - n)  # the last block shares variables with the one before
    for j in range(n):
        work.free[j] = work.order[0, begin + j]
    state.smallest = max(plan.smallest, SHRINK * state.radius)


@internal
def fill_first(work, value, lower, upper):
    """The points of a first model as a batch: the start, unless its value is known, and steps of rho along the axes."""
    state = work.scalars[0]
    n = work.base.size
    state.points = m = 2 * n + 1
    state.fresh = 1
    rho = state.radius
    for j in range(n):
        work.base[j] = work.whole[work.free[j]]
        work.centre[j] = 0.0
    fill_bounds(work)
    for k in range(m):
        for j in range(n):
            work.points[k, j] = 0.0
    for j in range(n):
        forth, back = rho, -rho
        if work.low[j] > -0.5 * rho:
            back = 2 * rho
        elif work.high[j] < 0.5 * rho:
            forth = -2 * rho
        work.points[1 + j, j] = min(forth, (1.0 - state.edge) * work.high[j])
        work.points[n + 1 + j, j] = max(back, (1.0 - state.edge) * work.low[j])
    known = 1 if value < np.inf else 0
    work.values[0] = value
    state.phase = FIRST
    state.batch = m - known
    for k in range(known, m):
        write_point(work, k - known, work.points[k], lower, upper)


@internal
def fill_bounds(work):
    """Bounds relative to the base."""
    for j in range(work.base.size):
        work.low[j] = -work.base[j]
        work.high[j] = 1 - work.base[j]


@internal
def write_point(work, row, point, lower, upper):
    """A point of the model as a point of the batch."""
    unit = work.tried[0]
    for k in range(unit.size):
        unit[k] = work.whole[k]
    for j in range(point.size):
        unit[work.free[j]] = min(max(work.base[j] + point[j], 0.0), 1.0)
    place(work.x[row], unit, lower, upper)


@internal
def finite_value(values, count, f):
    """The value as it enters a model: instead of infinity the worst of the others plus their range."""
    if f < LARGEST:
        return max(f, -LARGEST)
    low, high = np.inf, -np.inf
    for k in range(count):
        if values[k] < LARGEST:
            low, high = min(low, values[k]), max(high, values[k])
    if not high > -np.inf:
        return 0.0
    return min(high + (high - low), LARGEST) if high > low else high + abs(high) + 1


@noinline
def take_first(work):
    """The first model from the values of the batch; return whether there is one."""
    state = work.scalars[0]
    m, n = state.points, work.base.size
    known = m - state.batch
    for k in range(known, m):
        work.values[k] = work.f[k - known]
    for k in range(m):
        work.vectors[0, k] = finite_value(work.values, m, work.values[k])
    state.opt = 0
    for k in range(m):
        work.values[k] = work.vectors[0, k]
        if work.values[k] < work.values[state.opt]:
            state.opt = k
    for j in range(n):
        work.centre[j] = work.points[state.opt, j]
    state.rho = state.delta = state.radius
    state.recent = state.nfev
    state.doubts = state.taken = 0
    state.error_a = state.error_b = state.error_c = 0.0
    if not invert_points(work):
        return False
    if state.fresh:
        forget_model(work)
    else:
        fit_model(work)
    return True


@internal
def forget_model(work):
    """The model with the smallest Hessian, whatever it was before."""
    n = work.base.size
    for i in range(n):
        for j in range(n):
            work.hessian[i, j] = 0.0
    fit_model(work)


@internal
def fit_model(work):
    """The model whose Hessian differs least from the explicit one."""
    state, n = work.scalars[0], work.base.size
    m = state.points
    residuals, product = work.vectors[1], work.short[3]
    for k in range(m):
        hessian_times(work.hessian, work.curvatures, work.points[:0], work.points[k], product)
        residuals[k] = work.values[k] - 0.5 * dot(work.points[k], product, n)
    fill_least_norm(
        work.points[:m], residuals, state.opt, work.centre, work.z[: m - n - 1], work.b, work.vectors[0],
        work.curvatures, work.gradient,
    )  # fmt: skip
    hessian_times(work.hessian, work.curvatures, work.points[:0], work.centre, product)
    add_row(work.gradient, 1.0, product, n)


@internal
def invert_points(work):
    """Make the inverse of the interpolation system anew."""
    m, n = work.scalars[0].points, work.base.size
    return invert(
        work.points[:m], work.z[: m - n - 1], work.b, work.columns, work.q, work.a, work.product, work.triangle,
        work.vectors[:2],
    )  # fmt: skip


@noinline
def move_base(work):
    """Make the best point the base; return whether the points still have an inverse."""
    m, n = work.scalars[0].points, work.base.size
    make_explicit(work.hessian, work.curvatures, work.points[:m])
    for k in range(m):
        for j in range(n):
            work.points[k, j] -= work.centre[j]
    keep_centre(work)
    for j in range(n):
        work.base[j] = work.whole[work.free[j]]
        work.centre[j] = 0.0
    fill_bounds(work)
    return invert_points(work)


@internal
def keep_centre(work):
    """Write the best point to where the next model starts."""
    for j in range(work.base.size):
        work.whole[work.free[j]] = min(max(work.base[j] + work.centre[j], 0.0), 1.0)


@internal
def next_model(plan, work, lower, upper):
    """After a model has ended: the next block of variables, a smaller rho, or the next search."""
    state, d, n = work.scalars[0], work.whole.size, work.free.size
    value = work.values[state.opt]
    keep_centre(work)
    state.block += 1
    if state.block * n >= d:
        state.block = 0
        state.passes += 1
        state.radius *= SHRINK**0.5
    if n == d or state.radius <= plan.smallest:
        end_search(work, work.whole)
        begin_search(plan, work, lower, upper)
    else:
        choose_block(plan, work)
        fill_first(work, value, lower, upper)


@internal
def new_points(work, lower, upper):
    """Another set of points around the best one, because those there are have no inverse; the Hessian is kept."""
    state = work.scalars[0]
    state.refreshed += 1
    state.radius = min(state.radius, state.delta)
    make_explicit(work.hessian, work.curvatures, work.points[: state.points])
    keep_centre(work)
    fill_first(work, work.values[state.opt], lower, upper)
    state.fresh = 0
