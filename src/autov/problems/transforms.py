"""Translated, scaled and rotated problems: each wraps a problem and is one; they compose in any order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from autov.core import Array, Box, Generator, InputError, generator
from autov.core.blas import one_blas_thread
from autov.kernels.objective import Objective
from autov.problems.problem import Around, MayRaise, PointFunction, Problem


def to_base(problem: Problem, x: Array) -> tuple[Problem, Array]:
    """The problem under all transformations, and points (n, d) in its coordinates."""
    while isinstance(problem, Wrapped):
        problem, x = problem.problem, problem._forward(x)
    return problem, x


def random_rotation(seed: int, dim: int) -> Array:
    """A uniform orthogonal matrix; identical results whatever the number of BLAS threads."""
    with one_blas_thread():
        # Q of a normal matrix is uniform over the orthogonal ones once the signs of R's diagonal are made positive.
        q, r = np.linalg.qr(generator(seed, dim).standard_normal((dim, dim)))
    return np.ascontiguousarray(q * np.sign(np.diagonal(r)))


def affine_of(objective: Objective, dim: int) -> tuple[Array, Array]:
    """Scale and shift of an objective, written out."""
    if objective.shift.size:
        return objective.scale, objective.shift
    return np.ones(dim), np.zeros(dim)


class Wrapped(Around, ABC):
    """What transformations share: the box and the values of the wrapped problem, unless they say otherwise."""

    enlarges_domain: ClassVar[bool] = True  # points come into the box that were outside

    @property
    def box(self) -> Box:
        """The box of the wrapped problem."""
        return self.problem.box

    @property
    def minimum_is_global(self) -> bool:
        """Whether the known minimum holds outside the box, too."""
        return getattr(self.problem, "minimum_is_global", False)

    @property
    def optimum(self) -> Array | None:
        """Where the wrapped optimum is now, if the box holds it and nothing smaller can have come in."""
        x = self.problem.optimum
        if x is None or (self.enlarges_domain and not self.minimum_is_global):
            return None
        x = self._back(x)
        return x if ((x >= self.box.lower) & (x <= self.box.upper)).all() else None

    @property
    def minimum(self) -> float | None:
        """The wrapped minimum, if its point is still in the box."""
        return None if self.optimum is None else self.problem.minimum

    def __call__(self, x: Array, rng: Generator) -> Array:
        """Values of the rows of x, point by point around a function of single points: identical results on workers."""
        if not self.vectorized:
            return np.array([self.point(row) for row in np.atleast_2d(x)])
        return self.problem(self._forward(x), rng)

    def point(self, x: Array) -> float:
        """The value at one point, where the wrapped problem is a Python function of single points."""
        assert isinstance(self.problem, PointFunction)
        return self.problem.point(self._forward(x[None])[0])

    def raise_noted(self, context: Array) -> None:
        """Raise what a compiled function of the user's raised, if anything."""
        if isinstance(self.problem, MayRaise):
            self.problem.raise_noted(context)

    @abstractmethod
    def _forward(self, x: Array) -> Array:
        """Points (n, d) in the coordinates of the wrapped problem."""

    @abstractmethod
    def _back(self, x: Array) -> Array:
        """The point that the transformation takes to x."""


@dataclass(frozen=True, eq=False)
class Translated(Wrapped):
    """f(x + b): the optimum moves by -b, the box stays."""

    problem: Problem
    b: float | Array

    def __post_init__(self) -> None:
        b = np.asarray(self.b, dtype=np.float64)
        if b.shape not in ((), (self.problem.box.dim,)) or not np.isfinite(b).all():
            raise InputError(f"translate: b must be a finite number or {self.problem.box.dim} of them, got {self.b!r}")

    @property
    def name(self) -> str:
        """The wrapped name with ``+translate=b``."""
        return f"{self.problem.name}+translate={f'{self.b:g}' if np.ndim(self.b) == 0 else 'vector'}"

    def _forward(self, x: Array) -> Array:
        return x + self.b

    def _back(self, x: Array) -> Array:
        return x - self.b

    def objective(self) -> Objective | None:
        """((x + b) s) M + c = (x s) M + ((b s) M + c)."""
        inner = self.problem.objective()
        if inner is None:
            return None
        scale, shift = affine_of(inner, self.box.dim)
        moved = np.broadcast_to(self.b, self.box.dim) * scale
        if inner.matrix.size:
            moved = moved @ inner.matrix
        return inner._replace(scale=scale, shift=np.ascontiguousarray(moved + shift))


