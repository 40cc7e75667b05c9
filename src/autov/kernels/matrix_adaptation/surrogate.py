"""The matrix adaptation strategy with a surrogate: most points of a generation get values of a model.

A generation is a sequence of batches. Its points are ordered by the model, and the best of them are evaluated, in
portions that grow, until the model ranks recent points as the function does; then the strategy learns from the model's
order of all points. Where that does not come about, all points are evaluated, and the strategy learns from their
values. ``queue`` holds the order of the points: first those with known values, then the batch, then the others.

`step` follows each batch. `refill` makes the points of a generation anew from the state alone, so that they need not be
kept between two calls. A model is fitted to the best of the recent points, in the unit box.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from autov.compiler.functions import internal, kernel, noinline
from autov.kernels.matrix_adaptation import steps
from autov.kernels.matrix_adaptation.restarts import inside, outside
from autov.kernels.matrix_adaptation.steps import es_ask, es_update, fill_rates
from autov.kernels.matrix_adaptation.work import SMOOTH, TINY, note_best
from autov.kernels.models.local_search import evaluate_batch, keep_told, may_evaluate, trace
from autov.kernels.models.quadratic_model import (
    DIAGONAL,
    FULL,
    LINEAR,
    NONE,
    Fitting,
    Model,
    count_terms,
    fit_model,
    fitting_arrays,
    kendall,
    largest_kind,
    model_arrays,
    multiply_hessian,
    predict,
    terms_of,
    to_frame,
)
from autov.kernels.order import sort_order

RANKS, VALUES_OF_F = range(2)  # Plan.fits
USED = 0.75  # the part of the archive, best first, that a model is fitted to
SPARE = 1.1  # points for each term before a model becomes more complex
KEPT = 2  # points for each term of the largest model that the archive holds
FEWEST = 4  # points before there is a model
COMPARED = 15  # the fewest recent points by which a model is judged

COUNTS = (
    "generation", "nfev", "nans",  # batches told, evaluations, NaN among them
    "told", "batch",  # points of the last batch told and of the next one
    "known",  # points of the generation that have values
    "held", "place",  # points in the archive, and where the next one goes
    "kind", "fitted", "fits",  # of the model; evaluations when it was fitted; how often one was
    "injected",  # whether the generation has the model's optimum
)  # fmt: skip
VALUES = ("best", "tau")
STATE = np.dtype((np.record, [(name, np.int64) for name in COUNTS] + [(name, np.float64) for name in VALUES]))


class Plan(NamedTuple):
    """What the settings say."""

    strategy: steps.Plan
    tau: float
    portion: float
    refit: float
    fits: int


class Work(NamedTuple):
    """State of a run and, from ``x`` on, buffers."""

    key: np.ndarray  # (2,) uint64
    scalars: np.ndarray  # (1,) a record, STATE
    best: np.ndarray  # (d,)
    strategy: steps.Work
    archive_x: np.ndarray  # (size, d) recent points, in the unit box
    archive_f: np.ndarray  # (size,)
    queue: np.ndarray  # (capacity,) int64, places of the generation's points
    known_f: np.ndarray  # (capacity,) values of the first ones in the queue
    z: np.ndarray  # (d,) the step to the model's optimum
    model: Model
    x: np.ndarray  # (capacity, d) the batch
    f: np.ndarray  # (capacity,)
    told_x: np.ndarray  # (capacity, d) the last batch told
    told_f: np.ndarray  # (capacity,)
    order: np.ndarray  # (2, archive or capacity) int64
    target: np.ndarray  # (archive or capacity,)
    predicted: np.ndarray  # (archive or capacity,)
    conjugate: np.ndarray  # (7, d)
    fitting: Fitting


def archive_size(d):
    """Points that the archive holds."""
    return max(2 * COMPARED, KEPT * terms_of(largest_kind(d), d))


def workspace(key, strategy, capacity):
    """A work around that of the strategy, with no evaluation made."""
    d, size = strategy.best.size, archive_size(strategy.best.size)
    scalars = np.zeros(len(COUNTS + VALUES), np.int64).view(STATE)
    scalars["best"] = np.inf
    longer = max(size, capacity)
    return Work(
        key, scalars, np.zeros(d), strategy, np.zeros((size, d)), np.zeros(size), np.zeros(capacity, np.int64),
        np.zeros(capacity), np.zeros(d), model_arrays(d), np.empty((capacity, d)), np.empty(capacity),
        np.empty((capacity, d)), np.empty(capacity), np.empty((2, longer), np.int64), np.empty(longer),
        np.empty(longer), np.empty((7, d)), fitting_arrays(d, size),
    )  # fmt: skip


@internal
def unit(x, lower, upper, u):
    """A point in the unit box."""
    for k in range(lower.size):
        u[k] = (x[k] - lower[k]) / (upper[k] - lower[k])


@internal
def refill(plan, work, lower, upper):
    """The points of the generation and the batch, from the state alone."""
    own = work.strategy.scalars[0]
    fill_rates(plan.strategy, own.batch, lower.size, own, work.strategy.weights)
    sample(plan, work, lower, upper)
    fill_batch(work)


@internal
def begin(plan, work, lower, upper):
    """The first batch: all given points, or as many as a first model needs."""
    state, own = work.scalars[0], work.strategy.scalars[0]
    fill_rates(plan.strategy, own.batch, lower.size, own, work.strategy.weights)
    begin_generation(plan, work, lower, upper)
    given = work.strategy.given.shape[0]
    if given > 0:
        state.batch = given
        fill_batch(work)


@kernel
def proceed(plan, work, lower, upper, told):
    """Fill the batch that waits, from a state alone, and take its values if it is told; in a new state, begin."""
    if work.scalars[0].batch == 0:
        begin(plan, work, lower, upper)
        return
    refill(plan, work, lower, upper)
    if told:
        step(plan, work, lower, upper)


@internal
def fill_batch(work):
    """Copy the points to evaluate next."""
    state = work.scalars[0]
    for i in range(state.batch):
        row = work.strategy.x[work.queue[state.known + i]]
        for k in range(row.size):
            work.x[i, k] = row[k]


@internal
def sample(plan, work, lower, upper):
    """Points of the generation; the first one is the model's optimum, if there is one."""
    strategy, d = work.strategy, lower.size
    es_ask(plan.strategy, strategy, lower, upper)
    if work.scalars[0].injected == 0:
        return
    z, step, target = strategy.z[0], strategy.step[0], strategy.x[0]
    sigma = strategy.scalars[0].sigma
    for k in range(d):
        z[k] = work.z[k]
        step[k] = 0.0
    for j in range(d):
        factor, row = z[j], strategy.matrix[j]
        for k in range(d):
            step[k] += factor * row[k]
    for k in range(d):
        y = inside(strategy.mean[k] + sigma * step[k], plan.strategy.bounds, plan.strategy.margin)
        target[k] = min(max(lower[k] + y * (upper[k] - lower[k]), lower[k]), upper[k])


