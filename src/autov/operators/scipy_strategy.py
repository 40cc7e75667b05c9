"""An affine operator in SciPy's differential evolution, as its mutation and recombination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from autov.core import Array

if TYPE_CHECKING:
    from autov.operators.affine import AffineOperator


@dataclass(frozen=True)
class SciPyStrategy:
    """Makes the trial point of a candidate: x1 is the candidate, the other parents are random, all distinct.

    SciPy scales its population to the unit cube, which invariant operators do not notice, and keeps the best point
    first. Trial points are clipped to the cube; SciPy itself would replace what is outside by random numbers.
    """

    operator: AffineOperator

    def __call__(self, candidate: int, population: Array, rng: Any = None) -> Array:
        """The trial point (d,) of one of population (n, d)."""
        count, dim = population.shape
        rng = np.random.default_rng(rng)
        others = rng.permutation(np.delete(np.arange(count), candidate))[: self.operator.n_parents - 1]
        parents = population[np.concatenate([[candidate], others])][:, None, :]
        lower, upper = np.zeros(dim), np.ones(dim)
        made = self.operator(parents, lower, upper, rng, **points_of(self.operator, population, rng))
        return np.clip(made[0], lower, upper)


def points_of(operator: AffineOperator, population: Array, rng: Any) -> dict[str, Array]:
    """What an operator may read besides parents and bounds, of a population whose best point is the first."""
    points = {"best": population[0], "mean": population.mean(axis=0), "spread": population.std(axis=0)}
    if "difference" in operator.inputs:
        a, b = rng.choice(len(population), 2, replace=False)
        points["difference"] = (population[a] - population[b])[None]
    return points
