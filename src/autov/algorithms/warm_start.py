"""An algorithm that remembers where optima of its training problems lie: `WarmStart`.

It first tries points of its memory next to points of the whole box (`start_distribution`), with at most a twentieth of
the budget. If those of the memory are good, the algorithm starts there, else cold. Values of points that were tried are
told to the algorithm where it asks for them, and not evaluated again. Where first points are given, and for another
number of variables, the memory is not used.

The memory is a set of places in the box. So an algorithm with one is not invariant to a translation of the optimum in
its box: it is made for problems whose optimum does not move.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from autov.algorithms.base import Metaheuristic, at_work
from autov.algorithms.population import room_of
from autov.algorithms.start_distribution import StartDistribution, Trial
from autov.core import Array, Box, Generator, InputError

MOST = 1000  # points of a memory
REPEATS = 20  # batches of nothing but points that were tried, after which such a batch is evaluated


@dataclass(frozen=True, eq=False)
class WarmStartState:
    """Before the trial ``own`` is None; behind it, it is the state of the algorithm.

    ``known`` has the values of points tried; ``asked`` is the batch of the algorithm, and ``values`` what is known of
    it, NaN for the rest.
    """

    box: Box
    popsize: int
    maxfev: int
    own: Any
    trial: Trial | None = None
    f: Array = field(default_factory=lambda: np.empty(0))
    told: bool = True  # whether the algorithm has a population
    known: dict[bytes, float] = field(default_factory=dict)
    asked: Array = field(default_factory=lambda: np.empty((0, 0)))
    values: Array = field(default_factory=lambda: np.empty(0))


@dataclass(frozen=True)
class WarmStart:
    """Settings.

    Attributes:
        cold: the algorithm that starts there.
        points: of the unit box, where its runs on the training problems ended.
        spread: standard deviation of the ends of runs on one problem, for each variable, in the unit box.
    """

    cold: Any
    points: tuple[tuple[float, ...], ...]
    spread: tuple[float, ...]

    def __post_init__(self) -> None:
        if isinstance(self.cold, WarmStart) or not isinstance(self.cold, Metaheuristic):
            raise InputError("start: only an algorithm that can be asked starts at points")
        try:
            points, spread = np.array(self.points, dtype=np.float64), np.array(self.spread, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("start: points and spread must be numbers") from None
        if points.ndim != 2 or not 1 <= len(points) <= MOST or spread.shape != points.shape[1:]:
            raise InputError(f"start: must have 1 to {MOST} points, and a spread for each of their variables")
        if not all(((part >= 0) & (part <= 1)).all() for part in (points, spread)):
            raise InputError("start: points and spread must lie between 0 and 1")
        object.__setattr__(self, "points", tuple(map(tuple, points.tolist())))
        object.__setattr__(self, "spread", tuple(spread.tolist()))

    @property
    def name(self) -> str:
        """That of the algorithm, with what it does first."""
        return f"warm-started {self.cold.name}"

    @property
    def uses_popsize(self) -> bool:
        """As the algorithm."""
        return getattr(self.cold, "uses_popsize", True)

    @cached_property
    def memory(self) -> StartDistribution:
        """Where optima lie."""
        points = np.array(self.points)
        return StartDistribution(points, np.ones(len(points)), np.array(self.spread), np.empty(0))

    def room(self, box: Box, popsize: int, maxfev: int) -> int:
        """As the algorithm."""
        return room_of(self.cold, box, popsize, maxfev)

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> WarmStartState:
        """What is tried first; the state of the algorithm where points are given or the memory has other variables."""
        if x0 is not None or len(self.spread) != box.dim:
            return WarmStartState(box, popsize, maxfev, self.cold.init(box, popsize, maxfev, rng, x0))
        return WarmStartState(box, popsize, maxfev, None, self.memory.trial(box, maxfev, rng))

    def ask(self, state: WarmStartState, rng: Generator) -> tuple[Array, WarmStartState]:
        """The points to try, or of the algorithm's batch those that were not tried."""
        if state.own is None:
            assert state.trial is not None
            return state.trial.x.copy(), state
        for _ in range(REPEATS if state.known else 0):
            x, own = self.cold.ask(state.own, rng)
            values = np.array([state.known.get(row.tobytes(), np.nan) for row in x])
            state = replace(state, own=own, asked=x, values=values)
            if np.isnan(values).any():
                return x[np.isnan(values)], state
            state = replace(state, own=self.cold.tell(own, x, values, rng), told=True)
        x, own = self.cold.ask(state.own, rng)  # nothing is known, or it asks for nothing else
        return x.copy(), replace(state, own=own, asked=x, values=np.full(len(x), np.nan))

    def tell(self, state: WarmStartState, x: Array, f: Array, rng: Generator) -> WarmStartState:
        """Start the algorithm after the trial; later it takes the values, also those of points that were tried."""
        if state.own is None:
            assert state.trial is not None
            first = self.memory.first_points(state.trial, f, state.box, rng)
            known = {} if first is None else {row.tobytes(): float(value) for row, value in zip(x, f, strict=True)}
            first = None if first is None else first[: max(1, state.popsize // 2)]
            own = self.cold.init(state.box, state.popsize, max(1, state.maxfev - len(f)), rng, first)
            return replace(state, own=own, f=f.copy(), told=False, known=known)
        values = state.values.copy()
        values[np.isnan(values)] = f
        return replace(state, own=self.cold.tell(state.own, state.asked, values, rng), told=True)

    def population(self, state: WarmStartState) -> tuple[Array, Array]:
        """That of the algorithm; what was tried as long as it has none."""
        if state.told:
            return self.cold.population(state.own)
        assert state.trial is not None
        return state.trial.x[: len(state.f)], state.f

    def at_work(self, state: WarmStartState) -> str:
        """Who asked for the last batch."""
        return "memory" if state.own is None else at_work(self.cold, state.own)