@noinline
def begin_generation(plan, work, lower, upper):
    """Sample the next generation, order it by the model, and take the first portion."""
    state, own, strategy = work.scalars[0], work.strategy.scalars[0], work.strategy
    n = own.batch
    state.known = 0
    state.injected = 0
    if state.kind != NONE:
        seek_optimum(plan, work)
        state.injected = 1
    sample(plan, work, lower, upper)
    for i in range(n):
        work.queue[i] = i
    order_queue(work, lower, upper)
    least = np.int64(plan.portion * n)
    if state.held < FEWEST:
        least = max(least, FEWEST - state.held)
    state.batch = min(n, least + 1)
    if largest(strategy.best.size) == NONE:
        state.batch = n
    fill_batch(work)


@internal
def largest(d):
    """`largest_kind` in kernels."""
    found = NONE
    for kind in range(1, 4):
        if count_terms(kind, d) <= 500:
            found = kind
    return found


@internal
def order_queue(work, lower, upper):
    """Order the points without values by the model."""
    state, strategy = work.scalars[0], work.strategy
    rest = strategy.scalars[0].batch - state.known
    if state.kind == NONE:
        return
    u, v = work.conjugate[0], work.conjugate[1]
    for i in range(rest):
        unit(strategy.x[work.queue[state.known + i]], lower, upper, u)
        work.predicted[i] = predict(u, state.kind, work.model, v)
    sort_order(work.predicted, rest, work.order)
    for i in range(rest):
        work.order[1, i] = work.queue[state.known + work.order[0, i]]
    for i in range(rest):
        work.queue[state.known + i] = work.order[1, i]


