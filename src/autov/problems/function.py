"""Functions of users as problems: plain Python, vectorised Python, or compiled by Numba."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from autov.core import Array, Box, Generator, InputError, locate, real_numbers
from autov.kernels.objective import Objective, compile_objective
from autov.problems.feasibility import Constrained, constrained


def is_compiled(fun: Any) -> bool:
    """Whether fun was made by numba.njit."""
    return hasattr(fun, "py_func") and hasattr(fun, "nopython_signatures")


@dataclass(frozen=True, eq=False)
class Function:
    """A Python callable of one point, or of a batch (n, d) -> (n,) if vectorized."""

    fun: Callable[..., Any]
    box: Box
    vectorized: bool = False
    args: tuple[Any, ...] = ()
    minimum: float | None = None
    optimum: Array | None = None
    noisy: bool | None = None  # unknown
    label: str | None = None
    key: str | None = None  # what decides its values, in the user's words
    uses_rng: ClassVar[bool] = False  # batches of several runs may be evaluated together

    @property
    def name(self) -> str:
        """The label, or the name of the function."""
        return self.label or getattr(self.fun, "__name__", type(self.fun).__name__)

    def identity_parts(self) -> Any:
        """What decides its values: the key, if there is one, instead of what the function is made of."""
        return _identity_parts(self, [self.vectorized, self.args])

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
        if isinstance(value, float):  # nearly always, and numpy.float64 is one
            return float(value)
        if value is None:
            raise InputError(f"objective: {self.name} must return a number, got None")
        try:
            array = real_numbers(value)
            if array.size != 1:
                raise InputError(f"objective: {self.name} must return one number for a point, got shape {array.shape}")
            return float(array.reshape(()))
        except (TypeError, ValueError, OverflowError) as error:
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
            array = real_numbers(value)
        except (TypeError, ValueError, OverflowError) as error:
            if isinstance(error, InputError):
                raise
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
    noisy: bool | None = None
    label: str | None = None
    key: str | None = None  # what decides its values, in the user's words
    _compiled: list[Any] = field(default_factory=list, repr=False)

    @property
    def name(self) -> str:
        """The label, or the name of the function."""
        return self.label or self.fun.py_func.__name__

    def identity_parts(self) -> Any:
        """What decides its values: the key, if there is one, instead of what the function is made of."""
        return _identity_parts(self, [])

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

    def __getstate__(self) -> dict[str, Any]:
        return {name: [] if name == "_compiled" else value for name, value in vars(self).items()}

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
            context[0] = 0.0  # the next run begins anew
            self(context[None, 1:].copy(), np.random.default_rng(0))
            raise InputError(f"objective: {self.name} raised at x = {context[1:]}, but not when called again")


def _compile(fun: Any, name: str) -> Any:
    from numba import carray
    from numba.core.errors import NumbaError

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


def _identity_parts(problem: Function | NumbaFunction, more: list[Any]) -> list[Any]:
    return [type(problem).__name__, problem.box, problem.key or problem.fun, *more]


def function_problem(
    fun: Any, bounds: Any, vectorized: bool = False, args: tuple[Any, ...] = (), *, name: str | None = None,
    minimum: float | None = None, optimum: Any = None, key: str | None = None, constraints: Any = None,
    integrality: Any = None, noisy: bool | None = None,
) -> Function | NumbaFunction | Constrained:  # fmt: skip
    """The problem of a user's function.

    Args:
        fun: of one point (d,) that returns a number; with ``vectorized``, of a batch (n, d) that returns (n,); or
            compiled by ``numba.njit``.
        bounds: a (min, max) pair for each variable; equal ones fix it.
        vectorized: fun takes batches.
        args: further arguments of fun.
        name: for tables; the name of the function if None.
        minimum: its smallest value in the box, where known.
        optimum: a point with that value.
        key: names what decides the values of fun, for results that are stored and for searches that are resumed,
            instead of the source and the values that fun is made of. Change it whenever the function changes.
        constraints: in SciPy's forms: `LinearConstraint`, `NonlinearConstraint`, dicts with type and fun, or several;
            with ``vectorized`` their functions take batches, too.
        integrality: a truth value for each variable, or one for all: whether it is a whole number.
        noisy: whether values are random; results then say that the smallest value is optimistic. None for unknown.

    Examples:
        >>> import autov
        >>> problem = autov.function_problem(lambda x: (x**2).sum(), [(-1, 1)] * 4, name="bowl", minimum=0.0)
        >>> problem.box.dim, problem.minimum
        (4, 0.0)
        >>> autov.minimize(problem, algorithm="de", maxfev=500, rng=1).nfev
        500
    """
    if not callable(fun):
        if hasattr(fun, "instance"):
            needed = ("name", "box", "minimum", "optimum", "__call__", "objective")
            missing = ", ".join(name for name in needed if not hasattr(fun, name))
            raise InputError(f"fun: a family is a problem itself, and this one lacks {missing}")
        raise InputError(f"fun: must be callable, a problem or a problem's name, got {fun!r}")
    if bounds is None:
        raise InputError("bounds: needed for a function (one (min, max) pair for each variable)")
    for what, text in (("name", name), ("key", key)):
        if text is not None and (not isinstance(text, str) or not text):
            raise InputError(f"{what}: must be a text, got {text!r}")
    if not isinstance(args, (tuple, list)):
        raise InputError(f"args: must be a tuple of further arguments, got {args!r}")
    box = Box.of(bounds)
    if optimum is not None:
        optimum = np.asarray(optimum, dtype=np.float64)
        if optimum.shape != (box.dim,):
            raise InputError(f"optimum: must be a point of {box.dim} variables, got shape {optimum.shape}")
    known = {"minimum": None if minimum is None else float(minimum), "optimum": optimum, "label": name, "key": key}
    known["noisy"] = None if noisy is None else bool(noisy)
    if is_compiled(fun) and not vectorized and not args:
        found: Any = NumbaFunction(fun, box, **known)
    else:
        found = Function(fun, box, vectorized, tuple(args), **known)
    if constraints is None and integrality is None:
        return found
    return constrained(found, constraints, integrality, vectorized)  # type: ignore[return-value]
