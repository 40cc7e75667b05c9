"""Level 1 in its corner cases."""

from __future__ import annotations

import numpy as np
import pytest

from autov import invariance
from autov.invariance import PAPER
from autov.invariance.theorem import constant_weights, rule
from autov.operators import AffineOperator

H4 = ("x1", "x2", "x3")


def check(operator, **options):
    """The paper's properties with ten variables, where nothing is said; several numbers are tried elsewhere."""
    return invariance.check(operator, **{"properties": PAPER, "dim": 10, **options})


def operator(mean, std, probability=None, draw="variable", inputs=H4, tie=False):
    mean, std = np.atleast_2d(mean), np.atleast_2d(std)
    return AffineOperator(inputs, mean, std, np.ones(len(mean)) if probability is None else probability, draw, tie)


CONSTANT = [
    operator([0.5, -0.5], [0.0, 0.0]),  # the mutation of DE
    operator([[0.5, -0.5], [0.5, -0.5]], np.zeros((2, 2))),  # equal rows
    operator([[0.5, -0.5], [9.0, 3.0]], [[0.0, 0.0], [1.0, 1.0]], [1.0, 0.0]),  # the other row is never picked
    operator([0.3, 0.1], [0.0, 0.0], inputs=("x1", "x2", "lower", "upper"), tie=True),
]


@pytest.mark.parametrize("constant", CONSTANT)
def test_constant_weights_are_rotation_invariant_however_they_are_drawn(constant):
    assert constant_weights(constant)
    verdict = check(constant, properties=["rotation"])["rotation"]
    assert verdict.holds
    assert verdict.pathwise
    assert "Corollary 3" in verdict.evidence[0]


VARYING = [
    operator([0.5, -0.5], [0.0, 0.1]),
    operator([[0.5, -0.5], [0.5, -0.4]], np.zeros((2, 2))),  # no spread, but rows that differ
    operator([0.0, 0.1], [0.0, 0.1], inputs=("x1", "x2", "lower", "upper"), tie=True),
]


@pytest.mark.parametrize("varying", VARYING)
def test_varying_weights_per_variable_are_not(varying):
    verdict = check(varying, dim=4, trials=8, properties=["rotation"])["rotation"]
    assert not verdict.holds
    assert verdict.level == "theorem"
    assert verdict.witness is not None


def test_what_tests_cannot_see_the_theorem_still_refuses():
    verdict = check(operator([0.5, -0.5], [0.0, 1e-13]))["rotation"]
    assert not verdict.holds
    assert verdict.pathwise
    assert verdict.witness is None
    assert "1e-13" in " ".join(verdict.evidence)


def test_best_and_mean_are_transformed_as_points():
    several = operator([0.3, 0.2, 0.1], [0.1, 0.1, 0.1], draw="solution", inputs=("x1", "x2", "best", "mean"))
    certificate = check(several)
    assert all(certificate.holds.values())
    assert all(verdict.pathwise for verdict in certificate.verdicts)


def test_the_theorem_does_not_speak_about_other_formulas():
    class Clipped(AffineOperator):
        def __call__(self, parents, lower, upper, rng, best=None, mean=None):
            return np.clip(super().__call__(parents, lower, upper, rng, best, mean), -1.0, 1.0)

    clipped = Clipped(H4, np.array([[0.5, -0.5]]), np.zeros((1, 2)), np.ones(1))
    assert rule(clipped, "translation") is None
    assert check(clipped).holds == {"translation": False, "scale": False, "rotation": False}


def test_tied_bounds_are_mentioned():
    tied = operator([0.0, 0.1], [0.1, 0.1], inputs=("x1", "x2", "lower", "upper"), tie=True)
    assert "tied bounds" in rule(tied, "translation").reason


@pytest.mark.parametrize(
    ("draw", "probability", "holds"),
    [
        (("solution", "solution"), (1.0, 1.0), True),
        (("solution", "variable"), (1.0, 1.0), False),
        (("solution", "variable"), (1.0, 0.0), True),
        (("variable", "variable"), (1.0, 1.0), False),
    ],
)
def test_rotation_needs_every_row_that_can_be_picked_to_serve_whole_offspring(draw, probability, holds):
    mixed = operator([[0.5, -0.5], [0.2, 0.3]], np.full((2, 2), 0.1), np.array(probability), draw)
    assert rule(mixed, "rotation").holds is holds
