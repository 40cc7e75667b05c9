"""The steps of the matrix adaptation evolution strategy, and a whole run made of them.

`es_start`, then `es_ask` and `es_tell` in turns; `es_run` repeats these two on a compiled objective until a budget is
used up, and goes on from there when it is called again with a larger one. What the settings say is a `Plan`: one array
of numbers and one of choices, read by index, so that no setting causes a new compilation. What changes is a `Work`.

Coordinates are those of the unit box. Rows of ``matrix`` are the columns of M, so that both products of a generation,
the steps M z and the update of M, are sums of rows times numbers and share one piece of vector code.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from autov.kernels.jit import internal, kernel
from autov.kernels.random import NORMALS, POPULATION, fill_normals, fill_uniforms, subkey
from autov.kernels.run import evaluate_blocks
from autov.kernels.tiles import COLUMNS, ROWS, add_products, multiply_rows, padded

# Plan.numbers
(POPSIZE_GIVEN, POPSIZE_FACTOR, SIGMA_FIRST, LONGEST, C_1_FACTOR, C_MU_FACTOR, C_SIGMA_FACTOR, D_SIGMA_FACTOR,
 C_C_FACTOR, NEGATIVE, MARGIN, GROWTH, RESTART_SIGMA, TOL_X, TOL_F, PATIENCE, PLAN_NUMBERS) = range(17)  # fmt: skip
# Plan.choices
RESTARTS, BOUNDS, RESTART_MEAN, PATHS, PLAN_CHOICES = range(5)
NEVER, IPOP, BIPOP = range(3)  # of RESTARTS
FOLD, SMOOTH, CLIP = range(3)  # of BOUNDS
UNIFORM, BEST_POINT = range(2)  # of RESTART_MEAN
ONE_PATH, TWO_PATHS = range(2)  # of PATHS

# Work.counters
(GENERATION, BATCH, BASE, LARGE, CAPACITY, NFEV, RUN_NFEV, RUN_LIMIT, RUN_GENERATION, IMPROVED, WINDOW, RUNS, SMALL,
 SPENT_LARGE, SPENT_SMALL, LAST_LARGE, NANS, TOLD, COUNTERS) = range(19)  # fmt: skip
# Work.numbers
(SIGMA, BEST, RUN_BEST, WINDOW_LOW, WINDOW_HIGH, MU_EFF, C_SIGMA, D_SIGMA, C_C, C_1, C_MU, NUMBERS) = range(12)

RESTART = 5  # a purpose of the random stream
CELLS = 2**22  # most numbers in the steps of one population
DOUBLINGS = 9  # most doublings of the population, as in BIPOP-CMA-ES
TINY, HUGE = 1e-150, 1e150  # a step beyond these has no meaning any more


class Plan(NamedTuple):
    """What the settings say."""

    numbers: np.ndarray  # (PLAN_NUMBERS,)
    choices: np.ndarray  # (PLAN_CHOICES,) int64


class Work(NamedTuple):
    """State of a run and, from ``weights`` on, buffers that a step fills before it reads them."""

    key: np.ndarray  # (2,) uint64
    counters: np.ndarray  # (COUNTERS,) int64
    numbers: np.ndarray  # (NUMBERS,)
    mean: np.ndarray  # (d padded,)
    path: np.ndarray  # (d padded,) s of the paper
    slow: np.ndarray  # (d padded,) the path of the rank-one update
    matrix: np.ndarray  # (d padded to ROWS, d padded) rows are columns of M
    basis: np.ndarray  # the same for the first matrix, (0, 0) if it is the identity
    given: np.ndarray  # (k, d) first points that the caller wants
    best: np.ndarray  # (d,)
    weights: np.ndarray  # (largest population,)
    z: np.ndarray  # (rows, d padded); the row behind the population belongs to the rank-one update
    scaled: np.ndarray  # (rows, d padded) z times coefficients
    step: np.ndarray  # (rows, d padded) M z
    x: np.ndarray  # (capacity, d) points
    f: np.ndarray  # (capacity,) their values
    told_x: np.ndarray  # (capacity, d) the last points told, when `es_run` returns
    told_f: np.ndarray  # (capacity,)
    order: np.ndarray  # (2, capacity) int64
    bits: np.ndarray  # uint64
    words: np.ndarray  # bits seen as 32-bit integers
    normal: np.ndarray  # float32


@kernel
def base_popsize(plan, d):
    """The population of the first run: the given one, or a factor times 4 + floor(3 ln d)."""
    if plan.numbers[POPSIZE_GIVEN] > 0:
        return np.int64(plan.numbers[POPSIZE_GIVEN])
    return max(4, np.int64(plan.numbers[POPSIZE_FACTOR] * (4 + math.floor(3 * math.log(d)))))


@kernel
def most_points(plan, d, maxfev, given):
    """The largest population: a tenth of the budget, nine doublings, CELLS numbers; at least the first one."""
    base = base_popsize(plan, d)
    grown = min(maxfev // 10, base << DOUBLINGS, CELLS // d)
    if plan.choices[RESTARTS] == NEVER:
        grown = base
    return max(base, given, grown)


@kernel
def workspace(key, d, capacity, most, given, basis):
    """Buffers for ``capacity`` points, weights for ``most``; the state is not yet filled (see `es_start`)."""
    wide, high = padded(d, COLUMNS), padded(d, ROWS)
    rows = padded(capacity + 1, ROWS)
    size = capacity * d // 2 + 2
    bits = np.empty(size, np.uint64)
    return Work(
        key, np.zeros(COUNTERS, np.int64), np.zeros(NUMBERS), np.zeros(wide), np.zeros(wide), np.zeros(wide),
        np.zeros((high, wide)), basis, given, np.zeros(d), np.empty(max(most, 2)), np.zeros((rows, wide)),
        np.zeros((rows, wide)), np.zeros((rows, wide)), np.empty((capacity, d)), np.empty(capacity),
        np.empty((capacity, d)), np.empty(capacity), np.empty((2, capacity), np.int64), bits, bits.view(np.int32), np.empty(2 * size, np.float32),
    )  # fmt: skip


@kernel
def fill_rates(plan, work, n):
    """Weights and learning rates for n points: formulas of the paper, negative weights as in active CMA-ES."""
    numbers = work.numbers
    w = work.weights
    d = work.best.size
    mu = n // 2
    total = squares = 0.0
    for i in range(n):
        w[i] = math.log((n + 1) / 2) - math.log(i + 1.0)
        if i < mu:
            total += w[i]
            squares += w[i] * w[i]
    mu_eff = total * total / squares
    below = below_squares = 0.0
    for i in range(mu, n):
        below -= w[i]
        below_squares += w[i] * w[i]
    c_sigma = min(1.0, plan.numbers[C_SIGMA_FACTOR] * (mu_eff + 2) / (d + mu_eff + 5))
    damping = 1 + 2 * max(0.0, math.sqrt((mu_eff - 1) / (d + 1)) - 1) + c_sigma
    c_c = c_sigma
    if plan.choices[PATHS] == TWO_PATHS:
        c_c = min(1.0, plan.numbers[C_C_FACTOR] * (4 + mu_eff / d) / (d + 4 + 2 * mu_eff / d))
    c_1 = min(1.0, plan.numbers[C_1_FACTOR] * 2 / ((d + 1.3) ** 2 + mu_eff))
    c_mu = plan.numbers[C_MU_FACTOR] * 2 * (mu_eff - 2 + 1 / mu_eff) / ((d + 2) ** 2 + mu_eff)
    c_mu = max(0.0, min(1 - c_1, c_mu))
    # All negative weights together: as strong as the decay, no stronger than their own variance allows, and weak
    # enough that M cannot lose its rank in one generation.
    negative = 0.0
    if below > 0 and c_mu > 0:
        negative = min(1 + c_1 / c_mu, 1 + 2 * (below * below / below_squares) / (mu_eff + 2))
        negative = plan.numbers[NEGATIVE] * min(negative, (1 - c_1 - c_mu) / (d * c_mu)) / below
    for i in range(n):
        w[i] *= 1 / total if i < mu else negative
    numbers[MU_EFF] = mu_eff
    numbers[C_SIGMA] = c_sigma
    numbers[D_SIGMA] = plan.numbers[D_SIGMA_FACTOR] * damping
    numbers[C_C] = c_c
    numbers[C_1] = c_1
    numbers[C_MU] = c_mu


@internal
def inside(y, bounds, margin):
    """The variable in [0, 1] at which y is evaluated."""
    if bounds == CLIP:
        return min(max(y, 0.0), 1.0)
    if bounds == FOLD:
        return abs(y - 2 * np.rint(0.5 * y))
    if y < -margin or y > 1 + margin:  # fold at the turning points of the transformation
        u = (y + margin) / (1 + 2 * margin)
        y = abs(u - 2 * np.rint(0.5 * u)) * (1 + 2 * margin) - margin
    if y < margin:
        return (y + margin) ** 2 / (4 * margin)
    if y > 1 - margin:
        return 1 - (1 + margin - y) ** 2 / (4 * margin)
    return y


@internal
def outside(u, bounds, margin):
    """A y with inside(y) = u, for u in [0, 1]."""
    if bounds == SMOOTH and u < margin:
        return 2 * math.sqrt(margin * max(u, 0.0)) - margin
    if bounds == SMOOTH and u > 1 - margin:
        return 1 + margin - 2 * math.sqrt(margin * max(1 - u, 0.0))
    return u


@internal
def begin_run(plan, work, n, sigma):
    """Everything but the mean as at the start of a run of n points."""
    counters, numbers = work.counters, work.numbers
    d = work.best.size
    counters[BATCH] = n
    counters[RUN_NFEV] = 0
    counters[RUN_GENERATION] = 0
    counters[IMPROVED] = 0
    counters[WINDOW] = 0
    numbers[SIGMA] = sigma
    numbers[RUN_BEST] = np.inf
    numbers[WINDOW_LOW] = np.inf
    numbers[WINDOW_HIGH] = -np.inf
    for k in range(work.mean.size):
        work.path[k] = 0.0
        work.slow[k] = 0.0
    for k in range(d):
        for j in range(d):
            work.matrix[k, j] = (1.0 if j == k else 0.0) if work.basis.size == 0 else work.basis[k, j]
    fill_rates(plan, work, n)


@internal
def draw_mean(work):
    """A uniform mean."""
    first, second = subkey(work.key, work.counters[GENERATION], POPULATION)
    fill_uniforms(first, second, 0, work.mean[: work.best.size])


@kernel
def es_start(plan, work, lower, upper, capacity):
    """Fill the state of a new run; the mean is uniform, or that of the given points."""
    counters = work.counters
    d = lower.size
    given = work.given.shape[0]
    counters[BASE] = base_popsize(plan, d)
    counters[LARGE] = counters[BASE]
    counters[CAPACITY] = capacity
    counters[RUNS] = 1
    counters[RUN_LIMIT] = np.int64(2) ** 62
    work.numbers[BEST] = np.inf
    if given == 0:
        draw_mean(work)
    for k in range(d if given > 0 else 0):
        total = 0.0
        for i in range(given):
            total += outside((work.given[i, k] - lower[k]) / (upper[k] - lower[k]), plan.choices[BOUNDS],
                             plan.numbers[MARGIN])  # fmt: skip
        work.mean[k] = total / given
    # The first population holds all given points; the next one has its own size again.
    begin_run(plan, work, max(counters[BASE], given), plan.numbers[SIGMA_FIRST])


@kernel
def es_ask(plan, work, lower, upper):
    """Fill z, step and the points x of the next generation."""
    d = lower.size
    n = work.counters[BATCH]
    generation = work.counters[GENERATION]
    sigma = work.numbers[SIGMA]
    bounds, margin = plan.choices[BOUNDS], plan.numbers[MARGIN]
    first, second = subkey(work.key, generation, NORMALS)
    fill_normals(first, second, 0, (n * d + 1) // 2, work.bits, work.words, work.normal)
    for i in range(n):
        for k in range(d):
            work.z[i, k] = work.normal[i * d + k]
    multiply_rows(work.z, work.matrix, work.step, n, d)
    given = work.given.shape[0] if generation == 0 else 0
    for i in range(n):
        target, step = work.x[i], work.step[i]
        if i < given:
            take_given(work, i, sigma, lower, upper, bounds, margin)
        elif bounds == FOLD:
            for k in range(d):
                y = work.mean[k] + sigma * step[k]
                y = abs(y - 2 * np.rint(0.5 * y))
                target[k] = min(max(lower[k] + y * (upper[k] - lower[k]), lower[k]), upper[k])
        else:
            for k in range(d):
                y = inside(work.mean[k] + sigma * step[k], bounds, margin)
                target[k] = min(max(lower[k] + y * (upper[k] - lower[k]), lower[k]), upper[k])


@internal
def take_given(work, i, sigma, lower, upper, bounds, margin):
    """Point i is a given one: its step follows from the point, not longer than a normal one plausibly is."""
    d = lower.size
    step, z = work.step[i], work.z[i]
    square = 0.0
    for k in range(d):
        work.x[i, k] = work.given[i, k]
        u = outside((work.given[i, k] - lower[k]) / (upper[k] - lower[k]), bounds, margin)
        step[k] = (u - work.mean[k]) / sigma
        square += step[k] * step[k]
    shrink = min(1.0, (math.sqrt(d) + 2 * d / (d + 2)) / math.sqrt(max(square, TINY)))
    for k in range(d):
        step[k] *= shrink
    for k in range(d):  # the first matrix is orthogonal: its transpose is its inverse
        z[k] = step[k]
        if work.basis.size > 0:
            z[k] = 0.0
            for j in range(d):
                z[k] += work.basis[k, j] * step[j]


@kernel
def sort_order(f, n, order):
    """Write the places of f's values, smallest first, equal ones in their order, into order[0]; order[1] is scratch."""
    block = 16
    for begin in range(0, n, block):
        for i in range(begin, min(begin + block, n)):
            j = i
            while j > begin and f[order[0, j - 1]] > f[i]:
                order[0, j] = order[0, j - 1]
                j -= 1
            order[0, j] = i
    while block < n:
        for begin in range(0, n, 2 * block):
            a, middle = begin, min(begin + block, n)
            b, end = middle, min(begin + 2 * block, n)
            for k in range(begin, end):
                if b >= end or (a < middle and f[order[0, a]] <= f[order[0, b]]):
                    order[1, k] = order[0, a]
                    a += 1
                else:
                    order[1, k] = order[0, b]
                    b += 1
        for k in range(n):
            order[0, k] = order[1, k]
        block *= 2


