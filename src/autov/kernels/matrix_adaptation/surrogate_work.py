"""What the matrix adaptation strategy with a surrogate works on: its plan, its record and its arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from autov.compiler.functions import internal
from autov.kernels.matrix_adaptation import steps
from autov.kernels.models.model_fit import Fitting, fitting_arrays
from autov.kernels.models.quadratic_model import Model, count_terms, largest_kind, model_arrays

OF_FUNCTION, OF_RANKS = range(2)  # Plan.values
KEPT = 2  # points for each term of the largest model that the archive holds
COMPARED = 15  # the fewest recent points by which a model is judged

COUNTS = (
    "generation", "nfev", "nans",  # batches told, evaluations, NaN among them
    "told", "batch",  # points of the last batch told and of the next one
    "known",  # points of the generation that have values
    "archived", "place",  # points in the archive, and where the next one goes
    "kind", "fitted",  # of the model; evaluations when it was fitted
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
    values: int
    middle: int  # the kind of models between linear and full ones


class Work(NamedTuple):
    """State of a run and, from ``x`` on, buffers that are filled before they are read."""

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
    pools: np.ndarray  # (2, archive) of `make_monotone`
    vectors: np.ndarray  # (7, d)
    square: np.ndarray  # (d, d)
    fitting: Fitting


def workspace(plan, key, strategy, capacity):
    """A work around that of the strategy, with no evaluation made."""
    d = strategy.best.size
    terms = count_terms(largest_kind(d, plan.middle), d)
    size = max(2 * COMPARED, KEPT * terms)
    scalars = np.zeros(len(COUNTS + VALUES), np.int64).view(STATE)
    scalars["best"] = np.inf
    longer = max(size, capacity)
    return Work(
        key, scalars, np.zeros(d), strategy, np.zeros((size, d)), np.zeros(size), np.zeros(capacity, np.int64),
        np.zeros(capacity), np.zeros(d), model_arrays(d, terms), np.empty((capacity, d)), np.empty(capacity),
        np.empty((capacity, d)), np.empty(capacity), np.empty((2, longer), np.int64), np.empty(longer),
        np.empty(longer), np.empty((2, size)), np.empty((7, d)), np.empty((d, d)), fitting_arrays(d, size, terms),
    )  # fmt: skip


@internal
def unit(x, lower, upper, u):
    """A point in the unit box."""
    for k in range(lower.size):
        u[k] = (x[k] - lower[k]) / (upper[k] - lower[k])


@internal
def make_step(strategy, z, step):
    """The step M z."""
    d = z.size
    for k in range(d):
        step[k] = 0.0
    for j in range(d):
        factor, row = z[j], strategy.matrix[j]
        for k in range(d):
            step[k] += factor * row[k]
