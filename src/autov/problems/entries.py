"""What a table of compiled functions says of each of them, and the C functions that are made of their kernels."""

# ruff: noqa: ARG001
from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

from numba import carray  # pyright: ignore[reportPrivateImportUsage]

from autov.core import Array
from autov.kernels.functions.noise import blur

values: Any = None  # the kernel: every C function has another one among its globals


def of_points(x, n, d, out, context, size, first, second):
    """For kernels that need the points only."""
    values(carray(x, (n, d)), carray(out, (n,)))


def of_points_and_stream(x, n, d, out, context, size, first, second):
    """For kernels with noise of their own."""
    values(carray(x, (n, d)), carray(out, (n,)), first, second)


def blurred(x, n, d, out, context, size, first, second):
    """Noise upon a kernel that has none."""
    values(carray(x, (n, d)), carray(out, (n,)))
    blur(carray(out, (n,)), first, second)


def substituted(x, n, d, out, context, size, first, second):
    """For a kernel that may substitute variables, and does."""
    values(carray(x, (n, d)), carray(out, (n,)), True)


def unsubstituted(x, n, d, out, context, size, first, second):
    """For the same kernel, which does not."""
    values(carray(x, (n, d)), carray(out, (n,)), False)


def c_function(kernel: Any, form: Callable[..., None]) -> Callable[..., None]:
    """One of the forms above for one kernel, as `compile_objective` takes it.

    The kernel is a global of the function and not a variable of a closure: Numba would take that for another one in
    every process, and find nothing on the disk. Its name says all that it is made of: the cache knows it by that.
    """
    name = f"{kernel.__module__.rpartition('.')[2]}_{kernel.__name__}_{form.__name__}"
    made = FunctionType(form.__code__, {**globals(), "values": kernel}, name)
    made.__qualname__ = name
    return made


def zero(d: int) -> float:
    """The minimum of most functions."""
    return 0.0


class Entry(NamedTuple):
    """One function; the box is [lower, bound]^d."""

    number: int | None  # n of the name f<n>, if it has one
    bound: float
    at: float | Callable[[int], Array]  # every coordinate of the optimum, or the optimum of d variables
    value: Callable[[int], float]  # the minimum for d variables
    kernel: Any
    lower: float | None = None  # None is -bound
    least: int = 1  # the smallest number of variables
    is_global: bool = True  # no value outside the box is smaller
    noisy: bool = False  # values are random
    form: Callable[..., None] = of_points
