"""Genetic algorithm with simulated binary crossover and polynomial mutation.

J. H. Holland, Adaptation in Natural and Artificial Systems, MIT Press, 1992.
K. Deb and R. B. Agrawal, Simulated binary crossover for continuous search space, Complex Systems 9, 1995.
K. Deb and M. Goyal, A combined genetic adaptive search (GeneAS) for engineering design, Computer Science and
Informatics 26, 1996.

Binary tournaments pick the parents, every two parents give two children, and the best of parents and children
survive. Each variable of a pair is crossed with probability 0.5, as Deb and Agrawal do for several variables.
A coin then decides for each crossed variable which child gets which value, as in Deb's programs; the paper leaves it
open. It is the one of four forms tried whose results fit the AutoV paper's GA; without it they are missed by far.
The mutation is the later form of Deb's programs for bounded variables, which never leaves the box; children of the
crossover are clipped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from autov.algorithms.population import best, first_points, tournament
from autov.core import Array, Box, Generator, check_ranges
from autov.operators import SBX, PolynomialMutation


@dataclass(frozen=True, eq=False)
class GAState:
    """The population; no values before the first tell."""

    box: Box
    x: Array
    f: Array


@dataclass(frozen=True)
class GA:
    """Settings; those of Table IV by default. A mutation probability of None is 1/d; keep=0.1 is the paper's SBX'."""

    name: ClassVar[str] = "ga"
    crossover_probability: float = 1.0
    crossover_index: float = 20.0
    mutation_probability: float | None = None
    mutation_index: float = 20.0
    variable_probability: float = 0.5  # of a variable of a crossed pair to be crossed
    keep: float = 1.0  # share of its parent that a child keeps, crossed or not; below 1 it is drawn to the origin

    def __post_init__(self) -> None:
        check_ranges(self, crossover_probability=(0, 1), mutation_probability=(0, 1))
        check_ranges(self, variable_probability=(0, 1), keep=(0, 1))
        check_ranges(self, crossover_index=(0, 1e6), mutation_index=(0, 1e6))

    @property
    def crossover(self) -> SBX:
        """The operator that crosses pairs; `autov.check` certifies it."""
        return SBX(self.crossover_index, self.keep, self.crossover_probability, self.variable_probability)

    @property
    def mutation(self) -> PolynomialMutation:
        """The operator that mutates children."""
        return PolynomialMutation(self.mutation_index, self.mutation_probability)

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> GAState:  # noqa: ARG002
        """Uniform first points."""
        return GAState(box, first_points(box, popsize, rng, x0), np.empty(0))

    def ask(self, state: GAState, rng: Generator) -> tuple[Array, GAState]:
        """As many children as there are parents."""
        if not state.f.size:
            return state.x.copy(), state
        n = len(state.x)
        pairs = (n + 1) // 2
        parents = state.x[tournament(state.f, 2 * pairs, rng)]
        box = state.box
        children = np.concatenate(self.crossover.children(parents[:pairs], parents[pairs:], rng))
        children = box.clip(children[:n])
        return box.clip(self.mutation(children[None], box.lower, box.upper, rng)), state

    def tell(self, state: GAState, x: Array, f: Array, rng: Generator) -> GAState:  # noqa: ARG002
        """Keep the best of parents and children."""
        if not state.f.size:
            return replace(state, x=x.copy(), f=f.copy())
        survivors = best(np.concatenate([state.x, x]), np.concatenate([state.f, f]), len(state.x))
        return replace(state, x=survivors[0], f=survivors[1])

    def population(self, state: GAState) -> tuple[Array, Array]:
        """The survivors."""
        return state.x, state.f
