"""A linear or quadratic model of a function, fitted to points by weighted least squares.

Points are written in coordinates in which those that count have mean zero and unit variances: each variable divided by
its deviation, for the full model whitened. The terms are 1, v_i, (v_i^2 - 1) / sqrt(2) and v_i v_j, which are
orthonormal for round normal points, so the normal equations are well conditioned however long and thin the cloud of
points is. A tiny ridge takes the smallest coefficients where there are fewer points than terms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from autov.compiler.functions import internal, kernel, noinline
from autov.kernels.matrix_products import COLUMNS, ROWS, padded, register_block

NONE, LINEAR, DIAGONAL, FULL = range(4)  # kinds of models
MOST_TERMS = 500  # a fit takes terms^3 / 3 + points terms^2 / 2 multiplications
RIDGE = 1e-10  # relative to the sum of weights
HEAVIEST = 20.0  # the best point counts so much more than the worst, squared
FLAT = 1e-12  # a direction with so little of its variable's variance has none of its own
HALF_ROOT = math.sqrt(0.5)


class Model(NamedTuple):
    """What a fit gives."""

    centre: np.ndarray  # (d,)
    frame: np.ndarray  # (d, d) lower triangular, v = frame (u - centre)
    coefficients: np.ndarray  # (most terms,)


class Fitting(NamedTuple):
    """Arrays that a fit fills."""

    design: np.ndarray  # (points padded, terms padded) weighted terms
    gram: np.ndarray  # (terms padded, terms padded) of which the upper triangle is used
    panel: np.ndarray  # (ROWS, terms padded)
    right: np.ndarray  # (terms padded,)
    v: np.ndarray  # (3, d)
    covariance: np.ndarray  # (d, d)


def terms_of(kind, d):
    """How many terms a model has."""
    return (0, 1 + d, 1 + 2 * d, (d + 1) * (d + 2) // 2)[kind]


def largest_kind(d):
    """The most complex model for d variables that has no more than MOST_TERMS terms."""
    return max(kind for kind in range(4) if terms_of(kind, d) <= MOST_TERMS)


def model_arrays(d):
    """A model with space for its largest kind."""
    return Model(np.zeros(d), np.zeros((d, d)), np.zeros(max(1, terms_of(largest_kind(d), d))))


def fitting_arrays(d, points):
    """Arrays for fits of up to so many points."""
    wide = padded(max(1, terms_of(largest_kind(d), d)), COLUMNS)
    return Fitting(
        np.zeros((padded(points, ROWS), wide)), np.zeros((wide, wide)), np.zeros((ROWS, wide)), np.zeros(wide),
        np.zeros((3, d)), np.zeros((d, d)),
    )  # fmt: skip


@internal
def count_terms(kind, d):
    """`terms_of` in kernels."""
    if kind == LINEAR:
        return 1 + d
    if kind == DIAGONAL:
        return 1 + 2 * d
    return (d + 1) * (d + 2) // 2


@internal
def weight_of(rank, used):
    """Square root of the weight of a point by its rank, from HEAVIEST for the best to 1."""
    if used < 2:
        return HEAVIEST
    return HEAVIEST + (1 - HEAVIEST) * rank / (used - 1)


@internal
def to_frame(u, centre, frame, kind, v):
    """The coordinates v of a point."""
    d = centre.size
    if kind == FULL:
        for k in range(d):
            total = 0.0
            row = frame[k]
            for j in range(k + 1):
                total += row[j] * (u[j] - centre[j])
            v[k] = total
    else:
        for k in range(d):
            v[k] = frame[k, k] * (u[k] - centre[k])


@internal
def fill_terms(v, kind, factor, row):
    """Terms of a point, times a factor."""
    d = v.size
    row[0] = factor
    for k in range(d):
        row[1 + k] = factor * v[k]
    if kind >= DIAGONAL:
        for k in range(d):
            row[1 + d + k] = factor * HALF_ROOT * (v[k] * v[k] - 1)
    if kind == FULL:
        place = 1 + 2 * d
        for k in range(d):
            scaled = factor * v[k]
            for j in range(k + 1, d):
                row[place] = scaled * v[j]
                place += 1


@noinline
def fit_frame(points, order, used, kind, model, fitting):
    """Centre and frame from the weighted mean and covariance of the first ``used`` points of an order."""
    centre, frame, C = model.centre, model.frame, fitting.covariance
    d = centre.size
    total = 0.0
    for k in range(d):
        centre[k] = 0.0
    for rank in range(used):
        weight = weight_of(rank, used)
        total += weight * weight
        for k in range(d):
            centre[k] += weight * weight * points[order[rank], k]
    for k in range(d):
        centre[k] /= total
        for j in range(d):
            frame[k, j] = 0.0
            C[k, j] = 0.0
    away = fitting.v[0]
    for rank in range(used):
        weight = weight_of(rank, used)
        for k in range(d):
            away[k] = weight * (points[order[rank], k] - centre[k])
        if kind == FULL:
            for k in range(d):
                for j in range(k + 1):
                    C[k, j] += away[k] * away[j]
        else:
            for k in range(d):
                C[k, k] += away[k] * away[k]
    for k in range(d):
        for j in range(k + 1):
            C[k, j] /= total
    if kind != FULL:
        for k in range(d):
            frame[k, k] = 1 / math.sqrt(C[k, k]) if C[k, k] > 0 else 1.0
        return
    for k in range(d):  # C = L L'; the frame is the inverse of L
        variance = C[k, k]
        for j in range(k):
            s = C[k, j]
            for i in range(j):
                s -= C[k, i] * C[j, i]
            C[k, j] = s / C[j, j]
        pivot = variance
        for j in range(k):
            pivot -= C[k, j] * C[k, j]
        if pivot <= FLAT * variance:
            pivot = variance
        C[k, k] = math.sqrt(pivot) if pivot > 0 else 1.0
    for k in range(d):
        frame[k, k] = 1 / C[k, k]
        for j in range(k):
            s = 0.0
            for i in range(j, k):
                s -= C[k, i] * frame[i, j]
            frame[k, j] = s / C[k, k]


@noinline
def factorise(gram, panel, m):
    """The upper triangle U of a positive definite matrix of m rows (U'U), in place; whether there is one.

    Right-looking, ROWS rows at a time, so that the bulk of the work is sums of rows times numbers in registers.
    """
    width = gram.shape[1]
    for begin in range(0, m, ROWS):
        end = min(begin + ROWS, m)
        for k in range(begin, end):
            pivot = gram[k, k]
            if not pivot > 0:
                return False
            scale = 1 / math.sqrt(pivot)
            row = gram[k]
            for j in range(k, m):
                row[j] *= scale
            for i in range(k + 1, end):
                factor, target = row[i], gram[i]
                for j in range(i, m):
                    target[j] -= factor * row[j]
        if end == m:
            break
        for i in range(ROWS):
            for j in range(end, m):
                panel[i, j] = -gram[begin + i, j]
        for r in range(end, m, ROWS):  # begin and end are multiples of ROWS, rows behind m are never read
            for j in range(r // COLUMNS * COLUMNS, m, COLUMNS):
                register_block(
                    np.int64(gram.ctypes.data + 8 * (r * width + j)), 1.0, np.int64(panel.ctypes.data + 8 * r),
                    np.int64(1), np.int64(width), np.int64(gram.ctypes.data + 8 * (begin * width + j)),
                    np.int64(width), np.int64(ROWS),
                )  # fmt: skip
    return True


@noinline
def fill_gram(design, gram, count, m):
    """The upper triangle of the products of the first m columns of the first ``count`` rows."""
    width = gram.shape[1]
    for r in range(0, m, ROWS):
        for j in range(r // COLUMNS * COLUMNS, m, COLUMNS):
            register_block(
                np.int64(gram.ctypes.data + 8 * (r * width + j)), 0.0, np.int64(design.ctypes.data + 8 * r),
                np.int64(1), np.int64(width), np.int64(design.ctypes.data + 8 * j), np.int64(width), np.int64(count),
            )  # fmt: skip


@noinline
def fit_model(points, values, order, used, kind, model, fitting):
    """Fit a model of a kind to the first ``used`` points of an order, best first; whether it could be fitted.

    Args:
        points: (n, d).
        values: (n,) finite.
        order: (n,) places of points, best first.
        used: how many of them count; the best counts most.
        kind: of the model.
        model: written.
        fitting: scratch.
    """
    d = points.shape[1]
    m = count_terms(kind, d)
    design, gram, right = fitting.design, fitting.gram, fitting.right
    fit_frame(points, order, used, kind, model, fitting)
    v = fitting.v[0]
    total = 0.0
    for j in range(m):
        right[j] = 0.0
    for rank in range(used):
        weight = weight_of(rank, used)
        total += weight * weight
        row = design[rank]
        to_frame(points[order[rank]], model.centre, model.frame, kind, v)
        fill_terms(v, kind, weight, row)
        target = weight * values[order[rank]]
        for j in range(m):
            right[j] += row[j] * target
        for j in range(m, row.size):
            row[j] = 0.0
    fill_gram(design, gram, used, m)
    for j in range(m):
        gram[j, j] += RIDGE * total
    if not factorise(gram, fitting.panel, m):
        return False
    for k in range(m):  # U'y = right, then U c = y
        right[k] /= gram[k, k]
        row, known = gram[k], right[k]
        for j in range(k + 1, m):
            right[j] -= row[j] * known
    c = model.coefficients
    for k in range(m - 1, -1, -1):
        row, s = gram[k], right[k]
        for j in range(k + 1, m):
            s -= row[j] * c[j]
        c[k] = s / gram[k, k]
        if not abs(c[k]) < np.inf:
            return False
    return True


@internal
def predict(u, kind, model, v):
    """The value of a model at a point; v is scratch."""
    d = u.size
    c = model.coefficients
    to_frame(u, model.centre, model.frame, kind, v)
    total = c[0]
    for k in range(d):
        total += c[1 + k] * v[k]
    if kind >= DIAGONAL:
        for k in range(d):
            total += c[1 + d + k] * HALF_ROOT * (v[k] * v[k] - 1)
    if kind == FULL:
        place = 1 + 2 * d
        for k in range(d):
            s = 0.0
            for j in range(k + 1, d):
                s += c[place] * v[j]
                place += 1
            total += s * v[k]
    return total


@internal
def multiply_hessian(v, kind, model, out):
    """The second derivatives of a model, in the coordinates v, times a vector."""
    d = v.size
    c = model.coefficients
    for k in range(d):
        out[k] = 2 * HALF_ROOT * c[1 + d + k] * v[k] if kind >= DIAGONAL else 0.0
    if kind == FULL:
        place = 1 + 2 * d
        for k in range(d):
            for j in range(k + 1, d):
                out[k] += c[place] * v[j]
                out[j] += c[place] * v[k]
                place += 1


@kernel
def kendall(a, b, n):
    """Kendall's rank correlation (tau-b) of the first n numbers of two arrays; 0 if one of them is constant."""
    agree, ties_a, ties_b = 0, 0, 0
    for i in range(n):
        for j in range(i):
            one = (a[i] > a[j]) - (a[i] < a[j])
            other = (b[i] > b[j]) - (b[i] < b[j])
            agree += one * other
            ties_a += one == 0
            ties_b += other == 0
    pairs = n * (n - 1) // 2
    if ties_a == pairs or ties_b == pairs:
        return 0.0
    return agree / math.sqrt(float(pairs - ties_a) * float(pairs - ties_b))
