"""Which of many inputs a value depends on: main effects by a random forest (functional analysis of variance).

F. Hutter, H. Hoos and K. Leyton-Brown, An efficient approach for assessing hyperparameter importance, International
Conference on Machine Learning, 2014. L. Breiman, Random forests, Machine Learning 45, 2001.

A tree is constant on boxes, so the mean over all other inputs, and the variance of that mean over one input, are sums
over leaves: nothing is sampled. Inputs are replaced by their ranks first, so that they are weighted by where the data
are and not by the volume of the box.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from autov.core import Array, InputError, generator

TREES, MOST_DATA = 32, 3000  # data of one tree, at most
LEAST_LEAF, LEAVES = 5, 64  # data of a leaf, at least; leaves of a tree, at most about
ALL_INPUTS = 8  # up to this many, every split tries all of them
LEAST_DATA = 20


@dataclass(frozen=True, eq=False)
class MainEffects:
    """What a forest found.

    Attributes:
        shares: (inputs,) the part of the forest's variance that each input explains by itself.
        explained: the part of the variance of values that trees predict which did not see them; below 0 is nothing.
    """

    shares: Array
    explained: float


class Leaves(NamedTuple):
    """The leaves of a tree: their boxes (leaves, inputs) in the unit cube and their values."""

    lower: Array
    upper: Array
    value: Array


def main_effects(x: Array, y: Array, seed: int = 0, trees: int = TREES) -> MainEffects:
    """Shares of the variance of y (n,) that single columns of x (n, inputs) explain, the mean over trees.

    Args:
        x: the inputs.
        y: finite values.
        seed: of samples and splits.
        trees: how many.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim != 2 or y.shape != x.shape[:1] or len(y) < LEAST_DATA or not np.isfinite(y).all():
        raise InputError(f"y: must be at least {LEAST_DATA} finite values, one for each row of x, got {y.shape}")
    n, inputs = x.shape
    unit = (rankdata(x, axis=0) - 0.5) / n
    rng, shares = generator(seed, n), []
    total, count = np.zeros(n), np.zeros(n)
    for _ in range(trees):
        chosen = rng.integers(0, n, min(n, MOST_DATA))
        tree = _grown(unit[chosen], y[chosen], max(min(inputs, ALL_INPUTS), inputs // 3), rng)
        out = np.setdiff1d(np.arange(n), chosen)
        total[out] += _predicted(tree, unit[out])
        count[out] += 1
        effects, variance = _variances(tree, inputs)
        shares.append(effects / variance if variance > 0 else np.zeros(inputs))
    seen = count > 0
    error = ((total[seen] / count[seen] - y[seen]) ** 2).mean() if seen.any() else np.inf
    return MainEffects(np.mean(shares, axis=0), float(1 - error / y.var()) if y.var() > 0 else 0.0)


def _grown(x: Array, y: Array, tried: int, rng: np.random.Generator) -> Leaves:
    """A tree whose splits are the best of some random inputs, down to small leaves."""
    inputs, least, leaves = x.shape[1], max(LEAST_LEAF, len(y) // LEAVES), []
    waiting = [(np.arange(len(y)), np.zeros(inputs), np.ones(inputs))]
    while waiting:
        rows, lower, upper = waiting.pop()
        found = _split(x[rows], y[rows], rng.permutation(inputs)[:tried], least)
        if found is None:
            leaves.append((lower, upper, y[rows].mean()))
            continue
        which, place = found
        left, right = upper.copy(), lower.copy()
        left[which] = right[which] = place
        below = x[rows, which] <= place
        waiting += [(rows[below], lower, left), (rows[~below], right, upper)]
    return Leaves(*(np.array(part) for part in zip(*leaves, strict=True)))


def _split(x: Array, y: Array, columns: np.ndarray, least: int) -> tuple[int, float] | None:
    """The column and the place that leave the least squared error; None where a leaf would be too small."""
    n = len(y)
    if n < 2 * least or np.ptp(y) == 0:
        return None
    some = x[:, columns]
    order = np.argsort(some, axis=0, kind="stable")
    ordered, sums = np.take_along_axis(some, order, axis=0), np.cumsum((y - y.mean())[order], axis=0)
    left = np.arange(1, n)[:, None]
    gain = sums[:-1] ** 2 / left + sums[:-1] ** 2 / (n - left)  # values have mean zero: the right sum is minus the left
    gain[ordered[1:] == ordered[:-1]] = -1.0
    gain[: least - 1] = gain[n - least :] = -1.0
    row, column = np.unravel_index(np.argmax(gain), gain.shape)
    if gain[row, column] <= 0:
        return None
    return int(columns[column]), float(ordered[row : row + 2, column].mean())


def _predicted(tree: Leaves, x: Array) -> Array:
    """The value of the leaf of each row."""
    found = np.empty(len(x))
    for lower, upper, value in zip(*tree, strict=True):
        found[((x > lower) & (x <= upper)).all(axis=1)] = value
    return found


def _variances(tree: Leaves, inputs: int) -> tuple[Array, float]:
    """The variance of the tree's mean over all other inputs, for each input, and that of the tree itself."""
    widths = tree.upper - tree.lower
    volume = widths.prod(axis=1)
    mean = float(volume @ tree.value)
    effects = np.zeros(inputs)
    for j in range(inputs):
        edges = np.unique(np.concatenate([tree.lower[:, j], tree.upper[:, j]]))
        if len(edges) == 2:
            continue
        middle = (edges[1:] + edges[:-1]) / 2
        inside = (middle[:, None] > tree.lower[:, j]) & (middle[:, None] < tree.upper[:, j])
        marginal = inside @ (volume / widths[:, j] * tree.value)
        effects[j] = np.diff(edges) @ (marginal - mean) ** 2
    return effects, float(volume @ (tree.value - mean) ** 2)
