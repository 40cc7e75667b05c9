"""What an algorithm is: frozen settings that can be asked, that run by themselves, or that run as one kernel.

The first protocol is enough. Optimisers of other libraries that want to call the objective themselves are `External`;
algorithms whose steps are kernels are `Compiled`, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from autov.core import Array, Box, Generator
from autov.kernels.objective import Objective

State = TypeVar("State")
Batch = Callable[[Array], Array]  # points (n, d) -> values (n,)


@runtime_checkable
class Metaheuristic(Protocol[State]):
    """Settings of an algorithm. What changes during a run is its State, and a step returns the new one.

    The first batch that ``ask`` returns is the initial population. The driver never evaluates more than ``maxfev``
    points. The rule for a last batch that the budget cuts short is the same for all: autov evaluates the rest of it
    for the best point, but does not tell its values.
    """

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

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


@runtime_checkable
class External(Protocol):
    """An optimiser that calls the objective itself, until the objective ends the run."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    def check_fit(self, box: Box, popsize: int, maxfev: int, x0: Array | None = None) -> None:
        """Raise InputError if it cannot run with these."""
        ...

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Call the objective with batches (n, d); it raises `BudgetSpent` at the last evaluation of the budget."""
        ...


class Outcome(NamedTuple):
    """What a compiled run gives back."""

    x: Array  # the best point
    fun: float
    nit: int  # batches after the first
    population: Array
    values: Array
    trace_nfev: np.ndarray  # evaluations made when ...
    trace_best: Array  # ... the best value so far was this
    nans: int


@runtime_checkable
class Compiled(Protocol):
    """An algorithm whose steps are kernels: a run on a compiled problem can be one compiled piece.

    ``compiles`` is false for settings that can only be asked, such as an operator written in Python. Its state has
    ``key``, two words from which all its random numbers come, and ``generation``, the batches told.
    """

    @property
    def compiles(self) -> bool:
        """Whether these settings can run compiled."""
        ...

    def start(self, key: np.ndarray, box: Box, popsize: int, maxfev: int, x0: Array | None = None) -> Any:
        """The state before the first evaluation, as ``init`` makes it, from a key."""
        ...

    def run_compiled(
        self, state: Any, objective: Objective, maxfev: int, begun: list[Any] | None = None
    ) -> Outcome:  # fmt: skip
        """A whole run from a state of ``start``; ``begun`` gets what tells how far it has come (`AnyRun`)."""
        ...


@runtime_checkable
class Injectable(Protocol):
    """An algorithm that can take points it did not ask for."""

    def inject(self, state: Any, x: Array, f: Array) -> Any:
        """The state after points (m, d) of other origin with values f; no generation passes."""
        ...


@runtime_checkable
class Rotatable(Protocol):
    """An algorithm that draws along the axes, but can draw along rotated ones: then a run can be rotated as a whole.

    One whose draws follow its points, and need not be rotated, says so by ``rotates_draws = False``.
    """

    def inside(self) -> Any:
        """The same algorithm with first steps so small that, from the middle of a box, no point meets its border."""
        ...

    def rotated(self, state: Any, rotation: Array) -> Any:
        """The state after the box was rotated about its centre, x - c to (x - c) R: points, steps and draws."""
        ...


@runtime_checkable
class ModelsConstraints(Protocol):
    """An algorithm that can use the values of constraints."""

    def with_constraints(self, integrality: tuple[bool, ...], maxfev: int) -> Any:
        """The same for a problem whose constraints are known at its points; which of its variables are integers.

        The algorithm itself where it would not use what is known of them.
        """
        ...

    def learn(self, state: Any, x: Array, rows: Array) -> Any:
        """The state before points are told of which more is known, (n, 1 + m): values and constraints, or NaN."""
        ...


AnyMetaheuristic = Metaheuristic[Any]


def renewed(state: State, **values: Any) -> State:
    """A state with other values, as by `dataclasses.replace`, which takes ten times as long."""
    new = object.__new__(type(state))
    new.__dict__.update(state.__dict__, **values)
    return new


def next_state(algorithm: Any, over: bool, state: State, x: Array, f: Array, rng: Generator) -> State:
    """The state after values were told.

    ``over`` says that nobody will use the given state again: algorithms that have a ``tell_over`` write into it then,
    where ``tell`` copies it.
    """
    return (getattr(algorithm, "tell_over", algorithm.tell) if over else algorithm.tell)(state, x, f, rng)


Algorithm = AnyMetaheuristic | External


def at_work(algorithm: Any, state: Any) -> str:
    """The name of who asked for the last batch: of a member, where there are several (``algorithm.at_work(state)``)."""
    who = getattr(algorithm, "at_work", None)
    return algorithm.name if who is None else who(state)
