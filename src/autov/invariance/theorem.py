"""Level 1: what the theorem and its corollaries say about an affine operator, without running it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autov.invariance.transformations import Property
from autov.operators import AffineOperator
from autov.operators.inputs import input_of


class Ruling(NamedTuple):
    """What follows from the formula alone; spread is of the weights, where it is the reason."""

    holds: bool
    reason: str
    spread: float = 0.0


def constant_weights(operator: AffineOperator) -> bool:
    """Whether every draw gives the same weights: one set of means in all rows that can be picked, no spread."""
    used = operator.probability > 0
    return bool((operator.std[used] == 0).all() and (operator.mean[used] == operator.mean[used][0]).all())


def rule(operator: Any, property: Property) -> Ruling | None:
    """The ruling on an AffineOperator; None for anything else, subclasses with a __call__ of their own included."""
    if not isinstance(operator, AffineOperator) or type(operator).__call__ is not AffineOperator.__call__:
        return None
    if property == "scale":
        return Ruling(True, "theorem: a weighted sum of the inputs, so scale invariant for every real a (Corollary 1)")
    if property == "translation":
        tied = "; the tied bounds have weights -r and r, sum 0" if operator.tie_bounds else ""
        directions = [name for name in operator.inputs if not input_of(name).from_x1]
        tied += f"; {' and '.join(directions)} do not move with the points, sum 0" if directions else ""
        return Ruling(True, f"theorem: x1 has one minus the other weights, so their sum is one (Corollary 2){tied}")
    if constant_weights(operator):
        return Ruling(True, "theorem: the weights are constants (no spread, one set of means): Corollary 3, Theorem 3")
    if operator.per_solution[operator.probability > 0].all():
        reason = (
            "theorem: each draw of the weights serves all variables of an offspring, given the draw they are constants"
        )
        return Ruling(True, f"{reason} (Corollary 3, Theorem 3)")
    used = operator.probability > 0
    cause = "their spread" if (operator.std[used] > 0).any() else "the choice among rows"
    return Ruling(
        False,
        f"theorem: weights are drawn anew for every variable and vary by {cause}, so Corollary 3 does not apply. "
        "Given the parents, the covariance of an offspring is diagonal with unequal entries, and a turned diagonal is "
        "not diagonal: the property fails in distribution, too (d >= 2)",
        spread(operator),
    )


def spread(operator: AffineOperator) -> float:
    """The standard deviation of the weight that varies most, rows included: what tests have to see."""
    p = operator.probability / operator.probability.sum()
    average = p @ operator.mean
    return float(np.sqrt(np.max(p @ (operator.std**2 + (operator.mean - average) ** 2))))
