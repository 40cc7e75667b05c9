"""Operators as decision vectors: which numbers are designed, and between which bounds (eq. 28 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from autov.core import Array, Box, InputError
from autov.kernels.variation import Variation
from autov.operators import AffineOperator
from autov.operators.affine import Draw
from autov.operators.inputs import BOUNDS, inputs_of, weights_of
from autov.operators.packing import pack


@dataclass(frozen=True)
class Encoding:
    """The matrix of eq. 28, flattened: mean in [-1, 1] and std in [0, 1] of each weight, probability in [0, 1].

    Tied bounds have no mean to design: it is zero, since any other pushes offspring towards one corner of the box.
    The search knows an encoding only by its box and by ``stack`` and ``decode``; other genes need no change of it.
    """

    inputs: tuple[str, ...]
    rows: int = 10
    draw: Draw = "variable"
    tie_bounds: bool = False

    @classmethod
    def of(cls, form: str | Sequence[str], rows: int, draw: Draw, tie_bounds: bool) -> Encoding:
        """Checked: a form name or inputs, any number of rows."""
        if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or not 1 <= rows <= 1000:
            raise InputError(f"rows: must be a whole number between 1 and 1000, got {rows!r}")
        if draw not in ("variable", "solution"):
            raise InputError(f"draw: must be 'variable' or 'solution', got {draw!r}")
        inputs = inputs_of(form)
        weights_of(inputs, tie_bounds)
        return cls(inputs, int(rows), draw, bool(tie_bounds))

    @cached_property
    def weights(self) -> tuple[str, ...]:
        """Names of the weights of a row."""
        return weights_of(self.inputs, self.tie_bounds)

    @cached_property
    def _designed(self) -> np.ndarray:
        """Columns of the matrix that are designed."""
        columns = [(name != BOUNDS, True) for name in self.weights]
        return np.flatnonzero([flag for pair in columns for flag in pair] + [True])

    @cached_property
    def box(self) -> Box:
        """Bounds of the designed numbers."""
        lower = np.array([*(-1.0, 0.0) * len(self.weights), 0.0])[self._designed]
        return Box(np.tile(lower, self.rows), np.ones(self.rows * len(lower)))

    def _matrices(self, vectors: Array) -> Array:
        matrices = np.zeros((len(vectors), self.rows, 2 * len(self.weights) + 1))
        matrices[:, :, self._designed] = vectors.reshape(len(vectors), self.rows, len(self._designed))
        return matrices

    def _probability(self, matrices: Array) -> Array:
        probability = matrices[:, :, -1]
        silent = probability.sum(axis=1, keepdims=True) == 0
        return np.where(silent, 1.0, probability)  # no row has a chance: all have the same

    def decode(self, vector: Array) -> AffineOperator:
        """The operator of a vector."""
        matrices = self._matrices(np.asarray(vector)[None])
        matrix = matrices[0].copy()
        matrix[:, -1] = self._probability(matrices)[0]
        return AffineOperator.from_matrix(matrix, self.inputs, draw=self.draw, tie_bounds=self.tie_bounds)

    def encode(self, operator: AffineOperator) -> Array:
        """The vector of an operator of this form with at most this many rows; the rest gets probability zero."""
        mine = (self.inputs, self.draw, self.tie_bounds)
        if (operator.inputs, operator.draw, operator.tie_bounds) != mine or operator.rows > self.rows:
            raise InputError("operator: its form, draw, tied bounds or number of rows differs from what is designed")
        matrix = np.zeros((self.rows, 2 * len(self.weights) + 1))
        matrix[: operator.rows] = operator.matrix()
        return self.box.clip(matrix[:, self._designed].ravel())

    def stack(self, vectors: Array) -> Variation:
        """Many operators in the form that kernels read: thresholds and parameters have one more axis in front."""
        matrices = self._matrices(vectors)
        mean, std = matrices[:, :, 0:-1:2], matrices[:, :, 1:-1:2]
        return pack(self.weights, mean, std, self._probability(matrices), self.draw == "solution")
