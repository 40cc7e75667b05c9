"""What compiled local searches share: their record, the batch that waits for values, and where a search starts.

A local search is a sequence of batches. ``work.x[:batch]`` are the points to evaluate next. A step takes their values
``work.f[:batch]`` and writes the next batch. When a search has converged, the next one starts elsewhere, so there is
always a next batch. Coordinates inside are those of the unit box; ``work.x`` are points of the problem's box.

A module of such steps has a `Plan` and a `Work` (named tuples; a `Work` begins with the arrays of `Searched`), and
``workspace``, ``begin``, ``step`` and ``run``. ``phase`` says what the batch is for: `GIVEN`, or a number of the
module's own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from autov.compiler.functions import internal
from autov.kernels.evolution.run import evaluate_blocks
from autov.kernels.matrix_adaptation.work import note_best
from autov.kernels.random import POPULATION, fill_uniforms, subkey

COUNTS = (
    "generation", "nfev", "nans",  # batches told, evaluations, NaN among them
    "told", "batch",  # points of the last batch told and of the next one
    "starts", "limit",  # local searches that have ended, and most of them in a run, 0 for any number
    "ends",  # of them in ``work.ends``
    "phase", "ranked",  # what the batch is for, and whether the given points are in the order of their values
    "infeasible",  # points told whose value is INFEASIBLE or more
)  # fmt: skip
VALUES = (
    "best", "scale",  # the best value so far, and the first step of a search as a part of the box width
    "edge",  # part of the way to a bound that a step leaves: EDGE in long runs, else 0
)  # fmt: skip
LONG = 200.0  # evaluations for each variable from which on a run is long
EDGE = 1e-3  # steps of long runs approach bounds and do not jump onto them
GIVEN = 0  # phase: the batch is the given points
INFEASIBLE = 1e50  # values of infeasible points are above it, see `autov.problems.feasibility`
KEPT_ENDS = 16  # where earlier searches ended
TRIED = 8  # uniform points of which the one far from earlier ends is the next start
JITTER = 1e-3  # half the width of the noise on the centre: symmetries of a function have no gradient there


class Searched(NamedTuple):
    """Arrays that all local searches have."""

    key: np.ndarray  # (2,) uint64
    scalars: np.ndarray  # (1,) a record of `record`
    best: np.ndarray  # (d,) best point so far
    given: np.ndarray  # (k, d) first starts, in the unit box
    given_f: np.ndarray  # (k,) their values, infinity where they are not known
    ends: np.ndarray  # (KEPT_ENDS, d) where earlier searches ended, in the unit box
    tried: np.ndarray  # (TRIED, d) scratch
    x: np.ndarray  # (capacity, d) the batch
    f: np.ndarray  # (capacity,) its values
    told_x: np.ndarray  # (capacity, d) the last batch told
    told_f: np.ndarray  # (capacity,)


def record(counts: tuple[str, ...] = (), values: tuple[str, ...] = ()) -> np.dtype:
    """The type of ``scalars`` with fields of one search added to those of all."""
    named = [(name, np.int64) for name in COUNTS + counts] + [(name, np.float64) for name in VALUES + values]
    return np.dtype((np.record, named))


def searched(
    key: np.ndarray, kind: np.dtype, d: int, maxfev: int, capacity: int, given: np.ndarray, given_f: np.ndarray
):  # fmt: skip
    """The arrays of `Searched`, with no evaluation made."""
    scalars = np.zeros(1, kind)
    scalars["best"] = np.inf
    scalars["edge"] = EDGE if maxfev >= LONG * d else 0.0
    return Searched(
        key.copy(), scalars.view(kind), np.zeros(d), given, given_f, np.zeros((KEPT_ENDS, d)), np.zeros((TRIED, d)),
        np.zeros((capacity, d)), np.zeros(capacity), np.zeros((capacity, d)), np.zeros(capacity),
    )  # fmt: skip


@internal
def approach(y, u, edge):
    """The place y on the way from u as far as a step may go: it leaves a part of the way to a bound."""
    return min(max(y, edge * u), 1.0 - edge * (1.0 - u))


@internal
def place(target, u, lower, upper):
    """Write a point of the unit box as a point of the box."""
    for k in range(lower.size):
        target[k] = min(max(lower[k] + u[k] * (upper[k] - lower[k]), lower[k]), upper[k])


@internal
def begin_given(work, lower, upper):
    """Make the given points the first batch, if there are several and none has a value; return whether they are."""
    state, count = work.scalars[0], work.given.shape[0]
    for i in range(count):
        if work.given_f[i] < np.inf:
            return False
    if count < 2:
        return False
    state.phase = GIVEN
    state.batch = count
    for i in range(count):
        place(work.x[i], work.given[i], lower, upper)
    return True


@internal
def rank_given(work):
    """Take the values of the given points, and put these in the order of their values."""
    count, d = work.given.shape
    for i in range(count):
        work.given_f[i] = work.f[i]
        j = i
        while j > 0 and work.given_f[j] < work.given_f[j - 1]:
            work.given_f[j], work.given_f[j - 1] = work.given_f[j - 1], work.given_f[j]
            for k in range(d):
                work.given[j, k], work.given[j - 1, k] = work.given[j - 1, k], work.given[j, k]
            j -= 1
    work.scalars[0].ranked = 1


@internal
def may_evaluate(state, budget, final):
    """Whether a batch may be evaluated: all of it, or in the final call what is left of the budget."""
    return state.nfev < budget and (final or state.nfev + state.batch <= budget)


@internal
def goes_on(state):
    """Whether there may be another local search, or the last one has not ended."""
    return state.limit == 0 or state.starts < state.limit


@internal
def evaluate_batch(work, objective, budget):
    """Evaluate the batch, or as much of it as the budget allows; whether it is whole and may be told."""
    state = work.scalars[0]
    n = state.batch
    m = min(n, budget - state.nfev)
    state.nans += evaluate_blocks(work.key, state.generation, objective, work.x[:m], work.f[:m])
    if m < n:
        note_best(work.x, work.f, m, state, work.best)
        state.nfev += m
        if state.told == 0:  # not even the first batch was whole
            keep_told(work, m)
    return m == n


@internal
def keep_told(work, n):
    """Copy the first points of the batch to where the next one does not replace them."""
    work.scalars[0].told = n
    for i in range(n):
        work.told_f[i] = work.f[i]
        for k in range(work.best.size):
            work.told_x[i, k] = work.x[i, k]


@internal
def take_batch(work):
    """Count the batch and keep its best point: the first thing that a step does."""
    state = work.scalars[0]
    note_best(work.x, work.f, state.batch, state, work.best)
    keep_told(work, state.batch)
    for i in range(state.batch):
        if work.f[i] > INFEASIBLE:
            state.infeasible += 1
    state.nfev += state.batch
    state.generation += 1


@internal
def trace(state, trace_nfev, trace_best, traced):
    """Write evaluations made and the best value behind the first ``traced`` ones; the new number of them."""
    if traced < trace_nfev.size:
        trace_nfev[traced] = state.nfev
        trace_best[traced] = state.best
        traced += 1
    return traced


@internal
def end_search(work, u):
    """Note where a search ended."""
    state = work.scalars[0]
    row = work.ends[state.starts % KEPT_ENDS]
    for k in range(u.size):
        row[k] = u[k]
    state.starts += 1
    state.ends = min(state.ends + 1, KEPT_ENDS)


@internal
def next_start(work, u):
    """Where the next search starts, written to u; its value, or infinity if that is not known.

    First the given points in their order, apart from those whose value is known to be infinite, or the centre (with a
    little noise) if there are none; then the one of some uniform points that is farthest from where earlier searches
    ended.
    """
    state, d = work.scalars[0], u.size
    if state.ranked == 1:
        while state.starts < work.given.shape[0] and not work.given_f[state.starts] < np.inf:
            state.starts += 1
    if state.starts < work.given.shape[0]:
        for k in range(d):
            u[k] = work.given[state.starts, k]
        return work.given_f[state.starts]
    first, second = subkey(work.key, state.starts, POPULATION)
    if state.starts == 0:
        fill_uniforms(first, second, 0, u)
        for k in range(d):
            u[k] = 0.5 + JITTER * (2 * u[k] - 1)
        return np.inf
    farthest, chosen = -1.0, 0
    for i in range(TRIED):
        fill_uniforms(first, second, i * d, work.tried[i])
        nearest = np.inf
        for j in range(state.ends):
            square = 0.0
            for k in range(d):
                step = work.tried[i, k] - work.ends[j, k]
                square += step * step
            nearest = min(nearest, square)
        if nearest > farthest:
            farthest, chosen = nearest, i
    for k in range(d):
        u[k] = work.tried[chosen, k]
    return np.inf