@noinline
def seek_optimum(plan, work):
    """The step z to the model's optimum; where that is outside the box, to the nearest point of the box."""
    strategy, z, d = work.strategy, work.z, work.best.size
    step, lu = work.conjugate[0], work.fitting.covariance
    bounds, margin = plan.strategy.bounds, plan.strategy.margin
    sigma = strategy.scalars[0].sigma
    minimise(plan, work)
    for k in range(d):
        step[k] = 0.0
    for j in range(d):
        factor, row = z[j], strategy.matrix[j]
        for k in range(d):
            step[k] += factor * row[k]
            lu[k, j] = row[k]
    bent = False
    for k in range(d):
        u = inside(strategy.mean[k], bounds, margin) + sigma * step[k]
        y = outside(min(max(u, 0.0), 1.0), bounds, margin)
        bent = bent or abs(y - (strategy.mean[k] + sigma * step[k])) > 1e-3 * sigma
        step[k] = (y - strategy.mean[k]) / sigma
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
    state, strategy, model = work.scalars[0], work.strategy, work.model
    kind = state.kind
    d = work.best.size
    v, h, residual, p, hp, away, u = (
        work.conjugate[0], work.conjugate[1], work.conjugate[2], work.conjugate[3], work.conjugate[4],
        work.conjugate[5], work.conjugate[6],
    )  # fmt: skip
    z = work.z
    for k in range(d):
        u[k] = inside(strategy.mean[k], plan.strategy.bounds, plan.strategy.margin)
    to_frame(u, model.centre, model.frame, kind, v)
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
    d = p.size
    sigma = strategy.scalars[0].sigma
    for k in range(d):
        away[k] = 0.0
    for j in range(d):
        factor, row = sigma * p[j], strategy.matrix[j]
        for k in range(d):
            away[k] += factor * row[k]
    for k in range(d):
        if kind == FULL:
            s = 0.0
            for j in range(k + 1):
                s += model.frame[k, j] * away[j]
            v[k] = s
        else:
            v[k] = model.frame[k, k] * away[k]


@internal
def back(strategy, model, kind, h, away, out):
    """A gradient in the coordinates of the model as one of steps of the strategy."""
    d = h.size
    sigma = strategy.scalars[0].sigma
    if kind == FULL:
        for k in range(d):
            away[k] = 0.0
        for k in range(d):
            factor, row = h[k], model.frame[k]
            for j in range(k + 1):
                away[j] += factor * row[j]
    else:
        for k in range(d):
            away[k] = model.frame[k, k] * h[k]
    for j in range(d):
        s, row = 0.0, strategy.matrix[j]
        for k in range(d):
            s += row[k] * away[k]
        out[j] = sigma * s


@noinline
def archive(work, lower, upper):
    """The values of the batch join those of the generation, and its points the archive."""
    state = work.scalars[0]
    note_best(work.x, work.f, state.batch, state, work.best)
    keep_told(work, state.batch)
    limit = work.archive_f.size
    for i in range(state.batch):
        work.known_f[state.known + i] = work.f[i]
        unit(work.x[i], lower, upper, work.archive_x[state.place])
        work.archive_f[state.place] = work.f[i]
        state.place = (state.place + 1) % limit
        state.held = min(state.held + 1, limit)
    state.known += state.batch
    state.nfev += state.batch
    state.generation += 1


@noinline
def correlation(work):
    """Kendall's tau between the model and the function for the most recent points."""
    state = work.scalars[0]
    if state.kind == NONE:
        return 0.0
    n, limit = work.strategy.scalars[0].batch, work.archive_f.size
    number = np.int64(max(COMPARED, min(1.2 * state.known, 0.75 * n)))
    number = min(number, state.held)
    v = work.conjugate[0]
    for i in range(number):
        j = (state.place - 1 - i + limit) % limit
        work.target[i] = work.archive_f[j]
        work.predicted[i] = predict(work.archive_x[j], state.kind, work.model, v)
    return kendall(work.target, work.predicted, number)


