"""The step that minimises a quadratic model in a box and a ball, nearly: truncated conjugate gradients.

The method of section 3 of the BOBYQA report (M. J. D. Powell, DAMTP 2009/NA06). A variable that reaches its bound stays
there, and conjugate gradients begin anew with the others. When the step reaches the border of the ball, it is turned in
the plane of itself and the gradient while that helps.
"""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import internal, noinline
from autov.kernels.models.quadratic import hessian_times

ENOUGH = 0.01  # part of the decrease so far below which another one is not worth while
LEAST = 1e-4  # of the square of the decrease: below this gradient and step are parallel


@noinline
def bounded_step(hessian, curvatures, points, gradient, low, high, radius, step, slope, direction, product, at_bound):
    """Write the step; return the decrease that the model says, and its least curvature along the way.

    The curvature is 0 where it does not say anything: the step ends at the border of the ball, or it is negative.

    Args:
        hessian: (n, n) see `autov.kernels.models.quadratic`.
        curvatures: (m,)
        points: (m, n)
        gradient: (n,) of the model at the point from which the step is made.
        low: (n,) bounds of the step.
        high: (n,)
        radius: of the ball.
        step: (n,) written.
        slope: (n,) the gradient at the end of the step, written.
        direction: (n,) scratch.
        product: (2, n) scratch.
        at_bound: (n,) int64 scratch: variables at their bounds.
    """
    n = gradient.size
    for j in range(n):
        step[j] = 0.0
        slope[j] = gradient[j]
        at_bound[j] = (low[j] >= 0 and gradient[j] >= 0) or (high[j] <= 0 and gradient[j] <= 0)
    decrease, least, room = 0.0, np.inf, radius * radius
    fresh, taken, square = True, 0, 0.0
    for _ in range(3 * n + 10):
        before = square
        square = 0.0
        for j in range(n):
            if not at_bound[j]:
                square += slope[j] * slope[j]
        if not square > 0 or (not fresh and square * room <= LEAST * decrease * decrease):
            return decrease, least_known(least)
        beta = 0.0 if fresh else square / before
        for j in range(n):
            direction[j] = 0.0 if at_bound[j] else beta * direction[j] - slope[j]
        hessian_times(hessian, curvatures, points, direction, product[0])
        left, along, length, curved = room, 0.0, 0.0, 0.0
        for j in range(n):
            if not at_bound[j]:
                left -= step[j] * step[j]
                along += step[j] * direction[j]
                length += direction[j] * direction[j]
                curved += direction[j] * product[0, j]
        if left <= 0:
            break
        root = math.sqrt(along * along + length * left)
        most = left / (root + along) if along > 0 else (root - along) / length
        size = min(most, square / curved) if curved > 0 else most
        hit = -1
        for j in range(n):
            if direction[j] != 0:
                bound = high[j] if direction[j] > 0 else low[j]
                if (bound - step[j]) / direction[j] < size:
                    size, hit = max(0.0, (bound - step[j]) / direction[j]), j
        gain = max(size * (square - 0.5 * size * curved), 0.0)
        if size > 0:
            taken += 1
            if hit < 0 and curved > 0:
                least = min(least, curved / length)
            decrease += gain
            for j in range(n):
                step[j] += size * direction[j]
                slope[j] += size * product[0, j]
        fresh = hit >= 0
        if hit >= 0:
            step[hit] = high[hit] if direction[hit] > 0 else low[hit]
            at_bound[hit] = 1
            room -= step[hit] * step[hit]
            if room <= 0:
                return decrease, 0.0
        elif size >= most:
            break
        elif gain <= ENOUGH * decrease or taken >= n:
            return decrease, least_known(least)
    decrease += turn(hessian, curvatures, points, low, high, step, slope, direction, product, at_bound, decrease)
    return decrease, 0.0


@internal
def least_known(least):
    """The least curvature, 0 if none was seen."""
    return least if least < np.inf else 0.0


