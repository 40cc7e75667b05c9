"""Approximate second derivatives from the gradients of a quasi-Newton search: damped BFGS, and symmetric rank-one."""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import internal, noinline

CONVEX = 1e-9  # least pivot of a convex model, as a part of the diagonal
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
    state.updates = 0


@internal
def set_diagonal(matrix, value):
    """Make a matrix a multiple of the identity."""
    for k in range(matrix.shape[0]):
        for j in range(matrix.shape[0]):
            matrix[k, j] = 0.0
        matrix[k, k] = value


@noinline
def update_matrices(plan, work):
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
