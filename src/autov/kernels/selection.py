"""Who takes part in a generation: binary tournaments, and the inputs that are not parents (Algorithm 2, line 9)."""

from __future__ import annotations

import numpy as np

from autov.kernels.jit import internal, kernel
from autov.kernels.random import PARENTS, fill_bits, subkey
from autov.kernels.variation import BEST, LOWER, MEAN, UPPER, WIDTH


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


@kernel
def tournaments(key, generation, f, index):
    """The parents that an operator with as many parents as index has columns gets in a generation.

    Args:
        key: (2,) uint64, the stream of the run.
        generation: 1, 2, ...
        f: (n,) values of the population, without NaN.
        index: (m, parents) int64, rows of the population, written.
    """
    m, t = index.shape
    select_parents(key, generation, np.arange(1, t + 1), f, index, np.empty(m, np.uint64))
