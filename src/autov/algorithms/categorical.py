"""Independent categorical distributions that learn by natural gradients with an adaptive trust region.

Y. Akimoto, S. Shirakawa, N. Yoshinari, K. Uchida, S. Saito and K. Nishida, Adaptive stochastic natural gradient method
for one-shot neural architecture search, ICML 2019, with the margin of R. Hamano, S. Saito, M. Nomura, K. Uchida and S.
Shirakawa, CatCMA: stochastic optimization for mixed-category problems, GECCO 2024.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from autov.core import Array, Generator

SIGNAL = 1.5  # alpha: length of the path over its expectation from which the trust region grows
STAYS = 0.73  # probability that a sample has the likeliest category of every variable, at least


@dataclass(frozen=True, eq=False)
class Categorical:
    """Probabilities of c variables (c, k), 0 beyond their categories, and what adapts the length of their steps."""

    sizes: np.ndarray  # categories of each variable, (c,)
    q: Array
    path: Array  # s
    gamma: float = 0.0
    delta: float = 1.0  # Delta, the inverse of the length of a step

    @classmethod
    def uniform(cls, sizes: np.ndarray) -> Categorical:
        """All categories are equally likely."""
        there = np.arange(max(sizes, default=1)) < sizes[:, None]
        return cls(sizes, there / sizes[:, None], np.zeros(there.shape))

    @property
    def there(self) -> np.ndarray:
        """Which places of the table are categories, (c, k) bool."""
        return np.arange(self.q.shape[1]) < self.sizes[:, None]

    def sample(self, n: int, rng: Generator) -> np.ndarray:
        """Categories (n, c)."""
        steps = np.cumsum(self.q, axis=1)
        drawn = (rng.random((n, len(self.sizes)))[:, :, None] >= steps).sum(axis=2)
        return np.minimum(drawn, self.sizes - 1)

    def toward(self, chosen: np.ndarray, weights: Array) -> Categorical:
        """After a step towards weighted samples (m, c)."""
        hot = (chosen[:, :, None] == np.arange(self.q.shape[1])) * 1.0
        gradient = np.tensordot(weights, hot - self.q, axes=1)  # natural gradient in the expectation parameters
        root = np.where(self.there, gradient / np.sqrt(np.maximum(self.q, 1e-12)), 0.0)
        length = float(np.sqrt((root**2).sum()))  # in the Fisher metric
        if not length > 0:
            return self
        rate = 1.0 / self.delta
        beta = rate / math.sqrt(max(1, int((self.sizes - 1).sum())))
        path = (1 - beta) * self.path + math.sqrt(beta * (2 - beta)) * root / length
        gamma = (1 - beta) ** 2 * self.gamma + beta * (2 - beta)
        delta = self.delta * math.exp(beta * (gamma - float((path**2).sum()) / SIGNAL))
        moved = replace(self, q=self.q + rate * gradient / length, path=path, gamma=gamma, delta=max(delta, 1.0))
        return moved.with_margin()

    def with_margin(self) -> Categorical:
        """Every category keeps a least probability, so that none is lost for ever."""
        least = np.where(self.there, margin(self.sizes)[:, None], 0.0)
        q = np.where(self.there, np.maximum(self.q, least), 0.0)
        above = q - least
        total = np.maximum(above.sum(axis=1, keepdims=True), 1e-300)
        return replace(self, q=q + (1 - q.sum(axis=1, keepdims=True)) * above / total)


def margin(sizes: np.ndarray) -> Array:
    """The least probability of each category, for every variable."""
    return (1 - STAYS ** (1 / max(1, len(sizes)))) / np.maximum(sizes - 1, 1)
