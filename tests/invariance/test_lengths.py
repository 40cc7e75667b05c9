"""Inputs that are lengths and not points: what the theorem says about them, against the formula as a plain function."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autov import invariance
from autov.cli.app import app
from autov.invariance import PAPER
from autov.invariance.theorem import rule, symmetric
from autov.operators import AffineOperator

PROPERTIES = ("translation", "scale", "rotation")
SOME = ("x2", "x3", "best", "mean", "lower", "upper", "difference", "spread", "width")


def check(operator, **options):
    """The paper's properties with ten variables, where nothing is said; several numbers are tried elsewhere."""
    return invariance.check(operator, **{"properties": PAPER, "dim": 10, **options})


def one_row(name, mean, std, draw):
    return AffineOperator.from_rows(("x1", name), [{"probability": 1.0, name: (mean, std)}], draw=draw)


@pytest.mark.parametrize("draw", ["variable", "solution"])
@pytest.mark.parametrize("name", ["spread", "width"])
@pytest.mark.parametrize(("mean", "std", "scale"), [(0.5, 0.0, False), (0.5, 0.5, False), (0.0, 0.5, True)])
def test_a_length_is_no_point(name, draw, mean, std, scale):
    certificate = check(one_row(name, mean, std, draw), dim=3, trials=8)
    assert certificate.holds == {"translation": True, "scale": scale, "rotation": False}
    assert {verdict.level for verdict in certificate.verdicts} == {"theorem"}
    assert not certificate["scale"].pathwise  # in law at best
    assert certificate["scale"].witness.transformation.a < 0
    assert certificate["rotation"].witness is not None
    assert certificate.remarks == ()


@pytest.mark.parametrize("draw", ["variable", "solution"])
def test_a_length_without_weight_does_not_count(draw):
    rows = [{"probability": 1.0, "x2": (0.5, 0.0)}, {"probability": 0.0, "spread": (1.0, 1.0), "width": (1.0, 0.0)}]
    certificate = check(AffineOperator.from_rows(("x1", "x2", "spread", "width"), rows, draw=draw), dim=3, trials=8)
    assert all(certificate.holds.values())
    assert all(verdict.pathwise for verdict in certificate.verdicts)


def test_rows_may_be_symmetric_together():
    rows = [{"probability": p, "x2": (x2, 0.1), "spread": (s, 0.2)} for p, x2, s in
            ((0.1, 0.5, 1.0), (0.2, 0.5, 1.0), (0.3, 0.5, -1.0), (0.4, 0.1, 0.0))]  # fmt: skip
    both = AffineOperator.from_rows(("x1", "x2", "spread"), rows)
    assert symmetric(both)
    assert rule(both, "scale").in_law
    rows[2]["x2"] = (0.4, 0.1)  # the sign now tells which weight x2 has
    assert not symmetric(AffineOperator.from_rows(("x1", "x2", "spread"), rows))
    rows[2] = {**rows[2], "x2": (0.5, 0.1), "probability": 0.2}
    assert not symmetric(AffineOperator.from_rows(("x1", "x2", "spread"), rows))


def test_a_constant_row_for_each_variable_is_one_for_the_solution():
    rows = [{"probability": 0.5, "x2": (0.7, 0.0)}, {"probability": 0.5, "x2": (0.3, 0.4)}]
    mixed = AffineOperator.from_rows(("x1", "x2"), rows, draw=("variable", "solution"))
    verdict = check(mixed, dim=3, trials=8)["rotation"]
    assert verdict.holds
    assert verdict.pathwise
    verdict = check(replace(mixed, draw=("solution", "variable")), dim=3, trials=8)["rotation"]
    assert not verdict.holds
    assert verdict.witness is not None


BOUNDED = {
    "mirrored by exchange": ({"lower": (0.0, 0.3), "upper": (0.0, 0.3)}, False, "holds in distribution"),
    "drawn to one corner": ({"lower": (0.2, 0.0), "upper": (0.0, 0.0)}, False, "fails"),
    "tied, no mean": ({"bounds": (0.0, 0.3)}, True, "holds in distribution"),
    "tied, with a mean": ({"bounds": (0.2, 0.3)}, True, "fails"),
}


@pytest.mark.parametrize("case", BOUNDED)
def test_what_holds_for_bounds_as_points_says_so(case):
    weights, tie, words = BOUNDED[case]
    operator = AffineOperator.from_rows(("x1", "lower", "upper"), [{"probability": 1.0, **weights}],
                                        draw="solution", tie_bounds=tie)  # fmt: skip
    certificate = check(operator, dim=3, trials=8)
    assert all(certificate.holds.values())
    assert certificate["scale"].condition.endswith(words)
    assert certificate["rotation"].condition
    assert not certificate["translation"].condition
    assert certificate["scale"].condition in " ".join(str(certificate).split())
    assert certificate.to_dict()["verdicts"][1]["condition"] == certificate["scale"].condition


