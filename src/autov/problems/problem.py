"""What a problem is, and what a family of problems is."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from autov.core import Array, Box, Generator
from autov.kernels.objective import Objective
from autov.problems.variable_space import Space


@runtime_checkable
class Problem(Protocol):
    """A function of batches on a box. A wrapped problem is a problem, too."""

    @property
    def name(self) -> str:
        """A name that `autov.problem` understands, where there is one."""
        ...

    @property
    def box(self) -> Box:
        """Where to search."""
        ...

    @property
    def minimum(self) -> float | None:
        """The known smallest value in the box, or None."""
        ...

    @property
    def optimum(self) -> Array | None:
        """A known point with that value, or None."""
        ...

    def __call__(self, x: Array, rng: Generator) -> Array:
        """Values of the rows of x, shape (n,). Noise, if any, comes from rng."""
        ...

    def objective(self) -> Objective | None:
        """The compiled form, or None for a function that only Python can call."""
        ...


@runtime_checkable
class ProblemFamily(Problem, Protocol):
    """A problem of which every run gets its own instance; called itself, it is the instance of run 0."""

    def instance(self, run: int) -> Problem:
        """The problem of a run."""
        ...


@runtime_checkable
class PointFunction(Problem, Protocol):
    """A Python function of single points: what worker processes can evaluate point by point."""

    vectorized: bool

    def point(self, x: Array) -> float:
        """The value at one point (d,)."""
        ...


@runtime_checkable
class MayRaise(Protocol):
    """A problem whose compiled form cannot raise and notes it instead."""

    def raise_noted(self, context: Array) -> None:
        """Raise what happened during a compiled run, if anything; context is that of the objective."""
        ...


class Around:
    """What a problem around another one takes from it."""

    problem: Problem

    @property
    def space(self) -> Space | None:
        """What describes the variables; None for plain bounds."""
        return getattr(self.problem, "space", None)

    @property
    def noisy(self) -> bool | None:
        """Whether values are random; None where it is unknown."""
        return getattr(self.problem, "noisy", None)

    @property
    def uses_rng(self) -> bool:
        """Whether values may depend on the generator they are called with."""
        return getattr(self.problem, "uses_rng", True)

    @property
    def vectorized(self) -> bool:
        """Whether it wants batches; False around a Python function of single points."""
        return not takes_points(self.problem)


def instance_of(problem: Problem, run: int) -> Problem:
    """The problem that a run gets."""
    return problem.instance(run) if isinstance(problem, ProblemFamily) else problem


def space_of(problem: Any) -> Space | None:
    """The space that a problem is described by; None where there is none."""
    return getattr(problem, "space", None)


def takes_points(problem: Problem) -> bool:
    """Whether its evaluations are calls of a Python function with one point each, worth spreading over processes."""
    # The attribute first: a check against a protocol looks at every property, and this is asked at every call.
    return not getattr(problem, "vectorized", True) and isinstance(problem, PointFunction)
