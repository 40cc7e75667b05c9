"""Sums over variables for WIDTH points side by side, as vector code that keeps its sums in registers.

LLVM does not keep sums of eight neighbouring points in vectors by itself: it has to fear that writing one sum changes
the numbers still to be added. The code is portable: LLVM turns vectors into whatever the processor has.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

WORD, DOUBLE = ir.IntType(64), ir.DoubleType()
WIDTH = 8  # of a vector: points that are worked on together
PANEL = 5  # rows of a matrix that are applied together; divides every group size of the large-scale suite


def _vectors(builder, address):
    """A pointer to groups of WIDTH numbers at an address, which need not be aligned."""
    return builder.inttoptr(address, ir.VectorType(DOUBLE, WIDTH).as_pointer())


def _load(builder, pointer, index):
    vector = builder.load(builder.gep(pointer, [index]))
    vector.align = 8
    return vector


def _broadcast(builder, pointer, index):
    """A vector of one number."""
    vector = ir.VectorType(DOUBLE, WIDTH)
    number = builder.load(builder.gep(pointer, [index]))
    number = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.Constant(WORD, 0))
    return builder.shuffle_vector(number, number, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH))


def _multiply_add(builder, a, b, c):
    vector = ir.VectorType(DOUBLE, WIDTH)
    kind = ir.FunctionType(vector, [vector] * 3)
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{WIDTH}f64")
    return builder.call(function, [a, b, c])


def _zeros(builder, count):
    """Vectors of zeros that stay in registers."""
    zero = ir.Constant(ir.VectorType(DOUBLE, WIDTH), [0.0] * WIDTH)
    cells = [cgutils.alloca_once(builder, zero.type) for _ in range(count)]
    for cell in cells:
        builder.store(zero, cell)
    return cells


@intrinsic
def _panel(typingctx, matrix, y, z, size):  # noqa: ARG001
    """PANEL rows of z = R y; all arguments but the size are addresses of first elements."""

    def codegen(context, builder, _signature, args):
        matrix, y, z, size = args
        sums = _zeros(builder, PANEL)
        matrix = builder.inttoptr(matrix, DOUBLE.as_pointer())
        y, z = _vectors(builder, y), _vectors(builder, z)
        with cgutils.for_range(builder, size) as loop:
            points = _load(builder, y, loop.index)
            begin = builder.mul(loop.index, ir.Constant(WORD, PANEL))
            for j, total in enumerate(sums):
                entry = _broadcast(builder, matrix, builder.add(begin, ir.Constant(WORD, j)))
                builder.store(_multiply_add(builder, entry, points, builder.load(total)), total)
        for j, total in enumerate(sums):
            builder.store(builder.load(total), builder.gep(z, [ir.Constant(WORD, j)])).align = 8
        return context.get_dummy_value()

    return types.void(matrix, y, z, size), codegen


def _sum(kind: str) -> Any:
    """An intrinsic that adds up something of the variables of each point; arguments as above."""

    @intrinsic
    def total(typingctx, z, factors, size, out):  # noqa: ARG001
        def codegen(context, builder, _signature, args):
            z, factors, size, out = args
            value, partial = _zeros(builder, 2)
            z, out = _vectors(builder, z), _vectors(builder, out)
            factors = builder.inttoptr(factors, DOUBLE.as_pointer())
            with cgutils.for_range(builder, size) as loop:
                v = weighted = _load(builder, z, loop.index)
                if kind == "weighted squares":
                    weighted = builder.fmul(v, _broadcast(builder, factors, loop.index))
                if kind == "squared partial sums":
                    v = weighted = builder.fadd(v, builder.load(partial))
                    builder.store(v, partial)
                if kind == "values":
                    result = builder.fadd(v, builder.load(value))
                else:
                    result = _multiply_add(builder, v, weighted, builder.load(value))
                builder.store(result, value)
            builder.store(builder.load(value), builder.gep(out, [ir.Constant(WORD, 0)])).align = 8
            return context.get_dummy_value()

        return types.void(z, factors, size, out), codegen

    return total


panel: Any = _panel
sum_values = _sum("values")
sum_squares = _sum("squares")
sum_weighted_squares = _sum("weighted squares")
sum_squared_partial_sums = _sum("squared partial sums")
