"""Linear and quadratic models of a function: their kinds, terms, values and second derivatives.

A model is a sum of terms of the coordinates v = frame (u - centre) of a point u. The terms are 1 and v_i (linear), one
term of |v|^2 (round), or (v_i^2 - 1) / sqrt(2) for each variable (diagonal), with v_i v_j for each pair (full). They
are orthonormal for round normal points.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from autov.compiler.functions import internal

NONE, LINEAR, ROUND, DIAGONAL, FULL = range(5)  # kinds of models
MOST_TERMS = 500  # a fit takes terms^3 / 3 + points terms^2 / 2 multiplications
HALF_ROOT = math.sqrt(0.5)


class Model(NamedTuple):
    """What a fit gives."""

    centre: np.ndarray  # (d,)
    frame: np.ndarray  # (d, d), of which a diagonal model uses the diagonal
    coefficients: np.ndarray  # (most terms,)


@internal
def count_terms(kind, d):
    """How many terms a model has."""
    if kind == NONE:
        return 0
    if kind == LINEAR:
        return 1 + d
    if kind == ROUND:
        return 2 + d
    if kind == DIAGONAL:
        return 1 + 2 * d
    return (d + 1) * (d + 2) // 2


@internal
def largest_kind(d, middle):
    """The most complex kind for d variables, of linear, middle (round or diagonal) and full, within MOST_TERMS."""
    if count_terms(FULL, d) <= MOST_TERMS:
        return FULL
    if count_terms(middle, d) <= MOST_TERMS:
        return middle
    return LINEAR if count_terms(LINEAR, d) <= MOST_TERMS else NONE


def model_arrays(d, terms):
    """A model with space for so many terms."""
    return Model(np.zeros(d), np.zeros((d, d)), np.zeros(max(1, terms)))


@internal
def to_frame(away, frame, kind, v):
    """The coordinates v of a step from the centre."""
    d = away.size
    if kind == DIAGONAL:
        for k in range(d):
            v[k] = frame[k, k] * away[k]
        return
    for k in range(d):
        total = 0.0
        row = frame[k]
        for j in range(d):
            total += row[j] * away[j]
        v[k] = total


@internal
def from_frame(h, frame, kind, out):
    """A gradient in the coordinates v as one of points."""
    d = h.size
    if kind == DIAGONAL:
        for k in range(d):
            out[k] = frame[k, k] * h[k]
        return
    for k in range(d):
        out[k] = 0.0
    for k in range(d):
        factor, row = h[k], frame[k]
        for j in range(d):
            out[j] += factor * row[j]


@internal
def fill_terms(v, kind, factor, row):
    """Terms of a point, times a factor."""
    d = v.size
    row[0] = factor
    for k in range(d):
        row[1 + k] = factor * v[k]
    if kind == ROUND:
        square = 0.0
        for k in range(d):
            square += v[k] * v[k]
        row[1 + d] = factor * (square - d) / math.sqrt(2.0 * d)
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


@internal
def predict(u, kind, model, away, v):
    """The value of a model at a point; away and v are scratch."""
    d = u.size
    c = model.coefficients
    for k in range(d):
        away[k] = u[k] - model.centre[k]
    to_frame(away, model.frame, kind, v)
    total = c[0]
    for k in range(d):
        total += c[1 + k] * v[k]
    if kind == ROUND:
        square = 0.0
        for k in range(d):
            square += v[k] * v[k]
        total += c[1 + d] * (square - d) / math.sqrt(2.0 * d)
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
        out[k] = 0.0
    if kind == ROUND:
        for k in range(d):
            out[k] = 2 * c[1 + d] / math.sqrt(2.0 * d) * v[k]
    if kind >= DIAGONAL:
        for k in range(d):
            out[k] = 2 * HALF_ROOT * c[1 + d + k] * v[k]
    if kind == FULL:
        place = 1 + 2 * d
        for k in range(d):
            for j in range(k + 1, d):
                out[k] += c[place] * v[j]
                out[j] += c[place] * v[k]
                place += 1
