"""Functions of values as people describe them, called with coordinates."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from autov.core import Array, InputError
from autov.problems.constraints import Constraint, constraints_of, is_linear
from autov.problems.variable_space import Space


@dataclass(frozen=True, eq=False)
class ValueFunction:
    """A function of points of a space, which takes coordinates: of one point (d,), or of a batch (n, d).

    Over named variables it is called with keyword arguments if its parameters have all these names, or if some have and
    ``**values`` takes the others, else with a dict.
    """

    fun: Callable[..., Any]
    space: Space

    @cached_property
    def keywords(self) -> bool:
        """Whether it is called with keyword arguments."""
        try:
            parameters = inspect.signature(self.fun).parameters
        except (TypeError, ValueError):
            return False
        if not self.space.names:
            return False
        kind, names = inspect.Parameter, set(self.space.names)
        own = {name for name, one in parameters.items() if one.kind in (kind.POSITIONAL_OR_KEYWORD, kind.KEYWORD_ONLY)}
        if any(one.kind == kind.VAR_KEYWORD for one in parameters.values()) and own <= names:
            return not any(one.kind in (kind.POSITIONAL_ONLY, kind.VAR_POSITIONAL) for one in parameters.values())
        return own >= names

    @property
    def __name__(self) -> str:
        return getattr(self.fun, "__name__", type(self.fun).__name__)

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        return self.fun

    def __call__(self, x: Array, *args: Any) -> Any:
        """What the function returns."""
        given = self.space.point(x) if x.ndim == 1 else self.space.columns(x)
        return self.fun(*args, **given) if self.keywords else self.fun(given, *args)


def as_given(fun: Any, x: Array) -> Any:
    """A point (d,) or a batch as a function of values gets it; coordinates for any other function."""
    if not isinstance(fun, ValueFunction):
        return x
    return fun.space.point(x) if x.ndim == 1 else fun.space.points(x)


def value_function(fun: Any, space: Space, args: Any = ()) -> ValueFunction:
    """The function of coordinates, checked."""
    found = ValueFunction(fun, space)
    if found.keywords and args:
        raise InputError("args: only where fun takes a dict; with keyword arguments, use functools.partial")
    return found


def value_constraints(given: Any, space: Space, vectorized: bool = False) -> tuple[Constraint, ...]:
    """Constraints whose functions get points as the objective does; linear ones need numbers."""
    found = []
    for constraint in constraints_of(given, len(space), vectorized):
        if is_linear(constraint):
            if not all(one.numeric for one in space.variables):
                raise InputError("constraints: linear ones need variables that are numbers; use a function")
            constraint = replace(constraint, fun=_OfNumbers(constraint.fun, space))
        else:
            constraint = replace(constraint, fun=ValueFunction(constraint.fun, space))
        found.append(constraint)
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _OfNumbers:
    """A function of batches of numbers (n, d), in the order of the variables."""

    fun: Callable[[Array], Any]
    space: Space

    def __call__(self, x: Array) -> Any:
        return self.fun(Space(self.space.variables).points(x))