@dataclass(frozen=True, eq=False)
class Scaled(Wrapped):
    """f(a x) on the box divided by a: the same landscape in other units."""

    problem: Problem
    a: float
    enlarges_domain: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not np.isfinite(self.a) or self.a == 0:
            raise InputError(f"scale: a must be a finite number other than zero, got {self.a!r}")

    @property
    def name(self) -> str:
        """The wrapped name with ``+scale=a``."""
        return f"{self.problem.name}+scale={self.a:g}"

    @property
    def box(self) -> Box:
        """The wrapped box divided by a."""
        corners = np.sort([self.problem.box.lower / self.a, self.problem.box.upper / self.a], axis=0)
        return Box(corners[0], corners[1])

    def _forward(self, x: Array) -> Array:
        return self.a * x

    def _back(self, x: Array) -> Array:
        return x / self.a

    def objective(self) -> Objective | None:
        """((a x) s) M + c = (x (a s)) M + c."""
        inner = self.problem.objective()
        if inner is None:
            return None
        scale, shift = affine_of(inner, self.box.dim)
        return inner._replace(scale=self.a * scale, shift=shift)


@dataclass(frozen=True, eq=False)
class Rotated(Wrapped):
    """f(x M) with an orthogonal M, given or made from a seed; the box stays."""

    problem: Problem
    rotation: int | Array

    def __post_init__(self) -> None:
        if np.ndim(self.rotation) == 0:
            if not isinstance(self.rotation, (int, np.integer)) or self.rotation < 0:
                raise InputError(f"rotate: expected a seed (0, 1, 2, ...) or a matrix, got {self.rotation!r}")
            return
        m, d = np.asarray(self.rotation, dtype=np.float64), self.problem.box.dim
        if m.shape != (d, d) or not np.allclose(m @ m.T, np.eye(d), atol=1e-9):
            raise InputError(f"rotate: the matrix must be orthogonal and {d} x {d}, got shape {m.shape}")

    @cached_property
    def matrix(self) -> Array:
        """M."""
        if np.ndim(self.rotation):
            return np.ascontiguousarray(self.rotation, dtype=np.float64)
        return random_rotation(int(self.rotation), self.box.dim)  # type: ignore[arg-type]

    @property
    def name(self) -> str:
        """The wrapped name with ``+rotate=seed``."""
        return f"{self.problem.name}+rotate={self.rotation if np.ndim(self.rotation) == 0 else 'matrix'}"

    def _forward(self, x: Array) -> Array:
        return x @ self.matrix

    def _back(self, x: Array) -> Array:
        return x @ self.matrix.T

    def objective(self) -> Objective | None:
        """((x R) s) M + c = x (R s M) + c."""
        inner = self.problem.objective()
        if inner is None:
            return None
        scale, shift = affine_of(inner, self.box.dim)
        matrix = self.matrix * scale
        if inner.matrix.size:
            matrix = matrix @ inner.matrix
        return inner._replace(scale=np.ones_like(scale), shift=shift, matrix=np.ascontiguousarray(matrix))


@dataclass(frozen=True, eq=False)
class FreeVariables(Wrapped):
    """A problem without its fixed variables, those whose bounds are equal: no algorithm has to know of them."""

    problem: Problem

    @cached_property
    def free(self) -> np.ndarray:
        """Which variables are free, (d,) bool."""
        return self.problem.box.width > 0

    @property
    def name(self) -> str:
        """The wrapped name."""
        return self.problem.name

    @cached_property
    def _box(self) -> Box:
        box = self.problem.box
        return Box(box.lower[self.free], box.upper[self.free])

    @property
    def box(self) -> Box:
        """The box of the free variables."""
        return self._box

    def complete(self, x: Array) -> Array:
        """Points (n, free) with the fixed variables put in, (n, d)."""
        full = np.tile(self.problem.box.lower, (len(x), 1))
        full[:, self.free] = x
        return full

    def _forward(self, x: Array) -> Array:
        return self.complete(x)

    def _back(self, x: Array) -> Array:
        return x[self.free]

    @property
    def minimum_is_global(self) -> bool:
        """The wrapped minimum is known inside the box, and nothing comes in."""
        return True

    def objective(self) -> None:
        """Compiled transformations keep the number of variables: it is called from Python."""
        return


def kinds_of(problem: Problem) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """How many categories each variable has, 0 where it has an order; and which variables are integers."""
    if isinstance(problem, FreeVariables):
        categories, integers = kinds_of(problem.problem)
        free = np.flatnonzero(problem.free).tolist()
        return tuple(categories[i] for i in free), tuple(integers[i] for i in free)
    none, space = (0,) * problem.box.dim, getattr(problem, "space", None)
    integers = getattr(problem, "integrality", ()) or (False,) * problem.box.dim
    return none if space is None else space.categories, tuple(integers)


def has_categories(problem: Problem) -> bool:
    """Whether a variable has more than one category."""
    return any(count > 1 for count in kinds_of(problem)[0])


def without_fixed(problem: Problem) -> Problem:
    """The problem itself, or the one of its free variables if some are fixed."""
    return problem if (problem.box.width > 0).all() else FreeVariables(problem)
