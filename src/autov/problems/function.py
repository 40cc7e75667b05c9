"""Functions of users as problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from autov.core import Array, Box, Generator, InputError, locate, real_numbers
from autov.problems.compiled_function import NumbaFunction, is_readable
from autov.problems.feasibility import Constrained, constrained
from autov.problems.value_function import ValueFunction, as_given, value_function
from autov.problems.variable_space import Space, space_of_bounds

RETURNED = "returned"


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

    @property
    def space(self) -> Space | None:
        """What describes the variables; None for plain bounds."""
        return getattr(self.fun, "space", None) if isinstance(self.fun, ValueFunction) else None

    def identity_parts(self) -> Any:
        """What decides its values: the key, if there is one, instead of what the function is made of."""
        described = [] if self.space is None else [self.space]
        return [type(self).__name__, self.box, self.key or self.fun, self.vectorized, self.args, *described]

    def __call__(self, x: Array, rng: Generator) -> Array:  # noqa: ARG002
        """Values of the rows of x; errors name the point."""
        x = np.atleast_2d(x)
        return self.batch(x) if self.vectorized else np.array([self.point(row) for row in x])

    def point(self, x: Array) -> float:
        """The value at one point."""
        try:
            value = self.fun(x.copy(), *self.args)
        except Exception as error:
            locate(error, as_given(self.fun, x))
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
            locate(error, as_given(self.fun, x))
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


def is_returned(constraints: Any) -> bool:
    """Whether constraints are what the function returns with its value."""
    return isinstance(constraints, str) and constraints == RETURNED


def function_problem(
    fun: Any, bounds: Any, vectorized: bool = False, args: tuple[Any, ...] = (), *, name: str | None = None,
    minimum: float | None = None, optimum: Any = None, key: str | None = None, constraints: Any = None,
    integrality: Any = None, noisy: bool | None = None,
) -> Function | NumbaFunction | Constrained:  # fmt: skip
    """The problem of a user's function.

    Args:
        fun: of one point (d,) that returns a number; with ``vectorized``, of a batch (n, d) that returns (n,); or
            compiled by ``numba.njit``.
        bounds: a (min, max) pair for each variable; equal ones fix it; or what `autov.space` makes or takes.
        vectorized: fun takes batches.
        args: further arguments of fun. Of a compiled one, numbers (float) and arrays of float64 with one or two
            dimensions stay inside the compiled run, and functions that differ in them only are compiled once.
        name: for tables; the name of the function if None.
        minimum: its smallest value in the box, where known.
        optimum: a point with that value.
        key: the fingerprint of fun for stored results and resumed searches, instead of one made from its code
            and data. Change it whenever the function changes.
        constraints: in SciPy's forms: `LinearConstraint`, `NonlinearConstraint`, dicts with type and fun, or several;
            with ``vectorized`` their functions take batches, too. "returned" where fun returns ``(value, g)`` or
            ``(value, g, h)``: a point is feasible where g <= 0 and h = 0.
        integrality: a truth value for each variable, or one for all: whether it is an integer.
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
    described = space_of_bounds(bounds)
    if described is not None:
        fun, integrality = value_function(fun, described, args), _own_integers(described, integrality)
        optimum = None if optimum is None else described.coordinates("optimum", optimum)
    box = Box.of(bounds) if described is None else described.box
    if optimum is not None:
        optimum = np.asarray(optimum, dtype=np.float64)
        if optimum.shape != (box.dim,):
            raise InputError(f"optimum: must be a point of {box.dim} variables, got shape {optimum.shape}")
    known = {"minimum": None if minimum is None else float(minimum), "optimum": optimum, "label": name, "key": key}
    known["noisy"] = None if noisy is None else bool(noisy)
    if is_returned(constraints):
        from autov.problems.returned import ReturnedConstraints

        return constrained(ReturnedConstraints(fun, box, vectorized, tuple(args), **known), None, integrality)  # type: ignore[return-value]
    if is_compiled(fun) and not vectorized and is_readable(args):
        found: Any = NumbaFunction(fun, box, **known, args=tuple(args))
    else:
        found = Function(fun, box, vectorized, tuple(args), **known)
    if constraints is None and integrality is None:
        return found
    return constrained(found, constraints, integrality, vectorized)  # type: ignore[return-value]


def _own_integers(described: Space, integrality: Any) -> tuple[bool, ...] | None:
    """Which coordinates are integers: the description says it."""
    if integrality is not None:
        raise InputError('integrality: these variables are described; write (low, high, "int") or range(...) there')
    return described.integrality if any(described.integrality) else None
