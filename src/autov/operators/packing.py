"""Affine operators in the form that kernels read, one or a stack of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autov.core import Array
from autov.kernels.variation import Variation
from autov.operators.inputs import input_of

ALL = 2**31 - 1  # no 32-bit word is above it


def pack(
    weights: Sequence[str], mean: Array, std: Array, probability: Array, per_solution: bool
) -> Variation:  # fmt: skip
    """The form of an operator, or of c operators with the same weights.

    Rows of probability zero go last and are never drawn. What one of them is does not matter, nor how many there are:
    an operator has the same offspring, to the bit, alone and in a stack of operators with more rows.

    Args:
        weights: the names of the w weights.
        mean: (k, w) or (c, k, w).
        std: of the same shape.
        probability: (k,) or (c, k); not negative, with a positive sum.
        per_solution: whether one draw is for a whole offspring.
    """
    order = np.argsort(probability <= 0, axis=-1, kind="stable")
    mean, std = (np.take_along_axis(a, order[..., None], axis=-2) for a in (mean, std))
    # Sums in order, so that zeros at the end change nothing.
    cumulative = np.cumsum(np.take_along_axis(probability, order, axis=-1), axis=-1)
    cumulative = (cumulative / cumulative[..., -1:])[..., :-1]
    rows = cumulative.shape[-1]
    thresholds = np.full((*cumulative.shape[:-1], rows + -rows % 4), ALL)
    # A 32-bit word w is in row j or later if w > threshold_j, which has probability 1 - cumulative_j.
    thresholds[..., :rows] = np.clip(np.ceil(cumulative * 2.0**32) - 1 - 2**31, -(2**31), ALL)
    parameters = np.empty((*mean.shape[:-1], 2 * len(weights)))
    parameters[..., 0::2] = mean
    parameters[..., 1::2] = std**2
    inputs = [input_of(name) for name in weights]
    return Variation(
        np.array([1, *(one.code for one in inputs)], dtype=np.int64), thresholds.astype(np.int32), parameters,
        per_solution, (0,) * len(weights), (0,) * sum(not one.from_x1 for one in inputs),
    )  # fmt: skip
