"""The innermost step: draw a few neighbouring variables of one offspring, as one piece of vector code.

A variable's weights come from the row chosen for it, so their parameters lie scattered. LLVM does not vectorise such
look-ups by itself; written as vector code, the step takes half the time of plain loops (its twin is in the tests). The
code is portable: LLVM turns vectors into whatever the processor has.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

DOUBLE = ir.DoubleType()
FLAGS = ("contract", "reassoc", "nsz")


def _draw(width: int):
    """An intrinsic that draws variables k .. k + width - 1; all its other arguments are addresses of first elements."""

    @intrinsic
    def draw(typingctx, k, parameters, x1, sources, tied, row, normal, lower, upper, out):  # noqa: ARG001
        weights = len(sources)
        untied = weights - len(tied)
        signature = types.void(k, parameters, x1, sources, tied, row, normal, lower, upper, out)

        def codegen(context, builder, _signature, args):
            k, parameters, x1, sources, _, row, normal, lower, upper, out = args
            vector = ir.VectorType(DOUBLE, width)
            pair = ir.VectorType(DOUBLE, 2)
            integer = ir.IntType(32)

            word = ir.IntType(64)
            by_4 = builder.mul(k, ir.Constant(word, 4))
            by_8 = builder.mul(k, ir.Constant(word, 8))

            def load(address, kind, align=8):
                value = builder.load(builder.inttoptr(address, kind.as_pointer()))
                value.align = align
                return value

            def doubles(base):
                return load(builder.add(base, by_8), vector)

            def shuffle(a, b, lanes):
                mask = ir.Constant(ir.VectorType(integer, len(lanes)), list(lanes))
                return builder.shuffle_vector(a, b, mask)

            bases = []
            for lane in range(width):
                address = builder.add(builder.add(row, by_4), ir.Constant(word, 4 * lane))
                chosen = builder.sext(load(address, integer, 4), word)
                bases.append(builder.add(parameters, builder.mul(chosen, ir.Constant(word, 16 * weights))))

            x = doubles(x1)
            mean = x
            variance = ir.Constant(vector, [0.0] * width)
            for s, source in enumerate(cgutils.unpack_tuple(builder, sources, weights)):
                offset = ir.Constant(word, 16 * s)
                pairs = [load(builder.add(base, offset), pair) for base in bases]  # (mean, variance) of one weight
                if width == 4:  # transpose: lanes (0, 2) and (1, 3) first, which stays inside 128-bit halves
                    even = shuffle(pairs[0], pairs[2], (0, 1, 2, 3))
                    odd = shuffle(pairs[1], pairs[3], (0, 1, 2, 3))
                    mu, sigma2 = shuffle(even, odd, (0, 4, 2, 6)), shuffle(even, odd, (1, 5, 3, 7))
                else:
                    mu, sigma2 = shuffle(pairs[0], pairs[0], (0,)), shuffle(pairs[0], pairs[0], (1,))
                difference = doubles(source)
                if s < untied:
                    difference = builder.fsub(difference, x, flags=FLAGS)
                square = builder.fmul(difference, difference, flags=FLAGS)
                mean = builder.fadd(mean, builder.fmul(mu, difference, flags=FLAGS), flags=FLAGS)
                variance = builder.fadd(variance, builder.fmul(sigma2, square, flags=FLAGS), flags=FLAGS)

            root = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(vector, [vector]), f"llvm.sqrt.v{width}f64"
            )
            spread = builder.call(root, [variance])
            z = builder.fpext(load(builder.add(normal, by_4), ir.VectorType(ir.FloatType(), width), 4), vector)
            value = builder.fadd(mean, builder.fmul(spread, z, flags=FLAGS), flags=FLAGS)
            low, high = doubles(lower), doubles(upper)
            # Written so that NaN becomes the lower bound, and so that each is one instruction.
            value = builder.select(builder.fcmp_ordered(">", value, low), value, low)
            value = builder.select(builder.fcmp_ordered("<", value, high), value, high)
            store = builder.store(value, builder.inttoptr(builder.add(out, by_8), vector.as_pointer()))
            store.align = 8
            return context.get_dummy_value()

        return signature, codegen

    return draw


draw_4 = _draw(4)
draw_1 = _draw(1)
