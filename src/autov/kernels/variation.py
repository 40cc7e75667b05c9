"""One generation of the paper's simple metaheuristic: parents, offspring, survivors (Algorithm 2, lines 8-13).

Work goes in blocks of rows small enough for the first-level cache, and each step of a block is a loop that LLVM
vectorises, except the one that looks up the parameters of each variable's row.
"""

# pyright: reportCallIssue=false
# (an intrinsic is called without its first parameter, the typing context)

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.cpython.unsafe.tuple import tuple_setitem

from autov.kernels.draw import draw_1, draw_4
from autov.kernels.jit import internal, kernel
from autov.kernels.random import NORMALS, PARENTS, ROWS, fill_bits, fill_normals, subkey

BLOCK = 4096  # variables worked on at a time
BEST, MEAN, LOWER, UPPER, WIDTH = -1, -2, -3, -4, -5  # inputs that are not parents; parents are 1, 2, 3, ...
EXTRA = 5  # rows of the pool behind the population: best, mean, lower, upper, upper - lower


class Variation(NamedTuple):
    """An affine operator as the compiled run reads it."""

    inputs: np.ndarray  # (t,) int64 codes; the first is x1
    thresholds: np.ndarray  # (a multiple of 4,) int32: a variable's row is the number of thresholds below its word
    parameters: np.ndarray  # (k, 2 (t - 1)): mean and variance of each weight
    per_solution: bool
    arity: tuple  # (0,) * (t - 1): its length is known to the compiler, so loops over the weights unroll
    tied: tuple  # (0,) if the last weight belongs to upper - lower (x1 is not subtracted), else ()


class Workspace(NamedTuple):
    """Buffers of one run."""

    picks: np.ndarray  # (n, t) rows of the pool that make each offspring
    bits: np.ndarray
    words: np.ndarray  # bits seen as 32-bit integers
    row: np.ndarray
    normal: np.ndarray
    moved: np.ndarray  # (rows of a batch, d)
    union: np.ndarray
    leaving: np.ndarray
    entering: np.ndarray


