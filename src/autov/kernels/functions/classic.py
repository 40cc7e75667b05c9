"""The thirteen functions of Yao, Liu and Lin (1999), Table I, for batches of points.

Yao, Liu, Lin: Evolutionary programming made faster. IEEE Transactions on Evolutionary Computation 3(2), 1999.
Each takes x (n, d) and writes the n values into out. Sums over variables that all count alike are made in two steps,
terms of the whole block and then their sums by row: short rows would leave most of a vector loop to its tail.
"""

# pyright: reportCallIssue=false
# (an intrinsic is called without its first parameter, the typing context)

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from autov.compiler.functions import helper, objective
from autov.kernels.functions.elementary import INVERSE_TURN, cos_turns, sin_turns
from autov.kernels.random import fill_uniforms


@intrinsic
def _sum(typingctx, address, count):  # noqa: ARG001
    """The sum of ``count`` doubles in a vector of four: a loop without the long scalar tail LLVM would give it."""
    vector = ir.VectorType(ir.DoubleType(), 4)
    word = ir.IntType(64)
    flags = ("reassoc", "nsz")

    def codegen(context, builder, _signature, args):  # noqa: ARG001
        address, count = args
        sums = cgutils.alloca_once_value(builder, ir.Constant(vector, [0.0] * 4))
        single = cgutils.alloca_once_value(builder, ir.Constant(ir.DoubleType(), 0.0))
        whole = builder.and_(count, ir.Constant(word, -4))

        def load(k, kind):
            place = builder.add(address, builder.mul(k, ir.Constant(word, 8)))
            value = builder.load(builder.inttoptr(place, kind.as_pointer()))
            value.align = 8
            return value

        zero = ir.Constant(word, 0)
        with cgutils.for_range_slice(builder, zero, whole, ir.Constant(word, 4), word) as (k, _):
            builder.store(builder.fadd(builder.load(sums), load(k, vector), flags=flags), sums)
        with cgutils.for_range_slice(builder, whole, count, ir.Constant(word, 1), word) as (k, _):
            builder.store(builder.fadd(builder.load(single), load(k, ir.DoubleType()), flags=flags), single)
        total = builder.load(single)
        final = builder.load(sums)
        single = [builder.extract_element(final, ir.Constant(ir.IntType(32), i)) for i in range(4)]
        pairs = builder.fadd(single[0], single[2], flags=flags), builder.fadd(single[1], single[3], flags=flags)
        return builder.fadd(total, builder.fadd(*pairs, flags=flags), flags=flags)

    return types.float64(address, count), codegen


@helper
def row_sums(terms, d, out):
    """Sums of consecutive groups of d terms."""
    address = np.int64(terms.ctypes.data)
    for i in range(out.size):
        out[i] = _sum(address, np.int64(d))
        address += 8 * d


@helper
def not_below_zero(out):
    """Cut off what rounding left below a minimum of zero; a polynomial cosine may exceed 1 by its last bit.

    Every other value keeps its bits, which a sum of terms that cannot be negative would not. NaN stays.
    """
    for i in range(out.size):
        if out[i] < 0.0:
            out[i] = 0.0


@objective
def sphere(x, out):  # noqa: D103
    flat = x.ravel()
    terms = np.empty(flat.size)
    for k in range(flat.size):
        terms[k] = flat[k] * flat[k]
    row_sums(terms, x.shape[1], out)


@objective
def schwefel_2_22(x, out):  # noqa: D103
    n, d = x.shape
    for i in range(n):
        total = 0.0
        product = 1.0
        for k in range(d):
            total += abs(x[i, k])
            product *= abs(x[i, k])
        out[i] = total + product


@objective
def schwefel_1_2(x, out):  # noqa: D103
    n, d = x.shape
    for i in range(n):
        total = 0.0
        partial = 0.0
        for k in range(d):
            partial += x[i, k]
            total += partial * partial
        out[i] = total


@objective
def schwefel_2_21(x, out):  # noqa: D103
    n, d = x.shape
    for i in range(n):
        largest = 0.0
        for k in range(d):
            largest = max(largest, abs(x[i, k]))
        out[i] = largest


