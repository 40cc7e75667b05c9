"""Sums of rows times numbers, as vector code that keeps a block of the result in registers.

LLVM does not keep such sums in registers by itself: it has to fear that writing one changes the numbers still to be
added. The code is portable: LLVM turns vectors into whatever the processor has.
"""

# pyright: reportCallIssue=false
# (an intrinsic is called without its first parameter, the typing context)

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from autov.compiler.functions import kernel

COLUMNS, ROWS = 8, 4  # of a block; arrays are padded with zeros to whole blocks


@intrinsic
def _register_block(typingctx, out, factor, left, row_stride, step_stride, right, width, steps):  # noqa: ARG001
    """ROWS x COLUMNS of out = factor out + left right; out, left, right are addresses, strides count numbers.

    Row t of right and row r of out are ``width`` numbers apart; the number of left for (r, t) is at
    r row_stride + t step_stride. With a factor of zero out is not read.
    """

    def codegen(context, builder, _signature, args):
        out, factor, left, row_stride, step_stride, right, width, steps = args
        word, double = ir.IntType(64), ir.DoubleType()
        vector = ir.VectorType(double, COLUMNS)
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), COLUMNS), [0] * COLUMNS)

        def splat(number):
            single = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.Constant(word, 0))
            return builder.shuffle_vector(single, single, zeros)

        def place(base, offset, kind):
            return builder.inttoptr(builder.add(base, builder.shl(offset, ir.Constant(word, 3))), kind.as_pointer())

        def load(base, offset, kind):
            value = builder.load(place(base, offset, kind))
            value.align = 8
            return value

        multiply_add = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fmuladd.v{COLUMNS}f64"
        )
        zero = ir.Constant(vector, [0.0] * COLUMNS)
        sums = [cgutils.alloca_once_value(builder, zero) for _ in range(ROWS)]
        offsets = [builder.mul(width, ir.Constant(word, r)) for r in range(ROWS)]
        with builder.if_then(builder.fcmp_unordered("!=", factor, ir.Constant(double, 0.0))):
            for total, offset in zip(sums, offsets, strict=True):
                builder.store(builder.fmul(splat(factor), load(out, offset, vector)), total)
        with cgutils.for_range(builder, steps) as loop:
            row = load(right, builder.mul(loop.index, width), vector)
            first = builder.mul(loop.index, step_stride)
            for r, total in enumerate(sums):
                number = load(left, builder.add(first, builder.mul(row_stride, ir.Constant(word, r))), double)
                builder.store(builder.call(multiply_add, [splat(number), row, builder.load(total)]), total)
        for total, offset in zip(sums, offsets, strict=True):
            builder.store(builder.load(total), place(out, offset, vector)).align = 8
        return context.get_dummy_value()

    return types.void(out, factor, left, row_stride, step_stride, right, width, steps), codegen


register_block: Any = _register_block


@kernel
def multiply_rows(z, matrix, out, rows, steps):
    """Rows of out = z matrix, whole blocks of them; z and matrix are read up to ``steps`` columns and rows."""
    width = matrix.shape[1]
    for j in range(0, width, COLUMNS):  # a panel of the matrix stays in the cache for all rows of z
        for r in range(0, rows, ROWS):
            register_block(
                np.int64(out.ctypes.data + 8 * (r * width + j)), 0.0, np.int64(z.ctypes.data + 8 * r * width),
                np.int64(width), np.int64(1), np.int64(matrix.ctypes.data + 8 * j), np.int64(width), np.int64(steps),
            )  # fmt: skip


@kernel
def add_products(matrix, factor, left, right, count):
    """Matrix = factor matrix + the sum of the products of rows i < count of left and right."""
    rows, width = matrix.shape
    for r in range(0, rows, ROWS):
        for j in range(0, width, COLUMNS):
            register_block(
                np.int64(matrix.ctypes.data + 8 * (r * width + j)), factor, np.int64(left.ctypes.data + 8 * r),
                np.int64(1), np.int64(width), np.int64(right.ctypes.data + 8 * j), np.int64(width), np.int64(count),
            )  # fmt: skip


def padded(size, step):
    """The size in whole steps."""
    return (size + step - 1) // step * step
