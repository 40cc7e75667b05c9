"""Differential evolution, DE/rand/1/bin.

R. Storn and K. Price, Differential evolution - a simple and efficient heuristic for global optimization over
continuous spaces, Journal of Global Optimization 11, 1997: equations (2)-(4).

The paper has no boxes: trial points are clipped. A trial point as good as its target replaces it, as in the authors'
program (their text asks for a smaller value), so that the search can cross a plateau.

``base="target"`` is another reading of the name: the mutant starts from its own target, and the two points of the
difference are winners of binary tournaments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from autov.algorithms.population import first_points, partners, require_popsize, tournament
from autov.core import Array, Box, Generator, check_choice, check_ranges


@dataclass(frozen=True, eq=False)
class DEState:
    """The population; no values before the first tell."""

    box: Box
    x: Array
    f: Array


@dataclass(frozen=True)
class DE:
    """Settings; those of Table IV by default."""

    name: ClassVar[str] = "de"
    F: float = 0.5
    CR: float = 0.9
    base: Literal["random", "target"] = "random"

    def __post_init__(self) -> None:
        check_ranges(self, F=(0, 2), CR=(0, 1))
        check_choice(self, base=("random", "target"))

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> DEState:  # noqa: ARG002
        """Uniform first points, four at least."""
        require_popsize(self.name, popsize, 4)
        return DEState(box, first_points(box, popsize, rng, x0), np.empty(0))

    def ask(self, state: DEState, rng: Generator) -> tuple[Array, DEState]:
        """One trial point per target."""
        if not state.f.size:
            return state.x.copy(), state
        x = state.x
        if self.base == "random":
            r1, r2, r3 = partners(len(x), 3, rng).T
        else:
            r1 = np.arange(len(x))
            r2, r3 = tournament(state.f, 2 * len(x), rng).reshape(2, -1)
        mutant = x[r1] + self.F * (x[r2] - x[r3])  # (2)
        return state.box.clip(binomial(x, mutant, self.CR, rng)), state

    def tell(self, state: DEState, x: Array, f: Array, rng: Generator) -> DEState:  # noqa: ARG002
        """Each trial point against its target."""
        if not state.f.size:
            return replace(state, x=x.copy(), f=f.copy())
        better = f <= state.f
        return replace(state, x=np.where(better[:, None], x, state.x), f=np.where(better, f, state.f))

    def population(self, state: DEState) -> tuple[Array, Array]:
        """The targets."""
        return state.x, state.f


def binomial(x: Array, mutant: Array, CR: float | Array, rng: Generator) -> Array:
    """Equations (3) and (4): each variable from the mutant with probability CR, and one of them in any case."""
    n, d = x.shape
    cross = rng.random((n, d)) < np.reshape(CR, (-1, 1))
    cross[np.arange(n), rng.integers(0, d, n)] = True
    return np.where(cross, mutant, x)
