"""The simple metaheuristic of the paper (Algorithm 2) around any operator: the algorithm called ``autov``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from autov.algorithms.base import Outcome
from autov.algorithms.parts import initial_points
from autov.core import Array, Box, Generator, generator
from autov.kernels import run as kernels
from autov.kernels.objective import Objective
from autov.kernels.run import Plan
from autov.kernels.selection import tournaments
from autov.kernels.survival import survive
from autov.operators import AffineOperator, CallableOperator, load_operator, resolve_operator


@dataclass(frozen=True, eq=False)
class EvolutionState:
    """What a run needs to go on: with the same state it goes on with the same bits."""

    key: np.ndarray  # two words of the counter-based stream
    generation: int  # 0 until the initial population is told
    box: Box
    x: Array
    f: Array


@dataclass(frozen=True)
class Evolution:
    """Binary tournament, offspring by the operator, clipping to the box, the better half survives.

    The operator is an affine one, by name, file or itself, or any ``h(parents, lower, upper, rng) -> offspring``; an
    affine one runs compiled on compiled problems.
    """

    name: ClassVar[str] = "autov"
    operator: AffineOperator | CallableOperator = field(default_factory=lambda: load_operator("paper-h3"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "operator", resolve_operator(self.operator))

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> EvolutionState:
        """Random points behind those of x0."""
        return self.start(rng.integers(0, 2**64, 2, dtype=np.uint64), box, popsize, maxfev, x0)

    def start(
        self, key: np.ndarray, box: Box, popsize: int, maxfev: int, x0: Array | None = None  # noqa: ARG002
    ) -> EvolutionState:  # fmt: skip
        """The same from a key."""
        given = initial_points(box, popsize, x0)
        x = np.empty((popsize, box.dim))
        x[: len(given)] = given
        kernels.initial(key, box.lower, box.upper, x, len(given))
        return EvolutionState(key, 0, box, x, np.full(popsize, np.inf))

    def ask(self, state: EvolutionState, rng: Generator) -> tuple[Array, EvolutionState]:  # noqa: ARG002
        """The initial population, then offspring; asking again gives the same."""
        if state.generation == 0:
            return state.x.copy(), state
        box = state.box
        if isinstance(self.operator, AffineOperator):
            out = np.empty_like(state.x)
            variation = self.operator.variation()
            kernels.propose(state.key, state.generation, variation, box.lower, box.upper, state.x, state.f, out)
            return out, state
        index = np.empty((len(state.x), self.operator.n_parents), np.int64)
        tournaments(state.key, state.generation, state.f, index)
        own = generator(int(state.key[0]), int(state.key[1]), state.generation)
        offspring = self.operator.offspring(state.x[index.T], box.lower, box.upper, own, state.x, state.f)
        return box.clip(offspring), state

    def tell(self, state: EvolutionState, x: Array, f: Array, rng: Generator) -> EvolutionState:  # noqa: ARG002
        """Keep the better half of the population and x."""
        if state.generation == 0:
            return replace(state, generation=1, x=np.array(x), f=np.array(f))
        return replace(self.inject(state, x, f), generation=state.generation + 1)

    def inject(self, state: EvolutionState, x: Array, f: Array) -> EvolutionState:
        """Points of other origin compete with the population."""
        population, values = state.x.copy(), state.f.copy()
        survive(population, values, np.ascontiguousarray(x), np.ascontiguousarray(f))
        return replace(state, x=population, f=values)

    def population(self, state: EvolutionState) -> tuple[Array, Array]:
        """Current points and values."""
        return state.x, state.f

    @property
    def compiles(self) -> bool:
        """Affine operators do."""
        return isinstance(self.operator, AffineOperator)

    def run_compiled(self, state: EvolutionState, objective: Objective, maxfev: int) -> Outcome:
        """The whole run; only for affine operators."""
        assert isinstance(self.operator, AffineOperator)
        box, n = state.box, min(len(state.x), maxfev)
        x, f, best_x = state.x[:n].copy(), np.empty(n), np.empty(box.dim)
        generations = -(-(maxfev - n) // n)
        trace = np.empty(generations + 1)
        plan = Plan(self.operator.variation(), objective, box.lower, box.upper, maxfev, n)
        best, nans = kernels.run(state.key, plan, x, f, n, trace, best_x)
        counts = np.minimum(n * np.arange(1, generations + 2), maxfev)
        return Outcome(best_x, float(best), generations, x, f, counts, trace, int(nans))
