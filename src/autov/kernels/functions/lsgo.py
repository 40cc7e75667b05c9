"""The fifteen functions of the CEC'2013 large-scale suite as one kernel that reads its work from a table.

Li, Tang, Omidvar, Yang, Qin: Benchmark functions for the CEC'2013 special session and competition on large-scale
global optimization. RMIT University, 2013.

Every function is a weighted sum over groups of variables: shift, permute, rotate, T_osz, T_asy, Lambda, base function.
WIDTH points go through a group together, variable after variable with the points side by side: every loop then has
full vectors whatever the size of a group, and a point has the same value, to the bit, in any batch.

The table is one array of numbers: how many groups, FIELDS numbers for each group, and the arrays these point to.
"""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import objective
from autov.kernels.functions.elementary import exp2, exp_small, half_sine, log2, sine
from autov.kernels.vector_sums import (
    PANEL,
    WIDTH,
    panel,
    sum_squared_partial_sums,
    sum_squares,
    sum_values,
    sum_weighted_squares,
)

BLOCK = 100  # variables that are transformed together

# A group in the table. SLOTS is where four arrays of SIZE numbers begin: which variable, its optimum, the exponent
# of T_asy, and a factor (Lambda, or the conditioning of elliptic). ROTATION is where its matrix begins, 0 for none.
FIELDS = 6
SIZE, BASE, TRANSFORM, WEIGHT, SLOTS, ROTATION = range(FIELDS)
SPHERE, ELLIPTIC, RASTRIGIN, ACKLEY, SCHWEFEL, ROSENBROCK = range(6)
PLAIN, OSCILLATED, SKEWED, SCALED = range(4)  # nothing; T_osz; T_asy of that; Lambda of that

HALF_TURNS = math.log(2.0) / math.pi  # c log(x) in units of pi, by c log2(x)
LOG2_E = 1.0 / math.log(2.0)


@objective
def rotate(matrix, size, y, z):
    """Z = R y; the matrix lies by panels of rows, each transposed."""
    begin = np.int64(matrix.ctypes.data)
    source = np.int64(y.ctypes.data)
    target = np.int64(z.ctypes.data)
    for _ in range(0, size, PANEL):
        panel(begin, source, target, size)
        begin += 8 * PANEL * size
        target += 8 * PANEL * WIDTH


@objective
def gather(x, first, variables, optimum, y):
    """Shifted variables of a group for points first, first + 1, ...; the last point again where there are no more."""
    n, d = x.shape
    flat = x.ravel()
    start = np.uint64(first * d)
    step = np.uint64(d)  # unsigned: an index that might be negative costs a test
    if first + WIDTH <= n:
        for k in range(variables.size):
            at = start + np.uint64(np.int64(variables[k]))
            for i in range(WIDTH):
                y[k * WIDTH + i] = flat[at + np.uint64(i) * step] - optimum[k]
    else:
        for k in range(variables.size):
            at = np.uint64(np.int64(variables[k]))
            for i in range(WIDTH):
                y[k * WIDTH + i] = flat[at + np.uint64(min(first + i, n - 1)) * step] - optimum[k]


@objective
def oscillate(z, log):
    """T_osz in place, and log2 |T_osz(z)| in log; T_osz(0) = 0 because the exponential is finite.

    Two short loops instead of a long one: the processor then works on many numbers at a time.
    """
    for e in range(z.size):
        log[e] = log2(abs(z[e]))
    for e in range(z.size):
        v = z[e]
        up = v > 0.0
        first = sine((10.0 * HALF_TURNS if up else 5.5 * HALF_TURNS) * log[e])
        second = sine((7.9 * HALF_TURNS if up else 3.1 * HALF_TURNS) * log[e])
        u = 0.049 * (first + second)
        z[e] = v * exp_small(u)
        log[e] += LOG2_E * u


@objective
def scale(z, factors):
    """Multiply every variable by its factor, in place."""
    for k in range(factors.size):
        factor = factors[k]
        for i in range(WIDTH):
            z[k * WIDTH + i] *= factor


