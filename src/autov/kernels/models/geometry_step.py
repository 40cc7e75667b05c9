"""A step that makes the interpolation better: to where the Lagrange function of the point to be replaced is large.

As in section 3 of the BOBYQA report (M. J. D. Powell, DAMTP 2009/NA06), the candidates lie on the lines through the
best point and the other points, and along the gradient of the Lagrange function, cut at the bounds. The one with the
largest absolute value is taken.
"""

from __future__ import annotations

import math

from autov.compiler.functions import internal, noinline
from autov.kernels.models.interpolation import dot


@noinline
def geometry_step(points, opt, t, curvatures, gradient, low, high, radius, step, trial):
    """Write a step from points[opt] for the Lagrange function of point t; return its value there.

    Args:
        points: (m, n)
        opt: the best point.
        t: the point to be replaced, another one.
        curvatures: (m,) of the Lagrange function.
        gradient: (n,) of it at points[opt].
        low: (n,) bounds of the step.
        high: (n,)
        radius: the longest step.
        step: (n,) written.
        trial: (n,) scratch.
    """
    m, n = points.shape
    best, line, along = 0.0, -1, 0.0
    for k in range(m):
        if k == opt:
            continue
        slope = square = 0.0
        least, most = -1e300, 1e300
        for j in range(n):
            v = points[k, j] - points[opt, j]
            slope += v * gradient[j]
            square += v * v
            if v > 0:
                least, most = max(least, low[j] / v), min(most, high[j] / v)
            elif v < 0:
                least, most = max(least, high[j] / v), min(most, low[j] / v)
        if not square > 0:
            continue
        longest = radius / math.sqrt(square)
        least, most = max(least, -longest), min(most, longest)
        bend = (1.0 if k == t else 0.0) - slope  # of the value a slope + a^2 bend: it is 0 or 1 at the other point
        vertex = -0.5 * slope / bend if bend != 0 else 0.0
        for a in (least, most, min(max(vertex, least), most)):
            value = abs(a * (slope + a * bend))
            if value > best:
                best, line, along = value, k, a
    for sign in (-1.0, 1.0):
        value = cauchy(points, curvatures, gradient, low, high, sign, radius, trial)
        if value > best:
            best, line = value, -1
            for j in range(n):
                step[j] = trial[j]
    if line >= 0:
        for j in range(n):
            step[j] = min(max(along * (points[line, j] - points[opt, j]), low[j]), high[j])
    return best


@internal
def cauchy(points, curvatures, gradient, low, high, sign, radius, trial):
    """Write the best step along the gradient times the sign, bent at the bounds; return the absolute value there."""
    m, n = points.shape
    for j in range(n):
        trial[j] = 0.0
    room = radius * radius
    for _ in range(n + 1):  # what is at its bound stays there, the others share the rest of the ball
        free = 0.0
        for j in range(n):
            g = sign * gradient[j]
            bound = high[j] if g > 0 else low[j]
            if trial[j] != bound:
                free += g * g
        if not (free > 0 and room > 0):
            break
        factor, hit = math.sqrt(room / free), False
        for j in range(n):
            g = sign * gradient[j]
            bound = high[j] if g > 0 else low[j]
            if trial[j] != bound and abs(factor * g) >= abs(bound):
                trial[j] = bound
                room -= bound * bound
                hit = True
        if not hit:
            for j in range(n):
                g = sign * gradient[j]
                bound = high[j] if g > 0 else low[j]
                if trial[j] != bound:
                    trial[j] = factor * g
            break
    slope, bend = dot(gradient, trial, n), 0.0
    for k in range(m):
        square = dot(points[k], trial, n)
        bend += 0.5 * curvatures[k] * square * square
    size = 1.0
    if slope * bend < 0 and abs(slope) < 2 * abs(bend) and abs(slope) > 0:
        inner = -0.5 * slope / bend
        if abs(inner * (slope + inner * bend)) > abs(slope + bend):
            size = inner
    for j in range(n):
        trial[j] *= size
    return abs(size * (slope + size * bend))
