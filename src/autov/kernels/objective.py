"""Compiled objectives: the address of a batch function plus the numbers it needs.

An objective is called by address, so that one compiled run serves every problem and Numba's disk cache always hits;
a jitted function passed as an argument would compile anew in every process.
"""

# pyright: reportCallIssue=false
# (an intrinsic is called without its first parameter, the typing context)

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import intp, types, uint64, void
from numba.extending import intrinsic

from autov.compiler.functions import compile_c_function, internal, noinline

POINTER = types.CPointer(types.float64)
# x (n x d, row-major), n, d, out (n), context (size numbers), size, two key words for noise
SIGNATURE = void(POINTER, intp, intp, POINTER, POINTER, intp, uint64, uint64)


NONE = np.empty(0)


class Objective(NamedTuple):
    """What the compiled run evaluates: function((x * scale) @ matrix + shift); an empty matrix is the identity.

    With an empty shift, too, points are taken as they are. Where there are bounds to fold into, what is outside of
    them is mirrored back before the function sees it.
    """

    address: int
    context: np.ndarray  # what the function reads
    scale: np.ndarray  # (d,) or (0,)
    shift: np.ndarray  # (d,) or (0,)
    matrix: np.ndarray  # (d, d) or (0, 0)
    fold_lower: np.ndarray = NONE  # (d,) or (0,)
    fold_upper: np.ndarray = NONE  # (d,) or (0,)


class Objectives(NamedTuple):
    """Instances of one problem, moved, scaled or rotated each in its own way: m objectives with one function."""

    address: int
    context: np.ndarray
    scale: np.ndarray  # (m, d) or (m, 0)
    shift: np.ndarray  # (m, d) or (m, 0)
    matrix: np.ndarray  # (m, d, d) or (m, 0, 0)
    fold_lower: np.ndarray  # (d,) or (0,), the same for all
    fold_upper: np.ndarray  # (d,) or (0,)


def stacking_key(objective: Objective) -> tuple[Hashable, ...]:
    """Objectives with equal keys can be stacked: one function, one context, the same kinds of transformation."""
    same = (objective.context, objective.fold_lower, objective.fold_upper)
    return objective.address, *(array.tobytes() for array in same), objective.shift.shape, objective.matrix.shape


def stack_objectives(objectives: Sequence[Objective]) -> Objectives:
    """Objectives with one stacking key, in the form that `run_many` reads."""
    first = objectives[0]
    if len({stacking_key(one) for one in objectives}) > 1:
        raise ValueError("objectives: must be instances of one function, transformed in the same ways")
    scale, shift, matrix = (
        np.ascontiguousarray([getattr(one, name) for one in objectives], dtype=np.float64)
        for name in ("scale", "shift", "matrix")
    )
    return Objectives(first.address, first.context, scale, shift, matrix, first.fold_lower, first.fold_upper)


def compile_objective(function: Callable[..., None], cache: bool = True) -> Any:
    """Compile a function of SIGNATURE; the result must be kept alive while its ``address`` is in use."""
    return compile_c_function(function, SIGNATURE, cache)


@intrinsic
def _call(typingctx, address, x, n, d, out, context, size, first, second):  # noqa: ARG001
    signature = types.void(address, x, n, d, out, context, size, first, second)

    def codegen(cgctx, builder, _sig, args):
        word = ir.IntType(64)
        target = ir.FunctionType(ir.VoidType(), [word] * 8).as_pointer()
        pointer = builder.inttoptr(args[0], target)
        builder.call(pointer, args[1:])
        return cgctx.get_dummy_value()

    return signature, codegen


@internal
def fold(x, lower, upper):
    """Mirror at the bounds, again and again, what is outside of them; in place."""
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            width = upper[k] - lower[k]
            t = abs(x[i, k] - lower[k]) / width
            t -= 2.0 * np.floor(0.5 * t)  # a mirrored box repeats after twice its width
            inside = lower[k] + min(t, 2.0 - t) * width
            x[i, k] = x[i, k] if lower[k] <= x[i, k] <= upper[k] else min(max(inside, lower[k]), upper[k])


@noinline
def evaluate(objective, x, out, moved, first, second):
    """Write the values of the rows of x, infinity for NaN, and return the number of NaN; moved is scratch like x."""
    n, d = x.shape
    points = x
    if objective.matrix.shape[0] > 0:
        points = moved
        for i in range(n):
            for k in range(d):
                moved[i, k] = objective.shift[k]
        # Row k of the matrix is used for all points before the next one is read: it stays in the cache.
        for k in range(d):
            row = objective.matrix[k]
            for i in range(n):
                factor = x[i, k] * objective.scale[k]
                target = moved[i]
                for j in range(d):
                    target[j] += factor * row[j]
    elif objective.shift.size > 0:
        points = moved
        for i in range(n):
            for k in range(d):
                moved[i, k] = x[i, k] * objective.scale[k] + objective.shift[k]
    if objective.fold_lower.size > 0:
        if objective.shift.size == 0:
            for i in range(n):
                for k in range(d):
                    moved[i, k] = x[i, k]
            points = moved
        fold(points, objective.fold_lower, objective.fold_upper)
    _call(
        np.int64(objective.address), np.int64(points.ctypes.data), np.int64(n), np.int64(d), np.int64(out.ctypes.data),
        np.int64(objective.context.ctypes.data), np.int64(objective.context.size), np.uint64(first), np.uint64(second),
    )  # fmt: skip
    bad = 0
    for i in range(n):
        if np.isnan(out[i]):
            out[i] = np.inf
            bad += 1
    return bad
