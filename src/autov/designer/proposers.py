"""Who proposes the next candidates of a search.

``autov`` is Algorithm 1 of the paper: the operator of the best candidate makes offspring of the population. ``ma-es``
samples all genes together with an evolution strategy that begins at the best known design. ``elites`` draws around the
survivors, better ones more often, with a spread that shrinks as the search goes on, as irace does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from autov.algorithms.files import state_from_arrays, state_to_arrays
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.core import Array, generator
from autov.designer.genome import Genome, VaryingGenome
from autov.kernels import run as kernels

Memory = dict[str, np.ndarray]
FIRST_STEP = 0.1  # of the evolution strategy, in the unit box
WIDEST, NARROWEST = 0.25, 0.02  # spread of draws around survivors, in parts of a gene's range, first and at last
SHRINK = 0.97  # of the spread in each generation


class Proposer(Protocol):
    """Candidates from what is known; what it remembers is in arrays, so that a search can be cut and go on."""

    needs_all: bool  # whether it learns from the values of all candidates, hopeless ones included

    def propose(self, memory: Memory, generation: int, vectors: Array, fitness: Array) -> tuple[Memory, Array]:
        """As many new vectors as there are survivors (sorted, the best first)."""
        ...

    def learn(self, memory: Memory, vectors: Array, fitness: Array) -> Memory:
        """Take the fitness of the vectors just proposed."""
        ...


@dataclass(frozen=True)
class BestOperator:
    """Algorithm 1."""

    needs_all: ClassVar[bool] = False
    genome: VaryingGenome
    key: np.ndarray

    def propose(self, memory: Memory, generation: int, vectors: Array, fitness: Array) -> tuple[Memory, Array]:
        """Offspring by the operator of the best candidate."""
        box = self.genome.box
        best = self.genome.operator(vectors[0]).variation()
        offspring = np.empty_like(vectors)
        kernels.propose(self.key, generation, best, box.lower, box.upper, vectors, fitness, offspring)
        return memory, offspring

    def learn(self, memory: Memory, vectors: Array, fitness: Array) -> Memory:  # noqa: ARG002
        """Nothing to learn."""
        return memory


@dataclass(frozen=True)
class Strategy:
    """An evolution strategy on all genes."""

    needs_all: ClassVar[bool] = True
    genome: Genome
    key: np.ndarray

    def propose(self, memory: Memory, generation: int, vectors: Array, fitness: Array) -> tuple[Memory, Array]:  # noqa: ARG002
        """A sample; the first one around the best candidate."""
        algorithm = self._algorithm(len(vectors))
        state = algorithm.start(self.key, self.genome.box, len(vectors), 10**9, vectors[0])
        state = state_from_arrays(state, memory) if memory else state
        x, state = algorithm.ask(state, generator(0))
        return state_to_arrays(state), x

    def learn(self, memory: Memory, vectors: Array, fitness: Array) -> Memory:
        """Adapt."""
        algorithm = self._algorithm(len(vectors))
        like = algorithm.start(self.key, self.genome.box, len(vectors), 10**9, vectors[0])
        state = algorithm.tell(state_from_arrays(like, memory), vectors, fitness, generator(0))
        return state_to_arrays(state)

    def _algorithm(self, popsize: int) -> MatrixAdaptation:
        return MatrixAdaptation(popsize=popsize, sigma=FIRST_STEP, restarts="none", bounds="fold")


@dataclass(frozen=True)
class Elites:
    """Draws around survivors with a shrinking spread."""

    needs_all: ClassVar[bool] = False
    genome: Genome
    key: np.ndarray

    def propose(self, memory: Memory, generation: int, vectors: Array, fitness: Array) -> tuple[Memory, Array]:  # noqa: ARG002
        """The survivor of rank r has a weight of n - r."""
        rng = generator(int(self.key[0]), int(self.key[1]), generation)
        n, d = vectors.shape
        weights = np.arange(n, 0, -1, dtype=np.float64)
        parents = vectors[rng.choice(n, n, p=weights / weights.sum())]
        spread = max(WIDEST * SHRINK**generation, NARROWEST)
        box = self.genome.box
        drawn = parents + spread * box.width * rng.standard_normal((n, d))
        low, high = box.lower, box.upper
        mirrored = np.where(drawn < low, 2 * low - drawn, np.where(drawn > high, 2 * high - drawn, drawn))
        return memory, box.clip(mirrored)

    def learn(self, memory: Memory, vectors: Array, fitness: Array) -> Memory:  # noqa: ARG002
        """Nothing to learn."""
        return memory


PROPOSERS: dict[str, Any] = {"autov": BestOperator, "ma-es": Strategy, "elites": Elites}
