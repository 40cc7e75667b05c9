"""What the matrix adaptation strategy works on: its plan, its arrays, their sizes, weights and learning rates."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from autov.compiler.functions import internal, noinline
from autov.kernels.matrix_products import COLUMNS, ROWS, padded

NEVER, IPOP, BIPOP = range(3)  # Plan.restarts
FOLD, SMOOTH, CLIP = range(3)  # Plan.bounds
UNIFORM, BEST_POINT, MIXED = range(3)  # Plan.restart_mean: in a mixture, small runs begin at the best point
ONE_PATH, TWO_PATHS = range(2)  # Plan.paths
ANYWHERE, CENTRE = range(2)  # Plan.first_mean

SMALL_BUDGET = 50  # evaluations for each variable up to which a population does not depend on the budget
CELLS = 2**22  # most numbers in the steps of one population
DOUBLINGS = 9  # most doublings of the population, as in BIPOP-CMA-ES
NO_LIMIT = 2**62  # evaluations of a run
TINY, HUGE = 1e-150, 1e150  # a step beyond these has no meaning any more


class Plan(NamedTuple):
    """What the settings say: floats, and choices by their numbers above."""

    popsize: float  # 0 for one that depends on the number of variables
    popsize_factor: float
    popsize_budget: float
    sigma: float
    longest: float
    c_1_factor: float
    c_mu_factor: float
    c_sigma_factor: float
    d_sigma_factor: float
    c_c_factor: float
    negative: float
    margin: float
    growth: float
    restart_sigma: float
    tol_x: float
    tol_f: float
    patience: float
    restarts: int
    bounds: int
    restart_mean: int
    paths: int
    first_mean: int


COUNTS = (
    "generation", "nfev", "nans", "told",  # batches told; evaluations; NaN among them; points of the last batch told
    "batch", "popsize", "large", "capacity",  # populations: the next, the first, the largest so far, the largest of all
    "runs", "run_nfev", "run_limit", "run_generation", "improved", "window",  # of the run between two restarts
    "small", "spent_large", "spent_small", "last_large",  # whether the run is a small one; evaluations of bipop
)  # fmt: skip
VALUES = (
    "sigma", "best", "run_best", "window_low", "window_high",  # the step size, best values, those of a window
    "mu_eff", "c_sigma", "d_sigma", "c_c", "c_1", "c_mu",  # made anew from the population by `fill_rates`
)  # fmt: skip
STATE = np.dtype((np.record, [(name, np.int64) for name in COUNTS] + [(name, np.float64) for name in VALUES]))


class Work(NamedTuple):
    """State of a run and, from ``weights`` on, buffers that are filled before they are read."""

    key: np.ndarray  # (2,) uint64
    scalars: np.ndarray  # (1,) a record, STATE
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
    if plan.popsize > 0:
        return np.int64(plan.popsize)
    size = plan.popsize_factor * (4 + math.floor(3 * math.log(d)))
    if plan.popsize_budget > 0:
        size *= max(1.0, maxfev / (SMALL_BUDGET * d)) ** plan.popsize_budget
    return max(4, np.int64(size))


def most_points(plan, d, maxfev, given):
    """The largest population: a tenth of the budget, nine doublings, CELLS numbers; at least the first one."""
    base = base_popsize(plan, d, maxfev)
    grown = min(maxfev // 10, base << DOUBLINGS, CELLS // d)
    if plan.restarts == NEVER:
        grown = base
    return max(base, given, grown)


def workspace(key, d, capacity, most, given, basis):
    """Buffers for ``capacity`` points, weights for ``most``; the state is not yet filled (see `es_start`).

    Not compiled: NumPy makes the arrays faster than compiled code hands twenty of them over to Python. It fills and
    copies a record field by field, and therefore slower than the words that the record is made of.
    """
    wide, high, rows = padded(d, COLUMNS), padded(d, ROWS), padded(capacity + 1, ROWS)
    size = capacity * d // 2 + 2
    bits = np.empty(size, np.uint64)
    return Work(
        key, np.zeros(len(COUNTS + VALUES), np.int64).view(STATE), np.zeros(wide), np.zeros(wide), np.zeros(wide),
        np.zeros((high, wide)), basis, given, np.zeros(d), np.empty(max(most, 2)), np.zeros((rows, wide)),
        np.zeros((rows, wide)), np.zeros((rows, wide)), np.empty((capacity, d)), np.empty(capacity),
        np.empty((capacity, d)), np.empty(capacity), np.empty((2, capacity), np.int64), bits, bits.view(np.int32),
        np.empty(2 * size, np.float32),
    )  # fmt: skip


# These and other steps of the strategy are given single arrays, not a Work: a function with all of its arrays takes
# longer to compile. Squares are written as products: of a power Numba makes a function of its own.
@noinline
def fill_rates(plan, n, d, state, w):
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
    c_sigma = min(1.0, plan.c_sigma_factor * (mu_eff + 2) / (d + mu_eff + 5))
    damping = 1 + 2 * max(0.0, math.sqrt((mu_eff - 1) / (d + 1)) - 1) + c_sigma
    c_c = c_sigma
    if plan.paths == TWO_PATHS:
        c_c = min(1.0, plan.c_c_factor * (4 + mu_eff / d) / (d + 4 + 2 * mu_eff / d))
    c_1 = min(1.0, plan.c_1_factor * 2 / ((d + 1.3) * (d + 1.3) + mu_eff))
    c_mu = plan.c_mu_factor * 2 * (mu_eff - 2 + 1 / mu_eff) / ((d + 2) * (d + 2) + mu_eff)
    c_mu = max(0.0, min(1 - c_1, c_mu))
    # All negative weights together: as strong as the decay, no stronger than their own variance allows, and weak
    # enough that M cannot lose its rank in one generation.
    negative = 0.0
    if below > 0 and c_mu > 0:
        negative = min(1 + c_1 / c_mu, 1 + 2 * (below * below / below_squares) / (mu_eff + 2))
        negative = plan.negative * min(negative, (1 - c_1 - c_mu) / (d * c_mu)) / below
    for i in range(n):
        w[i] *= 1 / total if i < mu else negative
    state.mu_eff = mu_eff
    state.c_sigma = c_sigma
    state.d_sigma = plan.d_sigma_factor * damping
    state.c_c = c_c
    state.c_1 = c_1
    state.c_mu = c_mu


@internal
def note_best(x, f, n, state, best):
    """Keep the best of the first n points, if it is better than all before."""
    place = 0
    for i in range(1, n):
        if f[i] < f[place]:
            place = i
    if f[place] < state.best or state.nfev == 0:
        state.best = f[place]
        for k in range(best.size):
            best[k] = x[place, k]
