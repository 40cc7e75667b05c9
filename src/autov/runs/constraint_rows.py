"""What an algorithm that models constraints is told of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from autov.algorithms.base import ModelsConstraints
from autov.core import Array, Generator
from autov.problems import (
    Constrained,
    FreeVariables,
    Problem,
)


def modelling(algorithm: Any, integrality: tuple[bool, ...], maxfev: int) -> Any:
    """The algorithm for problems whose constraints it is told; None where it does not model them."""
    if all(integrality) or not isinstance(algorithm, ModelsConstraints):  # integers only: values are kept there
        return None
    found = algorithm.with_constraints(integrality, maxfev)
    return None if found is algorithm else found


@dataclass(frozen=True, eq=False)
class Constraints:
    """What an algorithm is told of constraints, in the variables it knows."""

    problem: Constrained
    outer: Problem  # the problem itself, or that of its free variables

    @classmethod
    def of(cls, problem: Problem) -> Constraints | None:
        """Those of a problem; None without any."""
        inner = problem.problem if isinstance(problem, FreeVariables) else problem
        return cls(inner, problem) if isinstance(inner, Constrained) and inner.gives_rows else None

    @cached_property
    def integrality(self) -> tuple[bool, ...]:
        """Which variables are integers."""
        whole = self.problem.whole
        return tuple((whole[self.outer.free] if isinstance(self.outer, FreeVariables) else whole).tolist())

    def rows(self, rng: Generator, x: Array) -> Array:
        """See `Constrained.rows`."""
        return self.problem.rows(self.outer.complete(x) if isinstance(self.outer, FreeVariables) else x, rng)

    def rounded(self, x: Array) -> Array:
        """Points as the objective sees them."""
        if isinstance(self.outer, FreeVariables):
            return self.problem.rounded(self.outer.complete(x))[:, self.outer.free]
        return self.problem.rounded(x)

    def known(self, x: Array, rows: dict[bytes, Array]) -> Array:
        """Values and constraints of points (n, 1 + m), NaN where they are not known."""
        width = max((len(row) for row in rows.values()), default=2)
        missing = np.full(width, np.nan)
        return np.stack([rows.get(point.tobytes(), missing)[1:] for point in x])
