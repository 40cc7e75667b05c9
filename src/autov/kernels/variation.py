"""One generation of the paper's simple metaheuristic: parents, offspring, survivors (Algorithm 2, lines 8-13).

Work goes in blocks of rows small enough for the first-level cache, and each step of a block is a loop that LLVM
vectorises, except the one that looks up the parameters of each variable's row.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.cpython.unsafe.tuple import tuple_setitem

from autov.kernels.draw import draw_1, draw_4
from autov.kernels.jit import kernel
from autov.kernels.random import NORMALS, PARENTS, ROWS, fill_bits, fill_normals, subkey

BLOCK = 2048
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

    index: np.ndarray  # (n, t) rows of the pool that make each offspring
    bits: np.ndarray
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


@kernel
def batch_rows(d):
    """Rows that are evaluated at a time: whole blocks, and at least 16 rows, which objectives of many variables like."""
    rows = block_rows(d)
    return rows * ((15 + rows) // rows)


@kernel
def workspace(n, t, d):
    """Fresh buffers for n offspring of d variables by an operator with t inputs."""
    rows = block_rows(d)
    size = max(rows * d, t * n) + 2
    return Workspace(
        np.empty((n, t), np.int64), np.empty(size, np.uint64), np.empty(size, np.int32), np.empty(size, np.float32),
        np.empty((batch_rows(d), d)), np.empty(2 * n + 1), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64),
    )  # fmt: skip


@kernel
def fill_extra(pool, f, inputs, lower, upper):
    """Write best, mean, lower and upper behind the population, as far as the operator reads them."""
    n = f.size
    d = lower.size
    for j in range(inputs.size):
        if inputs[j] == BEST:
            pool[n] = pool[f.argmin()]
        elif inputs[j] == MEAN:
            mean = pool[n + 1]
            mean[:] = 0.0
            for i in range(n):
                for k in range(d):
                    mean[k] += pool[i, k]
            for k in range(d):
                mean[k] /= n
        elif inputs[j] == LOWER:
            pool[n + 2] = lower
        elif inputs[j] == UPPER:
            pool[n + 3] = upper
        elif inputs[j] == WIDTH:
            for k in range(d):
                pool[n + 4, k] = upper[k] - lower[k]


@kernel
def select_parents(key, generation, inputs, f, index, bits):
    """Binary tournaments, one for each parent; the first of two equals wins."""
    n = f.size
    m, t = index.shape
    first, second = subkey(key, generation, PARENTS)
    fill_bits(first, second, 0, bits[: m * t])
    low = np.uint64(0xFFFFFFFF)
    size = np.uint64(n)
    for j in range(t):
        if inputs[j] < 0:
            for i in range(m):
                index[i, j] = n - inputs[j] - 1
        else:
            for i in range(m):
                word = bits[i * t + j]
                a = np.int64(((word >> np.uint64(32)) * size) >> np.uint64(32))
                b = np.int64(((word & low) * size) >> np.uint64(32))
                index[i, j] = a if f[a] <= f[b] else b


@kernel
def choose_rows(words, thresholds, stride, row):
    """Roulette wheel, vectorised: stride times the number of thresholds below each word."""
    for i in range(row.size):
        row[i] = 0
    for j in range(0, thresholds.size, 4):
        a, b, c, d = thresholds[j], thresholds[j + 1], thresholds[j + 2], thresholds[j + 3]
        for i in range(row.size):
            w = words[i]
            row[i] += np.int32(np.int32(w > a) + np.int32(w > b)) + np.int32(np.int32(w > c) + np.int32(w > d))
    for i in range(row.size):
        row[i] = np.int32(row[i] * stride)


@kernel
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


@kernel
def vary_variables(key, generation, begin, index, pool, variation, lower, upper, out, work):
    """Offspring begin, begin + 1, ... of a generation, row and weights drawn for every variable."""
    d = pool.shape[1]
    count = out.size
    even = count + (count & 1)
    row = work.row[:count]
    bits = work.bits[: even // 2]
    # Each offspring owns d + 1 counters of either purpose, more than it can use.
    start = begin * (d + 1)
    if variation.thresholds.size == 0:
        row[:] = 0
    else:
        first, second = subkey(key, generation, ROWS)
        fill_bits(first, second, start, bits)
        stride = np.int32(16 * len(variation.arity))  # bytes of a row of parameters
        choose_rows(bits.view(np.int32), variation.thresholds, stride, row)
    first, second = subkey(key, generation, NORMALS)
    fill_normals(first, second, start, bits, work.normal[:even])
    draw_rows(pool, index, row, work.normal, variation.parameters, variation.arity, variation.tied, lower, upper, out)


@kernel
def vary_solutions(key, generation, begin, index, pool, variation, lower, upper, out, work):
    """The same with one row and one set of weights for every offspring: a point of the affine hull of its inputs."""
    m, d = out.shape
    t = index.shape[1]
    even = t + (t & 1)
    first_row, second_row = subkey(key, generation, ROWS)
    first, second = subkey(key, generation, NORMALS)
    for i in range(m):
        row = work.row[:1]
        bits = work.bits[:1]
        fill_bits(first_row, second_row, begin + i, bits)
        choose_rows(bits.view(np.int32)[:1], variation.thresholds, np.int32(1), row)
        normal = work.normal[:even]
        fill_normals(first, second, (begin + i) * t, work.bits[: even // 2], normal)
        x1 = pool[index[i, 0]]
        target = out[i]
        for k in range(d):
            target[k] = x1[k]
        for s in range(t - 1):
            mean = variation.parameters[row[0], 2 * s]
            weight = mean + math.sqrt(variation.parameters[row[0], 2 * s + 1]) * normal[s]
            y = pool[index[i, s + 1]]
            if len(variation.tied) == 1 and s == t - 2:
                for k in range(d):
                    target[k] += weight * y[k]
            else:
                for k in range(d):
                    target[k] += weight * (y[k] - x1[k])
        for k in range(d):
            target[k] = min(max(target[k], lower[k]), upper[k])


@kernel
def vary(key, generation, begin, index, pool, variation, lower, upper, out, work):
    """Offspring begin, begin + 1, ... of a generation, one block at most."""
    if variation.per_solution:
        vary_solutions(key, generation, begin, index, pool, variation, lower, upper, out, work)
    else:
        vary_variables(key, generation, begin, index, pool, variation, lower, upper, out, work)


@kernel
def kth_smallest(values, k):
    """The k-th smallest (from 0) of values without NaN, by quickselect; values are reordered.

    The partition has no branch to mispredict: every element is moved, and a counter decides where the next one goes.
    """
    low = 0
    high = values.size - 1
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


@kernel
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
    limit = kth_smallest(union[:size], n - 1)
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
