"""What the matrix adaptation strategy works on: its plan, its arrays, their sizes, weights and learning rates."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from autov.compiler.functions import internal, noinline
from autov.kernels.tiles import COLUMNS, ROWS, padded

# Plan.numbers
(POPSIZE_GIVEN, POPSIZE_FACTOR, SIGMA_FIRST, LONGEST, C_1_FACTOR, C_MU_FACTOR, C_SIGMA_FACTOR, D_SIGMA_FACTOR,
 C_C_FACTOR, NEGATIVE, MARGIN, GROWTH, RESTART_SIGMA, TOL_X, TOL_F, PATIENCE, POPSIZE_BUDGET,
 PLAN_NUMBERS) = range(18)  # fmt: skip
# Plan.choices
RESTARTS, BOUNDS, RESTART_MEAN, PATHS, FIRST_MEAN, PLAN_CHOICES = range(6)
NEVER, IPOP, BIPOP = range(3)  # of RESTARTS
FOLD, SMOOTH, CLIP = range(3)  # of BOUNDS
UNIFORM, BEST_POINT, MIXED = range(3)  # of RESTART_MEAN: in a mixture, small runs begin at the best point
ONE_PATH, TWO_PATHS = range(2)  # of PATHS
ANYWHERE, CENTRE = range(2)  # of FIRST_MEAN

# Work.counters
(GENERATION, BATCH, BASE, LARGE, CAPACITY, NFEV, RUN_NFEV, RUN_LIMIT, RUN_GENERATION, IMPROVED, WINDOW, RUNS, SMALL,
 SPENT_LARGE, SPENT_SMALL, LAST_LARGE, NANS, TOLD, COUNTERS) = range(19)  # fmt: skip
# Work.numbers
(SIGMA, BEST, RUN_BEST, WINDOW_LOW, WINDOW_HIGH, MU_EFF, C_SIGMA, D_SIGMA, C_C, C_1, C_MU, NUMBERS) = range(12)

SMALL_BUDGET = 50  # evaluations for each variable up to which a population does not depend on the budget
CELLS = 2**22  # most numbers in the steps of one population
DOUBLINGS = 9  # most doublings of the population, as in BIPOP-CMA-ES
NO_LIMIT = 2**62  # evaluations of a run
TINY, HUGE = 1e-150, 1e150  # a step beyond these has no meaning any more


class Plan(NamedTuple):
    """What the settings say."""

    numbers: np.ndarray  # (PLAN_NUMBERS,)
    choices: np.ndarray  # (PLAN_CHOICES,) int64


class Work(NamedTuple):
    """State of a run and, from ``weights`` on, buffers that are filled before they are read."""

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


def base_popsize(plan, d, maxfev):
    """The population of the first run: the given one, or a factor times 4 + floor(3 ln d), more for large budgets."""
    if plan.numbers[POPSIZE_GIVEN] > 0:
        return np.int64(plan.numbers[POPSIZE_GIVEN])
    size = plan.numbers[POPSIZE_FACTOR] * (4 + math.floor(3 * math.log(d)))
    if plan.numbers[POPSIZE_BUDGET] > 0:
        size *= max(1.0, maxfev / (SMALL_BUDGET * d)) ** plan.numbers[POPSIZE_BUDGET]
    return max(4, np.int64(size))


def most_points(plan, d, maxfev, given):
    """The largest population: a tenth of the budget, nine doublings, CELLS numbers; at least the first one."""
    base = base_popsize(plan, d, maxfev)
    grown = min(maxfev // 10, base << DOUBLINGS, CELLS // d)
    if plan.choices[RESTARTS] == NEVER:
        grown = base
    return max(base, given, grown)


def workspace(key, d, capacity, most, given, basis):
    """Buffers for ``capacity`` points, weights for ``most``; the state is not yet filled (see `es_start`).

    Not compiled: NumPy makes the arrays faster than compiled code hands twenty of them over to Python.
    """
    wide, high, rows = padded(d, COLUMNS), padded(d, ROWS), padded(capacity + 1, ROWS)
    size = capacity * d // 2 + 2
    bits = np.empty(size, np.uint64)
    return Work(
        key, np.zeros(COUNTERS, np.int64), np.zeros(NUMBERS), np.zeros(wide), np.zeros(wide), np.zeros(wide),
        np.zeros((high, wide)), basis, given, np.zeros(d), np.empty(max(most, 2)), np.zeros((rows, wide)),
        np.zeros((rows, wide)), np.zeros((rows, wide)), np.empty((capacity, d)), np.empty(capacity),
        np.empty((capacity, d)), np.empty(capacity), np.empty((2, capacity), np.int64), bits, bits.view(np.int32),
        np.empty(2 * size, np.float32),
    )  # fmt: skip


# These and other steps of the strategy are given single arrays, not a Work: a function with all of its arrays takes
# longer to compile. Squares are written as products: of a power Numba makes a function of its own.
@noinline
def fill_rates(plan, n, d, numbers, w):
    """Weights and learning rates for n points: formulas of the paper, negative weights as in active CMA-ES."""
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
    c_1 = min(1.0, plan.numbers[C_1_FACTOR] * 2 / ((d + 1.3) * (d + 1.3) + mu_eff))
    c_mu = plan.numbers[C_MU_FACTOR] * 2 * (mu_eff - 2 + 1 / mu_eff) / ((d + 2) * (d + 2) + mu_eff)
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
def note_best(x, f, n, counters, numbers, best):
    """Keep the best of the first n points, if it is better than all before."""
    place = 0
    for i in range(1, n):
        if f[i] < f[place]:
            place = i
    if f[place] < numbers[BEST] or counters[NFEV] == 0:
        numbers[BEST] = f[place]
        for k in range(best.size):
            best[k] = x[place, k]
