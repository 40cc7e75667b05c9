"""A kernel and the functions that it calls."""

from autov.compiler.functions import internal, kernel, noinline


@internal
def scaled(x, factor):
    """Called with constants of different values and kinds."""
    return factor * x[0]


@noinline
def shifted(x, amount):
    """A function that calls another one."""
    return scaled(x, 2) + amount


@kernel
def total(x):
    """Three calls of one function."""
    return scaled(x, 1) + scaled(x, 3) + shifted(x, 5)
