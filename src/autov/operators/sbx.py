"""Simulated binary crossover.

K. Deb and R. B. Agrawal, "Simulated binary crossover for continuous search space", Complex Systems 9 (1995) 115-148.
The form with x1 kept only in part (SBX') is the AutoV paper's example of an operator that is not translation invariant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from autov.core import Array, Generator, InputError


def spread_factor(u: Array, eta: float) -> Array:
    """Beta of uniform numbers u in [0, 1): density (eta + 1) / 2 beta^eta up to 1, then the same for 1 / beta."""
    contracting = u <= 0.5
    return np.where(contracting, 2 * u, 1 / (2 * (1 - u))) ** (1 / (eta + 1))


@dataclass(frozen=True)
class SBX:
    """keep x1 + 0.5 (1 -+ beta) (x2 - x1), with beta and its sign drawn for every variable (eq. 2 of the AutoV paper).

    The offspring is the first of the two children; the random sign makes it the second one in half of the variables.

    Attributes:
        eta: distribution index; large values keep children near their parents.
        keep: share of x1; 1 is SBX, 0.1 the paper's SBX', which is not translation invariant.
        probability: chance of a pair to be crossed.
        variable_probability: chance of a variable of a crossed pair to be crossed.
    """

    eta: float = 20.0
    keep: float = 1.0
    probability: float = 1.0
    variable_probability: float = 1.0
    n_parents: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if not self.eta >= 0 or not np.isfinite(self.eta):
            raise InputError(f"eta: must be a finite number, at least 0, got {self.eta!r}")
        if not np.isfinite(self.keep):
            raise InputError(f"keep: must be a finite number, got {self.keep!r}")
        for name in ("probability", "variable_probability"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name}: must be between 0 and 1, got {getattr(self, name)!r}")

    @property
    def name(self) -> str:
        """``sbx``, or ``sbx-prime`` when x1 is not kept in full."""
        return "sbx" if self.keep == 1 else "sbx-prime"

    def children(self, x1: Array, x2: Array, rng: Generator) -> tuple[Array, Array]:
        """Both children (n, d) of each pair of rows of x1 and x2 (n, d), before any clipping."""
        n, d = x1.shape
        beta = spread_factor(rng.random((n, d)), self.eta)
        beta *= np.where(rng.random((n, d)) < 0.5, 1.0, -1.0)  # which child is near which parent
        beta[rng.random((n, d)) >= self.variable_probability] = 1.0
        beta[rng.random(n) >= self.probability] = 1.0
        shift = (beta - 1) / 2 * (x1 - x2)  # the children (x1 + x2) / 2 +- beta (x1 - x2) / 2, exact where beta = 1
        return self.keep * x1 + shift, self.keep * x2 - shift

    def __call__(self, parents: Array, lower: Array, upper: Array, rng: Generator) -> Array:  # noqa: ARG002
        """Offspring (n, d) of parents (2, n, d), before any clipping: the first child of each pair."""
        return self.children(parents[0], parents[1], rng)[0]
