"""Difference quotients in the unit box: the points of a gradient, and the gradient from their values.

The points of a gradient are one batch, or a few where there are very many variables. A search takes forward differences
with ``plan.difference`` first. Where these lead nowhere it takes central ones. Their second differences
tell how noisy the function is (J. J. More and S. M. Wild, Estimating computational noise, SIAM Journal on Scientific
Computing 33(3), 2011, on what a small difference shows), and the third kind is as wide as that noise demands.
"""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import internal
from autov.kernels.models.search_batch import approach, place

EPS = 2.0**-52
FORWARD, CENTRAL, WIDE = range(3)  # kinds of differences
CENTRAL_WIDTH = 1e-5
WIDEST = 0.1
NOISE_TO_SECOND = 1 / math.sqrt(6.0)  # a second difference of three noisy values has six times the variance of one
LIKE = 1e-3  # two lengths that are the same but for this part of them
NOISY = 1e-12  # relative to the values: less is rounding, and wider differences would not help


@internal
def difference_width(plan, state, low, high):
    """The width of the differences of one variable, as a part of its box."""
    width = plan.difference
    if state.kind == CENTRAL:
        width = CENTRAL_WIDTH
    elif state.kind == WIDE:
        width = state.width
    return max(width, 64 * EPS * max(abs(low), abs(high)) / (high - low))


@internal
def difference_points(plan, work, lower, upper):
    """Ask for the differences of variables from ``first`` on, as many as there is space for."""
    state, d = work.scalars[0], work.u.size
    n = 0
    if state.unknown == 1:
        place(work.x[0], work.u, lower, upper)
        n = 1
    k = state.first
    place(work.scratch, work.u, lower, upper)
    sides = 1 if state.kind == FORWARD else 2
    while k < d and n + sides <= work.f.size:
        width = upper[k] - lower[k]
        h = difference_width(plan, state, lower[k], upper[k])
        if work.u[k] + h > 1.0:
            h = -h
        for side in range(sides):
            target = work.x[n]
            for j in range(d):
                target[j] = work.scratch[j]
            u = work.u[k] + (h if side == 0 else -h)
            if state.edge > 0:
                u = approach(u, work.u[k], state.edge)
            target[k] = min(max(lower[k] + u * width, lower[k]), upper[k])
            n += 1
        k += 1
    state.batch = n


@internal
def take_quotients(work, begin, lower, upper):
    """Quotients of the batch from point ``begin`` on; whether the gradient is whole."""
    state, n = work.scalars[0], begin
    sides = 1 if state.kind == FORWARD else 2
    place(work.scratch, work.u, lower, upper)
    while n < state.batch:
        k = state.first
        width = upper[k] - lower[k]
        h = (work.x[n, k] - work.scratch[k]) / width
        rise = work.f[n] - state.f
        second = 0.0
        if sides == 2:
            back = (work.x[n + 1, k] - work.scratch[k]) / width
            if back != 0 and abs(work.f[n + 1]) < np.inf:
                # In a long run both steps may be of different length near a bound, where this is no second difference.
                if not state.edge > 0 or abs(h + back) < LIKE * abs(h):
                    second = abs(rise + work.f[n + 1] - state.f)
                rise, h = work.f[n] - work.f[n + 1], h - back
        work.g[k] = rise / h if h != 0 and abs(rise) < np.inf else 0.0
        work.second[k] = second if second < np.inf else 0.0
        state.first += 1
        n += sides
    return state.first == work.u.size


@internal
def noise_width(work):
    """The width that the noise of the last central differences demands; 0 where they show none.

    The error of a central quotient is about noise / h + R h^2, with R the range of the values seen in this search over
    the unit box: the best h is the third root of noise / (2 R). The median of the second differences is the noise: a
    few variables along which the function bends do not hide it.
    """
    state, d = work.scalars[0], work.u.size
    for k in range(d):  # insertion sort; d is small, or this is rare
        value, j = work.second[k], k
        while j > 0 and work.second[j - 1] > value:
            work.second[j] = work.second[j - 1]
            j -= 1
        work.second[j] = value
    noise = NOISE_TO_SECOND * work.second[d // 2]
    spread = state.highest - state.f
    if not (noise > NOISY * max(abs(state.f), abs(state.highest)) and spread > 0 and spread < np.inf):
        return 0.0
    width = min((noise / (2 * spread)) ** (1 / 3), WIDEST)
    return width if width > 4 * CENTRAL_WIDTH else 0.0
