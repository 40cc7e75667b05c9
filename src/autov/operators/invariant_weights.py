"""An operator whose weights depend on the shape of its inputs: the general invariant form (docs/theory.md).

By Theorem 5 the weights of an operator that is translation, scale and rotation invariant may be any functions of the
lengths and angles of the differences of its inputs that do not change if all lengths are multiplied. Here their means
are linear in one such ratio; by Theorem 6 noise in all directions may be added whose length is in proportion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from autov.core import Array, Generator, InputError

INPUTS = ("x2 - x1", "best - x1", "x3 - x4")
LARGEST = 1e6


@dataclass(frozen=True)
class InvariantWeights:
    """x1 + sum_i (mean_i + slope_i s + std_i z_i) y_i + noise |x3 - x4| u, one draw for all variables.

    The y_i are x2 - x1, best - x1 and x3 - x4; s = (|x2 - x1| - |x3 - x4|) / (|x2 - x1| + |x3 - x4|), from -1 to 1,
    says whether the two parents are far apart for this population; z_i are normal, and u is normal in every
    variable with variance 1 / d. Each offspring picks one of the k rows.

    Attributes:
        mean: k rows of three numbers, as tuples.
        slope: likewise; zeros are constant weights.
        std: likewise.
        noise: k numbers.
        probability: k chances of the rows, which need not sum to one.
    """

    mean: tuple[tuple[float, ...], ...]
    slope: tuple[tuple[float, ...], ...]
    std: tuple[tuple[float, ...], ...]
    noise: tuple[float, ...]
    probability: tuple[float, ...]
    name: ClassVar[str] = "invariant-weights"
    n_parents: ClassVar[int] = 4

    def __post_init__(self) -> None:
        k = len(self.probability)
        for name, shape in (
            ("mean", (k, 3)),
            ("slope", (k, 3)),
            ("std", (k, 3)),
            ("noise", (k,)),
            ("probability", (k,)),
        ):
            try:
                numbers = np.array(getattr(self, name), dtype=np.float64)
            except (TypeError, ValueError):
                numbers = np.empty(0)
            least = 0.0 if name in ("std", "noise", "probability") else -LARGEST
            if k == 0 or numbers.shape != shape or not ((numbers >= least) & (numbers <= LARGEST)).all():
                raise InputError(f"{name}: must be numbers from {least:g} to {LARGEST:g} of shape {shape}")
            object.__setattr__(self, name, _tuples(numbers))
        if not sum(self.probability) > 0:
            raise InputError("probability: must not all be zero")

    def __call__(
        self, parents: Array, lower: Array, upper: Array, rng: Generator, best: Array | None = None  # noqa: ARG002
    ) -> Array:  # fmt: skip
        """Offspring (n, d) of parents (4, n, d), before any clipping."""
        x1, x2, x3, x4 = parents
        assert best is not None
        n, d = x1.shape
        y = np.stack([x2 - x1, best - x1, x3 - x4], axis=1)
        apart, scale = np.linalg.norm(y[:, 0], axis=1), np.linalg.norm(y[:, 2], axis=1)
        total = apart + scale
        shape = np.divide(apart - scale, total, out=np.zeros(n), where=total > 0)
        chances = np.cumsum(self.probability) / np.sum(self.probability)
        row = np.minimum(np.searchsorted(chances, rng.random(n), side="right"), len(chances) - 1)
        mean, slope, std = (np.array(each)[row] for each in (self.mean, self.slope, self.std))
        weights = mean + slope * shape[:, None] + std * rng.standard_normal((n, 3))
        steps = np.array(self.noise)[row] * scale / np.sqrt(d)
        return x1 + np.einsum("ni,nid->nd", weights, y) + steps[:, None] * rng.standard_normal((n, d))


def _tuples(numbers: Array) -> Any:
    listed = numbers.tolist()
    return tuple(tuple(part) if isinstance(part, list) else part for part in listed)
