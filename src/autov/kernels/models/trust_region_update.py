"""The model of the trust-region search after a trial or geometry step: the new point, the radius, and the Hessian."""

from __future__ import annotations

import numpy as np

from autov.compiler.functions import internal, noinline
from autov.kernels.models.first_model import finite_value, forget_model
from autov.kernels.models.interpolation import add_row, append, dot, exchange, lagrange_values
from autov.kernels.models.quadratic import absorb, fill_lagrange, fill_least_norm, hessian_times
from autov.kernels.models.trust_region_work import NONE, TRIAL

POISED = 0.01  # beta over the fourth power of the step's length above which a point is added, not exchanged


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
