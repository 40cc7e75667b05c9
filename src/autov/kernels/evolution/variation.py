"""Offspring by an affine operator (Algorithm 2, line 10), one block of rows at a time.

Each step of a block is a loop that LLVM vectorises, except the one that looks up the parameters of each variable's row.
"""

# pyright: reportCallIssue=false
# (an intrinsic is called without its first parameter, the typing context)

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.cpython.unsafe.tuple import tuple_setitem

from autov.compiler.functions import internal, noinline
from autov.kernels.evolution.draw import SIZE, TABLE, VECTOR, choose_wide, columns, draw_1, draw_4, draw_wide, wide
from autov.kernels.random import NORMALS, ROWS, fill_bits, fill_normals, subkey

# Inputs that are not parents; parents are 1, 2, 3, ...
BEST, MEAN, LOWER, UPPER, WIDTH, SPREAD, DIFFERENCE = -1, -2, -3, -4, -5, -6, -7
EXTRA = 6  # rows of the pool behind the population: best, mean, lower, upper, upper - lower, spread; then differences


class Variation(NamedTuple):
    """An affine operator as kernels read it; in a stack of c operators, four arrays have one more axis in front.

    Rows that are drawn for each variable come first, then those that are drawn for a whole offspring, then those that
    are never drawn. Where there are both, an offspring first draws one of its whole rows or none.
    """

    inputs: np.ndarray  # (t,) int64 codes; the first is x1
    thresholds: np.ndarray  # (4 i,) int32: a variable's row is the number of thresholds below its word
    solution_thresholds: np.ndarray  # (4 i,) int32: the same for rows of a whole offspring; a larger number is none
    rows: np.ndarray  # (2,) int64: how many rows of each kind
    parameters: np.ndarray  # (k, 2 (t - 1)): mean and variance of each weight
    arity: tuple  # (0,) * (t - 1): its length is known to the compiler, so loops over the weights unroll
    tied: tuple  # one 0 for each of the last weights from whose input x1 is not subtracted, such as upper - lower


class Draws(NamedTuple):
    """Buffers for the random numbers of a block; few, since each array that a call is given costs it some time."""

    bits: np.ndarray
    words: np.ndarray  # bits seen as 32-bit integers
    row: np.ndarray
    normal: np.ndarray


@internal
def choose_rows(words, thresholds, count, row):
    """Roulette wheel, vectorised: the number of thresholds below each word, four thresholds in each pass."""
    if wide() and 0 < thresholds.size < TABLE <= count:
        choose_wide(
            np.int64(words.ctypes.data), np.int64(thresholds.ctypes.data), np.int64(thresholds.size), np.int64(count),
            np.int64(row.ctypes.data),
        )  # fmt: skip
        return
    if thresholds.size == 0:
        for i in range(count):
            row[i] = 0
    for j in range(0, thresholds.size, 4):
        a, b, c, d = thresholds[j], thresholds[j + 1], thresholds[j + 2], thresholds[j + 3]
        if j == 0:
            for i in range(count):
                w = words[i]
                row[i] = np.int32(np.int32(w > a) + np.int32(w > b)) + np.int32(np.int32(w > c) + np.int32(w > d))
        else:
            for i in range(count):
                w = words[i]
                row[i] += np.int32(np.int32(w > a) + np.int32(w > b)) + np.int32(np.int32(w > c) + np.int32(w > d))


@internal
def draw_rows(pool, index, row, normal, parameters, arity, tied, lower, upper, out):
    """Draw every variable of the offspring from its normal distribution and clip it to the box.

    A sum of independent normals is one normal: x1 + sum r_i (y_i - x1) needs one draw, not one for each weight.
    """
    m, d = out.shape
    # Addresses by hand: a view of an array would cost two atomic counts of its references.
    first = np.int64(pool.ctypes.data)
    table = np.int64(parameters.ctypes.data)
    low = np.int64(lower.ctypes.data)
    high = np.int64(upper.ctypes.data)
    rows = np.int64(row.ctypes.data)
    z = np.int64(normal.ctypes.data)
    target = np.int64(out.ctypes.data)
    fits = wide() and d >= VECTOR and parameters.shape[0] <= TABLE
    by_columns = columns(table, parameters.shape[0], arity) if fits else np.int64(0)
    for i in range(m):
        sources = arity
        for s in range(len(arity)):
            sources = tuple_setitem(sources, s, first + SIZE * d * index[i, s + 1])
        x1 = first + SIZE * d * index[i, 0]
        if fits:
            draw_wide(np.int64(d), by_columns, x1, sources, tied, rows, z, low, high, target)
        elif d < 4:
            for k in range(d):
                draw_1(k, table, x1, sources, tied, rows, z, low, high, target)
        else:
            for k in range(0, d - 4, 4):
                draw_4(k, table, x1, sources, tied, rows, z, low, high, target)
            # The last four; some of them may be drawn a second time, the same.
            draw_4(d - 4, table, x1, sources, tied, rows, z, low, high, target)
        rows += 4 * d
        z += 4 * d
        target += SIZE * d


@internal
def combine_rows(pool, index, row, normal, parameters, rows, tied, lower, upper, out):
    """The same with one row and one set of weights for a whole offspring: a point of the affine hull of its inputs."""
    m, d = out.shape
    weights = index.shape[1] - 1
    for i in range(m):
        if row[i] >= rows[1]:
            continue
        r = rows[0] + row[i]
        a = index[i, 0]
        for k in range(d):
            out[i, k] = pool[a, k]
        for s in range(weights):
            weight = parameters[r, 2 * s] + math.sqrt(parameters[r, 2 * s + 1]) * normal[i * weights + s]
            origin = 0.0 if s >= weights - len(tied) else 1.0
            b = index[i, s + 1]
            for k in range(d):
                out[i, k] += weight * (pool[b, k] - origin * pool[a, k])
        for k in range(d):
            out[i, k] = min(max(out[i, k], lower[k]), upper[k])


@noinline
def vary(key, generation, begin, index, pool, variation, lower, upper, out, work):
    """Offspring begin, begin + 1, ... of a generation, one block at most."""
    m, d = out.shape
    weights = len(variation.arity)
    start = begin * (d + weights)  # more counters than the offspring before this one can use
    first, second = subkey(key, generation, ROWS)
    normal_first, normal_second = subkey(key, generation, NORMALS)
    whole = variation.rows[1] > 0
    if variation.rows[0] > 0:
        rows_start = start + (m + 1) // 2 if whole else start
        fill_bits(first, second, rows_start, (m * d + 1) // 2, work.bits)
        choose_rows(work.words, variation.thresholds, m * d, work.row)
        normal_start = start + (m * weights + 1) // 2 if whole else start
        fill_normals(normal_first, normal_second, normal_start, (m * d + 1) // 2, work.bits, work.words, work.normal)
        draw_rows(
            pool, index, work.row, work.normal, variation.parameters, variation.arity, variation.tied, lower, upper, out
        )
    if whole:
        fill_bits(first, second, start, (m + 1) // 2, work.bits)
        choose_rows(work.words, variation.solution_thresholds, m, work.row)
        fill_normals(normal_first, normal_second, start, (m * weights + 1) // 2, work.bits, work.words, work.normal)
        combine_rows(
            pool, index, work.row, work.normal, variation.parameters, variation.rows, variation.tied, lower, upper, out
        )
