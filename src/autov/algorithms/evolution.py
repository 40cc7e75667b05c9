"""The simple metaheuristic of the paper (Algorithm 2) around any affine operator: the algorithm called ``autov``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from autov.core import Array, Box, Generator, InputError
from autov.kernels import run as kernels
from autov.kernels.survival import survive
from autov.operators import AffineOperator, load_operator


@dataclass(frozen=True, eq=False)
class EvolutionState:
    """What a run needs to go on: with the same state it goes on with the same bits."""

    key: np.ndarray  # two words of the counter-based stream
    generation: int  # 0 until the initial population is told
    box: Box
    x: Array
    f: Array


def initial_points(box: Box, popsize: int, x0: Array | None) -> Array:
    """The rows of x0, checked: one point or up to popsize of them."""
    if x0 is None:
        return np.empty((0, box.dim))
    try:
        points = np.atleast_2d(np.asarray(x0, dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError("x0: must be an array of numbers") from None
    if points.ndim != 2 or points.shape[1] != box.dim:
        raise InputError(
            f"x0: must be a point of {box.dim} variables or a population of them, got shape {points.shape}"
        )
    if len(points) > popsize:
        raise InputError(f"x0: has {len(points)} points, the population only {popsize}")
    if not ((points >= box.lower) & (points <= box.upper)).all():
        raise InputError("x0: must lie inside the bounds")
    return points


@dataclass(frozen=True)
class Evolution:
    """Binary tournament, offspring by the operator, clipping to the box, the better half survives."""

    name: ClassVar[str] = "autov"
    operator: AffineOperator = field(default_factory=lambda: load_operator("paper-h3"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "operator", load_operator(self.operator))

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> EvolutionState:  # noqa: ARG002
        """Random points behind those of x0."""
        key = rng.integers(0, 2**64, 2, dtype=np.uint64)
        given = initial_points(box, popsize, x0)
        x = np.empty((popsize, box.dim))
        x[: len(given)] = given
        kernels.initial(key, box.lower, box.upper, x, len(given))
        return EvolutionState(key, 0, box, x, np.full(popsize, np.inf))

    def ask(self, state: EvolutionState, rng: Generator) -> tuple[Array, EvolutionState]:  # noqa: ARG002
        """The initial population, then offspring; asking again gives the same."""
        if state.generation == 0:
            return state.x.copy(), state
        out = np.empty_like(state.x)
        box = state.box
        kernels.propose(
            state.key, state.generation, self.operator.variation(), box.lower, box.upper, state.x, state.f, out
        )
        return out, state

    def tell(self, state: EvolutionState, x: Array, f: Array, rng: Generator) -> EvolutionState:  # noqa: ARG002
        """Keep the better half of the population and x."""
        if state.generation == 0:
            return replace(state, generation=1, x=np.array(x), f=np.array(f))
        population, values = state.x.copy(), state.f.copy()
        survive(population, values, np.ascontiguousarray(x), np.ascontiguousarray(f))
        return replace(state, generation=state.generation + 1, x=population, f=values)

    def population(self, state: EvolutionState) -> tuple[Array, Array]:
        """Current points and values."""
        return state.x, state.f
