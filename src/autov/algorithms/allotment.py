"""Who of several members may make how many evaluations: trials for all, then rounds that favour the leader.

A member makes a batch when it fits into what it has been allotted so far; what it could not use stays its own. The
last part of the budget belongs to the leader alone, or to the polisher that starts at its best point.
"""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import allocating
from autov.kernels.order import sort_order

ROUND, HEDGE, POLISH, SCHEDULE = range(4)  # of the schedule, parts of the budget


def leader_of(best):
    """The member with the best value, of equals the first."""
    leader = 0
    for i in range(1, best.size):
        if best[i] < best[leader]:
            leader = i
    return leader


def spared(full_budget, maxfev, d):
    """What of the trials of all but the first member, and of the hedge, a budget allows; full_budget is for each d."""
    return min(1.0, maxfev / (full_budget * d)) if full_budget > 0 else 1.0


def allot_trials(trial, maxfev, allotted):
    """The first allotment: a part of the budget for each member.

    Args:
        trial: (k,) parts of the budget.
        maxfev: the budget.
        allotted: (k,) int64, written.
    """
    for i in range(trial.size):
        allotted[i] = np.int64(math.floor(trial[i] * maxfev))


def allot_round(schedule, maxfev, best, allotted):
    """Allot one more round; False if nothing was left but the last part.

    Args:
        schedule: (SCHEDULE,).
        maxfev: the budget.
        best: (k,) best value of each member.
        allotted: (k,) int64, how many evaluations each may have made; grows.
    """
    members = best.size
    left = maxfev - np.int64(math.floor(schedule[POLISH] * maxfev))
    for i in range(members):
        left -= allotted[i]
    if left <= 0:
        return False
    size = min(max(1, np.int64(math.floor(schedule[ROUND] * maxfev))), left)
    leader = leader_of(best)
    rest = size
    for i in range(members):
        if i != leader:
            share = np.int64(math.floor(schedule[HEDGE] * size / (members - 1)))
            allotted[i] += share
            rest -= share
    allotted[leader] += rest
    return True


@allocating
def polishing_step(x, f, lower, upper, factor, least, most):
    """The first step of the polisher, in parts of the width: the spread of the better half of a population.

    One number for all variables, the root of the mean square: the spread of a converged population differs wildly
    between variables, because recombination copies values. It may be zero far from any optimum; hence the least one.
    """
    n, d = x.shape
    order = np.empty((2, n), np.int64)
    sort_order(f, n, order)
    half = max(2, (n + 1) // 2)
    total = 0.0
    for k in range(d if n >= 2 else 0):
        mean = 0.0
        for i in range(half):
            mean += x[order[0, i], k]
        mean /= half
        square = 0.0
        for i in range(half):
            square += (x[order[0, i], k] - mean) ** 2
        total += square / half / (upper[k] - lower[k]) ** 2
    return min(max(factor * math.sqrt(total / d), least), most)
