"""Approximate second derivatives from the gradients of a quasi-Newton search: damped BFGS, and symmetric rank-one.

Nothing is known of directions in which no step went. Their curvature is taken to be that along the last step, times
the part of the gradient that the step has left, and it is only ever lowered: steps along the gradient find strong
curvatures first. Lowering it leaves what the matrices say of earlier steps as it is.
"""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import internal, noinline

CONVEX = 1e-9  # least pivot of a convex model, as a part of the diagonal
INSIDE = 1e-12  # a step with less outside the span of earlier ones, as a part of its square, explores nothing
LOWER, LEAST = 0.5, 1e-6  # largest ratio of two curvatures of the rest, and least part of a gradient, that count
DAMPING = 0.2  # least curvature along a step, as a part of that of the matrix (Powell's damping)


@internal
def set_first(work):
    """A multiple of the identity for which the first step has the length that is wanted."""
    state, d = work.scalars[0], work.u.size
    largest = 0.0
    for k in range(d):
        if not ((work.u[k] <= 0 and work.g[k] > 0) or (work.u[k] >= 1 and work.g[k] < 0)):
            largest = max(largest, abs(work.g[k]))
    set_diagonal(work.matrix, largest / state.scale if largest > 0 else 1.0)
    set_diagonal(work.secant, 0.0)
    state.updates = state.explored = 0
    state.rest = 0.0


@internal
def set_diagonal(matrix, value):
    """Make a matrix a multiple of the identity."""
    for k in range(matrix.shape[0]):
        for j in range(matrix.shape[0]):
            matrix[k, j] = 0.0
        matrix[k, k] = value


@noinline
def update_matrices(plan, work):
    """Update both matrices with the step between the last two gradients, BFGS with Powell's damping."""
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
    if sy > 0:
        curvature = plan.first_curvature * (sy / ss) * gradient_left(work, y)
        if state.updates == 0:
            set_diagonal(work.matrix, curvature)
            set_diagonal(work.secant, curvature)
            state.rest = curvature
        elif state.explored < d and curvature < LOWER * state.rest:
            lower_rest(work.secant, work.explored, state.explored, state.rest - curvature)
            lower_rest(work.matrix, work.explored, state.explored, state.rest - curvature)
            if not is_convex(work.matrix, work.factor):
                lower_rest(work.matrix, work.explored, state.explored, curvature - state.rest)
            state.rest = curvature
    explore(work, s, ss)
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
def gradient_left(work, y):
    """The part of the largest slope that the last step has left, among variables that may still change."""
    before = after = 0.0
    for k in range(y.size):
        before = max(before, abs(work.g[k] - y[k]))
        if not ((work.u[k] <= 0 and work.g[k] > 0) or (work.u[k] >= 1 and work.g[k] < 0)):
            after = max(after, abs(work.g[k]))
    return min(max(after / before, LEAST), 1.0)


@internal
def lower_rest(matrix, explored, count, change):
    """Subtract a curvature in all directions that are orthogonal to the first rows of ``explored``."""
    d = matrix.shape[0]
    for k in range(d):
        for j in range(d):
            entry = 1.0 if k == j else 0.0
            for i in range(count):
                entry -= explored[i, k] * explored[i, j]
            matrix[k, j] -= change * entry


@internal
def explore(work, s, ss):
    """Add what a step has outside the span of earlier ones to their orthonormal basis (Gram and Schmidt, twice)."""
    state, d = work.scalars[0], s.size
    if state.explored == d:
        return
    row = work.explored[state.explored]
    for k in range(d):
        row[k] = s[k]
    for i in range(2 * state.explored):
        other, inside = work.explored[i % state.explored], 0.0
        for k in range(d):
            inside += other[k] * row[k]
        for k in range(d):
            row[k] -= inside * other[k]
    square = 0.0
    for k in range(d):
        square += row[k] * row[k]
    if square > INSIDE * ss:
        for k in range(d):
            row[k] /= math.sqrt(square)
        state.explored += 1


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
