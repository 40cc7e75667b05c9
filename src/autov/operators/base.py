"""What a variation operator is."""

from __future__ import annotations

from typing import Protocol

from autov.core import Array, Generator


class Operator(Protocol):
    """Makes n offspring from n tuples of parents, without looking at the objective and without repairing them."""

    n_parents: int

    def __call__(self, parents: Array, lower: Array, upper: Array, rng: Generator) -> Array:
        """Offspring (n, d) of parents (n_parents, n, d) in the box [lower, upper]."""
        ...
