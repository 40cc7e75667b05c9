"""What a problem is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from autov.core import Array, Box, Generator
from autov.kernels.objective import Objective


@runtime_checkable
class Problem(Protocol):
    """A function of batches on a box. A wrapped problem is a problem, too."""

    @property
    def name(self) -> str:
        """A name that `autov.problems.parse` understands, where there is one."""
        ...

    @property
    def box(self) -> Box:
        """Where to search."""
        ...

    @property
    def minimum(self) -> float | None:
        """The known smallest value in the box, or None."""
        ...

    @property
    def optimum(self) -> Array | None:
        """A known point with that value, or None."""
        ...

    def __call__(self, x: Array, rng: Generator) -> Array:
        """Values of the rows of x, shape (n,). Noise, if any, comes from rng."""
        ...

    def objective(self) -> Objective | None:
        """The compiled form, or None for a function that only Python can call."""
        ...