@noinline
def fit(work):
    """Fit a model to the archive, as complex as the number of points allows."""
    state = work.scalars[0]
    d, size = work.best.size, state.held
    state.fitted = state.nfev
    state.kind = NONE
    most = largest(d)
    if most == NONE or size < FEWEST - 1:
        return
    kind = LINEAR
    for more in (DIAGONAL, FULL):
        if more <= most and USED * size >= SPARE * count_terms(more, d):
            kind = more
    used = min(size, max(count_terms(kind, d) + 2, np.int64(USED * (size + 1))))
    sort_order(work.archive_f, size, work.order)
    best, worst = work.archive_f[work.order[0, 0]], work.archive_f[work.order[0, used - 1]]
    while used > 1 and not worst < np.inf:
        used -= 1
        worst = work.archive_f[work.order[0, used - 1]]
    if not 0 < worst - best < np.inf:
        return
    for rank in range(used):
        i = work.order[0, rank]
        work.target[i] = (work.archive_f[i] - best) / (worst - best)
    if fit_model(work.archive_x, work.target, work.order[0], used, kind, work.model, work.fitting):
        state.kind = kind
        state.fits += 1


@noinline
def learn(plan, work, lower, upper):
    """Let the strategy learn from the values, or from the model where not all points have one."""
    state, strategy = work.scalars[0], work.strategy
    own = strategy.scalars[0]
    n = own.batch
    smallest = np.inf
    for i in range(state.known):
        smallest = min(smallest, work.known_f[i])
        strategy.f[work.queue[i]] = work.known_f[i]
    if state.known < n:
        u, v = work.conjugate[0], work.conjugate[1]
        for i in range(n):
            unit(strategy.x[i], lower, upper, u)
            strategy.f[i] = predict(u, state.kind, work.model, v)
    sort_order(strategy.f, n, strategy.order)
    own.best = state.best
    for k in range(work.best.size):
        strategy.best[k] = work.best[k]
    runs = own.runs
    es_update(plan.strategy, strategy, lower, upper, smallest, state.known)
    mirror_mean(plan.strategy, strategy)
    if own.runs > runs:
        state.held = 0
        state.place = 0
        state.kind = NONE


@internal
def mirror_mean(plan, strategy):
    """Where the mean has left the box, take its mirror image inside, with mirrored steps: the same distribution there.

    A model in the box then sees the steps as they are.
    """
    d, mean = strategy.best.size, strategy.mean
    margin = plan.margin if plan.bounds == SMOOTH else 0.0
    for k in range(d):
        if mean[k] < -margin or mean[k] > 1 + margin:
            u = (mean[k] + margin) / (1 + 2 * margin)
            turns = np.rint(0.5 * u)
            if u - 2 * turns < 0:
                for j in range(d):
                    strategy.matrix[j, k] = -strategy.matrix[j, k]
            mean[k] = abs(u - 2 * turns) * (1 + 2 * margin) - margin


@kernel
def step(plan, work, lower, upper):
    """Take the values of the batch; the next one follows."""
    state, own = work.scalars[0], work.strategy.scalars[0]
    n = own.batch
    archive(work, lower, upper)
    gap = plan.refit * count_terms(max(state.kind, LINEAR), lower.size)
    may = state.kind == NONE or state.nfev - state.fitted >= gap
    if plan.fits == 1:
        if may:
            fit(work)
        state.tau = correlation(work)
    else:
        state.tau = correlation(work)
        if state.tau < plan.tau and may:
            fit(work)
            state.tau = correlation(work)
    if state.known < n and (state.tau < plan.tau or (own.generation == 0 and work.strategy.given.shape[0] > 0)):
        more = (state.known + 1) // 2
        state.batch = min(more, n - state.known)
        order_queue(work, lower, upper)
        fill_batch(work)
        return
    learn(plan, work, lower, upper)
    begin_generation(plan, work, lower, upper)


@kernel
def run(plan, work, objective, lower, upper, budget, final, trace_nfev, trace_best, traced):
    """Batches until ``budget`` evaluations are made since the start; return the number of traced batches.

    Of a batch that does not fit into the budget, what fits is evaluated if this is the ``final`` call, and not told;
    otherwise nothing, and a later call with a larger budget goes on as if there had been no break.
    """
    state = work.scalars[0]
    refill(plan, work, lower, upper)
    while may_evaluate(state, budget, final):
        whole = evaluate_batch(work, objective, budget)
        if whole:
            step(plan, work, lower, upper)
        traced = trace(state, trace_nfev, trace_best, traced)
        if not whole:
            break
    return traced
