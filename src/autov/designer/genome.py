"""What is designed, as vectors in a box: the search knows a genome only by what the protocol says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from autov.algorithms.evolution import Evolution
from autov.core import Array, Box, InputError, whole_number
from autov.kernels.evolution.many import Common, Tasks, run_many
from autov.kernels.evolution.run import plain_plan
from autov.kernels.evolution.variation import Variation
from autov.kernels.objective import Objectives
from autov.operators import AffineOperator, load_operator
from autov.operators.affine import Draw
from autov.operators.inputs import BOUNDS, inputs_of, weights_of
from autov.operators.packing import pack

# Rows of an operator that works as a GA does: most variables stay or come from the other parent.
UNIFORM_CROSSOVER = (
    {"probability": 0.45},
    {"probability": 0.45, "x2": (1.0, 0.0)},
    {"probability": 0.07, "x2": (0.5, 0.3)},
    {"probability": 0.03, BOUNDS: (0.0, 0.05), "upper": (0.0, 0.035), "lower": (0.0, 0.035)},
)


class Genome(Protocol):
    """Vectors in a box that stand for algorithms."""

    @property
    def box(self) -> Box:
        """Bounds of the designed numbers."""
        ...

    def decode(self, vector: Array) -> Any:
        """The algorithm of a vector; it can be asked, and run compiled."""
        ...

    def known(self) -> Array:
        """Vectors (k, genes) of designs that are known to be good, as far as they can be written here."""
        ...


class VaryingGenome(Genome, Protocol):
    """A genome whose candidates have operators, which can vary other candidates."""

    def operator(self, vector: Array) -> AffineOperator:
        """The operator of a vector: the search varies candidates by that of the best one (Algorithm 1)."""
        ...


@runtime_checkable
class PackedGenome(Genome, Protocol):
    """A genome whose candidates can all be run by one compiled call."""

    def pack(self, vectors: Array) -> Any:
        """Many candidates (c, genes) in the form that compiled runs read."""
        ...

    def run_packed(
        self, packed: Any, objectives: Objectives, box: Box, budget: Any, key: np.ndarray, tasks: Tasks, best: Array
    ) -> None:
        """Write the best values of compiled runs; their streams derive from the key."""
        ...


@dataclass(frozen=True)
class Given:
    """Algorithms that are there already, seen as a genome: a vector is the number of one of them."""

    algorithms: tuple[Any, ...]

    @property
    def box(self) -> Box:
        """Numbers of the algorithms."""
        return Box(np.zeros(1), np.full(1, float(len(self.algorithms))))

    @property
    def vectors(self) -> Array:
        """One for each."""
        return np.arange(len(self.algorithms), dtype=np.float64)[:, None]

    def decode(self, vector: Array) -> Any:
        """The algorithm of that number."""
        return self.algorithms[int(vector[0])]

    def known(self) -> Array:
        """All of them."""
        return self.vectors


@dataclass(frozen=True)
class OperatorGenome:
    """The matrix of eq. 28 of the paper, flattened: mean in [-1, 1], std in [0, 1], probability in [0, 1].

    Tied bounds have no mean to design: it is zero, since any other pushes offspring towards one corner of the box. The
    algorithm is the paper's metaheuristic around the operator.
    """

    inputs: tuple[str, ...]
    rows: int = 10
    draw: Draw = "variable"
    tie_bounds: bool = False

    @classmethod
    def of(cls, form: str | Sequence[str], rows: int, draw: Draw, tie_bounds: bool) -> OperatorGenome:
        """Checked: a form name or inputs, any number of rows."""
        rows = whole_number("rows", rows, 1, 1000)
        if draw not in ("variable", "solution"):
            raise InputError(f"draw: must be 'variable' or 'solution', got {draw!r}")
        inputs = inputs_of(form)
        weights_of(inputs, tie_bounds)
        return cls(inputs, rows, draw, bool(tie_bounds))

    @cached_property
    def weights(self) -> tuple[str, ...]:
        """Names of the weights of a row."""
        return weights_of(self.inputs, self.tie_bounds)

    @cached_property
    def _designed(self) -> np.ndarray:
        """Columns of the matrix that are designed."""
        columns = [(name != BOUNDS, True) for name in self.weights]
        return np.flatnonzero([flag for pair in columns for flag in pair] + [True])

    @property
    def gene_names(self) -> tuple[str, ...]:
        """Row by row, as in the matrix."""
        columns = [f"{name}.{part}" for name in self.weights for part in ("mean", "std")] + ["probability"]
        return tuple(f"row{j + 1}.{columns[c]}" for j in range(self.rows) for c in self._designed)

    @property
    def box(self) -> Box:
        """Bounds of the designed numbers."""
        return self._box

    @cached_property
    def _box(self) -> Box:
        lower = np.array([*(-1.0, 0.0) * len(self.weights), 0.0])[self._designed]
        return Box(np.tile(lower, self.rows), np.ones(self.rows * len(lower)))

    def _matrices(self, vectors: Array) -> Array:
        """Matrices (c, k, columns); where no row has a chance, all have the same."""
        matrices = np.zeros((len(vectors), self.rows, 2 * len(self.weights) + 1))
        matrices[:, :, self._designed] = vectors.reshape(len(vectors), self.rows, len(self._designed))
        silent = matrices[:, :, -1].sum(axis=1) == 0
        matrices[silent, :, -1] = 1.0
        return matrices

    def decode(self, vector: Array) -> Evolution:
        """The paper's metaheuristic around the operator of a vector."""
        return Evolution(self.operator(vector))

    def operator(self, vector: Array) -> AffineOperator:
        """The operator of a vector."""
        matrix = self._matrices(np.asarray(vector)[None])[0]
        return AffineOperator.from_matrix(matrix, self.inputs, draw=self.draw, tie_bounds=self.tie_bounds)

    def encode(self, operator: AffineOperator) -> Array:
        """The vector of an operator of this form with at most this many rows; the rest gets probability zero."""
        mine = (self.inputs, self.draw, self.tie_bounds)
        if (operator.inputs, operator.draw, operator.tie_bounds) != mine or operator.rows > self.rows:
            raise InputError("operator: its form, draw, tied bounds or number of rows differs from those of the design")
        matrix = np.zeros((self.rows, 2 * len(self.weights) + 1))
        matrix[: operator.rows] = operator.matrix()
        return self.box.clip(matrix[:, self._designed].ravel())

    def known(self) -> Array:
        """Uniform crossover with some blending and mutation, as a GA does it, and the paper's operator."""
        named = [
            {name: row[name] for name in row if name in (*self.weights, "probability")} for row in UNIFORM_CROSSOVER
        ]
        found = []
        if self.rows >= len(named) and "x2" in self.weights:
            found.append(named)
        paper = load_operator("paper-h3")
        if self.rows >= paper.rows and self.inputs == paper.inputs:
            columns = [paper.weights.index(name if name != BOUNDS else "upper") for name in self.weights]
            found.append([
                {name: (paper.mean[j, c], paper.std[j, c]) for name, c in zip(self.weights, columns, strict=True)}
                | {"probability": paper.probability[j]}
                for j in range(paper.rows)
            ])  # fmt: skip
        options = {"draw": self.draw, "tie_bounds": self.tie_bounds}
        operators = [AffineOperator.from_rows(self.inputs, rows, **options) for rows in found]
        return np.array([self.encode(operator) for operator in operators]).reshape(len(operators), self.box.dim)

    def pack(self, vectors: Array) -> Variation:
        """Thresholds and parameters of many operators, with one more axis in front."""
        matrices = self._matrices(vectors)
        mean, std, probability = matrices[:, :, 0:-1:2], matrices[:, :, 1:-1:2], matrices[:, :, -1]
        return pack(self.weights, mean, std, probability, self.draw == "solution")

    def run_packed(
        self,
        packed: Variation,
        objectives: Objectives,
        box: Box,
        budget: Any,
        key: np.ndarray,
        tasks: Tasks,
        best: Array,
    ) -> None:
        """Compiled runs of the paper's metaheuristic."""
        n = budget.popsize
        common = Common(plain_plan(packed), objectives, box.lower, box.upper, budget.made, n, n)
        run_many(key, common, tasks, best)
