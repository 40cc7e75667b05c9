"""Competitive swarm optimiser.

R. Cheng and Y. Jin, A competitive swarm optimizer for large scale optimization, IEEE Transactions on Cybernetics 45,
2015: equations (6) and (7), Algorithm 1.

In each generation the swarm is paired at random; of each pair the better particle passes on as it is and the worse
one learns from it and from the mean position of the whole swarm. So a generation evaluates half of the swarm; with an
odd number one particle rests. Velocities start at zero, which the paper leaves open. Positions are clipped to the box.

The paper draws its three random vectors anew for every variable: the default. The figures of the AutoV paper are far
from that (sphere: 1.3e3, here 0.4) and near one random number per particle, which ``draw="particle"`` offers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from autov.algorithms.population import Index, first_points, require_popsize
from autov.core import Array, Box, Generator, check_choice, check_ranges


@dataclass(frozen=True, eq=False)
class CSOState:
    """Positions and velocities, and who lost the last competition; no values before the first tell."""

    box: Box
    x: Array
    v: Array
    f: Array
    losers: Index


@dataclass(frozen=True)
class CSO:
    """Settings; those of Table IV by default. Phi is the social factor."""

    name: ClassVar[str] = "cso"
    phi: float = 0.1
    draw: Literal["variable", "particle"] = "variable"

    def __post_init__(self) -> None:
        check_ranges(self, phi=(0, 10))
        check_choice(self, draw=("variable", "particle"))

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> CSOState:  # noqa: ARG002
        """Uniform first points at rest, two at least."""
        require_popsize(self.name, popsize, 2)
        x = first_points(box, popsize, rng, x0)
        return CSOState(box, x, np.zeros_like(x), np.empty(0), np.arange(popsize))

    def ask(self, state: CSOState, rng: Generator) -> tuple[Array, CSOState]:
        """Where the losers go."""
        if not state.f.size:
            return state.x.copy(), state
        n, d = state.x.shape
        first, second = rng.permutation(n)[: n // 2 * 2].reshape(2, -1)
        first_wins = state.f[first] <= state.f[second]
        winners, losers = np.where(first_wins, first, second), np.where(first_wins, second, first)
        r1, r2, r3 = rng.random((3, len(losers), d if self.draw == "variable" else 1))
        x = state.x[losers]
        v = r1 * state.v[losers]
        v += r2 * (state.x[winners] - x)
        v += self.phi * r3 * (state.x.mean(axis=0) - x)  # (6)
        moved = state.v.copy()
        moved[losers] = v
        return state.box.clip(x + v), replace(state, v=moved, losers=losers)  # (7)

    def tell(self, state: CSOState, x: Array, f: Array, rng: Generator) -> CSOState:  # noqa: ARG002
        """The losers take their new places."""
        if not state.f.size:
            return replace(state, x=x.copy(), f=f.copy())
        new_x, new_f = state.x.copy(), state.f.copy()
        new_x[state.losers], new_f[state.losers] = x, f
        return replace(state, x=new_x, f=new_f)

    def population(self, state: CSOState) -> tuple[Array, Array]:
        """The whole swarm."""
        return state.x, state.f
