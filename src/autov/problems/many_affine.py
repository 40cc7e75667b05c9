"""Affine combinations of BBOB functions (MA-BBOB), as the package ioh has them.

Vermetten, Ye, Baeck, Doerr: MA-BBOB: A problem generator for black-box optimization using affine combinations and
shifts. ACM Transactions on Evolutionary Learning and Optimization 5(1), 2025. The number of an instance draws the
weights of the 24 functions (most of them are zero), their instances and one place of the optimum for all of them; the
logarithms of their gaps to the minimum are averaged with these weights.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from autov.core import InputError, whole_number
from autov.core.optional import library, release
from autov.problems.bbob import BBOB_DIM, MANY_AFFINE, LibraryFunction


@functools.lru_cache(maxsize=128)
def _combination(dim: int, instance: int) -> Any:
    return library("ioh", "problem", "ioh").problem.ManyAffine(instance, dim)


@dataclass(frozen=True)
class ManyAffine(LibraryFunction):
    """One combination on [-5, 5]^dim; the version of the library decides results, too."""

    dim: int = BBOB_DIM
    iid: int = 1  # number of the instance; a method `instance` would make it a family
    version: str = field(default_factory=partial(release, "ioh", "problem", "ioh"))
    relative: bool = False  # values minus that at the optimum (about 1e-11, and not the same for all)

    def __post_init__(self) -> None:
        whole_number("instance", self.iid, 1)
        if whole_number("dim", self.dim, 1) < 2:
            raise InputError(f"dim: {MANY_AFFINE} needs at least 2 variables, got {self.dim}")

    @property
    def name(self) -> str:
        """ma-bbob, with the instance unless it is the first."""
        return MANY_AFFINE + (f"+instance={self.iid}" if self.iid != 1 else "")

    @property
    def weights(self) -> tuple[float, ...]:
        """Of bbob-f1 to bbob-f24, with sum 1."""
        return tuple(self._made.weights)

    @property
    def _made(self) -> Any:
        return _combination(int(self.dim), int(self.iid))
