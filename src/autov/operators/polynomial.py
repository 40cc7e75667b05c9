"""Polynomial mutation.

K. Deb and M. Goyal, "A combined genetic adaptive search (GeneAS) for engineering design", Computer Science and
Informatics 26 (1996) 30-45; in the form of NSGA-II's code, whose steps never leave the box.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from autov.core import Array, Generator, InputError


@dataclass(frozen=True)
class PolynomialMutation:
    """x1 + delta (upper - lower) in the variables that mutate, delta from a polynomial law that ends at the bounds.

    Attributes:
        eta: distribution index; large values make small steps.
        rate: chance of a variable to mutate; None is one over the number of variables.
    """

    eta: float = 20.0
    rate: float | None = None
    n_parents: ClassVar[int] = 1
    name: ClassVar[str] = "polynomial-mutation"

    def __post_init__(self) -> None:
        if not self.eta >= 0 or not np.isfinite(self.eta):
            raise InputError(f"eta: must be a finite number, at least 0, got {self.eta!r}")
        if self.rate is not None and not 0 <= self.rate <= 1:
            raise InputError(f"rate: must be between 0 and 1, or None for one over the dimension, got {self.rate!r}")

    def __call__(self, parents: Array, lower: Array, upper: Array, rng: Generator) -> Array:
        """Offspring (n, d) of parents (1, n, d)."""
        x = parents[0]
        rate = 1 / x.shape[1] if self.rate is None else self.rate
        rows, columns = np.nonzero(rng.random(x.shape) < rate)
        u = rng.random(len(rows))
        value, low, high = x[rows, columns], lower[columns], upper[columns]
        width = high - low
        # Shares of the width below and above x; points outside, which Deb's law does not know, count as on the border.
        below = np.clip((value - low) / width, 0.0, 1.0)
        above = np.clip((high - value) / width, 0.0, 1.0)
        power = self.eta + 1
        # Each law is meant for its own half of u, but both are finite on the whole of [0, 1).
        down = (2 * u + (1 - 2 * u) * (1 - below) ** power) ** (1 / power) - 1
        up = 1 - (2 * (1 - u) + (2 * u - 1) * (1 - above) ** power) ** (1 / power)
        mutated = x.copy()
        mutated[rows, columns] += np.where(u <= 0.5, down, up) * width
        return mutated
