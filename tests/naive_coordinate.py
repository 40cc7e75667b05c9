"""The search of `autov.kernels.models.coordinate_steps` for one variable, in plain Python with lists and dicts."""

import math

EPS = 2.0**-52


def quadratic(three, u):
    """Value, slope and second coefficient at u of the parabola through three (position, value)."""
    (a, fa), (b, fb), (c, fc) = three
    first = (fb - fa) / (b - a)
    second = ((fc - fb) / (c - b) - first) / (c - a)
    return fa + (u - a) * (first + second * (u - b)), first + second * (2 * u - a - b), second


def minimize_axis(fun, start, settings, levels=4, most=10_000, edge=0.0):
    """All points in the order of evaluation, for a function on [0, 1] that is finite.

    The ends of the axis leave this part of the way to the bounds.
    """
    ends = edge * start, 1 - edge * (1 - start)
    asked = [start]
    known = [(start, 0.0)]  # values relative to the best
    at = fun(start)
    last, before = 1.0, 1.0  # lengths of the last local steps
    right, local_last = 0, False
    level = 0
    while len(asked) < most:
        found = next_point(known, at, settings, level, right, local_last, (last, before), ends)
        if found is None:
            level += 1
            if level == levels:
                return asked
            local_last = False
            continue
        u, kind, lengths = found
        value = fun(u) - at
        values = [f for _, f in known]
        if len(known) >= 3 and 0 <= right < 2:
            inner = [i for i in range(len(known) - 2) if i == 0 or known[i][0] < u]
            three = known[inner[-1] : inner[-1] + 3]
            exact = abs(value - quadratic(three, u)[0]) <= 1e-6 * (max(values) - min(values))
            right = right + 1 if exact else -1
        local_last = kind == "local"
        if local_last:
            last, before = lengths
        elif value < 0:
            last, before = 1.0, 1.0
        asked.append(u)
        known = sorted([*known, (u, value)])
        if value < 0:
            at -= -value
            known = [(p, f + -value) for p, f in known]
    return asked


def next_point(known, at, settings, level, right, local_last, steps, ends):
    """The next point, its kind, and the lengths of steps after it; None at the end."""
    n = len(known)
    if n >= int(settings.points * math.sqrt(2**level)):
        return None
    left, end = known[0][0] - ends[0], ends[1] - known[-1][0]
    if left > 0 or end > 0:
        return (ends[0] if left > end else ends[1]), "end", steps
    top = max(f for _, f in known)
    if n >= 5 and top == 0:
        return None
    margin = settings.target * top if top > 0 else 1.0
    roots = [math.sqrt(f + margin) for _, f in known]
    hardness = {}
    for i in range(n - 1):
        width = known[i + 1][0] - known[i][0]
        if width > 2 * settings.tolerance:
            hardness[i] = (roots[i] + roots[i + 1]) / width
    easiest = min(hardness, key=hardness.get)
    best = min(range(n), key=lambda i: known[i][1])
    local = local_point(known, best, at, settings, steps) if n >= 3 else None
    valley = math.inf
    if n >= 3:
        a = max((i for i in range(best + 1) if known[i][1] >= margin), default=0)
        b = min((i for i in range(best, n) if known[i][1] >= margin), default=n - 1)
        width = known[b][0] - known[a][0]
        if a < best < b:
            width *= 0.5
        valley = max(known[a][1], known[b][1]) / (width * width)
        if valley == 0 and n < 12:
            valley = math.inf
    look = hardness[easiest] * hardness[easiest] <= settings.detail * 2.0**level * valley and right < 2
    if look and (local_last or local is None):
        return 0.5 * (known[easiest][0] + known[easiest + 1][0]), "global", steps
    return local


def local_point(known, best, at, settings, steps):
    """The local point, or None if the local search has converged."""
    u, n = known[best][0], len(known)
    if best in (0, n - 1):
        larger = known[1 if best == 0 else n - 2][0] - u
        _, slope, bend = quadratic(known[:3] if best == 0 else known[-3:], u)
        if not slope * larger < 0:
            bound = 0.0 if best == 0 else 1.0
            if 0 < abs(u - bound) < 0.002:
                return bound, "local", (1.0, 1.0)
            return (u + 0.1 * larger, "local", (1.0, 1.0)) if abs(larger) > 0.01 else None
    else:
        _, slope, bend = quadratic(known[best - 1 : best + 2], u)
        left, right = u - known[best - 1][0], known[best + 1][0] - u
        larger = right if right > left else -left
    if bend <= 0:
        return None
    move = -slope / (2 * bend)
    if abs(move) <= settings.tolerance or bend * move * move <= 4 * EPS * abs(at):
        return None
    if abs(move) < 0.5 * steps[1]:
        return u + move, "local", (abs(move), steps[0])
    move = 0.381966 * larger
    return u + move, "local", (abs(move), abs(larger))
