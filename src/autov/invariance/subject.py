"""The operator under test: called with copies, its answers checked, its bad habits noted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from autov.core import Array, Generator, InputError
from autov.invariance.transformations import Transformation
from autov.operators import AffineOperator, CallableOperator

POINTS = ("best", "mean", "difference")


class Inputs(NamedTuple):
    """Everything an operator sees apart from random numbers."""

    parents: Array
    lower: Array
    upper: Array
    points: dict[str, Array]  # best, mean and difference, for operators that take them

    def under(self, T: Transformation) -> Inputs:
        """All of them transformed: parents, best and mean as points, and so are both bounds; differences as such."""
        points = {k: T(v) - T(np.zeros_like(v)) if k == "difference" else T(v) for k, v in self.points.items()}
        return Inputs(T(self.parents), T(self.lower), T(self.upper), points)

    @property
    def spread(self) -> Array:
        """The standard deviation of all parents in each variable; a length follows from points, no T applies to it."""
        return self.parents.std(axis=(0, 1))

    def copy(self) -> Inputs:
        """Arrays that an operator may change."""
        points = {name: point.copy() for name, point in self.points.items()}
        return Inputs(self.parents.copy(), self.lower.copy(), self.upper.copy(), points)

    def arrays(self) -> list[Array]:
        """All of them in a list."""
        return [self.parents, self.lower, self.upper, *self.points.values()]


class Broken(Exception):  # noqa: N818
    """The operator raised an error, or did not return finite numbers of the right shape."""


@dataclass
class Subject:
    """An operator, how to call it, and what was seen on the way.

    Attributes:
        operator: ``h(parents, lower, upper, rng)``.
        n_parents: how many parents it takes.
        dim: number of variables of the inputs it gets.
        points: which of best, mean and difference it takes.
        spread: whether it takes the spread, too; it is that of the parents.
        mutates: whether a call changed its inputs.
    """

    operator: Any
    n_parents: int
    dim: int
    points: tuple[str, ...] = ()
    spread: bool = False
    mutates: bool = field(default=False, init=False)

    @classmethod
    def of(cls, operator: Any, n_parents: int | None, dim: int) -> Subject:
        """From an operator or any callable; n_parents is the argument, else its attribute, else 3."""
        own = operator.function if isinstance(operator, CallableOperator) else operator
        call = CallableOperator.of(own, n_parents)
        if not isinstance(own, AffineOperator):
            return cls(own, call.n_parents, dim, call.points)
        points = tuple(name for name in POINTS if name in own.inputs)
        return cls(own, call.n_parents, dim, points, "spread" in own.inputs)

    @property
    def name(self) -> str:
        """For the heading of a certificate."""
        if isinstance(self.operator, AffineOperator):
            draw = self.operator.draw if isinstance(self.operator.draw, str) else ", ".join(self.operator.draw)
            return f'h({", ".join(self.operator.inputs)}), draw="{draw}"'
        return CallableOperator(self.operator, self.n_parents).name

    def inputs(self, n: int, rng: Generator, size: float = 1.0, decimals: int | None = None) -> Inputs:
        """Random parents inside a random box that has another place and width in every variable.

        Bounds are some 1 to 10 times ``size``; with decimals numbers are rounded, for people.
        """
        lower = size * rng.uniform(-5, 5, self.dim)
        upper = lower + size * 10 ** rng.uniform(-0.5, 1, self.dim)
        if decimals is not None:
            lower, upper = np.round(lower, decimals), np.round(upper, decimals)
        place = rng.uniform(0.05, 0.95, (self.n_parents, n, self.dim))
        points = {name: rng.uniform(0.05, 0.95, self.dim) * (upper - lower) for name in self.points}
        points = {name: way if name == "difference" else lower + way for name, way in points.items()}
        parents = lower + place * (upper - lower)
        if decimals is not None:
            parents = np.round(parents, decimals)
            points = {name: np.round(point, decimals) for name, point in points.items()}
        return Inputs(parents, lower, upper, points)

    def __call__(self, inputs: Inputs, rng: Generator) -> Array:
        """Offspring (n, d); raises Broken."""
        given = inputs.copy()
        try:
            with np.errstate(all="ignore"):
                answer = self.operator(given.parents, given.lower, given.upper, rng, **self.keywords(given))
        except Exception as error:
            raise Broken(f"raises {type(error).__name__}: {error}") from error
        if not self.mutates:
            self.mutates = _differ(given, inputs)
        return _checked(answer, inputs.parents.shape[1:])

    def keywords(self, inputs: Inputs) -> dict[str, Array]:
        """What it is called with besides parents and bounds."""
        return {**inputs.points, "spread": inputs.spread} if self.spread else inputs.points

    def sample(self, inputs: Inputs, size: int, rng: Generator) -> Array:
        """Offspring (size, n, d) of independent calls; faster than one by one, and safe all the same."""
        if not self.mutates:
            given = inputs.copy()
            keywords = self.keywords(given)
            try:
                with np.errstate(all="ignore"):
                    calls = (
                        self.operator(given.parents, given.lower, given.upper, rng, **keywords) for _ in range(size)
                    )
                    answers = [np.array(answer) for answer in calls]
            except Exception as error:
                raise Broken(f"raises {type(error).__name__}: {error}") from error
            self.mutates = _differ(given, inputs)
            if not self.mutates:
                shape = inputs.parents.shape[1:]
                odd = next((answer for answer in answers if answer.shape != shape), None)
                return _checked(answers, (size, *shape)) if odd is None else _checked(odd, shape)
        return np.stack([self(inputs, rng) for _ in range(size)])

    def first_call(self, rng: Generator) -> None:
        """Fail at the edge if the operator does not work on plain inputs at all."""
        for n in (1, 2, 7):
            try:
                self(self.inputs(n, rng), rng)
            except Broken as error:
                shape = (self.n_parents, n, self.dim)
                raise InputError(f"operator: {self.name} {error} (for parents of shape {shape})") from error.__cause__

    def uses_bounds(self, rng: Generator) -> bool:
        """Whether offspring change when only the bounds do."""
        inputs = self.inputs(16, rng)
        wider = inputs._replace(lower=inputs.lower - 1.0, upper=inputs.upper + 3.0)
        try:
            return not np.array_equal(self(inputs, np.random.default_rng(0)), self(wider, np.random.default_rng(0)))
        except Broken:
            return True


def _differ(one: Inputs, two: Inputs) -> bool:
    return any(not np.array_equal(a, b) for a, b in zip(one.arrays(), two.arrays(), strict=True))


def _checked(answer: Any, shape: tuple[int, ...]) -> Array:
    """The answer as a new array of finite numbers of that shape; raises Broken."""
    try:
        offspring = np.array(answer, dtype=np.float64)
    except (TypeError, ValueError):
        raise Broken(f"returns {type(answer).__name__}, not an array of numbers") from None
    if offspring.shape != shape:
        raise Broken(f"returns shape {offspring.shape} instead of (n, d) = {shape}")
    if not np.isfinite(offspring).all():
        raise Broken("returns NaN or infinity")
    return offspring
