"""Fit a linear or quadratic model to points by weighted least squares.

Points are written in coordinates in which those that count have mean zero and variances of about one: divided by one
deviation (linear), mapped as the caller says (round), each variable divided by its deviation (diagonal), or whitened
(full). The normal equations are then well conditioned however long and thin the cloud of points is. A small ridge takes
the smallest coefficients where there are fewer points than terms.

`prepare_fit` makes the equations for the points, `solve_fit` the coefficients for their values: other values of the
same points cost little.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from autov.compiler.functions import internal, noinline
from autov.kernels.matrix_products import COLUMNS, ROWS, padded, register_block
from autov.kernels.models.quadratic_model import DIAGONAL, FULL, ROUND, count_terms, fill_terms, to_frame

RIDGE = 1e-8  # relative to the sum of weights; rounding moves coefficients that points do not determine by eps / RIDGE
REFINED = 1  # how often the residuals are fitted, too
HEAVIEST = 20.0  # the best point counts so much more than the worst, squared
FLAT = 1e-12  # a direction with so little of its variable's variance has none of its own


class Fitting(NamedTuple):
    """Arrays that a fit fills."""

    design: np.ndarray  # (points padded, terms padded) weighted terms
    gram: np.ndarray  # (terms padded, terms padded) of which the upper triangle is used
    panel: np.ndarray  # (ROWS, terms padded)
    right: np.ndarray  # (terms padded,)
    away: np.ndarray  # (d,)
    v: np.ndarray  # (d,)
    covariance: np.ndarray  # (d, d)


def fitting_arrays(d, points, terms):
    """Arrays for fits of up to so many points and terms."""
    wide = padded(max(1, terms), COLUMNS)
    return Fitting(
        np.empty((padded(points, ROWS), wide)), np.empty((wide, wide)), np.empty((ROWS, wide)), np.empty(wide),
        np.empty(d), np.empty(d), np.empty((d, d)),
    )  # fmt: skip


@internal
def weight_of(rank, used):
    """Square root of the weight of a point by its rank, from HEAVIEST for the best to 1."""
    if used < 2:
        return HEAVIEST
    return HEAVIEST + (1 - HEAVIEST) * rank / (used - 1)


@noinline
def fit_frame(points, order, used, kind, model, fitting):
    """Centre and frame from the weighted mean and covariance of the first ``used`` points of an order.

    For a round model the frame holds the map of the caller, and is scaled.
    """
    centre, frame, C, away, v = model.centre, model.frame, fitting.covariance, fitting.away, fitting.v
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
            C[k, j] = 0.0
    squares = 0.0
    for rank in range(used):
        weight = weight_of(rank, used)
        for k in range(d):
            away[k] = weight * (points[order[rank], k] - centre[k])
        if kind == FULL:
            for k in range(d):
                for j in range(k + 1):
                    C[k, j] += away[k] * away[j]
        elif kind == DIAGONAL:
            for k in range(d):
                C[k, k] += away[k] * away[k]
        else:
            if kind == ROUND:
                to_frame(away, frame, kind, v)
            for k in range(d):
                squares += v[k] * v[k] if kind == ROUND else away[k] * away[k]
    if kind <= ROUND:
        scale = math.sqrt(d * total / squares) if squares > 0 else 1.0
        for k in range(d):
            for j in range(d):
                before = frame[k, j] if kind == ROUND else 1.0 if k == j else 0.0
                frame[k, j] = scale * before
        return
    for k in range(d):
        for j in range(d):
            frame[k, j] = 0.0
            C[k, j] /= total
    if kind == DIAGONAL:
        for k in range(d):
            frame[k, k] = 1 / math.sqrt(C[k, k]) if C[k, k] > 0 else 1.0
        return
    whiten(C, frame)


@internal
def whiten(C, frame):
    """The inverse of L, where C = L L'; C is replaced by L."""
    d = C.shape[0]
    for k in range(d):
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
def prepare_fit(points, order, used, kind, model, fitting):
    """The normal equations of the first ``used`` points of an order, best first; whether they can be solved.

    Args:
        points: (n, d).
        order: (n,) places of points, best first.
        used: how many of them count; the best counts most.
        kind: of the model.
        model: its centre and frame are written; for a round model the frame holds a (d, d) map of points.
        fitting: scratch.
    """
    d = points.shape[1]
    m = count_terms(kind, d)
    design, gram, away, v = fitting.design, fitting.gram, fitting.away, fitting.v
    fit_frame(points, order, used, kind, model, fitting)
    total = 0.0
    for rank in range(used):
        weight = weight_of(rank, used)
        total += weight * weight
        for k in range(d):
            away[k] = points[order[rank], k] - model.centre[k]
        to_frame(away, model.frame, kind, v)
        row = design[rank]
        fill_terms(v, kind, weight, row)
        for j in range(m, row.size):
            row[j] = 0.0
    fill_gram(design, gram, used, m)
    for j in range(m):
        gram[j, j] += RIDGE * total
    return factorise(gram, fitting.panel, m)


@noinline
def solve_fit(target, used, m, model, fitting):
    """The m coefficients for values of the prepared points, in their order; whether they are finite.

    The residuals are fitted, too, REFINED times: the ridge and the rounding of the normal equations then move only what
    the points do not determine.
    """
    gram, right, c = fitting.gram, fitting.right, model.coefficients
    for j in range(m):
        c[j] = 0.0
    for _ in range(1 + REFINED):
        for j in range(m):
            right[j] = 0.0
        for rank in range(used):
            weight, row = weight_of(rank, used), fitting.design[rank]
            residual = weight * target[rank]
            for j in range(m):
                residual -= row[j] * c[j]
            for j in range(m):
                right[j] += row[j] * residual
        for k in range(m):  # U'y = right, then U x = y
            right[k] /= gram[k, k]
            row, known = gram[k], right[k]
            for j in range(k + 1, m):
                right[j] -= row[j] * known
        for k in range(m - 1, -1, -1):
            row, s = gram[k], right[k]
            for j in range(k + 1, m):
                s -= row[j] * right[j]
            right[k] = s / gram[k, k]
            c[k] += right[k]
            if not abs(c[k]) < np.inf:
                return False
    return True


@noinline
def fitted_values(used, m, model, fitting, out):
    """The values of the model at the prepared points."""
    c = model.coefficients
    for rank in range(used):
        total, row = 0.0, fitting.design[rank]
        for j in range(m):
            total += row[j] * c[j]
        out[rank] = total / weight_of(rank, used)
