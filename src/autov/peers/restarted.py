"""What the packages of CMA-ES have in common: their settings, what does not fit, and how people name them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from autov.algorithms.population import initial_points
from autov.core import Array, Box, InputError, check_ranges
from autov.peers.libraries import library


@dataclass(frozen=True)
class RestartedCMA:
    """Settings; ``popsize=None`` is the library's 4 + 3 ln d, whatever the popsize of the comparison."""

    package: ClassVar[str]  # to import, and the prefix of the name
    least: ClassVar[int]  # points of a population
    popsize: int | None = None
    sigma: float = 0.3  # of the width of the box
    growth: int = 2  # factor of the population at a restart

    def __post_init__(self) -> None:
        check_ranges(self, popsize=(self.least, 10**6), sigma=(1e-9, 1e3), growth=(1, 10))

    @property
    def name(self) -> str:
        """As `autov.compare` knows it."""
        return f"{self.package}:{self.popsize or 'default'}"

    def check_fit(self, box: Box, popsize: int, maxfev: int, x0: Array | None = None) -> None:  # noqa: ARG002
        """Say what does not fit."""
        library(self.package)
        if box.dim < 2:
            raise InputError(f"bounds: {self.name} needs at least 2 variables, got {box.dim}")
        initial_points(box, popsize, x0)

    @classmethod
    def of(cls, name: str) -> Self:
        """``default``, or a population size."""
        if name == "default":
            return cls()
        if not name.isdecimal():
            known = f"{cls.package}:default, or {cls.package}:100 for a population of 100"
            raise InputError(f"algorithm: unknown '{cls.package}:{name}'; {known}")
        return cls(popsize=int(name))
