"""The operator of the paper: a weighted sum of its inputs with normally distributed weights that sum to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any, Literal, cast, get_args

import numpy as np

from autov.core import Array, Generator, InputError
from autov.core.display import Displayable
from autov.kernels.evolution.variation import Variation
from autov.operators.inputs import BOUNDS, input_of, inputs_of, weights_of
from autov.operators.packing import pack

Unit = Literal["variable", "solution"]
Draw = Unit | tuple[Unit, ...]
UNITS = get_args(Unit)
LARGEST = 1e6  # of a mean or spread: beyond it, squares of differences could overflow


def _draw_of(draw: object, rows: int) -> Draw:
    """One word, or one for each row; words that are all the same are one."""
    if isinstance(draw, str):
        units = [draw]
    elif isinstance(draw, (tuple, list)) and len(draw) == rows:
        units = list(draw)
    else:
        units = []
    if not units or any(not isinstance(unit, str) or unit not in UNITS for unit in units):
        raise InputError(f"draw: must be 'variable', 'solution' or one of these for each of {rows} rows, got {draw!r}")
    return cast(Draw, units[0] if len(set(units)) == 1 else tuple(units))


@dataclass(frozen=True, eq=False, repr=False)
class AffineOperator(Displayable):
    """x1 + sum_i r_i (y_i - x1), r_i ~ N(mean, std^2): the weights sum to one by construction (Corollary 2).

    Each offspring variable (``draw="variable"``, as the paper ran it) or each whole offspring (``draw="solution"``,
    strictly rotation invariant) first picks one of the k rows by its probability, then draws the weights. With one of
    the two words for each row, an offspring first picks one of its "solution" rows, with their probability, which then
    serves all its variables; otherwise each variable picks one of the "variable" rows.

    The inputs difference (of two random members of the population), spread (their standard deviation in each variable)
    and width (the sides of the box, upper - lower) do not move with the points: their term is r_i y_i, without x1, and
    the weights still sum to one. Spread and width are lengths: of a population scaled by a they are |a| times as long.

    Attributes:
        inputs: a form name h1..h5 or input names; x1 first, then any of x2, x3, ..., best, mean, lower, upper,
            difference, spread, width.
        mean: (k, w) means of the drawn weights, columns as in ``weights``.
        std: (k, w) standard deviations.
        probability: (k,) chances of the rows; they need not sum to one.
        draw: the scope of one draw: "variable", "solution", or a tuple of k of them, one for each row.
        tie_bounds: lower and upper get the weights -r and r of one draw r: the term is r (upper - lower).
        provenance: where the operator comes from; free form, kept in the file.
        extra: unknown keys of the file it was loaded from, kept when saved.
    """

    inputs: tuple[str, ...]
    mean: Array
    std: Array
    probability: Array
    draw: Draw = "variable"
    tie_bounds: bool = False
    provenance: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        inputs = inputs_of(self.inputs)
        weights = weights_of(inputs, self.tie_bounds)
        arrays = {}
        for name in ("mean", "std", "probability"):
            try:
                arrays[name] = np.array(getattr(self, name), dtype=np.float64)
            except (TypeError, ValueError):
                raise InputError(f"{name}: must be an array of numbers") from None
            if not np.isfinite(arrays[name]).all():
                raise InputError(f"{name}: must be finite, found {arrays[name][~np.isfinite(arrays[name])][0]}")
            arrays[name].flags.writeable = False
        k = arrays["probability"].size
        if arrays["probability"].ndim != 1 or k == 0:
            raise InputError(
                f"probability: must be a vector of k >= 1 numbers, got shape {arrays['probability'].shape}"
            )
        for name in ("mean", "std"):
            if arrays[name].shape != (k, len(weights)):
                raise InputError(
                    f"{name}: must have shape {(k, len(weights))} (rows x weights of {', '.join(weights)}), "
                    f"got {arrays[name].shape}"
                )
        for name in ("mean", "std"):
            if np.abs(arrays[name]).max(initial=0.0) > LARGEST:
                raise InputError(f"{name}: must not exceed {LARGEST:g}, found {np.abs(arrays[name]).max():g}")
        if (arrays["std"] < 0).any():
            raise InputError(f"std: must not be negative, found {arrays['std'].min()}")
        if (arrays["probability"] < 0).any() or not 0 < arrays["probability"].max() < 1e100:
            raise InputError("probability: must not be negative, and must sum to a positive number below 1e100")
        object.__setattr__(self, "draw", _draw_of(self.draw, k))
        object.__setattr__(self, "inputs", inputs)
        for name, value in arrays.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_rows(
        cls, inputs: str | Sequence[str], rows: Sequence[Mapping[str, Any]], *, draw: Draw = "variable",
        tie_bounds: bool = False, provenance: Mapping[str, Any] | None = None,
    ) -> AffineOperator:  # fmt: skip
        """From rows like ``{"probability": 0.2, "x2": (mean, std), ...}``; weights left out are N(0, 0)."""
        names = weights_of(inputs_of(inputs), tie_bounds)
        for row in rows:
            unknown = set(row) - {"probability", *names}
            if unknown or "probability" not in row:
                raise InputError(f"rows: each has a probability and some of {', '.join(names)}, got {', '.join(row)}")
        pairs = np.array([[row.get(name, (0.0, 0.0)) for name in names] for row in rows], dtype=np.float64)
        if pairs.ndim != 3 or pairs.shape[2] != 2:
            raise InputError("rows: each weight must be a pair (mean, std)")
        probability = np.array([row["probability"] for row in rows], dtype=np.float64)
        return cls(inputs_of(inputs), pairs[:, :, 0], pairs[:, :, 1], probability, draw, tie_bounds, provenance or {})

    @classmethod
    def from_matrix(
        cls, matrix: Array, inputs: str | Sequence[str] = "h3", *, draw: Draw = "variable", tie_bounds: bool = False,
        spread: Literal["std", "variance"] = "std", provenance: Mapping[str, Any] | None = None,
    ) -> AffineOperator:  # fmt: skip
        """From the matrix of eq. 28: mean and spread of each weight in turn, the probability last."""
        matrix = np.atleast_2d(np.asarray(matrix, dtype=np.float64))
        names = weights_of(inputs_of(inputs), tie_bounds)
        if matrix.ndim != 2 or matrix.shape[1] != 2 * len(names) + 1:
            raise InputError(
                f"matrix: must have {2 * len(names) + 1} columns for {', '.join(names)}, got {matrix.shape}"
            )
        second = matrix[:, 1:-1:2]
        if spread == "variance":
            if (second < 0).any():
                raise InputError(f"matrix: a variance must not be negative, found {second.min()}")
            second = np.sqrt(second)
        return cls(inputs_of(inputs), matrix[:, 0:-1:2], second, matrix[:, -1], draw, tie_bounds, provenance or {})

    def matrix(self) -> Array:
        """The matrix of eq. 28, with standard deviations."""
        columns = [c for j in range(len(self.weights)) for c in (self.mean[:, j], self.std[:, j])]
        return np.column_stack([*columns, self.probability])

    @cached_property
    def weights(self) -> tuple[str, ...]:
        """Names of the drawn weights, in the order of the columns of mean and std."""
        return weights_of(self.inputs, self.tie_bounds)

    @cached_property
    def n_parents(self) -> int:
        """How many of the inputs are parents."""
        return sum(input_of(name).parent for name in self.inputs)

    @property
    def rows(self) -> int:
        """Number of rows, the paper's k."""
        return self.probability.size

    @cached_property
    def per_solution(self) -> np.ndarray:
        """(k,) bool: which rows are drawn for a whole offspring."""
        units = self.draw if isinstance(self.draw, tuple) else (self.draw,) * self.rows
        return np.array([unit == "solution" for unit in units])

    def __call__(
        self, parents: Array, lower: Array, upper: Array, rng: Generator,
        best: Array | None = None, mean: Array | None = None,
        difference: Array | None = None, spread: Array | None = None,
    ) -> Array:  # fmt: skip
        """Offspring (n, d) of parents (n_parents, n, d), before any clipping.

        This is the definition, one normal for each weight; the compiled run draws one normal for each variable from
        the same distribution.

        Args:
            parents: x1, x2, ...
            lower: (d,) the box.
            upper: (d,).
            rng: where the draws come from.
            best: (d,) where it is one of the inputs, like all that follow.
            mean: (d,).
            difference: (n, d), of another pair of members for each offspring.
            spread: (d,).
        """
        parents = np.asarray(parents, dtype=np.float64)
        if parents.ndim != 3 or parents.shape[0] < self.n_parents:
            raise InputError(f"parents: must have shape ({self.n_parents}, n, d), got {parents.shape}")
        width = np.asarray(upper) - np.asarray(lower)
        others = {
            "best": best, "mean": mean, "lower": lower, "upper": upper, "difference": difference, "spread": spread,
            "width": np.abs(width), BOUNDS: width,
        }  # fmt: skip
        _, n, d = parents.shape
        whole = self.per_solution & (self.probability > 0)
        if not whole.any() or whole[self.probability > 0].all():
            row = self._rows(self.probability, (n, 1 if whole.any() else d), rng)
            return self._combine(parents, others, row, rng)
        chosen = self._rows(self.probability, (n, 1), rng)
        single = self._rows(np.where(whole, 0.0, self.probability), (n, d), rng)
        offspring = self._combine(parents, others, single, rng)
        return np.where(whole[chosen], self._combine(parents, others, chosen, rng), offspring)

    def _rows(self, probability: Array, size: tuple[int, int], rng: Generator) -> np.ndarray:
        """Rows picked by their probabilities."""
        cumulative = np.cumsum(probability / probability.sum())
        cumulative[np.flatnonzero(probability)[-1] :] = 1.0  # rounding must not let a row of probability zero in
        return np.searchsorted(cumulative, rng.random(size), side="right")

    def _combine(self, parents: Array, others: Mapping[str, Any], row: np.ndarray, rng: Generator) -> Array:
        """Offspring with the given rows, (n, d) or (n, 1)."""
        x1 = parents[0]
        offspring = x1.copy()
        for j, name in enumerate(self.weights):
            r = self.mean[row, j] + self.std[row, j] * rng.standard_normal(row.shape)
            kind = input_of(name)
            y = parents[kind.code - 1] if kind.parent else others[name]
            if y is None:
                raise InputError(f"{name}: this operator needs it, pass {name}=...")
            offspring += r * (y - x1 if kind.from_x1 else y)
        return offspring

    def variation(self) -> Variation:
        """The form that the compiled run reads."""
        return pack(self.weights, self.mean, self.std, self.probability, self.per_solution)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineOperator):
            return NotImplemented
        same = (self.inputs, self.draw, self.tie_bounds) == (other.inputs, other.draw, other.tie_bounds)
        return same and all(np.array_equal(getattr(self, a), getattr(other, a)) for a in ("mean", "std", "probability"))

    def __hash__(self) -> int:
        arrays = (self.mean.tobytes(), self.std.tobytes(), self.probability.tobytes())
        return hash((self.inputs, self.draw, self.tie_bounds, *arrays))

    def identity_parts(self) -> dict[str, Any]:
        """Its content without its source: the JSON form without provenance and unknown keys."""
        from autov.operators.operator_files import to_dict

        known = ("format", "version", "inputs", "draw", "tie_bounds", "rows")
        return {key: value for key, value in to_dict(self).items() if key in known}

    def __repr__(self) -> str:
        tied = ", tied bounds" if self.tie_bounds else ""
        return f"<AffineOperator h({', '.join(self.inputs)}): {self.rows} rows, one draw for each {self.draw}{tied}>"

    def __str__(self) -> str:
        from autov.operators.formulas import as_text

        return as_text(self)

    def latex(self) -> str:
        """The operator as the paper prints it (cases of a LaTeX formula); the second argument of N is the variance."""
        from autov.operators.formulas import as_latex

        return as_latex(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the operator as JSON."""
        from autov.operators.operator_files import save

        save(self, path)
