"""Normal sampling around a point with steps in proportion to the box: the sampling of CMA-ES at its start.

N. Hansen and A. Ostermeier, "Completely derandomized self-adaptation in evolution strategies", Evolutionary
Computation 9 (2001) 159-195. As the AutoV paper writes it in eq. 12: the covariance is fixed and parallel to the axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from autov.core import Array, Generator, InputError


@dataclass(frozen=True)
class GaussianSampling:
    """x1 + sigma (upper - lower) z, z ~ N(0, I).

    Attributes:
        sigma: standard deviation as a share of the width of the box.
    """

    sigma: float = 0.6
    n_parents: ClassVar[int] = 1
    name: ClassVar[str] = "cma-es-sampling"

    def __post_init__(self) -> None:
        if not self.sigma >= 0 or not np.isfinite(self.sigma):
            raise InputError(f"sigma: must be a finite number, at least 0, got {self.sigma!r}")

    def __call__(self, parents: Array, lower: Array, upper: Array, rng: Generator) -> Array:
        """Offspring (n, d) of parents (1, n, d), before any clipping."""
        x = parents[0]
        return x + self.sigma * (upper - lower) * rng.standard_normal(x.shape)
