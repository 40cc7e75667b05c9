"""Least probabilities of neighbouring integers under a normal distribution, so that no integer variable gets stuck.

R. Hamano, S. Saito, M. Nomura and S. Shirakawa, CMA-ES with margin: lower-bounding marginal probability for
mixed-integer black-box optimization, GECCO 2022.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from autov.core import Array


def with_margin(mean: Array, std: Array, count: Array, alpha: float) -> tuple[Array, Array]:
    """Means and standard deviations (m,) after the correction.

    Args:
        mean: in the unit interval, which ``count`` integers share evenly.
        std: standard deviations.
        count: integers of each variable.
        alpha: probability to be drawn that other integers than the mean's have together, at least.
    """
    mean, count = np.clip(mean, 0.0, 1.0), np.asarray(count, dtype=np.float64)
    cell = np.clip(np.floor(mean * count), 0, count - 1)
    low, high = cell / count, (cell + 1) / count
    reach = -float(ndtri(alpha)) * std  # one-sided
    first, last = cell == 0, cell == count - 1
    mean = np.where(first & ~last, np.maximum(mean, high - reach), mean)
    mean = np.where(last & ~first, np.minimum(mean, low + reach), mean)
    below, above = ndtr((low - mean) / std), ndtr((mean - high) / std)
    inner = ~first & ~last & (np.minimum(below, above) < alpha / 2)
    if not inner.any():
        return mean, std
    wanted_below, wanted_above = np.maximum(below, alpha / 2), np.maximum(above, alpha / 2)
    middle = 1 - below - above
    surplus = wanted_below + wanted_above + middle - 1
    room = np.maximum(wanted_below + wanted_above + middle - 1.5 * alpha, 1e-12)
    wanted_below = wanted_below - surplus * (wanted_below - alpha / 2) / room
    wanted_above = wanted_above - surplus * (wanted_above - alpha / 2) / room
    left, right = -ndtri(np.minimum(wanted_below, 0.5)), -ndtri(np.minimum(wanted_above, 0.5))
    wide = (high - low) / np.maximum(left + right, 1e-12)
    return np.where(inner, low + left * wide, mean), np.where(inner, wide, std)
