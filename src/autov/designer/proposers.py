"""Who proposes the next candidates of a search.

``autov`` is Algorithm 1 of the paper: the operator of the best candidate makes offspring of the population. ``ma-es``
samples all genes together with an evolution strategy that begins at the best known design.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.restoring import state_from_arrays, state_to_arrays
from autov.core import Array, generator
from autov.designer.genome import Genome, VaryingGenome
from autov.kernels import run as kernels

Memory = dict[str, np.ndarray]
FIRST_STEP = 0.1  # of the evolution strategy, in the unit box


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


PROPOSERS: dict[str, Any] = {"autov": BestOperator, "ma-es": Strategy}
