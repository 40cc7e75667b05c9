"""Who takes part in a generation: winners of tournaments, and the inputs that are not parents (Algorithm 2, line 9)."""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import internal, kernel
from autov.kernels.evolution.variation import BEST, DIFFERENCE, LOWER, MEAN, SPREAD, UPPER, WIDTH
from autov.kernels.order import sort_order
from autov.kernels.random import PARENTS, fill_bits, subkey

FIRST, OTHERS, TOURNAMENTS = range(3)  # sizes of the tournaments for x1 and for x2, x3, ...
BINARY = 2.0


@internal
def best_place(f):
    """The place of the smallest value, of equals the first."""
    best = 0
    for i in range(1, f.size):
        if f[i] < f[best]:
            best = i
    return best


@internal
def write_mean(pool, n, out):
    """The mean of the first n rows."""
    d = out.size
    for k in range(d):
        out[k] = 0.0
    for i in range(n):
        for k in range(d):
            out[k] += pool[i, k]
    for k in range(d):
        out[k] /= n


@internal
def write_spread(pool, n, centre, out):
    """The standard deviation of the first n rows about their mean in every variable."""
    d = out.size
    for k in range(d):
        out[k] = 0.0
    for i in range(n):
        for k in range(d):
            out[k] += (pool[i, k] - centre[k]) * (pool[i, k] - centre[k])
    for k in range(d):
        out[k] = math.sqrt(out[k] / n)


@internal
def fill_extra(pool, f, inputs, lower, upper, centre):
    """Write best, mean, lower, upper ... behind the population, as far as the operator reads them."""
    n = f.size
    d = lower.size
    for j in range(inputs.size):
        code = inputs[j]
        if code == BEST:
            best = best_place(f)
            for k in range(d):
                pool[n, k] = pool[best, k]
        elif code == MEAN:
            write_mean(pool, n, pool[n + 1])
        elif code in (LOWER, UPPER, WIDTH):
            for k in range(d):
                value = lower[k] if code == LOWER else upper[k]
                pool[n - code - 1, k] = value - lower[k] if code == WIDTH else value
        elif code == SPREAD:
            write_mean(pool, n, centre)
            write_spread(pool, n, centre, pool[n - code - 1])


@internal
def fill_differences(pool, n, bits, m, start):
    """Row start + i is x_a - x_b for the i-th of m pairs of different members, uniform."""
    low = np.uint64(0xFFFFFFFF)
    for i in range(m):
        a = np.int64(((bits[i] >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))
        b = np.int64(((bits[i] & low) * np.uint64(n - 1)) >> np.uint64(32))
        b += np.int64(b >= a)
        for k in range(pool.shape[1]):
            pool[start + i, k] = pool[a, k] - pool[b, k]


@kernel
def select_parents(key, generation, numbers, inputs, f, index, bits, order):
    """Tournaments, one for each parent, and the rows of the pool where the other inputs are.

    The first of two equals wins a binary tournament. The best of s members is the one of rank
    floor(n (1 - (1 - u)^(1/s))), u uniform, which has a meaning for every real s of at least 1.
    """
    n = f.size
    m, t = index.shape
    first, second = subkey(key, generation, PARENTS)
    low = np.uint64(0xFFFFFFFF)
    size = np.uint64(n)
    if numbers[FIRST] != BINARY or numbers[OTHERS] != BINARY:
        sort_order(f, n, order)
    for j in range(t):
        if inputs[j] == DIFFERENCE:
            for i in range(m):
                index[i, j] = n - DIFFERENCE - 1 + i
        elif inputs[j] < 0:
            for i in range(m):
                index[i, j] = n - inputs[j] - 1
        else:
            members = numbers[FIRST] if inputs[j] == 1 else numbers[OTHERS]
            fill_bits(first, second, j * m, m, bits)
            if members == BINARY:
                for i in range(m):
                    a = np.int64(((bits[i] >> np.uint64(32)) * size) >> np.uint64(32))
                    b = np.int64(((bits[i] & low) * size) >> np.uint64(32))
                    index[i, j] = a if f[a] <= f[b] else b
            else:
                for i in range(m):
                    u = np.int64(bits[i] >> np.uint64(11)) * 2.0**-53
                    rank = np.int64(n * (1.0 - (1.0 - u) ** (1.0 / members)))
                    index[i, j] = order[0, min(rank, n - 1)]


@internal
def select_differences(key, generation, inputs, pool, n, m, bits):
    """Write the differences behind the pool, if the operator reads them; their words follow those of the parents."""
    first, second = subkey(key, generation, PARENTS)
    for j in range(inputs.size):
        if inputs[j] == DIFFERENCE:
            fill_bits(first, second, j * m, m, bits)
            fill_differences(pool, n, bits, m, n - DIFFERENCE - 1)


def tournaments(key, generation, numbers, f, index):
    """The parents that an operator with as many parents as index has columns gets in a generation.

    Args:
        key: (2,) uint64, the stream of the run.
        generation: 1, 2, ...
        numbers: (TOURNAMENTS,) sizes of the tournaments.
        f: (n,) values of the population, without NaN.
        index: (m, parents) int64, rows of the population, written.
    """
    m, t = index.shape
    order = np.empty((2, f.size), np.int64)
    select_parents(key, generation, numbers, np.arange(1, t + 1), f, index, np.empty(m, np.uint64), order)
