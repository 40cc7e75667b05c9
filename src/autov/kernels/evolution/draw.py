"""The innermost steps: choose a row for every variable and draw it, as vector code.

A variable's weights come from the row chosen for it, so their parameters lie scattered. LLVM does not vectorise such
look-ups by itself; written as vector code, a step takes half the time of plain loops (its twin is in the tests). The
narrow steps are portable: LLVM turns vectors into whatever the processor has. The wide ones look up numbers in
registers, which needs AVX-512; they give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from autov.compiler.plain import cpu_features

WORD, INTEGER, DOUBLE = ir.IntType(64), ir.IntType(32), ir.DoubleType()
SIZE = 8  # bytes of a double
FLAGS = ("contract", "reassoc", "nsz")
REGISTER, VECTOR, TABLE = 64, 8, 16  # of a wide step: bytes, variables, and how many rows it can look up


def _is_wide(context) -> bool:
    """Whether the processor that is compiled for looks up a register of sixteen numbers in one instruction."""
    return "+avx512dq" in cpu_features(context)


@intrinsic
def wide(typingctx):  # noqa: ARG001
    """The same, as a constant of the code."""
    return types.boolean(), lambda context, _builder, _signature, _args: ir.Constant(ir.IntType(1), _is_wide(context))


def _load(builder, address, kind, align=8):
    value = builder.load(builder.inttoptr(address, kind.as_pointer()))
    value.align = align
    return value


def _store(builder, value, address, align=8):
    builder.store(value, builder.inttoptr(address, value.type.as_pointer())).align = align


def _call(builder, name, kind, arguments):
    signature = ir.FunctionType(kind, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, signature, name), arguments)


def _begins(builder, loop, size, step):
    """Where step number loop.index begins: the last one ends with the last element, and may repeat some: the same."""
    last = builder.sub(size, ir.Constant(WORD, step))
    begin = builder.mul(loop.index, ir.Constant(WORD, step))
    return builder.select(builder.icmp_signed("<", begin, last), begin, last)


def _steps(builder, size, step):
    return builder.udiv(builder.add(size, ir.Constant(WORD, step - 1)), ir.Constant(WORD, step))


def _variables(builder, k, width: int, parameters_of: Callable[[int], tuple[Any, Any]], args: list[Any], untied: int):
    """Draw variables k .. k + width - 1; parameters_of(s) gives means and variances of weight s for each of them."""
    x1, sources, normal, lower, upper, out = args
    vector = ir.VectorType(DOUBLE, width)
    by_4, by_8 = (builder.mul(k, ir.Constant(WORD, size)) for size in (4, SIZE))

    def numbers(base):
        return _load(builder, builder.add(base, by_8), vector)

    x = mean = numbers(x1)
    variance = ir.Constant(vector, [0.0] * width)
    for s, source in enumerate(sources):
        mu, sigma2 = parameters_of(s)
        difference = numbers(source)
        if s < untied:
            difference = builder.fsub(difference, x, flags=FLAGS)
        square = builder.fmul(difference, difference, flags=FLAGS)
        mean = builder.fadd(mean, builder.fmul(mu, difference, flags=FLAGS), flags=FLAGS)
        variance = builder.fadd(variance, builder.fmul(sigma2, square, flags=FLAGS), flags=FLAGS)
    spread = _call(builder, f"llvm.sqrt.v{width}f64", vector, [variance])
    z = _load(builder, builder.add(normal, by_4), ir.VectorType(ir.FloatType(), width), 4)
    value = builder.fadd(mean, builder.fmul(spread, builder.fpext(z, vector), flags=FLAGS), flags=FLAGS)
    low, high = numbers(lower), numbers(upper)
    # Written so that NaN becomes the lower bound, and so that each is one instruction.
    value = builder.select(builder.fcmp_ordered(">", value, low), value, low)
    value = builder.select(builder.fcmp_ordered("<", value, high), value, high)
    _store(builder, value, builder.add(out, by_8))


def _draw(width: int) -> Any:
    """An intrinsic that draws variables k .. k + width - 1; the others are addresses of first elements."""

    @intrinsic
    def draw(typingctx, k, parameters, x1, sources, tied, row, normal, lower, upper, out):  # noqa: ARG001
        weights = len(sources)
        untied = weights - len(tied)
        signature = types.void(k, parameters, x1, sources, tied, row, normal, lower, upper, out)

        def codegen(context, builder, _signature, args):
            k, parameters, x1, sources, _, row, *others = args
            pair = ir.VectorType(DOUBLE, 2)
            bases = []
            for i in range(width):
                place = builder.mul(builder.add(k, ir.Constant(WORD, i)), ir.Constant(WORD, 4))
                chosen = builder.sext(_load(builder, builder.add(row, place), INTEGER, 4), WORD)
                bases.append(builder.add(parameters, builder.mul(chosen, ir.Constant(WORD, 2 * SIZE * weights))))

            def shuffle(a, b, elements):
                return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(INTEGER, len(elements)), list(elements)))

            def parameters_of(s):
                places = [builder.add(base, ir.Constant(WORD, 2 * SIZE * s)) for base in bases]
                pairs = [_load(builder, place, pair) for place in places]
                if width == 1:
                    return shuffle(pairs[0], pairs[0], (0,)), shuffle(pairs[0], pairs[0], (1,))
                # Transpose: elements (0, 2) and (1, 3) first, which stays inside 128-bit halves.
                even = shuffle(pairs[0], pairs[2], (0, 1, 2, 3))
                odd = shuffle(pairs[1], pairs[3], (0, 1, 2, 3))
                return shuffle(even, odd, (0, 4, 2, 6)), shuffle(even, odd, (1, 5, 3, 7))

            sources = cgutils.unpack_tuple(builder, sources, weights)
            _variables(builder, k, width, parameters_of, [x1, sources, *others], untied)
            return context.get_dummy_value()

        return signature, codegen

    return draw


@intrinsic
def columns(typingctx, parameters, rows, arity):  # noqa: ARG001
    """The address of a copy of the parameters by columns of TABLE numbers, for at most so many rows."""
    count = 2 * len(arity)

    def codegen(_context, builder, _signature, args):
        parameters, rows, _ = args
        table = cgutils.alloca_once(builder, ir.ArrayType(DOUBLE, TABLE * count))
        table.align = 64
        copy = builder.ptrtoint(table, WORD)
        with cgutils.for_range(builder, rows) as loop:
            for c in range(count):
                place = builder.add(builder.mul(loop.index, ir.Constant(WORD, count)), ir.Constant(WORD, c))
                size = ir.Constant(WORD, SIZE)
                number = _load(builder, builder.add(parameters, builder.mul(place, size)), DOUBLE)
                place = builder.add(loop.index, ir.Constant(WORD, TABLE * c))
                _store(builder, number, builder.add(copy, builder.mul(place, size)))
        return copy

    return types.int64(parameters, rows, arity), codegen


@intrinsic
def draw_wide(typingctx, size, table, x1, sources, tied, row, normal, lower, upper, out):  # noqa: ARG001
    """All variables of one offspring, a register of them at a time; the columns of parameters stay in registers."""
    weights = len(sources)
    untied = weights - len(tied)
    signature = types.void(size, table, x1, sources, tied, row, normal, lower, upper, out)

    def codegen(context, builder, _signature, args):
        if not _is_wide(context):
            return context.get_dummy_value()
        size, table, x1, sources, _, row, *others = args
        vector = ir.VectorType(DOUBLE, VECTOR)
        sources = cgutils.unpack_tuple(builder, sources, weights)
        registers = [
            _load(builder, builder.add(table, ir.Constant(WORD, REGISTER * place)), vector, REGISTER)
            for place in range(2 * weights * TABLE // VECTOR)
        ]
        with cgutils.for_range(builder, _steps(builder, size, VECTOR)) as loop:
            k = _begins(builder, loop, size, VECTOR)
            place = builder.add(row, builder.mul(k, ir.Constant(WORD, 4)))
            chosen = _load(builder, place, ir.VectorType(INTEGER, VECTOR), 4)
            chosen = builder.zext(chosen, ir.VectorType(WORD, VECTOR))

            def look_up(column, chosen=chosen):
                low, high = registers[2 * column : 2 * column + 2]
                return _call(builder, "llvm.x86.avx512.vpermi2var.pd.512", vector, [low, chosen, high])

            def parameters_of(s, look_up=look_up):
                return look_up(2 * s), look_up(2 * s + 1)

            _variables(builder, k, VECTOR, parameters_of, [x1, sources, *others], untied)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def choose_wide(typingctx, words, thresholds, size, count, row):  # noqa: ARG001
    """For each word the number of thresholds below it, which are sorted, and less than TABLE.

    Four steps of bisection, TABLE words at a time.
    """

    def codegen(context, builder, _signature, args):
        if not _is_wide(context):
            return context.get_dummy_value()
        words, thresholds, size, count, row = args
        vector = ir.VectorType(INTEGER, TABLE)

        def splat(number):
            return ir.Constant(vector, [number] * TABLE)

        table = cgutils.alloca_once(builder, vector)
        builder.store(splat(2**31 - 1), table)  # no word is above it
        copy = builder.ptrtoint(table, WORD)
        with cgutils.for_range(builder, size) as loop:
            place = builder.mul(loop.index, ir.Constant(WORD, 4))
            number = _load(builder, builder.add(thresholds, place), INTEGER, 4)
            _store(builder, number, builder.add(copy, place), 4)
        known = builder.load(table)
        with cgutils.for_range(builder, _steps(builder, count, TABLE)) as loop:
            place = builder.mul(_begins(builder, loop, count, TABLE), ir.Constant(WORD, 4))
            word = _load(builder, builder.add(words, place), vector, 4)
            found, step = splat(0), TABLE // 2
            while step:
                middle = builder.add(found, splat(step - 1))
                threshold = _call(builder, "llvm.x86.avx512.permvar.si.512", vector, [known, middle])
                further = builder.add(found, splat(step))
                found = builder.select(builder.icmp_signed(">", word, threshold), further, found)
                step //= 2
            _store(builder, found, builder.add(row, place), 4)
        return context.get_dummy_value()

    return types.void(words, thresholds, size, count, row), codegen


draw_4, draw_1 = _draw(4), _draw(1)
