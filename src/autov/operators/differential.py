"""Mutation of differential evolution, DE/rand/1.

R. Storn and K. Price, "Differential evolution - a simple and efficient heuristic for global optimization over
continuous spaces", Journal of Global Optimization 11 (1997) 341-359.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from autov.core import Array, Generator, InputError


@dataclass(frozen=True)
class DEMutation:
    """x1 + F (x2 - x3), the same F everywhere (eq. 3 of the AutoV paper): weights 1, F, -F, constant, sum one.

    Attributes:
        F: the weight of the difference.
    """

    F: float = 0.5
    n_parents: ClassVar[int] = 3
    name: ClassVar[str] = "de-mutation"

    def __post_init__(self) -> None:
        if not np.isfinite(self.F):
            raise InputError(f"F: must be a finite number, got {self.F!r}")

    def __call__(self, parents: Array, lower: Array, upper: Array, rng: Generator) -> Array:  # noqa: ARG002
        """Offspring (n, d) of parents (3, n, d), before any clipping."""
        return parents[0] + self.F * (parents[1] - parents[2])