@kernel
def block_rows(d):
    """Rows of a block: what is drawn at a time."""
    return max(1, BLOCK // d)


@internal
def batch_rows(d):
    """Rows that are evaluated at a time: whole blocks, and at least 16, which suits objectives of many variables."""
    rows = block_rows(d)
    return rows * ((15 + rows) // rows)


@internal
def workspace(n, t, d):
    """Fresh buffers for n offspring of d variables by an operator with t inputs."""
    size = max(block_rows(d) * d, t * n) + 2
    bits = np.empty(size, np.uint64)
    return Workspace(
        np.empty((n, t), np.int64), bits, bits.view(np.int32), np.empty(size, np.int32), np.empty(size, np.float32),
        np.empty((batch_rows(d), d)), np.empty(2 * n + 1), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64),
    )  # fmt: skip


@internal
def copy_rows(source, target, count):
    """Copy the first rows; a loop, since an array assignment compiles code for error messages that takes seconds."""
    for i in range(count):
        for k in range(source.shape[1]):
            target[i, k] = source[i, k]


@internal
def fill_extra(pool, f, inputs, lower, upper):
    """Write best, mean, lower and upper behind the population, as far as the operator reads them."""
    n = f.size
    d = lower.size
    for j in range(inputs.size):
        code = inputs[j]
        if code == BEST:
            best = 0
            for i in range(1, n):
                if f[i] < f[best]:
                    best = i
            for k in range(d):
                pool[n, k] = pool[best, k]
        elif code == MEAN:
            for k in range(d):
                pool[n + 1, k] = 0.0
            for i in range(n):
                for k in range(d):
                    pool[n + 1, k] += pool[i, k]
            for k in range(d):
                pool[n + 1, k] /= n
        elif code in (LOWER, UPPER, WIDTH):
            for k in range(d):
                value = lower[k] if code == LOWER else upper[k]
                pool[n - code - 1, k] = value - lower[k] if code == WIDTH else value


@internal
def select_parents(key, generation, inputs, f, index, bits):
    """Binary tournaments, one for each parent; the first of two equals wins."""
    n = f.size
    m, t = index.shape
    first, second = subkey(key, generation, PARENTS)
    low = np.uint64(0xFFFFFFFF)
    size = np.uint64(n)
    for j in range(t):
        if inputs[j] < 0:
            for i in range(m):
                index[i, j] = n - inputs[j] - 1
        else:
            fill_bits(first, second, j * m, m, bits)
            for i in range(m):
                a = np.int64(((bits[i] >> np.uint64(32)) * size) >> np.uint64(32))
                b = np.int64(((bits[i] & low) * size) >> np.uint64(32))
                index[i, j] = a if f[a] <= f[b] else b


@internal
def choose_rows(words, thresholds, count, row):
    """Roulette wheel, vectorised: the number of thresholds below each word, four thresholds in each pass."""
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
    for i in range(m):
        sources = arity
        for s in range(len(arity)):
            sources = tuple_setitem(sources, s, first + 8 * d * index[i, s + 1])
        x1 = first + 8 * d * index[i, 0]
        if d < 4:
            for k in range(d):
                draw_1(k, table, x1, sources, tied, rows, z, low, high, target)
        else:
            for k in range(0, d - 4, 4):
                draw_4(k, table, x1, sources, tied, rows, z, low, high, target)
            draw_4(d - 4, table, x1, sources, tied, rows, z, low, high, target)  # may draw some a second time: the same
        rows += 4 * d
        z += 4 * d
        target += 8 * d


@internal
def combine_rows(pool, index, row, normal, parameters, tied, lower, upper, out):
    """The same with one row and one set of weights for every offspring: a point of the affine hull of its inputs."""
    m, d = out.shape
    weights = index.shape[1] - 1
    for i in range(m):
        r = row[i]
        a = index[i, 0]
        for k in range(d):
            out[i, k] = pool[a, k]
        for s in range(weights):
            weight = parameters[r, 2 * s] + math.sqrt(parameters[r, 2 * s + 1]) * normal[i * weights + s]
            origin = 0.0 if len(tied) == 1 and s == weights - 1 else 1.0
            b = index[i, s + 1]
            for k in range(d):
                out[i, k] += weight * (pool[b, k] - origin * pool[a, k])
        for k in range(d):
            out[i, k] = min(max(out[i, k], lower[k]), upper[k])


@internal
def vary(key, generation, begin, index, pool, variation, lower, upper, out, work):
    """Offspring begin, begin + 1, ... of a generation, one block at most."""
    m, d = out.shape
    weights = len(variation.arity)
    rows = m if variation.per_solution else m * d
    normals = m * weights if variation.per_solution else m * d
    start = begin * (d + weights)  # more counters than the offspring before this one can use
    first, second = subkey(key, generation, ROWS)
    fill_bits(first, second, start, (rows + 1) // 2, work.bits)
    choose_rows(work.words, variation.thresholds, rows, work.row)
    first, second = subkey(key, generation, NORMALS)
    fill_normals(first, second, start, (normals + 1) // 2, work.bits, work.words, work.normal)
    if variation.per_solution:
        combine_rows(pool, index, work.row, work.normal, variation.parameters, variation.tied, lower, upper, out)
    else:
        draw_rows(
            pool, index, work.row, work.normal, variation.parameters, variation.arity, variation.tied, lower, upper, out
        )


@kernel
def kth_smallest(values, size, k):
    """The k-th smallest (from 0) of the first ``size`` values, without NaN, by quickselect; they are reordered.

    The partition has no branch to mispredict: every element is moved, and a counter decides where the next one goes.
    """
    low = 0
    high = size - 1
    while low < high:
        a = values[low]
        b = values[(low + high) // 2]
        c = values[high]
        pivot = max(min(a, b), min(max(a, b), c))
        middle = low
        for i in range(low, high + 1):
            v = values[i]
            values[i] = values[middle]
            values[middle] = v
            middle += np.int64(v < pivot)
        if k < middle:
            high = middle - 1
            continue
        low = middle
        for i in range(low, high + 1):
            v = values[i]
            values[i] = values[middle]
            values[middle] = v
            middle += np.int64(v <= pivot)
        if k < middle:
            return pivot
        low = middle
    return values[k]


@internal
def mark(values, limit, places, want, chosen):
    """Indices of values below the limit, and of the first ``places`` that equal it; those not so if want is False."""
    count = 0
    for i in range(values.size):
        below = values[i] < limit
        equal = (values[i] == limit) & (places > 0)
        places -= np.int64(equal)
        chosen[count] = i
        count += np.int64((below | equal) == want)
    return count, places


@kernel
def survive(pool, f, offspring, values, union, leaving, entering):
    """Keep the better half of parents and offspring in place; of equals, parents stay and earlier offspring enter.

    union, leaving and entering are scratch of length n + m + 1, n + 1 and m + 1.
    """
    n = f.size
    m, d = offspring.shape
    worst = f[0]
    for i in range(n):
        union[i] = f[i]
        worst = max(worst, f[i])
    size = n
    for i in range(m):  # of the offspring, only those better than the worst parent can enter
        union[size] = values[i]
        size += np.int64(values[i] < worst)
    limit = kth_smallest(union, size, n - 1)
    below = 0
    for i in range(n):
        below += np.int64(f[i] < limit)
    for i in range(m):
        below += np.int64(values[i] < limit)
    _, places = mark(f, limit, n - below, False, leaving)
    count, _ = mark(values, limit, places, True, entering)
    for c in range(count):
        i = entering[c]
        slot = leaving[c]
        f[slot] = values[i]
        for k in range(d):
            pool[slot, k] = offspring[i, k]
