"""Instances of a problem: translated, rotated and scaled about its optimum, and mirrored at the bounds if needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from autov.core import Array
from autov.kernels.objective import Objective
from autov.problems.problem import Problem
from autov.problems.transforms import Wrapped, affine_of, random_rotation


@dataclass(frozen=True, eq=False)
class Folded(Wrapped):
    """A problem that may be called anywhere: what is outside its box is mirrored into it at the bounds."""

    problem: Problem
    enlarges_domain: ClassVar[bool] = False
    minimum_is_global: ClassVar[bool] = True  # type: ignore[misc]

    @property
    def name(self) -> str:
        """The wrapped name: in the box it is the same problem."""
        return self.problem.name

    def _forward(self, x: Array) -> Array:
        lower, upper, width = self.box.lower, self.box.upper, self.box.width
        t = np.abs(x - lower) / width
        t -= 2 * np.floor(t / 2)
        inside = np.clip(lower + np.minimum(t, 2 - t) * width, lower, upper)
        return np.where((x >= lower) & (x <= upper), x, inside)

    def _back(self, x: Array) -> Array:
        return x

    def objective(self) -> Objective | None:
        """The wrapped one with bounds to fold into; only around a problem that is not transformed itself."""
        inner = self.problem.objective()
        if inner is None or inner.shift.size:
            return None
        # Copies, which can be written as those of other objectives: kernels are compiled for one type of them.
        return inner._replace(fold_lower=self.box.lower.copy(), fold_upper=self.box.upper.copy())


@dataclass(frozen=True, eq=False)
class Instance(Wrapped):
    """f(x* + zoom (x - place) M): the problem translated, rotated and scaled so that its optimum x* lies at ``place``.

    Where no optimum is known, the centre of the box takes its place. The box stays.
    """

    problem: Problem
    place: Array
    zoom: float = 1.0
    rotation: int | None = None  # the seed of M; None is the identity

    @cached_property
    def _matrix(self) -> Array | None:
        return None if self.rotation is None else random_rotation(self.rotation, self.box.dim)

    @cached_property
    def _origin(self) -> Array:
        known = self.problem.optimum
        return (self.box.lower + self.box.upper) / 2 if known is None else known

    @property
    def name(self) -> str:
        """The wrapped name and its transformations."""
        rotated = "" if self.rotation is None else f", rotated with seed {self.rotation}"
        return f"{self.problem.name} (translated, scaled by {self.zoom:.3g}{rotated})"

    def _forward(self, x: Array) -> Array:
        step = self.zoom * (x - self.place)
        return self._origin + (step if self._matrix is None else step @ self._matrix)

    def _back(self, x: Array) -> Array:
        step = x - self._origin
        return self.place + (step if self._matrix is None else step @ self._matrix.T) / self.zoom

    def objective(self) -> Objective | None:
        """x* + ((x - t) z) M, which then goes through the transformations of the wrapped problem."""
        inner = self.problem.objective()
        if inner is None:
            return None
        d = self.box.dim
        scale, shift = affine_of(inner, d)
        linear = np.eye(d) if self._matrix is None else self._matrix
        start = (self._origin - self.zoom * self.place @ linear) * scale
        if self._matrix is None and not inner.matrix.size:
            return inner._replace(scale=self.zoom * scale, shift=start + shift)
        matrix = self.zoom * linear * scale
        if inner.matrix.size:
            matrix, start = matrix @ inner.matrix, start @ inner.matrix
        return inner._replace(scale=np.ones(d), shift=start + shift, matrix=np.ascontiguousarray(matrix))