@internal
def note_best(work, n):
    """Keep the best of the first n points, if it is better than all before."""
    best = 0
    for i in range(1, n):
        if work.f[i] < work.f[best]:
            best = i
    if work.f[best] < work.numbers[BEST] or work.counters[NFEV] == 0:
        work.numbers[BEST] = work.f[best]
        for k in range(work.best.size):
            work.best[k] = work.x[best, k]


@internal
def adapt(plan, work):
    """Move the mean, then the paths, the matrix and the step size; return the largest deviation of a variable."""
    numbers, w = work.numbers, work.weights
    d = work.best.size
    wide = work.mean.size
    n = work.counters[BATCH]
    sigma, c_sigma, c_c, c_1, c_mu = numbers[SIGMA], numbers[C_SIGMA], numbers[C_C], numbers[C_1], numbers[C_MU]
    keep, add = 1 - c_sigma, math.sqrt(numbers[MU_EFF] * c_sigma * (2 - c_sigma))
    keep_slow, add_slow = 1 - c_c, math.sqrt(numbers[MU_EFF] * c_c * (2 - c_c))
    path, slow, mean = work.path, work.slow, work.mean
    for k in range(wide):
        path[k] *= keep
        slow[k] *= keep_slow
    for rank in range(n // 2):
        i = work.order[0, rank]
        z, step = work.z[i], work.step[i]
        a, b, c = add * w[rank], add_slow * w[rank], sigma * w[rank]
        for k in range(d):
            path[k] += a * z[k]  # s <- (1 - c_s) s + sqrt(mu_eff c_s (2 - c_s)) <z>
            slow[k] += b * z[k]
            mean[k] += c * step[k]  # y <- y + sigma <d>
    if plan.choices[BOUNDS] == CLIP:
        for k in range(d):
            mean[k] = min(max(mean[k], 0.0), 1.0)

    # M <- M (I + c_1/2 (s s' - I) + c_mu/2 (sum w z z' - I)) = (1 - ...) M + sum of (M z)(w z)', and M z is the step.
    total = 0.0
    for rank in range(n):
        i = work.order[0, rank]
        z, scaled = work.z[i], work.scaled[i]
        weight = w[rank]
        total += weight
        if rank >= n // 2:
            square = 0.0
            for k in range(d):
                square += z[k] * z[k]
            weight *= d / max(square, 1e-30)
        weight *= 0.5 * c_mu
        for k in range(d):
            scaled[k] = weight * z[k]
    last = work.step[n]
    for k in range(wide):
        last[k] = 0.0
    for k in range(d):
        row = work.matrix[k]
        factor = slow[k]
        work.scaled[n, k] = 0.5 * c_1 * factor
        for j in range(wide):
            last[j] += factor * row[j]
    add_products(work.matrix, 1 - 0.5 * c_1 - 0.5 * c_mu * total, work.scaled, work.step, n + 1)

    square = 0.0
    for k in range(d):
        square += path[k] * path[k]
    expected = math.sqrt(d) * (1 - 1 / (4.0 * d) + 1 / (21.0 * d * d))
    sigma *= math.exp(min(1.0, c_sigma / numbers[D_SIGMA] * (math.sqrt(square) / expected - 1)))

    for j in range(wide):
        last[j] = 0.0
    for k in range(d):
        row = work.matrix[k]
        for j in range(wide):
            last[j] += row[j] * row[j]
    longest = 0.0
    for j in range(d):
        longest = max(longest, last[j])
        if not last[j] < HUGE:
            longest = np.inf
    longest = math.sqrt(longest)
    # A box seen through folding has no end: without this limit the step grows for ever on a function far from its
    # optimum.
    numbers[SIGMA] = min(sigma, max(plan.numbers[LONGEST], plan.numbers[SIGMA_FIRST]) / longest)
    return longest * numbers[SIGMA]


@internal
def has_ended(plan, work, deviation, smallest):
    """Whether the run has converged or got stuck; the smallest value is that of the last generation."""
    counters, numbers = work.counters, work.numbers
    if not (deviation > TINY and numbers[SIGMA] > TINY and numbers[SIGMA] < HUGE):
        return True
    if plan.choices[RESTARTS] == NEVER:
        return False
    spread = work.best.size / counters[BATCH]  # a matrix is learnt in about d^2 evaluations: d spread generations
    if smallest < numbers[RUN_BEST]:
        numbers[RUN_BEST] = smallest
        counters[IMPROVED] = counters[RUN_GENERATION]
    if counters[RUN_GENERATION] - counters[IMPROVED] > plan.numbers[PATIENCE] * (60 + 30 * spread):
        return True
    numbers[WINDOW_LOW] = min(numbers[WINDOW_LOW], smallest)
    numbers[WINDOW_HIGH] = max(numbers[WINDOW_HIGH], smallest)
    counters[WINDOW] += 1
    if counters[WINDOW] >= 10 + 30 * spread:
        low, high = numbers[WINDOW_LOW], numbers[WINDOW_HIGH]
        if high <= low + plan.numbers[TOL_F] * abs(low):  # also if all are infinite
            return True
        counters[WINDOW] = 0
        numbers[WINDOW_LOW] = np.inf
        numbers[WINDOW_HIGH] = -np.inf
    return deviation < plan.numbers[TOL_X] or counters[RUN_NFEV] >= counters[RUN_LIMIT]


@internal
def restart(plan, work, lower, upper):
    """Begin another run, with the population and the step size that the regime of restarts says."""
    counters = work.counters
    base = counters[BASE]
    n = base
    sigma = plan.numbers[SIGMA_FIRST] * plan.numbers[RESTART_SIGMA]
    if counters[SMALL] == 1:
        counters[SPENT_SMALL] += counters[RUN_NFEV]
    elif counters[RUNS] > 1:
        counters[SPENT_LARGE] += counters[RUN_NFEV]
        counters[LAST_LARGE] = counters[RUN_NFEV]
    counters[RUNS] += 1
    counters[SMALL] = 0
    counters[RUN_LIMIT] = np.int64(2) ** 62
    if plan.choices[RESTARTS] == BIPOP and counters[SPENT_SMALL] < counters[SPENT_LARGE]:
        first, second = subkey(work.key, counters[GENERATION], RESTART)
        u = work.weights[:2]  # those of the run that has ended
        fill_uniforms(first, second, 0, u)
        n = np.int64(base * max(1.0, 0.5 * counters[LARGE] / base) ** (u[0] * u[0]))
        sigma *= 10 ** (-2 * u[1])
        counters[SMALL] = 1
        counters[RUN_LIMIT] = counters[LAST_LARGE] // 2
    elif plan.choices[RESTARTS] != NEVER:
        n = max(base, np.int64(counters[LARGE] * plan.numbers[GROWTH]))
        if n > counters[CAPACITY]:
            n = base
        counters[LARGE] = n
    if plan.choices[RESTART_MEAN] == UNIFORM:
        draw_mean(work)
    else:
        for k in range(lower.size):
            u_k = (work.best[k] - lower[k]) / (upper[k] - lower[k])
            work.mean[k] = outside(u_k, plan.choices[BOUNDS], plan.numbers[MARGIN])
    begin_run(plan, work, n, sigma)


@kernel
def es_tell(plan, work, lower, upper):
    """Take the values f of the points that `es_ask` filled last; the state is then that of the next generation."""
    counters = work.counters
    n = counters[BATCH]
    note_best(work, n)
    sort_order(work.f, n, work.order)
    smallest = work.f[work.order[0, 0]]
    deviation = adapt(plan, work)
    counters[GENERATION] += 1
    counters[TOLD] = n
    counters[NFEV] += n
    counters[RUN_NFEV] += n
    counters[RUN_GENERATION] += 1
    if has_ended(plan, work, deviation, smallest):
        restart(plan, work, lower, upper)
    elif counters[GENERATION] == 1 and n != counters[BASE]:
        counters[BATCH] = counters[BASE]
        fill_rates(plan, work, counters[BASE])


@internal
def keep_told(work):
    """Copy the last points told to where they stay."""
    for i in range(work.counters[TOLD]):
        work.told_f[i] = work.f[i]
        for k in range(work.best.size):
            work.told_x[i, k] = work.x[i, k]


@kernel
def es_run(plan, work, objective, lower, upper, budget, final, trace_nfev, trace_best, traced):
    """Generations until ``budget`` evaluations are made since the start; return the number of traced generations.

    Of a generation that does not fit into the budget, what fits is evaluated if this is the ``final`` call, and not
    told; otherwise nothing, and a later call with a larger budget goes on as if there had been no break. After each
    generation the evaluations made and the best value are written behind the first ``traced`` ones.
    """
    counters = work.counters
    while counters[NFEV] < budget:
        n = counters[BATCH]
        m = min(n, budget - counters[NFEV])
        if m < n and not final:
            break
        if m < n:
            keep_told(work)
        es_ask(plan, work, lower, upper)
        counters[NANS] += evaluate_blocks(work.key, counters[GENERATION], objective, work.x[:m], work.f[:m])
        if m < n:
            note_best(work, m)
            counters[NFEV] += m
        else:
            es_tell(plan, work, lower, upper)
        if traced < trace_nfev.size:
            trace_nfev[traced] = counters[NFEV]
            trace_best[traced] = work.numbers[BEST]
            traced += 1
        if m < n:
            return traced
    keep_told(work)
    return traced
