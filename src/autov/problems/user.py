"""Functions of users as problems: plain Python, vectorised Python, or compiled by Numba."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from autov.core import Array, Box, Generator, InputError
from autov.kernels.objective import Objective, compile_objective


def is_compiled(fun: Any) -> bool:
    """Whether fun was made by numba.njit."""
    return hasattr(fun, "py_func") and hasattr(fun, "nopython_signatures")


def locate(error: BaseException, point: Array) -> None:
    """Put the point into the message of an exception that the objective raised."""
    error.autov_point = point  # type: ignore[attr-defined]
    where = f"objective failed at x = {np.array2string(point, threshold=20, separator=', ')}"
    if len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]} ({where})",)
    else:
        error.add_note(where)


@dataclass(frozen=True, eq=False)
class Function:
    """A Python callable of one point, or of a batch (n, d) -> (n,) if vectorized."""

    fun: Callable[..., Any]
    box: Box
    vectorized: bool = False
    args: tuple[Any, ...] = ()
    minimum: float | None = None
    optimum: Array | None = None
    noisy: bool = True  # unknown: nothing may be assumed

    @property
    def name(self) -> str:
        """The name of the function."""
        return getattr(self.fun, "__name__", type(self.fun).__name__)

    def __call__(self, x: Array, rng: Generator) -> Array:  # noqa: ARG002
        """Values of the rows of x; errors name the point."""
        x = np.atleast_2d(x)
        return self.batch(x) if self.vectorized else np.array([self.point(row) for row in x])

    def point(self, x: Array) -> float:
        """The value at one point."""
        try:
            value = self.fun(x.copy(), *self.args)
        except Exception as error:
            locate(error, x)
            raise
        if value is None:
            raise InputError(f"objective: {self.name} must return a number, got None")
        try:
            array = np.asarray(value, dtype=np.float64)
            if array.size != 1:
                raise InputError(f"objective: {self.name} must return one number for a point, got shape {array.shape}")
            return float(array.reshape(()))
        except (TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"objective: {self.name} must return a number, got {value!r}") from None

    def batch(self, x: Array) -> Array:
        """The values of a batch by one call."""
        try:
            value = self.fun(x.copy(), *self.args)
        except Exception as error:
            locate(error, x)
            raise
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"objective: {self.name} must return numbers, got {value!r}") from None
        if array.shape != (len(x),):
            raise InputError(
                f"objective: {self.name} is called with a batch of shape {x.shape} and must return shape "
                f"({len(x)},), got {array.shape}"
            )
        return array

    def objective(self) -> None:
        """Python cannot run inside the compiled run."""
        return


@dataclass(frozen=True, eq=False)
class NumbaFunction:
    """A function of one point (a 1-D array) compiled by numba.njit; it runs inside the compiled run."""

    fun: Any
    box: Box
    minimum: float | None = None
    optimum: Array | None = None
    noisy: bool = True
    _compiled: list[Any] = field(default_factory=list, repr=False)

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.fun.py_func.__name__

    def __call__(self, x: Array, rng: Generator) -> Array:  # noqa: ARG002
        """Values of the rows of x; errors name the point."""
        values = np.empty(len(x))
        for i, row in enumerate(np.ascontiguousarray(x, dtype=np.float64)):
            try:
                values[i] = self.fun(row)
            except Exception as error:
                locate(error, row)
                raise
        return values

    def objective(self) -> Objective:
        """The compiled form; its context notes the first point at which the function raised."""
        if not self._compiled:
            self._compiled.append(_compile(self.fun, self.name))
        none = np.empty(0)
        context = np.zeros(1 + self.box.dim)
        return Objective(self._compiled[0].address, context, none, none, np.empty((0, 0)))

    def raise_noted(self, context: Array) -> None:
        """Raise what the function raised during a compiled run, if anything."""
        if context[0]:
            self(context[None, 1:].copy(), np.random.default_rng(0))
            raise InputError(f"objective: {self.name} raised at x = {context[1:]}, but not when called again")


def _compile(fun: Any, name: str) -> Any:
    from numba.core.errors import NumbaError
    from numba.np.numpy_support import carray

    def batch(x, n, d, out, context, size, first, second):  # noqa: ARG001
        points = carray(x, (n, d))
        values = carray(out, (n,))
        note = carray(context, (size,))
        for i in range(n):
            try:
                values[i] = fun(points[i].copy())
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


def function_problem(fun: Any, bounds: Any, vectorized: bool = False, args: tuple[Any, ...] = ()) -> Any:
    """The problem of a user's function, of the right kind."""
    if not callable(fun):
        raise InputError(f"fun: must be callable, a problem or a problem's name, got {fun!r}")
    if bounds is None:
        raise InputError("bounds: needed for a function (one (min, max) pair for each variable)")
    box = Box.of(bounds)
    if is_compiled(fun) and not vectorized and not args:
        return NumbaFunction(fun, box)
    return Function(fun, box, vectorized, tuple(args))


def import_function(source: str) -> Any:
    """The object named by ``module:name`` or ``file.py:name``."""
    place, _, name = source.rpartition(":")
    if not place or not name:
        raise InputError(f"function: expected module:function or file.py:function, got {source!r}")
    if place.endswith(".py"):
        path = Path(place).resolve()
        if not path.is_file():
            raise InputError(f"function: no file {place!r}")
        # Registered under its own name, so that worker processes can unpickle what it defines.
        known = sys.modules.get(path.stem)
        taken = known is not None and getattr(known, "__file__", None) != str(path)
        called = f"autov_user_{path.stem}" if taken else path.stem
        spec = importlib.util.spec_from_file_location(called, path)
        if spec is None or spec.loader is None:
            raise InputError(f"function: cannot import {place!r}")
        if str(path.parent) not in sys.path:
            sys.path.insert(0, str(path.parent))
        module = importlib.util.module_from_spec(spec)
        sys.modules[called] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            raise InputError(f"function: {place} fails to import: {type(error).__name__}: {error}") from error
    else:
        if "" not in sys.path and str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))
        try:
            module = importlib.import_module(place)
        except (Exception, SystemExit) as error:
            raise InputError(f"function: module {place!r} fails to import: {type(error).__name__}: {error}") from error
    if not hasattr(module, name):
        raise InputError(f"function: {place} has no {name!r}")
    return getattr(module, name)
