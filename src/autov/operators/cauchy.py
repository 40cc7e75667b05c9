"""Mutation of fast evolutionary programming, with Cauchy steps; with normal ones it is the classical mutation.

X. Yao, Y. Liu and G. Lin, "Evolutionary programming made faster", IEEE Transactions on Evolutionary Computation 3
(1999) 82-102. The step size is held at its first value here; fast evolutionary programming adapts it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from autov.core import Array, Generator, InputError


@dataclass(frozen=True)
class FEPMutation:
    """x1 + eta z, z standard Cauchy or standard normal in every variable (eq. 5 of the AutoV paper has the normal).

    Attributes:
        eta: the step size, in the units of x and not of the box: this is why the operator is not scale invariant.
        law: of the steps.
    """

    eta: float = 3.0
    law: Literal["cauchy", "normal"] = "cauchy"
    n_parents: ClassVar[int] = 1
    name: ClassVar[str] = "fep-mutation"

    def __post_init__(self) -> None:
        if not self.eta >= 0 or not np.isfinite(self.eta):
            raise InputError(f"eta: must be a finite number, at least 0, got {self.eta!r}")
        if self.law not in ("cauchy", "normal"):
            raise InputError(f"law: must be 'cauchy' or 'normal', got {self.law!r}")

    def __call__(self, parents: Array, lower: Array, upper: Array, rng: Generator) -> Array:  # noqa: ARG002
        """Offspring (n, d) of parents (1, n, d), before any clipping."""
        x = parents[0]
        z = rng.standard_cauchy(x.shape) if self.law == "cauchy" else rng.standard_normal(x.shape)
        return x + self.eta * z