@objective
def skew(exponents, z, log):
    """T_asy in place: z^(1 + exponent sqrt(z)) where z > 0; log is log2 |z| and is used up."""
    scale(log, exponents)
    for e in range(z.size):
        v = z[e]
        z[e] = v * exp2(math.sqrt(v if v > 0.0 else 0.0) * log[e])


@objective
def transform(exponents, factors, level, z, log):
    """The transformations of a level in place, in pieces that stay in the first-level cache."""
    size = exponents.size
    for begin in range(0, size, BLOCK):
        end = min(begin + BLOCK, size)
        piece = z[begin * WIDTH : end * WIDTH]
        if level >= OSCILLATED:
            oscillate(piece, log)
        if level >= SKEWED:
            skew(exponents[begin:end], piece, log)
        if level >= SCALED:
            scale(piece, factors[begin:end])


@objective
def base_values(base, factors, z, value, waves):
    """Values of a base function for WIDTH points; z is used up."""
    size = factors.size
    first = np.int64(z.ctypes.data)
    weights = np.int64(factors.ctypes.data)
    target = np.int64(value.ctypes.data)
    if base == SPHERE:
        sum_squares(first, weights, size, target)
    elif base == ELLIPTIC:
        sum_weighted_squares(first, weights, size, target)
    elif base == SCHWEFEL:
        sum_squared_partial_sums(first, weights, size, target)
    elif base == RASTRIGIN:
        for e in range(z.size):
            s = half_sine(z[e] - np.rint(z[e]))
            z[e] = z[e] * z[e] + 20.0 * s * s  # 10 - 10 cos(2 pi z) = 20 sin(pi z)^2
        sum_values(first, weights, size, target)
    elif base == ROSENBROCK:
        for e in range(z.size - WIDTH):
            a = z[e] * z[e] - z[e + WIDTH]
            b = z[e] - 1.0
            z[e] = 100.0 * a * a + b * b
        sum_values(first, weights, size - 1, target)
    else:
        sum_squares(first, weights, size, target)
        for e in range(z.size):
            s = half_sine(z[e] - np.rint(z[e]))
            z[e] = s * s  # cos(2 pi z) = 1 - 2 sin(pi z)^2
        sum_values(first, weights, size, np.int64(waves.ctypes.data))
        for i in range(WIDTH):
            root = math.sqrt(value[i] / size)
            value[i] = -20.0 * math.expm1(-0.2 * root) - math.e * math.expm1(-2.0 * waves[i] / size)


@objective
def lsgo(x, out, table):
    """Values of the rows of x under the function that the table describes."""
    n = x.shape[0]
    groups = np.int64(table[0])
    largest = 0
    for g in range(groups):
        largest = max(largest, np.int64(table[1 + g * FIELDS + SIZE]))
    y = np.empty(largest * WIDTH)
    z = np.empty(largest * WIDTH)
    log = np.empty(BLOCK * WIDTH)
    value = np.empty(WIDTH)
    waves = np.empty(WIDTH)
    total = np.empty(WIDTH)
    for first in range(0, n, WIDTH):
        total[:] = 0.0
        for g in range(groups):
            record = table[1 + g * FIELDS : 1 + (g + 1) * FIELDS]
            size = np.int64(record[SIZE])
            slots = np.int64(record[SLOTS])
            rotation = np.int64(record[ROTATION])
            variables = table[slots : slots + size]
            optimum = table[slots + size : slots + 2 * size]
            exponents = table[slots + 2 * size : slots + 3 * size]
            factors = table[slots + 3 * size : slots + 4 * size]
            points = z[: size * WIDTH]
            if rotation > 0:
                gather(x, first, variables, optimum, y)
                rotate(table[rotation : rotation + size * size], size, y, points)
            else:
                gather(x, first, variables, optimum, points)
            transform(exponents, factors, np.int64(record[TRANSFORM]), points, log)
            base_values(np.int64(record[BASE]), factors, points, value, waves)
            for i in range(WIDTH):
                total[i] += record[WEIGHT] * value[i]
        for i in range(min(WIDTH, n - first)):
            out[first + i] = total[i]
