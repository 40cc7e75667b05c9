"""Functions of users as problems: plain Python, vectorised Python, or compiled by Numba."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from autov.core import Array, Box, Generator, InputError, locate, real_numbers
from autov.kernels.objective import Objective, compile_objective
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
        return _identity_parts(self, [self.vectorized, self.args, *([] if self.space is None else [self.space])])

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
        return _identity_parts(self, [self.args] if self.args else [])

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


def _readable(args: Sequence[Any]) -> bool:
    """Whether a compiled run can read them: numbers with a fraction, and arrays of float64 of one or two dimensions."""
    return all(
        isinstance(one, float) or (isinstance(one, np.ndarray) and one.dtype == np.float64 and one.ndim in (1, 2))
        for one in args
    )


def _identity_parts(problem: Function | NumbaFunction, more: list[Any]) -> list[Any]:
    return [type(problem).__name__, problem.box, problem.key or problem.fun, *more]


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
    if is_compiled(fun) and not vectorized and _readable(args):
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
