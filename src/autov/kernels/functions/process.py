"""A sample of a Gaussian process as a function of points: random features, and an update that meets the data.

J. T. Wilson et al., Efficiently sampling functions from Gaussian process posteriors, ICML 2020 (Matheron's rule):
sample(x) = sum_j a_j cos(w_j z + b_j) + sum_i v_i k(z, z_i), with z = unit(x) / lengths. The kernel is a sum of two
Matern 5/2 functions with the same lengths, of which one is ``ratio`` as long. Values are
floor + exp(mean + sample), because logarithms of values were fitted.

The table is one array: HEAD numbers, then (d,) lower bounds, widths, lengths and flags of integers, the features
(w, a, b: m rows of d + 2 numbers), and the points (z_i, v_i: n rows of d + 1 numbers).
"""

from __future__ import annotations

import math

import numpy as np
from numba import carray

from autov.compiler.functions import objective

HEAD = 7
FEATURES, POINTS, MEAN, FLOOR, SMOOTH, ROUGH, RATIO = range(HEAD)
ROOT5 = math.sqrt(5.0)
LARGEST = 200.0  # of an exponent


@objective
def matern(r):
    """Matern 5/2 at a distance."""
    return (1.0 + ROOT5 * r + 5.0 / 3.0 * r * r) * math.exp(-ROOT5 * r)


@objective
def sampled(x, out, table):
    """Write the values of the rows of x (n, d)."""
    n, d = x.shape
    features, points = int(table[FEATURES]), int(table[POINTS])
    z = np.empty(d)
    at = HEAD + 4 * d
    data = at + features * (d + 2)
    for i in range(n):
        for k in range(d):
            value, lower, width = x[i, k], table[HEAD + k], table[HEAD + d + k]
            if table[HEAD + 3 * d + k] > 0.0:
                value = min(max(np.rint(value), math.ceil(lower)), math.floor(lower + width))
            z[k] = (value - lower) / (width * table[HEAD + 2 * d + k])
        total = 0.0
        for j in range(features):
            row = at + j * (d + 2)
            angle = table[row + d + 1]
            for k in range(d):
                angle += table[row + k] * z[k]
            total += table[row + d] * math.cos(angle)
        for j in range(points):
            row = data + j * (d + 1)
            square = 0.0
            for k in range(d):
                square += (z[k] - table[row + k]) ** 2
            r = math.sqrt(square)
            total += table[row + d] * (table[SMOOTH] * matern(r) + table[ROUGH] * matern(r / table[RATIO]))
        out[i] = table[FLOOR] + math.exp(min(table[MEAN] + total, LARGEST))


def sampled_batch(x, n, d, out, context, size, first, second):  # noqa: ARG001
    """The same as a C function; see `kernels.objective`."""
    sampled(carray(x, (n, d)), carray(out, (n,)), carray(context, (size,)))