@internal
def turn(hessian, curvatures, points, low, high, step, slope, direction, product, at_bound, decrease):
    """Turn the free part of a step towards the negative gradient, length kept; return the further decrease."""
    n = step.size
    gained = 0.0
    for _ in range(n + 5):
        length = along = square = 0.0
        for j in range(n):
            direction[j] = 0.0
            if not at_bound[j]:
                length += step[j] * step[j]
                along += step[j] * slope[j]
                square += slope[j] * slope[j]
                direction[j] = step[j]
        area = square * length - along * along
        total = decrease + gained
        if area <= LEAST * total * total:
            return gained
        area = math.sqrt(area)
        hessian_times(hessian, curvatures, points, direction, product[0])
        for j in range(n):
            if not at_bound[j]:
                direction[j] = (along * step[j] - length * slope[j]) / area  # as long as the step, orthogonal to it
        # With t the tangent of half the angle, variables stay inside for t <= most.
        most, hit = 1.0, -1
        for j in range(n):
            if not at_bound[j]:
                limit = most_turn(step[j], direction[j], low[j], high[j])
                if limit < most:
                    most, hit = limit, j
        if most <= 0:
            at_bound[hit] = 1
            continue
        hessian_times(hessian, curvatures, points, direction, product[1])
        curved = cross = own = 0.0
        for j in range(n):
            if not at_bound[j]:
                curved += direction[j] * product[1, j]
                cross += step[j] * product[1, j]
                own += step[j] * product[0, j]
        best, chosen, before, after, last = 0.0, -1, 0.0, 0.0, 0.0
        count = int(17 * most + 3.1)
        for i in range(count):
            gain = turn_gain(most * (i + 1) / count, along, area, curved, cross, own)
            if gain > best:
                best, chosen, before = gain, i, last
            elif i == chosen + 1:
                after = gain
            last = gain
        if chosen < 0:
            return gained
        t = most * (chosen + 1) / count
        if chosen < count - 1:  # the vertex of a parabola through three values
            hit = -1
            t += 0.5 * most / count * (after - before) / max(2 * best - before - after, 1e-300)
        gain = turn_gain(t, along, area, curved, cross, own)
        if gain < best:
            t, gain = most * (chosen + 1) / count, best
        cosine, sine = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
        for j in range(n):
            slope[j] += (cosine - 1) * product[0, j] + sine * product[1, j]
            if not at_bound[j]:
                step[j] = min(max(cosine * step[j] + sine * direction[j], low[j]), high[j])
        gained += gain
        if hit >= 0:
            at_bound[hit] = 1
        elif gain <= ENOUGH * (decrease + gained):
            return gained
    return gained


@internal
def turn_gain(t, along, area, curved, cross, own):
    """The decrease by a turn whose half angle has the tangent t."""
    cosine, sine = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    # The step s becomes cos s + sin u; along is s'g, u'g is -area.
    change = (cosine - 1) * along - sine * area
    bend = (cosine - 1) * (cosine - 1) * own + 2 * (cosine - 1) * sine * cross + sine * sine * curved
    return -(change + 0.5 * bend)


@internal
def most_turn(a, b, low, high):
    """The largest tangent of half an angle up to 1 for which cos a + sin b stays between low and high."""
    limit = 1.0
    for side in range(2):
        bound = high if side == 0 else -low
        x, y = (a, b) if side == 0 else (-a, -b)  # x <= bound now; when is cos x + sin y = bound?
        square = x * x + y * y
        if square > bound * bound:  # (1 - t^2) x + 2 t y = bound (1 + t^2)
            root = math.sqrt(max(y * y - bound * bound + x * x, 0.0))
            # Roots of (bound + x) t^2 - 2 y t + bound - x; the smallest that is not negative.
            if bound - x <= 0:
                if y > 0:
                    limit = 0.0
            elif y + root > 0:
                limit = min(limit, (bound - x) / (y + root))
    return limit
