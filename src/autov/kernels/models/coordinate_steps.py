"""Line searches along all axes at once, in batches; see `autov.algorithms.coordinate`.

Every axis has a list of points, and their values relative to that of the context: the point at which all axes are at
their best. A batch has one point of each axis that wants one, and the context if several axes have moved. On a function
that is a sum of functions of one variable, values relative to one context hold for all others; a context of another
value than predicted ends the search.
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import NamedTuple

import numpy as np

from autov.compiler.functions import internal, kernel, noinline
from autov.kernels.models.axis_search import insert, propose
from autov.kernels.models.search_batch import (
    GIVEN,
    Searched,
    approach,
    begin_given,
    end_search,
    evaluate_batch,
    goes_on,
    may_evaluate,
    next_start,
    place,
    rank_given,
    record,
    searched,
    take_batch,
    trace,
)

UNKNOWN, COUPLED, SEPARABLE = -1, 0, 1  # what is known about the function: ``separable`` of the record
CONTEXT, CORNER = -1, -2  # rows of a batch that belong to no axis
AXES = 1  # phase
LEVELS = 3  # how often the detail may be doubled
CELLS = 2**20  # most numbers in a batch
AGREEMENT = 1e-6  # largest error of a predicted value, as a part of the changes that it is the sum of
ROUNDING = 1e-12  # and as a part of the largest value seen


class Plan(NamedTuple):
    """What the settings say."""

    points: float
    tolerance: float
    detail: float
    target: float


COUNTS = ("separable", "first", "unknown", "moved", "corner", "level")
VALUES = ("f", "change", "largest", "corner_f")
STATE = record(COUNTS, VALUES)


# The arrays of `Searched`, and those of one search, whose points are in the unit box.
Work = namedtuple(
    "Work",
    (
        *Searched._fields,
        "u",  # (d,) context
        "scratch",  # (d,)
        "low",  # (d,) where the axes begin
        "high",  # (d,) and end
        "counts",  # (d,) int64, points of each axis
        "position",  # (d, points) of them in increasing order
        "value",  # (d, points) minus the value of the context
        "asked",  # (d, 4) the point that waits, its predicted value, and lengths of local steps after it
        "steps",  # (d, 2) lengths of the last two local steps
        "checks",  # (d,) int64, predictions that were right, -1 after one that was not
        "axis",  # (capacity,) int64, of each point of the batch
    ),
)


def workspace(plan, key, d, maxfev, given, given_f):
    """Arrays for d variables."""
    capacity = max(3, given.shape[0], min(d + 2, CELLS // d))
    base = searched(key, STATE, d, maxfev, capacity, given, given_f)
    base.scalars["separable"] = UNKNOWN if d > 1 else SEPARABLE
    points = int(plan.points * math.sqrt(2.0**LEVELS)) + 1
    return Work(
        *base, np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d, np.int64), np.zeros((d, points)),
        np.zeros((d, points)), np.zeros((d, 4)), np.zeros((d, 2)), np.zeros(d, np.int64), np.zeros(capacity, np.int64),
    )  # fmt: skip


@kernel
def begin(plan, work, lower, upper):
    """The first batch: the given points if there are several of unknown value, else that of the first search."""
    if not begin_given(work, lower, upper):
        start(plan, work, lower, upper)


@noinline
def start(plan, work, lower, upper):
    """Begin a search: its start, the far end of each axis, and the corner where all axes are at their far end."""
    state, d = work.scalars[0], work.u.size
    state.phase = AXES
    state.f = next_start(work, work.u)
    state.unknown = 0 if abs(state.f) < np.inf else 1
    state.largest = 0.0
    state.change = 0.0
    state.moved = 0
    state.first = state.level = 0
    state.corner = 1 if d > 1 else 0
    for k in range(d):
        work.low[k] = approach(work.u[k] - state.scale, work.u[k], state.edge)
        work.high[k] = approach(work.u[k] + state.scale, work.u[k], state.edge)
        work.counts[k] = 1
        work.position[k, 0] = work.u[k]
        work.value[k, 0] = 0.0
        work.steps[k, 0] = work.steps[k, 1] = 1.0
        work.checks[k] = 0
        work.scratch[k] = work.low[k] if work.u[k] - work.low[k] > work.high[k] - work.u[k] else work.high[k]
    write_batch(plan, work, lower, upper)


@internal
def write_point(target, u, lower, upper):
    """Write a point of the unit box as a point of the box, bounds exactly."""
    place(target, u, lower, upper)
    for k in range(u.size):
        if u[k] >= 1.0:
            target[k] = upper[k]


@noinline
def write_batch(plan, work, lower, upper):
    """Ask for the context if its value is not known, and for a point of every axis that wants one."""
    state, d = work.scalars[0], work.u.size
    n = 0
    if state.unknown == 1 or state.moved == 1:
        write_point(work.x[n], work.u, lower, upper)
        work.axis[n] = CONTEXT
        n += 1
    if state.corner == 1:
        write_point(work.x[n], work.scratch, lower, upper)
        work.axis[n] = CORNER
        state.corner = 2
        n += 1
    for k in range(d):
        work.scratch[k] = work.u[k]
    first = state.first
    for i in range(d):
        if n == work.f.size:
            break
        k = (first + i) % d
        state.first = (k + 1) % d
        asks = propose(
            plan, state.level, work.position[k], work.value[k], work.counts[k], work.low[k], work.high[k],
            work.checks[k], work.steps[k], abs(state.f), state.edge, work.asked[k],
        )  # fmt: skip
        if asks:
            work.scratch[k] = work.asked[k, 0]
            write_point(work.x[n], work.scratch, lower, upper)
            work.scratch[k] = work.u[k]
            work.axis[n] = k
            n += 1
    state.batch = n


@noinline
def step(plan, work, lower, upper):
    """Take the values of the batch and write the next one."""
    take_batch(work)
    state = work.scalars[0]
    if state.phase == GIVEN:
        rank_given(work)
        start(plan, work, lower, upper)
        return
    if take_values(work) and corner_agrees(work):
        if state.corner == 0:
            move(work)
        write_batch(plan, work, lower, upper)
        if state.batch > 0:
            return
    end_search(work, work.u)
    while state.separable == SEPARABLE and state.level < LEVELS:
        state.level += 1
        write_batch(plan, work, lower, upper)
        if state.batch > 0:
            return
    start(plan, work, lower, upper)


@internal
def agrees(state, value, predicted, change):
    """Whether a value is the sum of separate changes, but for rounding."""
    return abs(value - predicted) <= AGREEMENT * change + ROUNDING * state.largest


@noinline
def take_values(work):
    """Take the values of a batch; return whether the search goes on."""
    state = work.scalars[0]
    for i in range(state.batch):
        if abs(work.f[i]) < np.inf:
            state.largest = max(state.largest, abs(work.f[i]))
    for i in range(state.batch):
        k, f = work.axis[i], work.f[i]
        if k == CONTEXT:
            if not abs(f) < np.inf:
                return False
            if state.moved == 1:
                state.separable = SEPARABLE if agrees(state, f, state.f, state.change) else COUPLED
            state.f = f
            state.unknown = state.moved = 0
            if state.separable == COUPLED:
                return False
        elif k == CORNER:
            state.corner_f = f
        else:
            relative = f - state.f if abs(f) < np.inf else np.inf
            work.checks[k] = insert(
                work.position[k], work.value[k], work.counts[k], work.asked[k], relative, work.checks[k],
                work.steps[k],
            )  # fmt: skip
            work.counts[k] += 1
    return True


@internal
def corner_agrees(work):
    """Compare the corner with the sum of all axes, once they have a point there; false if the function is coupled."""
    state, d = work.scalars[0], work.u.size
    if state.corner != 2:
        return True
    total = change = 0.0
    changed = 0
    for k in range(d):
        n = work.counts[k]
        if n < 2:
            return True
        far = work.value[k, 0] if work.u[k] - work.low[k] > work.high[k] - work.u[k] else work.value[k, n - 1]
        total += far
        change += abs(far)
        if far != 0:
            changed += 1
    state.corner = 0
    if change < np.inf and abs(state.corner_f) < np.inf:
        if not agrees(state, state.corner_f, state.f + total, change):
            state.separable = COUPLED
        elif changed > 1:
            state.separable = SEPARABLE
    return state.separable != COUPLED


@internal
def move(work):
    """Move the context to where every axis is at its best."""
    state, d = work.scalars[0], work.u.size
    state.change = 0.0
    moved = 0
    for k in range(d):
        best = 0
        for i in range(1, work.counts[k]):
            if work.value[k, i] < work.value[k, best]:
                best = i
        gain = -work.value[k, best]
        if gain > 0:
            moved += 1
            work.u[k] = work.position[k, best]
            state.f -= gain
            state.change += gain
            for i in range(work.counts[k]):
                work.value[k, i] += gain
    if moved > 1:
        state.moved = 1


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
