"""Affine operators in the form that kernels read, one or a stack of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autov.core import Array
from autov.kernels.evolution.variation import Variation
from autov.operators.inputs import input_of

ALL = 2**31 - 1  # no 32-bit word is above it


def pack(
    weights: Sequence[str], mean: Array, std: Array, probability: Array, per_solution: bool | Array
) -> Variation:  # fmt: skip
    """The form of an operator, or of c operators with the same weights.

    Rows of probability zero go last and are never drawn. What one of them is does not matter, nor how many there are:
    an operator has the same offspring, to the bit, alone and in a stack of operators with more rows. Weights whose
    input is not taken relative to x1 go last, too.

    Args:
        weights: the names of the w weights.
        mean: (k, w) or (c, k, w).
        std: of the same shape.
        probability: (k,) or (c, k); not negative, with a positive sum.
        per_solution: whether one draw is for a whole offspring; one answer, or one for each row.
    """
    inputs = [input_of(name) for name in weights]
    columns = sorted(range(len(inputs)), key=lambda i: not inputs[i].from_x1)
    whole = np.broadcast_to(per_solution, probability.shape) & (probability > 0)
    single = ~whole & (probability > 0)
    order = np.argsort(np.where(single, 0, np.where(whole, 1, 2)), axis=-1, kind="stable")
    mean, std = (np.take_along_axis(a[..., columns], order[..., None], axis=-2) for a in (mean, std))
    counts = np.stack([single.sum(axis=-1), whole.sum(axis=-1)], axis=-1)
    sums = [_sums(probability, rows) for rows in (single, whole)]
    total = sums[0][..., -1:] + sums[1][..., -1:]
    parameters = np.empty((*mean.shape[:-1], 2 * len(weights)))
    parameters[..., 0::2] = mean
    parameters[..., 1::2] = std**2
    return Variation(
        np.array([1, *(inputs[i].code for i in columns)], dtype=np.int64), _thresholds(sums[0], sums[0][..., -1:]),
        _thresholds(sums[1], total), counts.astype(np.int64), parameters, (0,) * len(weights),
        (0,) * sum(not one.from_x1 for one in inputs),
    )  # fmt: skip


def _sums(probability: Array, rows: np.ndarray) -> Array:
    """Cumulative probabilities of some rows, these first: sums in order, so that zeros at the end change nothing."""
    order = np.argsort(~rows, axis=-1, kind="stable")
    return np.cumsum(np.take_along_axis(np.where(rows, probability, 0.0), order, axis=-1), axis=-1)


def _thresholds(sums: Array, total: Array) -> np.ndarray:
    """A 32-bit word w is in row j or later if w > threshold_j, which has probability 1 - sums_j / total."""
    cumulative = np.divide(sums, total, out=np.ones_like(sums), where=total > 0)[..., :-1]
    rows = cumulative.shape[-1]
    thresholds = np.full((*cumulative.shape[:-1], rows + -rows % 4), ALL)
    thresholds[..., :rows] = np.clip(np.ceil(cumulative * 2.0**32) - 1 - 2**31, -(2**31), ALL)
    return thresholds.astype(np.int32)
