"""Level 1: what the theorem and its corollaries say about an affine operator, without running it.

Points (x1, x2, ..., best, mean; lower and upper, which the definition transforms like points) and the differences of
points are what the theorem speaks of. Spread and width are lengths: |a| times as long after scaling by a, and no vector
under rotation. The proofs are in docs/invariance.md.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from autov.algorithms import Evolution
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.portfolio import Portfolio
from autov.invariance.transformations import Property
from autov.operators import AffineOperator, CallableOperator
from autov.operators.inputs import BOUNDS, input_of
from autov.operators.invariant_weights import InvariantWeights

ROUNDING = 1e-12  # of probabilities that are sums
ORDER = (
    "theorem: an operator gets points and random numbers and no values of f; the best point stays the best under every "
    "increasing transformation of f"
)


class Ruling(NamedTuple):
    """What follows from the formula alone.

    Attributes:
        holds: whether the property holds.
        reason: the proof in a sentence.
        in_law: whether it holds in distribution only, so that paths differ.
        varies: the standard deviation of the weight that varies most, where that is the reason of a refusal.
    """

    holds: bool
    reason: str
    in_law: bool = False
    varies: float = math.inf


def constant_weights(operator: AffineOperator) -> bool:
    """Whether every draw gives the same weights: one set of means in all rows that can be picked, no deviation."""
    used = operator.probability > 0
    return bool((operator.std[used] == 0).all() and (operator.mean[used] == operator.mean[used][:1]).all())


def whole_draws(operator: AffineOperator) -> bool:
    """Whether all variables of an offspring have the same weights: rows drawn for each variable are one constant."""
    each = (operator.probability > 0) & ~operator.per_solution
    return bool((operator.std[each] == 0).all() and (operator.mean[each] == operator.mean[each][:1]).all())


def active(operator: AffineOperator) -> tuple[str, ...]:
    """The weights that are not zero in every row that can be picked."""
    used = operator.probability > 0
    weighty = (operator.mean[used] != 0).any(axis=0) | (operator.std[used] > 0).any(axis=0)
    return tuple(name for name, is_used in zip(operator.weights, weighty, strict=True) if is_used)


def symmetric(operator: AffineOperator, *, box: bool = False) -> bool:
    """Whether the weights have the same distribution if those of lengths change their sign.

    With ``box``, as in a run on a mirrored box: lower and upper change places, too, and so does the sign of their
    difference. The weights of a row are independent normals, and mixtures of normals agree in distribution only if they
    are made of the same normals, so that the rows tell.
    """
    names = list(operator.weights)
    order, sign = np.arange(len(names)), np.ones(len(names))
    for j, name in enumerate(names):
        if input_of(name).length or (box and name == BOUNDS):
            sign[j] = -1.0
        elif box and name in ("lower", "upper"):
            other = "upper" if name == "lower" else "lower"
            if other not in names:  # then that weight is zero for the other bound
                if name in active(operator):
                    return False
            else:
                order[j] = names.index(other)
    whole = operator.per_solution | whole_draws(operator)
    here: dict[tuple[Any, ...], float] = {}
    for row in np.flatnonzero(operator.probability > 0):
        mean, std = operator.mean[row] + 0.0, operator.std[row]
        p = operator.probability[row] / operator.probability.sum()
        for key, weight in (((mean, std), p), (((sign * mean[order]) + 0.0, std[order]), -p)):
            name = (bool(whole[row]), key[0].tobytes(), key[1].tobytes())
            here[name] = here.get(name, 0.0) + weight
    return all(abs(weight) <= ROUNDING for weight in here.values())


def rule(operator: Any, property: Property) -> Ruling | None:
    """The ruling on an AffineOperator or InvariantWeights; None for anything else.

    Subclasses with a __call__ of their own are something else.

    Only order is decided for every operator: its definition, with points for its arguments, leaves no room for values.
    """
    if property == "order":
        return Ruling(True, ORDER)
    own = operator.function if isinstance(operator, CallableOperator) else operator
    if isinstance(own, InvariantWeights) and type(own) is InvariantWeights:
        return _of_shapes(own, property)
    if not isinstance(operator, AffineOperator) or type(operator).__call__ is not AffineOperator.__call__:
        return None
    if property == "translation":
        return _translation(operator)
    if property == "permutation":
        return _permutation(operator)
    lengths = [name for name in active(operator) if input_of(name).length]
    return _scale(operator, lengths) if property == "scale" else _rotation(operator, lengths)


def _of_shapes(operator: InvariantWeights, property: Property) -> Ruling:
    """Weights that are functions of a ratio of lengths, and noise in proportion to a length."""
    noisy = any(noise > 0 and chance > 0 for noise, chance in zip(operator.noise, operator.probability, strict=True))
    text = "theorem: x1 plus differences of the inputs, whose weights depend on a ratio of their lengths"
    if property == "translation":
        return Ruling(True, f"{text} (Theorem 5)")
    if not noisy:
        return Ruling(True, f"{text}; one draw serves all variables (Theorem 5)")
    noise = "noise is uniform over directions, and its length is in proportion to a length of the inputs"
    return Ruling(True, f"{text}, for given draws (Theorem 5); {noise}: in distribution (Theorem 6)", in_law=True)


def mirror_symmetric(algorithm: Any) -> bool:
    """Whether the runs of an algorithm on a mirrored problem are mirrored in distribution, as its formula tells.

    So it is for the metaheuristic if the weights are symmetric in distribution: tournaments and survival read values
    and places only, and clipping to the mirrored box is mirrored clipping. In a learned frame no bounds may be read.
    The normals of the evolution strategy are symmetric, and a portfolio reads values only.
    """
    if type(algorithm) is Portfolio:
        return all(mirror_symmetric(member) for member in algorithm.members)
    if type(algorithm) is not Evolution:
        return type(algorithm) is MatrixAdaptation
    operator = algorithm.operator
    if not isinstance(operator, AffineOperator) or rule(operator, "scale") is None or not symmetric(operator, box=True):
        return False
    return algorithm.frame == "axes" or not {"lower", "upper", BOUNDS} & set(active(operator))


def exchangeable(algorithm: Any) -> bool:
    """Whether, as its formula tells, permuted variables permute the runs of an algorithm in distribution.

    So it is for the metaheuristic with an affine operator along the axes: weights are drawn for each variable
    independently and by one distribution, or for all; tournaments and survival read values, and clipping treats
    variables alike. The normals of the evolution strategy are round. A portfolio reads values only.
    """
    if type(algorithm) is Portfolio:
        return all(exchangeable(member) for member in algorithm.members)
    if type(algorithm) is not Evolution:
        return type(algorithm) is MatrixAdaptation
    return algorithm.frame == "axes" and rule(algorithm.operator, "permutation") is not None


def condition(operator: Any, property: str) -> str:
    """What a verdict rests on for an operator that reads the bounds, and what a run, which has a box, makes of it."""
    if property in ("translation", "permutation", "order"):
        return ""
    known = rule(operator, "rotation") is not None
    read = set(active(operator)) if known else {BOUNDS}
    if not read & {"lower", "upper", BOUNDS}:
        return ""
    text = "with lower and upper transformed as points, as the definition has it; "
    if property == "rotation":
        return f"{text}in a run the box is not rotated, see check_algorithm"
    text += "in a run with a < 0 they change places, "
    if known and symmetric(operator, box=True):
        return f"{text}where by its weights the property holds in distribution"
    if known and "width" not in read:
        return f"{text}where by its weights the property fails"
    return f"{text}see check_algorithm"


def _translation(operator: AffineOperator) -> Ruling:
    tied = "; the tied bounds have weights -r and r, sum 0" if operator.tie_bounds else ""
    others = [name for name in operator.inputs if not input_of(name).from_x1]
    tied += f"; {' and '.join(others)} do not move with the points, sum 0" if others else ""
    return Ruling(True, f"theorem: x1 has one minus the other weights, so their sum is one (Corollary 2){tied}")


def _permutation(operator: AffineOperator) -> Ruling:
    text = "theorem: one formula for every variable"
    if whole_draws(operator):
        return Ruling(True, f"{text}, and one draw of the weights for all of them")
    reason = f"{text}, with independent weights of one distribution: in any order their joint distribution is the same"
    return Ruling(True, reason, in_law=True)


def _scale(operator: AffineOperator, lengths: list[str]) -> Ruling | None:
    if not lengths:
        return Ruling(True, "theorem: a weighted sum of the inputs, so scale invariant for every real a (Corollary 1)")
    which = " and ".join(lengths)
    if symmetric(operator):
        reason = (
            "theorem: a weighted sum of the inputs, path by path for a > 0 (Corollary 1); for a < 0 in distribution: "
            f"{which} becomes |a| times as long, not a times, but the weights have the same distribution with the "
            "other sign"
        )
        return Ruling(True, reason, in_law=True)
    if "width" in lengths and {"lower", "upper", BOUNDS} & set(active(operator)):
        return None  # width is then a sum of other inputs, and several distributions of weights give the same offspring
    reason = (
        f"theorem: for a < 0 {which} becomes |a| times as long, not a times, and the weights have another distribution "
        "with the other sign: the property fails in distribution, too"
    )
    return Ruling(False, reason, varies=_varies(operator, lengths))


def _rotation(operator: AffineOperator, lengths: list[str]) -> Ruling:
    if lengths:
        reason = (
            f"theorem: {' and '.join(lengths)} along the axes is no vector, a rotation of the points does not rotate "
            "it: the property fails in distribution, too (d >= 2)"
        )
        return Ruling(False, reason, varies=_varies(operator, lengths))
    if constant_weights(operator):
        return Ruling(
            True, "theorem: the weights are constants (no deviation, one set of means): Corollary 3, Theorem 3"
        )
    if whole_draws(operator):
        reason = (
            "theorem: each draw of the weights serves all variables of an offspring, given the draw they are constants"
        )
        return Ruling(True, f"{reason} (Corollary 3, Theorem 3)")
    used = (operator.probability > 0) & ~operator.per_solution
    cause = "their deviation" if (operator.std[used] > 0).any() else "the choice among rows"
    return Ruling(
        False,
        f"theorem: weights are drawn anew for every variable and vary by {cause}, so Corollary 3 does not apply. "
        "Given the parents, the covariance of an offspring is diagonal with unequal entries, and a rotated diagonal is "
        "not diagonal: the property fails in distribution, too (d >= 2)",
        varies=_varies(operator, list(operator.weights)),
    )


def _varies(operator: AffineOperator, names: list[str]) -> float:
    """The standard deviation, about zero for lengths, of the weight that varies most: what tests have to see."""
    p = operator.probability / operator.probability.sum()
    columns = [operator.weights.index(name) for name in names]
    mean, std = operator.mean[:, columns], operator.std[:, columns]
    around = np.where([input_of(name).length for name in names], 0.0, p @ mean)
    return float(np.sqrt(np.max(p @ (std**2 + (mean - around) ** 2))))
