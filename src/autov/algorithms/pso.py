"""Particle swarm optimisation with an inertia weight, global best.

J. Kennedy and R. Eberhart, Particle swarm optimization, IEEE International Conference on Neural Networks, 1995.
Y. Shi and R. Eberhart, A modified particle swarm optimizer, IEEE International Conference on Evolutionary
Computation, 1998: the update with inertia weight.

Both papers use learning factors of 2 and a new random number for every variable: the defaults here. The AutoV paper
states only the inertia weight; its figures are met best by learning factors of 1 and one random number per particle
(``cognitive=1, social=1, draw="particle"``). Unlike in the papers, particles start at rest and no limit is set
to velocities; one that hits a wall stays there and loses its velocity in that direction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from autov.algorithms.population import first_points
from autov.core import Array, Box, Generator, check_choice, check_ranges


@dataclass(frozen=True, eq=False)
class PSOState:
    """Positions, velocities and the best each particle remembers; no values before the first tell."""

    box: Box
    x: Array
    v: Array
    f: Array
    best_x: Array
    best_f: Array


@dataclass(frozen=True)
class PSO:
    """Settings; the inertia weight of Table IV, learning factors and draw of the original papers by default."""

    name: ClassVar[str] = "pso"
    inertia: float = 0.4
    cognitive: float = 2.0
    social: float = 2.0
    draw: Literal["variable", "particle"] = "variable"

    def __post_init__(self) -> None:
        check_ranges(self, inertia=(0, 2), cognitive=(0, 10), social=(0, 10))
        check_choice(self, draw=("variable", "particle"))

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> PSOState:  # noqa: ARG002
        """Uniform first points at rest."""
        x = first_points(box, popsize, rng, x0)
        none = np.empty(0)
        return PSOState(box, x, np.zeros_like(x), none, x, none)

    def ask(self, state: PSOState, rng: Generator) -> tuple[Array, PSOState]:
        """Every particle moves."""
        if not state.f.size:
            return state.x.copy(), state
        n, d = state.x.shape
        r1, r2 = rng.random((2, n, d if self.draw == "variable" else 1))
        leader = state.best_x[np.argmin(state.best_f)]
        v = self.inertia * state.v
        v += self.cognitive * r1 * (state.best_x - state.x)
        v += self.social * r2 * (leader - state.x)
        free = state.x + v
        x = state.box.clip(free)
        return x, replace(state, v=np.where(x == free, v, 0.0))

    def tell(self, state: PSOState, x: Array, f: Array, rng: Generator) -> PSOState:  # noqa: ARG002
        """Every particle remembers its best."""
        if not state.f.size:
            return replace(state, x=x.copy(), f=f.copy(), best_x=x.copy(), best_f=f.copy())
        better = f < state.best_f
        best_x = np.where(better[:, None], x, state.best_x)
        return replace(state, x=x.copy(), f=f.copy(), best_x=best_x, best_f=np.where(better, f, state.best_f))

    def population(self, state: PSOState) -> tuple[Array, Array]:
        """Where the particles are now (not the best they remember)."""
        return state.x, state.f
