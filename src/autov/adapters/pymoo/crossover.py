"""A variation operator as a crossover of pymoo."""

from __future__ import annotations

from typing import Any

import numpy as np

from autov.adapters import missing
from autov.core import Array, InputError, whole_number
from autov.operators import AffineOperator, resolve_operator

try:
    from pymoo.core.crossover import Crossover
except ImportError as error:
    raise missing("pymoo", error) from None


class OperatorCrossover(Crossover):
    """A variation operator as pymoo's crossover of real variables; offspring are clipped to the box.

    Args:
        operator: a name, a file, an operator, or a design; its inputs are parents and bounds (a best point means
            nothing where there are several objectives).
        n_offsprings: of each mating; a further one has the parents in reversed order.
        prob: of the crossover; else parents are copied.
        kwargs: passed on to pymoo.
    """

    def __init__(self, operator: Any = "paper-h3", n_offsprings: int = 1, prob: float = 1.0, **kwargs: Any) -> None:
        self.operator = resolve_operator(operator)
        affine = isinstance(self.operator, AffineOperator)
        for name in self.operator.inputs if affine else self.operator.points:
            if name in ("best", "mean", "difference", "spread"):
                raise InputError(
                    f"operator: uses {name}, which pymoo's crossovers do not know; parents and bounds only"
                )
        super().__init__(self.operator.n_parents, whole_number("n_offsprings", n_offsprings, 1), prob=prob, **kwargs)

    def _do(self, problem: Any, X: Array, *args: Any, random_state: Any = None, **kwargs: Any) -> Any:  # noqa: ARG002
        lower, upper = problem.bounds()
        parents = np.asarray(X, dtype=np.float64)
        made = [self._offspring(np.roll(parents, -i, axis=0), lower, upper, random_state)
                for i in range(self.n_offsprings)]  # fmt: skip
        return np.clip(np.array(made), lower, upper)

    def _offspring(self, parents: Array, lower: Array, upper: Array, rng: Any) -> Array:
        if isinstance(self.operator, AffineOperator):
            return self.operator(parents, lower, upper, rng)
        flat = parents.reshape(-1, parents.shape[-1])  # for best and mean, which it does not use
        return self.operator.offspring(parents, lower, upper, rng, flat, np.zeros(len(flat)))
