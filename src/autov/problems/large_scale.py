"""The fifteen problems of the CEC'2013 large-scale suite.

Li, Tang, Omidvar, Yang, Qin: Benchmark functions for the CEC'2013 special session and competition on large-scale
global optimization. RMIT University, 2013. The data file is theirs.

Two variants are in use. ``cpp`` is the published C++ code, with which the literature reports its figures. ``paper``
is the one that fits the figures of the AutoV paper: Ackley (f3, f6, f10) without T_osz, T_asy and Lambda, and the
separable variables of f7 under T_osz and T_asy; the other functions are the same in both.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Any, ClassVar

import numpy as np
from numba import carray

from autov.core import Array, Box, Generator, InputError
from autov.kernels.evolution.run import evaluate_blocks
from autov.kernels.functions import lsgo as kernels
from autov.kernels.functions.lsgo import (
    ACKLEY,
    ELLIPTIC,
    OSCILLATED,
    PANEL,
    PLAIN,
    RASTRIGIN,
    ROSENBROCK,
    SCALED,
    SCHWEFEL,
    SKEWED,
    SPHERE,
)
from autov.kernels.objective import Objective, compile_objective

VARIANTS = ("cpp", "paper")
PREFIX = {"cpp": "lsgo-f", "paper": "lsgo-paper-f"}
NAMES = tuple(f"{PREFIX[variant]}{number}" for variant in VARIANTS for number in range(1, 16))
BASES = {
    1: ELLIPTIC, 2: RASTRIGIN, 3: ACKLEY, 4: ELLIPTIC, 5: RASTRIGIN, 6: ACKLEY, 7: SCHWEFEL, 8: ELLIPTIC, 9: RASTRIGIN,
    10: ACKLEY, 11: SCHWEFEL, 12: ROSENBROCK, 13: SCHWEFEL, 14: SCHWEFEL, 15: SCHWEFEL,
}  # fmt: skip
TRANSFORMS = {ELLIPTIC: OSCILLATED, RASTRIGIN: SCALED, ACKLEY: SCALED, SCHWEFEL: SKEWED, ROSENBROCK: PLAIN}
BOUNDS = {RASTRIGIN: 5.0, ACKLEY: 32.0}  # 100 for the others
OVERLAP = {13: 5, 14: 5}  # variables that neighbouring groups share
SKEWNESS = 0.2  # beta of T_asy


@functools.cache
def arrays() -> Mapping[str, np.ndarray]:
    """The data of the suite: optima, permutations (from 1), group sizes, rotations and weights."""
    with as_file(files("autov.problems") / "data" / "cec2013_lsgo.npz") as path, np.load(path) as stored:
        return {name: stored[name] for name in stored.files}


class _Table:
    """Builds the array that the kernel reads; see there for its layout."""

    def __init__(self, groups: int) -> None:
        self.records: list[list[float]] = []
        self.blocks: list[Array] = []
        self.end = 1 + groups * kernels.FIELDS
        self.rotations: dict[int, int] = {}  # where the matrix of each size begins

    def _append(self, block: Array) -> int:
        begin = self.end
        self.blocks.append(block)
        self.end += block.size
        return begin

    def add(self, base: int, transform: int, weight: float, variables: np.ndarray, optimum: Array,
            rotation: Array | None) -> None:  # fmt: skip
        """One more group of variables."""
        size = len(variables)
        ramp = np.arange(size) / (size - 1)
        factors = 10.0 ** ((6.0 if base == ELLIPTIC else 0.5) * ramp)
        slots = self._append(np.concatenate([variables, optimum, SKEWNESS * ramp, factors]))
        begin = 0
        if rotation is not None:
            if size not in self.rotations:
                panels = rotation.reshape(-1, PANEL, size).transpose(0, 2, 1)
                self.rotations[size] = self._append(panels.ravel())
            begin = self.rotations[size]
        self.records.append([size, base, transform, weight, slots, begin])

    def build(self) -> Array:
        """The finished array."""
        count = float(len(self.records))
        return np.concatenate([[count], np.ravel(self.records), *self.blocks])


@functools.cache
def table(number: int, variant: str) -> Array:
    """What the kernel needs to know of f<number>."""
    data = arrays()
    key = f"f{number:02d}"
    base = BASES[number]
    transform = PLAIN if variant == "paper" and base == ACKLEY else TRANSFORMS[base]
    xopt = data[f"{key}_xopt"]
    p = data[f"{key}_p"] - 1 if f"{key}_p" in data else np.arange(len(xopt))
    sizes = data[f"{key}_s"] if f"{key}_s" in data else np.empty(0, np.int32)
    overlap = OVERLAP.get(number, 0)
    grouped = int(sizes.sum()) - overlap * max(len(sizes) - 1, 0)
    rest = grouped < len(p)
    result = _Table(len(sizes) + rest)
    begin = own = 0
    for size, weight in zip(sizes, data.get(f"{key}_w", ()), strict=True):
        variables = p[begin : begin + size]
        optimum = xopt[own : own + size] if number == 14 else xopt[variables]  # f14: conflicting optima
        result.add(base, transform, weight, variables, optimum, data[f"{key}_R{size}"])
        begin += size - overlap
        own += size
    if rest:
        if number == 7:
            base, transform = SPHERE, SKEWED if variant == "paper" else PLAIN
        variables = p[grouped:]
        result.add(base, transform, 1.0, variables, xopt[variables], None)
    return result.build()


def _lsgo(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.lsgo(carray(x, (n, d)), carray(out, (n,)), carray(context, (size,)))


@functools.cache
def _compiled() -> Any:
    return compile_objective(_lsgo)


@dataclass(frozen=True)
class LargeScale:
    """f<number> of the suite; the variant is ``cpp`` (the literature) or ``paper`` (the AutoV paper)."""

    number: int
    variant: str = "cpp"
    minimum_is_global: ClassVar[bool] = True  # no value outside the box is smaller

    def __post_init__(self) -> None:
        if isinstance(self.number, bool) or not isinstance(self.number, (int, np.integer)) or self.number not in BASES:
            raise InputError(f"number: must be an integer from 1 to 15, got {self.number!r}")
        if self.variant not in VARIANTS:
            raise InputError(f"variant: must be one of {', '.join(VARIANTS)}, got {self.variant!r}")

    @property
    def name(self) -> str:
        """lsgo-f<number> or lsgo-paper-f<number>."""
        return f"{PREFIX[self.variant]}{self.number}"

    @property
    def dim(self) -> int:
        """905 for f13 and f14, whose groups overlap; 1000 for the others."""
        return 905 if self.number in OVERLAP else 1000

    @property
    def box(self) -> Box:
        """The published box."""
        bound = BOUNDS.get(BASES[self.number], 100.0)
        return Box.cube(-bound, bound, self.dim)

    @property
    def optimum(self) -> Array | None:
        """The known optimum; that of f14 is unknown, because its groups want different values of shared variables."""
        if self.number == 14:
            return None
        xopt = arrays()[f"f{self.number:02d}_xopt"]
        return xopt + 1.0 if self.number == 12 else xopt.copy()

    @property
    def minimum(self) -> float | None:
        """Zero, where the optimum is known."""
        return None if self.number == 14 else 0.0

    @property
    def noisy(self) -> bool:
        """Values are not random."""
        return False

    def __call__(self, x: Array, rng: Generator | None = None) -> Array:  # noqa: ARG002
        """Values of the rows of x."""
        x = np.ascontiguousarray(np.atleast_2d(x), dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != self.dim:
            raise InputError(f"x: {self.name} needs points of {self.dim} variables, got an array of shape {x.shape}")
        out = np.empty(len(x))
        evaluate_blocks(np.zeros(2, np.uint64), 0, self.objective(), x, out)
        return out

    def objective(self) -> Objective:
        """The compiled form."""
        none = np.empty(0)
        return Objective(_compiled().address, table(int(self.number), self.variant), none, none, np.empty((0, 0)))


def large_scale(name: str) -> LargeScale:
    """The problem with one of NAMES."""
    if name not in NAMES:
        raise InputError(f"problem: unknown name {name!r}; lsgo-f1 to lsgo-f15 or lsgo-paper-f1 to lsgo-paper-f15")
    variant = "paper" if name.startswith(PREFIX["paper"]) else "cpp"
    return LargeScale(int(name.removeprefix(PREFIX[variant])), variant)
