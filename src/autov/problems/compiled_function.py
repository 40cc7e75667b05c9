"""Functions of users that Numba has compiled, as problems that run inside the compiled run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from autov.core import Array, Box, Generator, InputError, locate
from autov.kernels.objective import Objective, compile_objective


@dataclass(frozen=True, eq=False)
class NumbaFunction:
    """A function of one point (a 1-D array) compiled by numba.njit; it runs inside the compiled run.

    Further arguments are numbers or arrays of float64. They travel as numbers that the compiled function reads, so
    functions that differ in these only are compiled once.
    """

    fun: Any
    box: Box
    minimum: float | None = None
    optimum: Array | None = None
    noisy: bool | None = None
    label: str | None = None
    key: str | None = None  # what decides its values, in the user's words
    args: tuple[Any, ...] = ()
    _compiled: list[Any] = field(default_factory=list, repr=False)

    @property
    def name(self) -> str:
        """The label, or the name of the function."""
        return self.label or self.fun.py_func.__name__

    def identity_parts(self) -> Any:
        """What decides its values: the key, if there is one, instead of what the function is made of."""
        return [type(self).__name__, self.box, self.key or self.fun, *([self.args] if self.args else [])]

    def __call__(self, x: Array, rng: Generator) -> Array:  # noqa: ARG002
        """Values of the rows of x; errors name the point."""
        values = np.empty(len(x))
        for i, row in enumerate(np.ascontiguousarray(x, dtype=np.float64)):
            try:
                values[i] = self.fun(row, *self.args)
            except Exception as error:
                locate(error, row)
                raise
        return values

    def __getstate__(self) -> dict[str, Any]:
        return {name: [] if name == "_compiled" else value for name, value in vars(self).items()}

    def objective(self) -> Objective:
        """The compiled form; its context notes the first point at which the function raised."""
        if not self._compiled:
            self._compiled.append(_compiled_once(self.fun, self.name, tuple(np.ndim(one) for one in self.args)))
        none = np.empty(0)
        shapes = [size for one in self.args for size in np.shape(one)]
        context = np.concatenate([np.zeros(1 + self.box.dim), shapes, *(np.ravel(one) for one in self.args)])
        return Objective(self._compiled[0].address, context, none, none, np.empty((0, 0)))

    def raise_noted(self, context: Array) -> None:
        """Raise what the function raised during a compiled run, if anything."""
        if context[0]:
            context[0] = 0.0  # the next run begins anew
            point = context[1 : 1 + self.box.dim].copy()
            self(point[None], np.random.default_rng(0))
            raise InputError(f"objective: {self.name} raised at x = {point}, but not when called again")


@lru_cache(maxsize=64)
def _compiled_once(fun: Any, name: str, dims: tuple[int, ...]) -> Any:
    """The compiled batch of a function whose further arguments have this many dimensions."""
    from numba import carray
    from numba.core.errors import NumbaError

    called, shapes = _reading(fun, dims), sum(dims)

    def batch(x, n, d, out, context, size, first, second):  # noqa: ARG001
        points = carray(x, (n, d))
        values = carray(out, (n,))
        note = carray(context, (size,))
        for i in range(n):
            try:
                values[i] = called(points[i].copy(), note, 1 + d, 1 + d + shapes)
            except Exception:
                values[i] = np.nan
                if note[0] == 0.0:
                    note[0] = 1.0
                    for k in range(d):
                        note[k + 1] = points[i, k]

    try:
        return compile_objective(batch, cache=False)
    except NumbaError as error:
        reason = next((line for line in str(error).splitlines() if line.strip()), "unknown")
        raise InputError(f"objective: {name} does not compile for a 1-D float64 array: {reason}") from None


def _reading(fun: Any, dims: tuple[int, ...]) -> Any:
    """A compiled function of (x, numbers, place of shapes, place of values) that reads the arguments of fun there."""
    from numba import njit

    @njit
    def called(x, numbers, shape, place, *args):  # noqa: ARG001
        return fun(x, *args)

    for count in reversed(dims):
        called = _reader(called, count)
    return called


def _reader(following: Any, dims: int) -> Any:
    """Read one argument with this many dimensions and continue with the following ones."""
    from numba import njit

    if dims == 0:

        @njit
        def read(x, numbers, shape, place, *args):
            return following(x, numbers, shape, place + 1, *args, numbers[place])

    elif dims == 1:

        @njit
        def read(x, numbers, shape, place, *args):
            end = place + int(numbers[shape])
            return following(x, numbers, shape + 1, end, *args, numbers[place:end])

    else:

        @njit
        def read(x, numbers, shape, place, *args):
            rows, columns = int(numbers[shape]), int(numbers[shape + 1])
            end = place + rows * columns
            array = numbers[place:end].reshape((rows, columns))
            return following(x, numbers, shape + 2, end, *args, array)

    return read


def is_readable(args: Sequence[Any]) -> bool:
    """Whether a compiled run can read them: numbers with a fraction, and arrays of float64 of one or two dimensions."""
    return all(
        isinstance(one, float) or (isinstance(one, np.ndarray) and one.dtype == np.float64 and one.ndim in (1, 2))
        for one in args
    )
