"""Kernels that are vector code of LLVM in autov, as exported programs have them: they need NumPy only.

They have the names of the kernels that they replace.
"""

from __future__ import annotations

import numpy as np

from autov.kernels.random import GOLDEN, PURPOSES, hashed


def subkey(key, generation, purpose):
    """The key of one purpose in one generation of a run; of arrays, since Numba makes integers of single words."""
    counter = np.array([PURPOSES * generation + purpose], np.uint64) * GOLDEN
    first = hashed(key[:1] + counter, key[1:])
    return first[0], hashed(key[1:] + counter, first)[0]


def choose_rows(words, thresholds, count, row):
    """Roulette wheel: the number of thresholds below each word."""
    row[:count] = np.searchsorted(thresholds, words[:count])


def draw_rows(pool, index, row, normal, parameters, arity, tied, lower, upper, out):
    """Draw every variable of the offspring from its normal distribution and clip it to the box.

    A sum of independent normals is one normal: x1 + sum r_i (y_i - x1) needs one draw, not one for each weight.
    """
    m, d = out.shape
    for i in range(m):
        chosen = row[i * d : (i + 1) * d]
        x1 = pool[index[i, 0]]
        value, variance = x1.copy(), np.zeros(d)
        for s in range(len(arity)):
            away = pool[index[i, s + 1]] - (0.0 if s >= len(arity) - len(tied) else 1.0) * x1
            value += parameters[chosen, 2 * s] * away
            variance += parameters[chosen, 2 * s + 1] * away * away
        value += np.sqrt(variance) * normal[i * d : (i + 1) * d]
        value = np.where(value > lower, value, lower)  # NaN becomes the lower bound
        out[i] = np.where(value < upper, value, upper)


def multiply_rows(z, matrix, out, rows, steps):
    """Rows of out = z matrix; z and matrix are read up to ``steps`` columns and rows."""
    for i in range(rows):
        out[i] = 0.0
        for t in range(steps):
            out[i] += z[i, t] * matrix[t]


def add_products(matrix, factor, left, right, count):
    """Matrix = factor matrix + the sum of the products of rows i < count of left and right."""
    matrix *= factor
    for i in range(count):
        matrix += np.outer(left[i, : matrix.shape[0]], right[i])
