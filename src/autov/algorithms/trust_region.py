"""Trust-region search with quadratic interpolation models, in the manner of BOBYQA, restarted."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

import numpy as np

from autov.algorithms.local_search import LocalSearch, LocalSearchState
from autov.core import Array, Box, check_ranges
from autov.kernels.models import trust_region as kernels


@dataclass(frozen=True)
class TrustRegion(LocalSearch):
    """Settings."""

    name: ClassVar[str] = "trust-region"
    kernels: ClassVar[ModuleType] = kernels
    scale: float = 0.1
    points: float = 100.0
    variables: int = 60
    smallest: float = 1e-9

    def start_at(
        self, key: np.ndarray, box: Box, maxfev: int, x: Array, f: Array, scale: float
    ) -> LocalSearchState:  # fmt: skip
        """As all local searches; given points without a value are the first of the first batch, to the bit."""
        state = super().start_at(key, box, maxfev, x, f, scale)
        unknown = ~(f < np.inf)
        if unknown.any():
            rows = x if unknown.sum() > 1 else x[:1] if unknown[0] else x[:0]
            state.work.x[: len(rows)] = rows
        return state

    def __post_init__(self) -> None:
        check_ranges(self, scale=(1e-6, 0.25), points=(1, 1000), variables=(1, 100), smallest=(1e-12, 0.1))
