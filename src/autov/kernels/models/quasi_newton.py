"""Quasi-Newton steps in a box with difference quotients: the record, and one step of the search.

A search is a sequence of gradients and lines. The points of a gradient are one batch, the points of a line come one by
one. ``phase`` says what the batch that waits is for.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from autov.compiler.functions import internal, kernel, noinline
from autov.kernels.models.box_quadratic import minimize_quadratic
from autov.kernels.models.local_search import (
    end_search,
    evaluate_batch,
    goes_on,
    may_evaluate,
    next_start,
    place,
    record,
    searched,
    take_batch,
    trace,
)

EPS = 2.0**-52
GIVEN, GRADIENT, LINE = range(3)  # phase
CELLS = 2**20  # most numbers in a batch


class Plan(NamedTuple):
    """What the settings say."""

    difference: float
    decrease: float
    exactness: float
    growth: float
    tries: float
    x1: float
    x2: float
    x3: float
    x4: float
    w: float
    c: float


COUNTS = ("phase", "first", "central", "updates", "tried", "unknown", "lost")
VALUES = ("f", "slope", "length", "line_length", "line_f", "old_f", "noise")
STATE = record(COUNTS, VALUES)


class Work(NamedTuple):
    """The arrays of `Searched`, and those of one search, whose points are in the unit box."""

    key: np.ndarray
    scalars: np.ndarray
    best: np.ndarray
    given: np.ndarray
    given_f: np.ndarray
    ends: np.ndarray
    tried: np.ndarray
    x: np.ndarray
    f: np.ndarray
    told_x: np.ndarray
    told_f: np.ndarray
    u: np.ndarray  # (d,) where the search is
    g: np.ndarray  # (d,) gradient there
    p: np.ndarray  # (d,) direction of the line
    point: np.ndarray  # (d,) point of the line that waits
    line_u: np.ndarray  # (d,) best point of the line
    old_u: np.ndarray  # (d,) where the last gradient was taken
    old_g: np.ndarray  # (d,)
    h: np.ndarray  # (d,) differences
    fixed: np.ndarray  # (d,) int64
    matrix: np.ndarray  # (d, d)
    factor: np.ndarray  # (d, d)
    scratch: np.ndarray  # (d,)


def workspace(plan, key, d, maxfev, given, given_f):  # noqa: ARG001
    """Arrays for d variables."""
    capacity = max(2, given.shape[0], min(2 * d + 1, CELLS // d))
    base = searched(key, STATE, d, capacity, given, given_f)
    vectors = [np.zeros(d) for _ in range(8)]
    return Work(*base, *vectors, np.zeros(d, np.int64), np.zeros((d, d)), np.zeros((d, d)), np.zeros(d))


@kernel
def begin(plan, work, lower, upper):
    """The first batch: the given points if there are several, else the first start."""
    state, k = work.scalars[0], work.given.shape[0]
    unknown = 0
    for i in range(k):
        if not work.given_f[i] < np.inf:
            unknown += 1
    if k > 1 and unknown == k:
        state.phase = GIVEN
        state.batch = k
        for i in range(k):
            place(work.x[i], work.given[i], lower, upper)
    else:
        start(plan, work, lower, upper)


@noinline
def start(plan, work, lower, upper):
    """Begin a search."""
    state = work.scalars[0]
    d = work.u.size
    if state.lost == 1:  # values of given points are known: those that are infinite are no starts
        while state.starts < work.given.shape[0] and not work.given_f[state.starts] < np.inf:
            state.starts += 1
    state.f = next_start(work, work.u)
    state.unknown = 0 if state.f < np.inf else 1
    state.updates = -1
    state.central = 0
    state.noise = 1.0
    first_points(plan, work, lower, upper)


@internal
def first_points(plan, work, lower, upper):
    """Ask for the first batch of a gradient."""
    work.scalars[0].phase = GRADIENT
    work.scalars[0].first = 0
    difference_points(plan, work, lower, upper)


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
    sides = 2 if state.central == 1 else 1
    while k < d and n + sides <= work.f.size:
        width = upper[k] - lower[k]
        h = plan.difference
        if state.updates > 0 and plan.x1 > 0:
            noise = plan.x1 * EPS * max(abs(state.f), 1e-300)
            h = 2 * math.sqrt(noise / max(work.matrix[k, k], 1e-300))
            h = min(max(h, plan.x2), plan.x3)
        if state.central == 1:
            h = plan.x4
        h = max(h, 64 * EPS * max(abs(lower[k]), abs(upper[k])) / width)
        if work.u[k] + h > 1.0:
            h = -h
        for side in range(sides):
            target = work.x[n]
            for j in range(d):
                target[j] = work.scratch[j]
            step = h if side == 0 else -h
            target[k] = min(max(lower[k] + (work.u[k] + step) * width, lower[k]), upper[k])
            n += 1
        k += 1
    state.batch = n


@noinline
def step(plan, work, lower, upper):
    """Take the values of the batch and write the next one."""
    take_batch(work)
    state = work.scalars[0]
    if state.phase == LINE:
        line_step(plan, work, lower, upper)
    elif state.phase == GRADIENT:
        gradient_step(plan, work, lower, upper)
    else:
        sort_given(work)
        state.lost = 1
        start(plan, work, lower, upper)


@internal
def sort_given(work):
    """Put the given points in the order of their values."""
    for i in range(work.given.shape[0]):
        work.given_f[i] = work.f[i]
        j = i
        while j > 0 and work.given_f[j] < work.given_f[j - 1]:
            work.given_f[j], work.given_f[j - 1] = work.given_f[j - 1], work.given_f[j]
            for k in range(work.u.size):
                work.given[j, k], work.given[j - 1, k] = work.given[j - 1, k], work.given[j, k]
            j -= 1


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
    sides = 2 if state.central == 1 else 1
    place(work.scratch, work.u, lower, upper)
    while n < state.batch:
        k = state.first
        width = upper[k] - lower[k]
        h = (work.x[n, k] - work.scratch[k]) / width
        rise = work.f[n] - state.f
        if sides == 2:
            back = (work.x[n + 1, k] - work.scratch[k]) / width
            if back != 0 and abs(work.f[n + 1]) < np.inf:
                rise, h = work.f[n] - work.f[n + 1], h - back
        quotient = 0.0
        if h != 0 and abs(rise) < np.inf:
            quotient = rise / h
        work.g[k] = quotient
        work.h[k] = h
        state.first += 1
        n += sides
    if state.first < d:
        difference_points(plan, work, lower, upper)
        return
    if state.updates >= 0:
        update(plan, work)
    for k in range(d):
        work.old_u[k] = work.u[k]
        work.old_g[k] = work.g[k]
    state.old_f = state.f
    new_line(plan, work, lower, upper)


@internal
def first_matrix(plan, work):
    """A multiple of the identity for which the first step has the length that is wanted."""
    state, d = work.scalars[0], work.u.size
    largest = 0.0
    for k in range(d):
        if not ((work.u[k] <= 0 and work.g[k] > 0) or (work.u[k] >= 1 and work.g[k] < 0)):
            largest = max(largest, abs(work.g[k]))
    set_diagonal(work.matrix, largest / state.scale if largest > 0 else 1.0)
    state.updates = 0


@internal
def set_diagonal(matrix, value):
    for k in range(matrix.shape[0]):
        for j in range(matrix.shape[0]):
            matrix[k, j] = 0.0
        matrix[k, k] = value


@noinline
def update(plan, work):
    """Damped BFGS update of the matrix with the step between the last two gradients."""
    state, d = work.scalars[0], work.u.size
    s, y, bs = work.line_u, work.old_g, work.scratch
    sy = ss = yy = 0.0
    for k in range(d):
        s[k] = work.u[k] - work.old_u[k]
        y[k] = work.g[k] - work.old_g[k]
        sy += s[k] * y[k]
        ss += s[k] * s[k]
        yy += y[k] * y[k]
    if not (ss > 0 and yy > 0 and yy < np.inf):
        return
    if state.updates == 0:
        if sy > 0:
            set_diagonal(work.matrix, plan.c * (yy / sy) ** plan.w * (sy / ss) ** (1 - plan.w))
    sbs = 0.0
    for k in range(d):
        bs[k] = 0.0
        for j in range(d):
            bs[k] += work.matrix[k, j] * s[j]
        sbs += s[k] * bs[k]
    if not sbs > 0:
        return
    if sy < 0.2 * sbs:
        theta = 0.8 * sbs / (sbs - sy)
        sy = 0.0
        for k in range(d):
            y[k] = theta * y[k] + (1 - theta) * bs[k]
            sy += s[k] * y[k]
    for k in range(d):
        for j in range(d):
            work.matrix[k, j] += y[k] * y[j] / sy - bs[k] * bs[j] / sbs
    state.updates += 1


@noinline
def new_line(plan, work, lower, upper):
    """A direction from the quadratic model, and the first point on it."""
    state, d = work.scalars[0], work.u.size
    if state.updates < 0:
        first_matrix(plan, work)
    minimize_quadratic(work.u, work.g, work.matrix, work.factor, work.p, work.scratch, work.point, work.fixed)
    state.slope = 0.0
    for k in range(d):
        state.slope += work.g[k] * work.p[k]
    if not -state.slope > EPS * abs(state.f) * 0.01:
        failed(plan, work, lower, upper)
        return
    state.length = 0.0
    state.line_length = 0.0
    state.line_f = state.f
    state.tried = 0
    state.phase = LINE
    line_point(work, 1.0, lower, upper)


@internal
def failed(plan, work, lower, upper):
    """No descent along the line: with better quotients once, then the search ends."""
    state = work.scalars[0]
    if state.central == 1:
        finish(plan, work, lower, upper)
    else:
        state.central = 1
        first_points(plan, work, lower, upper)


@internal
def line_point(work, length, lower, upper):
    """Ask for a point of the line."""
    state = work.scalars[0]
    for k in range(work.u.size):
        work.point[k] = min(max(work.u[k] + length * work.p[k], 0.0), 1.0)
    state.length = length
    state.batch = 1
    place(work.x[0], work.point, lower, upper)


@internal
def line_step(plan, work, lower, upper):
    """Take the value of a point of the line: go on along it, or move to the best point of it."""
    state, d = work.scalars[0], work.u.size
    value, length, slope = work.f[0], state.length, state.slope
    state.tried += 1
    bend = value - state.f - slope * length
    wanted = np.inf  # where the parabola through both points has its minimum
    if bend > 0:
        wanted = -slope * length * length / (2 * bend) if bend < np.inf else 0.0
    if value <= state.f + plan.decrease * slope * length and value < state.line_f:
        better_than_last = True
        state.line_f = value
        state.line_length = length
        for k in range(d):
            work.line_u[k] = work.point[k]
        if state.tried < plan.tries:
            longest = 0.0
            for k in range(d):
                if work.p[k] > 0:
                    longest = max(longest, (1 - work.u[k]) / work.p[k])
                elif work.p[k] < 0:
                    longest = max(longest, -work.u[k] / work.p[k])
            wanted = min(max(wanted, 0.1 * length), plan.growth * length, longest)
            # gain that the parabola promises
            low = slope * wanted + bend * (wanted / length) * (wanted / length)
            here = value - state.f
            if here - low > plan.exactness * -low:
                line_point(work, wanted, lower, upper)
                return
        move(plan, work, lower, upper)
    elif state.line_length > 0:
        move(plan, work, lower, upper)
    elif state.tried >= plan.tries:
        failed(plan, work, lower, upper)
    else:
        line_point(work, length * min(max(wanted / length, 0.1), 0.5), lower, upper)


@internal
def move(plan, work, lower, upper):
    """Go to the best point of the line; its gradient is next."""
    state = work.scalars[0]
    gain = state.f - state.line_f
    for k in range(work.u.size):
        work.u[k] = work.line_u[k]
    state.f = state.line_f
    if gain <= 8 * EPS * abs(state.f):
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
