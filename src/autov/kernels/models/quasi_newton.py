"""Quasi-Newton steps in a box with difference quotients: the record, and one step of the search.

A search is a sequence of gradients and lines. The points of a gradient are one batch, and so are ``line_points`` points
of a line. ``phase`` says what the batch that waits is for. See `autov.algorithms.quasi_newton`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

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

GIVEN, GRADIENT, LINE = range(3)  # phase
CELLS = 2**20  # most numbers in a batch
SHORTEN = 0.1  # least factor between two lengths on a line, and least part of the length that a parabola may ask for
RATIO = 0.25  # between the lengths of one batch
CONVEX = 1e-9  # least pivot of a convex model, as a part of the diagonal
DAMPING = 0.2  # least curvature along a step, as a part of that of the matrix (Powell's damping)


class Plan(NamedTuple):
    """What the settings say."""

    difference: float
    decrease: float
    exactness: float
    growth: float
    tries: float
    first_curvature: float
    line_points: float


COUNTS = ("phase", "kind", "first", "updates", "tried", "unknown", "sorted")
VALUES = ("f", "slope", "length", "line_length", "line_f", "width", "highest")
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
    point: np.ndarray  # (d,) point of the line
    line_u: np.ndarray  # (d,) best point of the line
    old_u: np.ndarray  # (d,) where the last gradient was taken
    old_g: np.ndarray  # (d,)
    second: np.ndarray  # (d,) second differences
    scratch: np.ndarray  # (d,)
    fixed: np.ndarray  # (d,) int64, variables at the border
    matrix: np.ndarray  # (d, d) approximate second derivatives, positive definite
    secant: np.ndarray  # (d, d) the same by symmetric rank-one updates: exact after d steps on a quadratic
    factor: np.ndarray  # (d, d) scratch


def workspace(plan, key, d, maxfev, given, given_f):  # noqa: ARG001
    """Arrays for d variables."""
    capacity = max(2, int(plan.line_points), given.shape[0], min(2 * d + 1, CELLS // d))
    base = searched(key, STATE, d, capacity, given, given_f)
    own = {name: np.zeros(d) for name in ("u", "g", "p", "point", "line_u", "old_u", "old_g", "second", "scratch")}
    return Work(
        **base._asdict(),
        **own,
        fixed=np.zeros(d, np.int64),
        matrix=np.zeros((d, d)),
        secant=np.zeros((d, d)),
        factor=np.zeros((d, d)),
    )


@kernel
def begin(plan, work, lower, upper):
    """The first batch: the given points if there are several without values, else the first start."""
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
    if state.sorted == 1:  # values of given points are known: those that are infinite are no starts
        while state.starts < work.given.shape[0] and not work.given_f[state.starts] < np.inf:
            state.starts += 1
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
        sort_given(work)
        state.sorted = 1
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
    if not take_quotients(work, n, lower, upper):
        difference_points(plan, work, lower, upper)
        return
    if state.updates >= 0:
        update(plan, work)
    for k in range(d):
        work.old_u[k] = work.u[k]
        work.old_g[k] = work.g[k]
    new_line(plan, work, lower, upper)


@internal
def first_matrix(work):
    """A multiple of the identity for which the first step has the length that is wanted."""
    state, d = work.scalars[0], work.u.size
    largest = 0.0
    for k in range(d):
        if not ((work.u[k] <= 0 and work.g[k] > 0) or (work.u[k] >= 1 and work.g[k] < 0)):
            largest = max(largest, abs(work.g[k]))
    set_diagonal(work.matrix, largest / state.scale if largest > 0 else 1.0)
    set_diagonal(work.secant, 0.0)
    state.updates = 0


@internal
def set_diagonal(matrix, value):
    """Make a matrix a multiple of the identity."""
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
    if state.updates == 0 and sy > 0:
        set_diagonal(work.matrix, plan.first_curvature * sy / ss)
        set_diagonal(work.secant, plan.first_curvature * sy / ss)
    update_secant(work, s, y, ss)
    sbs = 0.0
    for k in range(d):
        bs[k] = 0.0
        for j in range(d):
            bs[k] += work.matrix[k, j] * s[j]
        sbs += s[k] * bs[k]
    if not sbs > 0:
        return
    if sy < DAMPING * sbs:
        theta = (1 - DAMPING) * sbs / (sbs - sy)
        sy = 0.0
        for k in range(d):
            y[k] = theta * y[k] + (1 - theta) * bs[k]
            sy += s[k] * y[k]
    for k in range(d):
        for j in range(d):
            work.matrix[k, j] += y[k] * y[j] / sy - bs[k] * bs[j] / sbs
    state.updates += 1


@internal
def update_secant(work, s, y, ss):
    """Symmetric rank-one update, left out where it is not defined."""
    d, secant, rest = s.size, work.secant, work.scratch
    along = square = 0.0
    for k in range(d):
        rest[k] = y[k]
        for j in range(d):
            rest[k] -= secant[k, j] * s[j]
        along += rest[k] * s[k]
        square += rest[k] * rest[k]
    if along * along > 1e-16 * ss * square:
        for k in range(d):
            for j in range(d):
                secant[k, j] += rest[k] * rest[j] / along


@internal
def is_convex(matrix, factor):
    """Whether a matrix is positive definite, by Cholesky's factorisation."""
    d = matrix.shape[0]
    for k in range(d):
        for j in range(k + 1):
            entry = matrix[k, j]
            for i in range(j):
                entry -= factor[k, i] * factor[j, i]
            if j < k:
                factor[k, j] = entry / factor[j, j]
            elif entry > CONVEX * abs(matrix[k, k]):
                factor[k, k] = math.sqrt(entry)
            else:
                return False
    return True


@noinline
def new_line(plan, work, lower, upper):
    """A direction from the quadratic model, and the first points on it."""
    state, d = work.scalars[0], work.u.size
    if state.updates < 0:
        first_matrix(work)
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
    for k in range(work.u.size):
        work.point[k] = min(max(work.u[k] + length * work.p[k], 0.0), 1.0)


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
