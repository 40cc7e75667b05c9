"""A frame that is learned: the eigenvectors of the population's covariance, along which variables are drawn.

Rows of a basis are its axes, the longest first. The product of an axis with the way from the mean to the best point is
positive, so that a turned population has the turned basis: its draws turn with it, path by path.
"""

from __future__ import annotations

import math

from autov.compiler.functions import internal
from autov.kernels.evolution.selection import best_place, write_mean, write_spread
from autov.kernels.evolution.variation import BEST, DIFFERENCE, LOWER, MEAN, SPREAD, UPPER, WIDTH
from autov.kernels.order import sort_order

RELEARN = 10  # times d: evaluations after which a basis is learned anew, since that costs d^3
SWEEPS = 15  # most of the cyclic Jacobi method; from the last basis a few are enough
PRECISION = 1e-15  # an entry off the diagonal that is smaller, relative to both variances, is zero
NEGLIGIBLE = 1e-30  # the same, relative to all variance


@internal
def reset_basis(basis):
    """The axes themselves."""
    for a in range(basis.shape[0]):
        for k in range(basis.shape[1]):
            basis[a, k] = 1.0 if a == k else 0.0


@internal
def turn_rows(pool, begin, end, origin, centre, basis, out):
    """Coordinates of rows in the basis; origin is 1 for points, which are seen from the centre, 0 for directions."""
    d = centre.size
    for i in range(begin, end):
        for a in range(d):
            total = 0.0
            for k in range(d):
                total += (pool[i, k] - origin * centre[k]) * basis[a, k]
            out[i, a] = total


@internal
def turn_back(points, centre, basis, lower, upper, scratch):
    """Points from coordinates in the basis, in place, clipped to the box; NaN becomes the lower bound."""
    d = centre.size
    for i in range(points.shape[0]):
        for k in range(d):
            scratch[k] = centre[k]
        for a in range(d):
            factor = points[i, a]
            for k in range(d):
                scratch[k] += factor * basis[a, k]
        for k in range(d):
            value = scratch[k]
            value = value if value > lower[k] else lower[k]
            points[i, k] = value if value < upper[k] else upper[k]


@internal
def turn_pool(pool, n, m, inputs, lower, upper, centre, basis, out, scratch):
    """The population and what the operator reads behind it, in the basis; spread and width belong to its axes."""
    d = centre.size
    write_mean(pool, n, centre)
    turn_rows(pool, 0, n, 1.0, centre, basis, out)
    for j in range(inputs.size):
        code = inputs[j]
        row = n - code - 1
        if code in (BEST, LOWER, UPPER):
            turn_rows(pool, row, row + 1, 1.0, centre, basis, out)
        elif code == DIFFERENCE:
            turn_rows(pool, row, row + m, 0.0, centre, basis, out)
        elif code == MEAN:
            for a in range(d):
                out[row, a] = 0.0
        elif code == SPREAD:
            write_mean(out, n, scratch)
            write_spread(out, n, scratch, out[row])
        elif code == WIDTH:
            total = 0.0
            for k in range(d):
                total += (upper[k] - lower[k]) * (upper[k] - lower[k])
            for a in range(d):
                out[row, a] = math.sqrt(total / d)


@internal
def diagonalise(matrix, basis):
    """Cyclic Jacobi rotations of a symmetric matrix, in place; the rows of the basis turn with it."""
    d = matrix.shape[0]
    total = 0.0
    for p in range(d):
        total += matrix[p, p]
    for _ in range(SWEEPS):
        rotations = 0
        for p in range(d - 1):
            for q in range(p + 1, d):
                entry = matrix[p, q]
                limit = PRECISION * math.sqrt(abs(matrix[p, p] * matrix[q, q])) + NEGLIGIBLE * total
                if abs(entry) <= limit:
                    continue
                rotations += 1
                theta = (matrix[q, q] - matrix[p, p]) / (2.0 * entry)
                t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(d):
                    a, b = matrix[p, k], matrix[q, k]
                    matrix[p, k] = c * a - s * b
                    matrix[q, k] = s * a + c * b
                for k in range(d):
                    a, b = matrix[k, p], matrix[k, q]
                    matrix[k, p] = c * a - s * b
                    matrix[k, q] = s * a + c * b
                matrix[p, q] = 0.0
                matrix[q, p] = 0.0
                for k in range(d):
                    a, b = basis[p, k], basis[q, k]
                    basis[p, k] = c * a - s * b
                    basis[q, k] = s * a + c * b
        if rotations == 0:
            break


@internal
def learn_basis(pool, f, centre, basis, matrix, turned, scratch, order):
    """Turn the basis to the axes of the population; where all points are equal it stays.

    Args:
        pool: its first n rows are the population.
        f: (n,) values.
        centre: (d,) scratch, the mean.
        basis: (d, d) the last basis, overwritten.
        matrix: (d, d) scratch.
        turned: scratch like pool.
        scratch: (d,).
        order: (2, d or more) int64, scratch.
    """
    n, d = f.size, centre.size
    write_mean(pool, n, centre)
    longest = 0.0
    for i in range(n):
        for k in range(d):
            longest = max(longest, abs(pool[i, k] - centre[k]))
    if longest == 0.0:
        return
    # In the last basis, so that little is left to do and short axes keep their digits next to long ones.
    turn_rows(pool, 0, n, 1.0, centre, basis, turned)
    for a in range(d):
        for b in range(d):
            matrix[a, b] = 0.0
    for i in range(n):
        for a in range(d):
            factor = turned[i, a] / longest / longest
            for b in range(d):
                matrix[a, b] += factor * turned[i, b]
    for a in range(d):
        for b in range(a):
            matrix[a, b] = matrix[b, a]
    diagonalise(matrix, basis)
    for a in range(d):
        scratch[a] = -matrix[a, a]
    sort_order(scratch, d, order)
    for a in range(d):
        for k in range(d):
            matrix[a, k] = basis[a, k]
    best = best_place(f)
    for a in range(d):
        axis = order[0, a]
        product = 0.0
        for k in range(d):
            product += matrix[axis, k] * (pool[best, k] - centre[k])
        sign = -1.0 if product < 0.0 else 1.0
        for k in range(d):
            basis[a, k] = sign * matrix[axis, k]