def test_commands_tell_the_truth_about_lengths(tmp_path):
    from typer.testing import CliRunner

    one_row("spread", 0.5, 0.0, "solution").save(tmp_path / "spread.json")
    run = CliRunner().invoke(app, ["check", str(tmp_path / "spread.json"), "--require", "scale"])
    assert run.exit_code == 1
    run = CliRunner().invoke(app, ["check", str(tmp_path / "spread.json"), "--require", "translation"])
    assert run.exit_code == 0


def random_operator(rng):
    """Weights of 0 or of a size that tests can see; up to three rows, some the mirror image of the one before."""
    chosen = [name for name in SOME if rng.random() < 0.4] or [str(rng.choice(SOME))]
    if "x3" in chosen and "x2" not in chosen:
        chosen.insert(0, "x2")
    tie = {"lower", "upper"} <= set(chosen) and rng.random() < 0.5
    k = int(rng.integers(1, 4))
    size = len(chosen) - tie
    mean = rng.choice([0.0, -0.6, 0.5, 0.8], (k, size), p=[0.4, 0.2, 0.2, 0.2])
    std = rng.choice([0.0, 0.4, 0.7], (k, size))
    if rng.random() < 0.4:
        std[:] = 0.0
    probability = rng.choice([0.5, 1.0], k)
    operator = AffineOperator(("x1", *chosen), mean, std, probability, tie_bounds=tie)
    lengths = np.isin(operator.weights, ("spread", "width"))
    if rng.random() < 0.4:
        mean[:, lengths] = 0.0
    elif k > 1 and rng.random() < 0.6:
        mean[1], std[1], probability[1] = np.where(lengths, -mean[0], mean[0]), std[0], probability[0]
    draw = ["variable", "solution", tuple(rng.choice(["variable", "solution"], k).tolist())][rng.integers(3)]
    return replace(operator, mean=mean, std=std, probability=probability, draw=draw)


def formula(operator):
    """The same formula, written out; the difference is that of two more parents."""
    units = operator.draw if isinstance(operator.draw, tuple) else (operator.draw,) * operator.rows
    whole = np.array([unit == "solution" for unit in units])
    chance = operator.probability / operator.probability.sum()

    def h(p, lower, upper, rng, best, mean):
        n, d = p[0].shape
        row = np.repeat(rng.choice(len(chance), (n, 1), p=chance), d, axis=1)
        z = rng.standard_normal((len(operator.weights), n, d))
        z[:, whole[row]] = np.repeat(z[:, :, :1], d, axis=2)[:, whole[row]]
        if not whole.all():
            single = chance * ~whole
            row = np.where(whole[row], row, rng.choice(len(chance), (n, d), p=single / single.sum()))
        y = {"best": best - p[0], "mean": mean - p[0], "lower": lower - p[0], "upper": upper - p[0],
             "difference": p[3] - p[4], "spread": p.reshape(-1, d).std(axis=0), "width": np.abs(upper - lower),
             "bounds": upper - lower, "x2": p[1] - p[0], "x3": p[2] - p[0]}  # fmt: skip
        weights = operator.mean[row].transpose(2, 0, 1) + operator.std[row].transpose(2, 0, 1) * z
        return p[0] + sum(w * y[name] for name, w in zip(operator.weights, weights, strict=True))

    return h


@pytest.mark.parametrize("seed", range(8))
def test_the_theorem_never_contradicts_the_formula_as_a_function(seed):
    operator = random_operator(np.random.default_rng(seed))
    measured = check(formula(operator), n_parents=5, dim=3, trials=8)
    for verdict in measured.verdicts:
        ruling = rule(operator, verdict.property)
        if ruling is not None:
            assert ruling.holds == verdict.holds, (verdict, operator)
            if ruling.holds:
                assert verdict.pathwise is not ruling.in_law
    assert check(operator, dim=3, trials=8).holds == measured.holds


def test_rows_that_are_drawn_in_different_ways_do_not_make_up_for_each_other():
    rows = [{"probability": 0.5, "spread": (0.5, 0.2)}, {"probability": 0.5, "spread": (-0.5, 0.2)}]
    for draw, holds in (("variable", True), ("solution", True), (("solution", "variable"), False)):
        assert rule(AffineOperator.from_rows(("x1", "spread"), rows, draw=draw), "scale").holds is holds


def test_bounds_that_change_places_must_have_the_same_deviation():
    for std, holds in ((0.1, True), (0.3, False)):
        rows = [{"probability": 1.0, "lower": (0.2, 0.1), "upper": (0.2, std)}]
        assert symmetric(AffineOperator.from_rows(("x1", "lower", "upper"), rows), box=True) is holds


def test_the_width_beside_bounds_is_left_to_the_tests():
    rows = [{"probability": 1.0, "width": (0.2, 0.0), "upper": (0.1, 0.0), "lower": (0.1, 0.0)}]
    assert rule(AffineOperator.from_rows(("x1", "lower", "upper", "width"), rows), "scale") is None
