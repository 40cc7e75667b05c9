"""Which algorithm the arguments of people mean."""

from __future__ import annotations

from autov.algorithms.base import AnyMetaheuristic
from autov.algorithms.evolution import Evolution
from autov.operators import AffineOperator


def choose(algorithm: str | AnyMetaheuristic | None, operator: str | AffineOperator) -> AnyMetaheuristic:
    """The algorithm meant by the two arguments: the operator's own by default."""
    if algorithm is None or algorithm == "autov":
        return Evolution(operator)  # type: ignore[arg-type]
    if isinstance(algorithm, str):
        from autov.algorithms.registry import make  # imports all eight

        return make(algorithm)
    return algorithm
