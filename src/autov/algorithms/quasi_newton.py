"""Quasi-Newton."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

from autov.algorithms.local_search import LocalSearch
from autov.core import check_ranges
from autov.kernels.models import quasi_newton as kernels


@dataclass(frozen=True)
class QuasiNewton(LocalSearch):
    """Settings; lengths are parts of the box width."""

    name: ClassVar[str] = "quasi-newton"
    kernels: ClassVar[ModuleType] = kernels
    scale: float = 0.1
    difference: float = 1e-8
    decrease: float = 0.1
    exactness: float = 0.1
    growth: float = 4.0
    tries: float = 10
    x1: float = 0
    x2: float = 1e-9
    x3: float = 1e-3
    x4: float = 1e-5
    w: float = 0.0
    c: float = 1e-6

    def __post_init__(self) -> None:
        check_ranges(self, scale=(1e-9, 1))