@objective
def rosenbrock(x, out):  # noqa: D103
    n, d = x.shape
    for i in range(n):
        total = 0.0
        for k in range(d - 1):
            a = x[i, k + 1] - x[i, k] * x[i, k]
            b = x[i, k] - 1.0
            total += 100.0 * a * a + b * b
        out[i] = total


@objective
def step(x, out):  # noqa: D103
    flat = x.ravel()
    terms = np.empty(flat.size)
    for k in range(flat.size):
        a = np.floor(flat[k] + 0.5)
        terms[k] = a * a
    row_sums(terms, x.shape[1], out)


@objective
def quartic(x, out, first, second):
    """Noise in [0, 1) comes from the stream (first, second)."""
    n, d = x.shape
    fill_uniforms(first, second, 0, out)
    for i in range(n):
        total = 0.0
        for k in range(d):
            square = x[i, k] * x[i, k]
            total += (k + 1) * square * square
        out[i] += total


@objective
def schwefel_2_26(x, out):  # noqa: D103
    flat = x.ravel()
    terms = np.empty(flat.size)
    for k in range(flat.size):
        terms[k] = -flat[k] * sin_turns(math.sqrt(abs(flat[k])) * INVERSE_TURN)
    row_sums(terms, x.shape[1], out)


@objective
def rastrigin(x, out):  # noqa: D103
    flat = x.ravel()
    terms = np.empty(flat.size)
    for k in range(flat.size):
        terms[k] = flat[k] * flat[k] + (10.0 - 10.0 * cos_turns(flat[k]))
    row_sums(terms, x.shape[1], out)
    not_below_zero(out)


@objective
def ackley(x, out):  # noqa: D103
    n, d = x.shape
    flat = x.ravel()
    terms = np.empty(flat.size)
    cosines = np.empty(n)
    for k in range(flat.size):
        terms[k] = cos_turns(flat[k])
    row_sums(terms, d, cosines)
    for k in range(flat.size):
        terms[k] = flat[k] * flat[k]
    row_sums(terms, d, out)
    for i in range(n):
        out[i] = -20.0 * math.exp(-0.2 * math.sqrt(out[i] / d)) - math.exp(cosines[i] / d) + 20.0 + math.e


@objective
def griewank(x, out):  # noqa: D103
    n, d = x.shape
    rates = np.empty(d)
    for k in range(d):
        rates[k] = INVERSE_TURN / math.sqrt(k + 1.0)
    for i in range(n):
        total = 0.0
        product = 1.0
        for k in range(d):
            total += x[i, k] * x[i, k]
            product *= cos_turns(x[i, k] * rates[k])
        out[i] = total / 4000.0 - product + 1.0


@helper
def penalty(x, a, k, m):
    """u(x, a, k, m) of the paper: k (|x| - a)^m outside [-a, a]."""
    excess = max(abs(x) - a, 0.0)
    return k * excess**m


@objective
def penalized_1(x, out, substitute):
    """With substitute, y = 1 + (x + 1) / 4 as published; without it, y = x (the form that fits the AutoV paper)."""
    n, d = x.shape
    y = np.empty(d)
    for i in range(n):
        for k in range(d):
            y[k] = 1.0 + (x[i, k] + 1.0) / 4.0 if substitute else x[i, k]
        s = sin_turns(0.5 * y[0])
        total = 10.0 * s * s + (y[d - 1] - 1.0) * (y[d - 1] - 1.0)
        for k in range(d - 1):
            s = sin_turns(0.5 * y[k + 1])
            total += (y[k] - 1.0) * (y[k] - 1.0) * (1.0 + 10.0 * s * s)
        total *= math.pi / d
        for k in range(d):
            total += penalty(x[i, k], 10.0, 100.0, 4)
        out[i] = total


@objective
def penalized_2(x, out):  # noqa: D103
    n, d = x.shape
    for i in range(n):
        s = sin_turns(1.5 * x[i, 0])
        last = x[i, d - 1] - 1.0
        total = s * s
        s = sin_turns(x[i, d - 1])
        total += last * last * (1.0 + s * s)
        for k in range(d - 1):
            s = sin_turns(1.5 * x[i, k + 1])
            total += (x[i, k] - 1.0) * (x[i, k] - 1.0) * (1.0 + s * s)
        total *= 0.1
        for k in range(d):
            total += penalty(x[i, k], 5.0, 100.0, 4)
        out[i] = total
