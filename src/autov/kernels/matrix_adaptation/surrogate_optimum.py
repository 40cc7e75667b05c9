"""Where the surrogate of the matrix adaptation strategy is smallest, as a step that the strategy might make."""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import internal, noinline
from autov.kernels.matrix_adaptation.restarts import inside, outside
from autov.kernels.matrix_adaptation.surrogate_work import make_step
from autov.kernels.matrix_adaptation.work import TINY
from autov.kernels.models.quadratic_model import from_frame, multiply_hessian, to_frame

SHORT = 0.01  # of the way from the mean to a bound is left


@noinline
def seek_optimum(plan, work):
    """The step z to the model's optimum; where that is outside the box, to the nearest point of the box.

    Bounds are not reached but approached, so that a model that is wrong does not lead to them.
    """
    strategy, z, d = work.strategy, work.z, work.best.size
    step, lu = work.vectors[0], work.square
    bounds, margin = plan.strategy.bounds, plan.strategy.margin
    sigma = strategy.scalars[0].sigma
    minimise(plan, work)
    make_step(strategy, z, step)
    bent = False
    for k in range(d):
        u = inside(strategy.mean[k], bounds, margin) + sigma * step[k]
        y = min(max(u, 0.0), 1.0)
        if y != u:
            y += SHORT * (inside(strategy.mean[k], bounds, margin) - y)
        y = outside(y, bounds, margin)
        bent = bent or abs(y - (strategy.mean[k] + sigma * step[k])) > 1e-3 * sigma
        step[k] = (y - strategy.mean[k]) / sigma
        for j in range(d):
            lu[k, j] = strategy.matrix[j, k]
    if not bent or not solve(lu, step):
        return
    square = 0.0
    for k in range(d):
        square += step[k] * step[k]
    if not square < np.inf:
        return
    shrink = min(1.0, radius_of(d) / math.sqrt(max(square, TINY)))
    for k in range(d):
        z[k] = shrink * step[k]


@internal
def radius_of(d):
    """The longest step that a normal sample plausibly makes."""
    return math.sqrt(d) + 2 * d / (d + 2)


@internal
def solve(a, b):
    """Replace b by the solution of a x = b, and a by its factors; whether there is one. Gauss with pivots."""
    d = b.size
    for k in range(d):
        pivot = k
        for i in range(k + 1, d):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if not abs(a[pivot, k]) > TINY:
            return False
        for j in range(k, d):
            a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
        b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, d):
            factor = a[i, k] / a[k, k]
            for j in range(k + 1, d):
                a[i, j] -= factor * a[k, j]
            b[i] -= factor * b[k]
    for k in range(d - 1, -1, -1):
        s = b[k]
        for j in range(k + 1, d):
            s -= a[k, j] * b[j]
        b[k] = s / a[k, k]
    return True


@noinline
def minimise(plan, work):
    """The step z, no longer than a normal one plausibly is, at which the model is smallest, whatever the box.

    Conjugate gradients that end at the border of the ball, or where the model bends down (T. Steihaug, SIAM Journal on
    Numerical Analysis 20, 1983). With u = mean + sigma M z and v = frame (u - centre) the model is one of z.
    """
    strategy, model = work.strategy, work.model
    kind = work.scalars[0].kind
    d = work.best.size
    v, h, residual, p, hp, away = (
        work.vectors[0], work.vectors[1], work.vectors[2], work.vectors[3], work.vectors[4], work.vectors[5],
    )  # fmt: skip
    z = work.z
    for k in range(d):
        away[k] = inside(strategy.mean[k], plan.strategy.bounds, plan.strategy.margin) - model.centre[k]
    to_frame(away, model.frame, kind, v)
    multiply_hessian(v, kind, model, h)
    for k in range(d):
        h[k] += model.coefficients[1 + k]
    back(strategy, model, kind, h, away, residual)
    square = 0.0
    for k in range(d):
        z[k] = 0.0
        residual[k] = -residual[k]
        p[k] = residual[k]
        square += residual[k] * residual[k]
    first = square
    radius = radius_of(d)
    for _ in range(2 * d):
        if not square > 1e-24 * first:
            return
        forth(strategy, model, kind, p, away, v)
        multiply_hessian(v, kind, model, h)
        back(strategy, model, kind, h, away, hp)
        bend = zz = zp = pp = 0.0
        for k in range(d):
            bend += p[k] * hp[k]
            zz += z[k] * z[k]
            zp += z[k] * p[k]
            pp += p[k] * p[k]
        if not pp > TINY:
            return
        border = (math.sqrt(zp * zp + pp * max(radius * radius - zz, 0.0)) - zp) / pp
        length = square / bend if bend > 0 else border
        ended = not length < border
        if ended:
            length = border
        new = 0.0
        for k in range(d):
            z[k] += length * p[k]
            residual[k] -= length * hp[k]
            new += residual[k] * residual[k]
        if ended:
            return
        ratio = new / square
        square = new
        for k in range(d):
            p[k] = residual[k] + ratio * p[k]


@internal
def forth(strategy, model, kind, p, away, v):
    """A step p of the strategy in the coordinates of the model."""
    sigma = strategy.scalars[0].sigma
    make_step(strategy, p, away)
    for k in range(p.size):
        away[k] *= sigma
    to_frame(away, model.frame, kind, v)


@internal
def back(strategy, model, kind, h, away, out):
    """A gradient in the coordinates of the model as one of steps of the strategy."""
    d = h.size
    sigma = strategy.scalars[0].sigma
    from_frame(h, model.frame, kind, away)
    for j in range(d):
        s, row = 0.0, strategy.matrix[j]
        for k in range(d):
            s += row[k] * away[k]
        out[j] = sigma * s
