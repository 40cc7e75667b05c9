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
    """

    eta: float = 20.0
    keep: float = 1.0
    n_parents: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if not self.eta >= 0 or not np.isfinite(self.eta):
            raise InputError(f"eta: must be a finite number, at least 0, got {self.eta!r}")
        if not np.isfinite(self.keep):
            raise InputError(f"keep: must be a finite number, got {self.keep!r}")

    @property
    def name(self) -> str:
        """``sbx``, or ``sbx-prime`` when x1 is not kept in full."""
        return "sbx" if self.keep == 1 else "sbx-prime"

    def __call__(self, parents: Array, lower: Array, upper: Array, rng: Generator) -> Array:  # noqa: ARG002
        """Offspring (n, d) of parents (2, n, d), before any clipping."""
        x1, x2 = parents[0], parents[1]
        beta = spread_factor(rng.random(x1.shape), self.eta)
        beta = np.where(rng.random(x1.shape) < 0.5, -beta, beta)
        return self.keep * x1 + 0.5 * (1 - beta) * (x2 - x1)
