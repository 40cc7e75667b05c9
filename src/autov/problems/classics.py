"""The thirteen problems of Yao, Liu and Lin (1999), a form of f12 that fits the AutoV paper, and all other tables."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.core import Array, Box, Generator, InputError
from autov.kernels.functions import classic as kernels
from autov.kernels.objective import Objective, compile_objective
from autov.problems.entries import Entry, c_function, of_points_and_stream, substituted, unsubstituted, zero
from autov.problems.more_functions import MORE, NOISY

SCHWEFEL_AT = 420.96874635998202  # the root of tan(sqrt x) = -sqrt(x) / 2 that minimises -x sin(sqrt x) in the box
SCHWEFEL_VALUE = -SCHWEFEL_AT * math.sin(math.sqrt(SCHWEFEL_AT))

TABLE = {
    "sphere": Entry(1, 100.0, 0.0, zero, kernels.sphere),
    "schwefel_2_22": Entry(2, 10.0, 0.0, zero, kernels.schwefel_2_22),
    "schwefel_1_2": Entry(3, 100.0, 0.0, zero, kernels.schwefel_1_2),
    "schwefel_2_21": Entry(4, 100.0, 0.0, zero, kernels.schwefel_2_21),
    "rosenbrock": Entry(5, 30.0, 1.0, zero, kernels.rosenbrock),
    "step": Entry(6, 100.0, 0.0, zero, kernels.step),
    "quartic": Entry(7, 1.28, 0.0, zero, kernels.quartic, noisy=True, form=of_points_and_stream),
    "schwefel_2_26": Entry(8, 500.0, SCHWEFEL_AT, lambda d: d * SCHWEFEL_VALUE, kernels.schwefel_2_26, is_global=False),
    "rastrigin": Entry(9, 5.12, 0.0, zero, kernels.rastrigin),
    "ackley": Entry(10, 32.0, 0.0, zero, kernels.ackley),
    "griewank": Entry(11, 600.0, 0.0, zero, kernels.griewank),
    "penalized_1": Entry(12, 50.0, -1.0, zero, kernels.penalized_1, form=substituted),
    "penalized_2": Entry(13, 50.0, 1.0, zero, kernels.penalized_2),
    # f12 without the substitution y = 1 + (x + 1) / 4: inferred from the AutoV paper's figures.
    "penalized_1_plain": Entry(12, 50.0, 1.0, zero, kernels.penalized_1, form=unsubstituted),
}
NAMES = tuple(name for name in TABLE if name != "penalized_1_plain")  # in the order f1 .. f13
TABLE |= MORE | NOISY

SIX = ("schwefel_2_22", "schwefel_2_21", "quartic", "griewank", "ackley", "rastrigin")  # Tables I-III
EIGHT = (  # Tables V and VI
    "schwefel_2_22", "schwefel_2_21", "quartic", "griewank", "schwefel_2_26", "ackley", "rosenbrock", "rastrigin",
)  # fmt: skip


@functools.cache
def _compiled(function: str) -> Any:
    entry = TABLE[function]
    return compile_objective(c_function(entry.kernel, entry.form))


@dataclass(frozen=True)
class Classic:
    """A compiled test function by its name, on its published box; with a bound, on [-bound, bound]^dim."""

    function: str
    dim: int = 30
    bound: float | None = None

    def __post_init__(self) -> None:
        if self.function not in TABLE:
            raise InputError(f"problem: unknown function {self.function!r}; one of {', '.join(TABLE)}")
        if isinstance(self.dim, bool) or not isinstance(self.dim, (int, np.integer)) or self.dim < 1:
            raise InputError(f"dim: must be a positive integer, got {self.dim!r}")
        if self.dim < (least := TABLE[self.function].least):
            raise InputError(f"dim: {self.function} needs at least {least} variables, got {self.dim}")
        if self.bound is not None and not 0 < self.bound < math.inf:
            raise InputError(f"bound: must be a positive number, got {self.bound!r}")

    @property
    def name(self) -> str:
        """The word, with the bound where it is not the published one."""
        return self.function if self.bound is None else f"{self.function}+bound={self.bound:g}"

    @property
    def box(self) -> Box:
        """[-bound, bound]^dim, or the published box."""
        if self.bound is not None:
            return Box.cube(-self.bound, self.bound, self.dim)
        return self._published

    @property
    def _published(self) -> Box:
        entry = TABLE[self.function]
        return Box.cube(-entry.bound if entry.lower is None else entry.lower, entry.bound, self.dim)

    @property
    def optimum(self) -> Array | None:
        """The known optimum, if the box holds it."""
        at, box, published = TABLE[self.function].at, self.box, self._published
        x = at(self.dim) if callable(at) else np.full(self.dim, at)
        inner = (box.lower >= published.lower).all() and (box.upper <= published.upper).all()
        return x if box.holds(x[None]) and (self.minimum_is_global or inner) else None

    @property
    def minimum_is_global(self) -> bool:
        """Whether no value outside the box is smaller; Schwefel 2.26 has no smallest one."""
        return TABLE[self.function].is_global

    @property
    def minimum(self) -> float | None:
        """The known minimum (of noisy ones: without the noise), if the box holds it."""
        return None if self.optimum is None else TABLE[self.function].value(self.dim)

    @property
    def noisy(self) -> bool:
        """Whether values are random."""
        return TABLE[self.function].noisy

    def __call__(self, x: Array, rng: Generator) -> Array:
        """Values of the rows of x."""
        return evaluate(self, x, rng)

    def objective(self) -> Objective:
        """The compiled form."""
        none = np.empty(0)
        return Objective(_compiled(self.function).address, np.zeros(1), none, none, np.empty((0, 0)))


def evaluate(problem: Any, x: Array, rng: Generator) -> Array:
    """Call a compiled problem from Python."""
    from autov.kernels.evolution.run import evaluate_blocks

    x = np.ascontiguousarray(np.atleast_2d(x), dtype=np.float64)
    out = np.empty(len(x))
    key = rng.integers(0, 2**64, 2, dtype=np.uint64) if problem.noisy else np.zeros(2, np.uint64)
    evaluate_blocks(key, 0, problem.objective(), x, out)
    return out
