"""The search along one axis: where the next point of a function of one variable is, of which some points are known.

Points are in increasing order; values are relative to the best. Two kinds of points alternate. A global one halves the
interval in which a better value is easiest to reach: the parabola through both ends that goes down to the wanted value
has the least curvature there. A local one is the vertex of the parabola through the best point and its neighbours, or a
golden section. Global ones end when no interval is as easy as the valley around the best point, times the detail that
is wanted, or when parabolas predict values exactly; local ones end when steps or what they gain are too small.
"""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import internal, noinline

EPS = 2.0**-52
GOLDEN = 0.381966
RIGHT = 1e-6  # error of a prediction that counts as right, as a part of the range of values
CHECKS = 2  # right predictions in a row after which the function is taken for a parabola
FLAT = 5  # points of an axis without any change of the value
EVEN = 12  # points of one whose best point has neighbours of the same value
BORDER = 0.01  # distance of the next point from a best one at the border that is enough


@internal
def parabola(position, value, i, u):
    """Value and slope at u of the parabola through points i, i + 1 and i + 2, and its second coefficient."""
    a, b, c = position[i], position[i + 1], position[i + 2]
    first = (value[i + 1] - value[i]) / (b - a)
    second = ((value[i + 2] - value[i + 1]) / (c - b) - first) / (c - a)
    at = value[i] + (u - a) * (first + second * (u - b))
    return at, first + second * (2 * u - a - b), second


@internal
def local_step(position, value, n, best, tolerance, rounding, edge, steps, asked):
    """Write where the local search goes on; return whether it does."""
    u = position[best]
    if best == 0 or best == n - 1:
        side = 1 if best == 0 else -1
        larger = position[best + side] - u
        _, slope, bend = parabola(position, value, 0 if best == 0 else n - 3, u)
        if not slope * side < 0:  # the border is the best place
            asked[2] = asked[3] = 1.0
            bound = 0.0 if best == 0 else 1.0
            if 0 < abs(u - bound) <= 2 * edge:  # in a long run the ends lie inside
                asked[0] = bound
                return True
            asked[0] = u + 0.1 * larger
            return abs(larger) > BORDER
    else:
        _, slope, bend = parabola(position, value, best - 1, u)
        left, right = u - position[best - 1], position[best + 1] - u
        larger = right if right > left else -left
    if not bend > 0:
        return False
    move = -slope / (2 * bend)  # NaN beside a value that is infinite
    if abs(move) <= tolerance or bend * move * move <= 4 * EPS * rounding:
        return False
    asked[3] = steps[0]
    if not abs(move) < 0.5 * steps[1]:
        move = GOLDEN * larger
        asked[3] = abs(larger)
    asked[0] = u + move
    asked[2] = abs(move)
    return True


@internal
def curvature_around(position, value, n, best, top, level):
    """That of the valley around the best point, which ends where a level is reached, or at the border."""
    left, right = best, best
    while left > 0 and value[left] < level:
        left -= 1
    while right < n - 1 and value[right] < level:
        right += 1
    rise = min(max(value[left], value[right]), top) - value[best]
    width = position[right] - position[left]
    if left < best < right:
        width *= 0.5
    return rise / (width * width)


@internal
def easiest(position, value, n, top, wanted, tolerance):
    """The interval in which a wanted value is easiest to reach, and the curvature which that takes."""
    least, chosen = np.inf, -1
    before = math.sqrt(min(value[0], top) - wanted)
    for i in range(n - 1):
        after = math.sqrt(min(value[i + 1], top) - wanted)
        width = position[i + 1] - position[i]
        if width > 2 * tolerance and (before + after) / width < least:
            least, chosen = (before + after) / width, i
        before = after
    return chosen, least * least


@noinline
def propose(plan, level, position, value, n, low, high, checks, steps, rounding, edge, asked):
    """Write the next point of an axis, and the value that a parabola predicts; return whether it wants one.

    Args:
        plan: the settings.
        level: how often the detail is doubled.
        position: (points,) of which the first n are known.
        value: (points,) relative to the best.
        n: how many are known.
        low: where the axis begins.
        high: where it ends.
        checks: right predictions.
        steps: (2,) lengths of the last local steps.
        rounding: the largest value that is rounded.
        edge: part of the way to a bound that the ends leave.
        asked: (4,) the point, its predicted value, and lengths of steps after it, the first 0 for a global point.
    """
    was_local = asked[2] > 0
    asked[1] = np.inf
    asked[2] = 0.0
    finer = 2.0**level
    if n >= int(plan.points * math.sqrt(finer)):
        return False
    if position[0] > low or position[n - 1] < high:
        asked[0] = low if position[0] - low > high - position[n - 1] else high
        return True
    best, top = 0, 0.0
    for i in range(n):
        if value[i] < value[best]:
            best = i
        if value[i] < np.inf:
            top = max(top, value[i])
    bottom = value[best]
    if n >= FLAT and not top > bottom:
        return False
    margin = plan.target * (top - bottom) if top > bottom else 1.0
    place, curvature = easiest(position, value, n, top, bottom - margin, plan.tolerance)
    local, around = False, np.inf
    if n >= 3:
        local = local_step(position, value, n, best, plan.tolerance, rounding, edge, steps, asked)
        around = curvature_around(position, value, n, best, top, bottom + margin)
        if around == 0.0 and n < EVEN:
            around = np.inf
    wide = place >= 0 and curvature <= plan.detail * finer * around and checks < CHECKS
    if wide and (was_local or not local):
        asked[0] = 0.5 * (position[place] + position[place + 1])
        asked[2] = 0.0
    elif not local:
        return False
    if n >= 3 and checks >= 0:
        i = 0
        while i < n - 3 and position[i + 1] < asked[0]:
            i += 1
        asked[1] = parabola(position, value, i, asked[0])[0]
    return True


@noinline
def insert(position, value, n, asked, relative, checks, steps):
    """Put the value of the point that was asked for into its place; return the new number of right predictions."""
    lowest, highest = np.inf, -np.inf
    for i in range(n):
        if value[i] < np.inf:
            lowest, highest = min(lowest, value[i]), max(highest, value[i])
    if n >= 3 and 0 <= checks < CHECKS:
        checks = checks + 1 if abs(relative - asked[1]) <= RIGHT * (highest - lowest) else -1
    if asked[2] > 0:
        steps[0], steps[1] = asked[2], asked[3]
    elif relative < lowest:  # another region
        steps[0] = steps[1] = 1.0
    i = n
    while i > 0 and position[i - 1] > asked[0]:
        position[i] = position[i - 1]
        value[i] = value[i - 1]
        i -= 1
    position[i] = asked[0]
    value[i] = relative
    return checks
