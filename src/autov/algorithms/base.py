"""What a metaheuristic is: frozen settings with three steps, init, ask and tell."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, TypeVar

from autov.core import Array, Box, Generator

State = TypeVar("State")


class Metaheuristic(Protocol[State]):
    """Settings of an algorithm. What changes during a run is its State, and a step returns the new one.

    The first batch that ``ask`` returns is the initial population. The driver never evaluates more than ``maxfev``
    points: it cuts the last batch short, evaluates what is left of it, and does not tell it.
    """

    name: ClassVar[str]

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> State:
        """The state before the first evaluation; rows of x0 (at most popsize) replace random first points."""
        ...

    def ask(self, state: State, rng: Generator) -> tuple[Array, State]:
        """Points to evaluate, shape (m, d), all inside the box."""
        ...

    def tell(self, state: State, x: Array, f: Array, rng: Generator) -> State:
        """Take the values of the points just asked for; none of them is NaN."""
        ...

    def population(self, state: State) -> tuple[Array, Array]:
        """Current points and their values (best first is not required)."""
        ...


AnyMetaheuristic = Metaheuristic[Any]
