"""Operators that a referee would try, with the verdicts that they must get."""

# ruff: noqa: ARG001

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from autov.core import InputError
from autov.invariance import PAPER, check, distribution
from autov.invariance.certificate import told_apart
from autov.operators import AffineOperator

FOUR = (*PAPER, "permutation")


@pytest.fixture(autouse=True)
def fewer_calls(monkeypatch):
    monkeypatch.setattr(distribution, "STAGES", (100, 500))


def de(p, lower, upper, rng):
    return p[0] + 0.5 * (p[1] - p[2])


def spx(p, lower, upper, rng):
    """Simplex crossover: a random point of an expanded simplex, by random weights that all variables share."""
    k, n = p.shape[:2]
    centre = p.mean(axis=0)
    y = centre + np.sqrt(k + 1) * (p - centre)
    c = np.zeros_like(p[0])
    for j in range(1, k):
        c = rng.random((n, 1)) ** (1 / j) * (y[j - 1] - y[j] + c)
    return y[-1] + c


def undx(p, lower, upper, rng):
    """Unimodal normal distribution crossover: along the line of two parents, and round about it."""
    way = p[1] - p[0]
    length = np.linalg.norm(way, axis=1, keepdims=True)
    axis = way / length
    off = p[2] - p[0]
    away = np.linalg.norm(off - (off * axis).sum(axis=1, keepdims=True) * axis, axis=1, keepdims=True)
    z = rng.standard_normal(way.shape)
    z -= (z * axis).sum(axis=1, keepdims=True) * axis
    along = 0.5 * rng.standard_normal((len(way), 1))
    return (p[0] + p[1]) / 2 + along * way + 0.35 / np.sqrt(way.shape[1]) * away * z


def pcx(p, lower, upper, rng):
    """Parent-centric crossover: around a parent, along its way from the mean and round about it."""
    way = p[0] - p.mean(axis=0)
    axis = way / np.linalg.norm(way, axis=1, keepdims=True)
    off = p[1:] - p.mean(axis=0)
    away = np.linalg.norm(off - (off * axis).sum(axis=2, keepdims=True) * axis, axis=2).mean(axis=0)[:, None]
    z = rng.standard_normal(way.shape)
    z -= (z * axis).sum(axis=1, keepdims=True) * axis
    return p[0] + 0.1 * rng.standard_normal((len(way), 1)) * way + 0.1 * away * z


def blx(p, lower, upper, rng):
    low, high = p[:2].min(axis=0), p[:2].max(axis=0)
    return rng.uniform(low - 0.5 * (high - low), high + 0.5 * (high - low))


def clipped_at_a_million(p, lower, upper, rng):
    return np.clip(de(p, lower, upper, rng), -1e6, 1e6)


def biased(p, lower, upper, rng):
    return de(p, lower, upper, rng) + 1e-10


def breaks_above_15(p, lower, upper, rng):
    offspring = de(p, lower, upper, rng)
    if offspring.shape[1] > 15:
        offspring[:, 0] = 0.0
    return offspring


def for_positive_factors(p, lower, upper, rng):
    return p[0] + 0.5 * np.abs(p[1] - p[2])


def fails_once_in_1000(p, lower, upper, rng):
    return np.where(rng.random((len(p[0]), 1)) < 1e-3, 0.0, de(p, lower, upper, rng))


def whole_call_fails_once_in_500(p, lower, upper, rng):
    return 0.0 * p[0] if rng.random() < 2e-3 else de(p, lower, upper, rng)


def index_of_the_variable(p, lower, upper, rng):
    return p[0] + np.linspace(0.1, 0.9, p.shape[2]) * (p[1] - p[2])


Y, N = True, False
EXPECTED = {
    spx: (Y, Y, Y, Y),
    undx: (Y, Y, Y, Y),
    pcx: (Y, Y, Y, Y),
    blx: (Y, Y, N, Y),
    clipped_at_a_million: (N, N, N, Y),  # clipping every variable alike does not depend on their order
    biased: (Y, N, N, Y),
    breaks_above_15: (N, Y, N, N),
    for_positive_factors: (Y, N, N, Y),
    fails_once_in_1000: (N, Y, Y, Y),  # zero is zero in all units and directions
    whole_call_fails_once_in_500: (N, Y, Y, Y),
    index_of_the_variable: (Y, Y, N, N),
}


@pytest.mark.parametrize("operator", EXPECTED, ids=lambda h: h.__name__)
def test_verdicts_of_a_referee(operator):
    certificate = check(operator, properties=FOUR, trials=20)
    assert tuple(certificate.holds.values()) == EXPECTED[operator]
    for verdict in certificate.verdicts:
        assert verdict.holds or verdict.witness is not None


def test_weights_that_are_no_constants_are_certified():
    """Theorem 3 of the paper would refuse them: their weights depend on lengths and angles of the parents."""
    for operator in (undx, pcx):
        certificate = check(operator, properties=PAPER, dim=3, trials=8)
        assert all(certificate.holds.values())
        assert certificate["translation"].level == "pathwise"
        assert certificate["rotation"].level == "distribution"
        assert not certificate["rotation"].pathwise


def test_what_breaks_in_many_variables_only_is_named():
    verdict = check(breaks_above_15, properties=["translation"])["translation"]
    assert verdict.scope.dims == (2, 10, 50)
    assert "paths agree with 2 and 10 variables and differ with 50" in " ".join(verdict.evidence)
    assert verdict.witness.parents.shape[2] == 50
    assert check(breaks_above_15, properties=["translation"], dim=10).holds["translation"]  # its scope says 10


def test_an_operator_for_few_variables_is_not_certified_for_many():
    def few(p, lower, upper, rng):
        if p.shape[2] > 15:
            raise ValueError("too many")
        return de(p, lower, upper, rng)

    certificate = check(few, properties=PAPER)
    assert certificate.dims == (2, 10)
    assert "50 variables" in " ".join(certificate.remarks)
    with pytest.raises(InputError, match=r"^operator: "):
        check(few, dim=50)


@pytest.mark.parametrize(("operator", "property"), [(biased, "scale"), (clipped_at_a_million, "translation")])
def test_a_witness_shows_the_digits_that_differ(operator, property):
    said = str(check(operator, properties=[property], trials=10)[property].witness)
    expected, found = said.partition("expected ")[2].split(" but found ")
    assert expected != found


def test_numbers_are_told_apart_by_as_few_digits_as_can_be():
    assert told_apart(1.216, 0.216) == ("1.216", "0.216")
    assert told_apart(2.0, 2.0 + 1e-9) == ("2", "2.000000001")
    assert told_apart(0.1, 0.1 + 2e-17) == ("0.10000000000000001", "0.10000000000000002")
    assert told_apart(0.1, 0.1) == ("0.1", "0.1")


def test_a_bias_below_the_tolerance_is_named():
    def swollen(p, lower, upper, rng):
        return de(p, lower, upper, rng) * (1 + 1e-10)

    verdict = check(swollen, properties=["translation"], trials=10)["translation"]
    assert verdict.holds
    assert 1e-11 < verdict.deviation < verdict.scope.tolerance
    assert "a bias of this size is not excluded" in " ".join(verdict.evidence)
    assert not check(swollen, properties=["translation"], trials=10, tol=1e-12).holds["translation"]
    assert "not excluded" not in " ".join(check(de, properties=["translation"], trials=10)["translation"].evidence)


def test_a_spread_with_a_mean_is_refused_by_theorem():
    row = {"probability": 1.0, "x2": (0.3, 0.2), "spread": (0.5, 0.1)}
    certificate = check(AffineOperator.from_rows(("x1", "x2", "spread"), [row]), trials=4)
    assert certificate.holds == {
        "translation": True, "scale": False, "rotation": False, "permutation": True, "order": True,
    }  # fmt: skip
    assert {verdict.level for verdict in certificate.verdicts} == {"theorem"}


def test_state_is_refused():
    calls = itertools.count()

    def stateful(p, lower, upper, rng):
        return p[0] + 1e-3 * next(calls) * (p[1] - p[2])

    certificate = check(stateful)
    assert not certificate.reproducible
    assert not any(certificate.holds.values())


def test_a_certificate_states_what_was_tried():
    certificate = check(de, trials=24)
    data = json.loads(json.dumps(certificate.to_dict(), allow_nan=False))
    assert data["dims"] == [2, 10, 50]
    scopes = {row["property"]: row["scope"] for row in data["verdicts"]}
    assert scopes["order"] is None
    for property in FOUR:
        scope = scopes[property]
        assert scope["tolerance"] == 1e-9
        assert scope["confidence"] == 0.95
        assert scope["failure_rate"] == pytest.approx(3 / scope["offspring"])
        assert scope["call_failure_rate"] == pytest.approx(3 / scope["calls"])
        assert scope["inputs"][0] < 1e-6
        assert scope["inputs"][1] > 1e6
        assert set(scope["batches"]) == {1, 3, 7, 128}
        assert scope["calls"] > 20 * scope["transformations"]  # many small ones, for what breaks whole calls
    assert scopes["translation"]["sizes"][0] < 1e-5
    assert scopes["translation"]["sizes"][1] > 1e5
    assert scopes["scale"]["sizes"][0] < 1e-10
    assert scopes["scale"]["sizes"][1] > 1e10
    text = str(certificate)
    for words in ("2, 10 and 50 variables", "with 95% confidence", "count as rounding", "|b| from", "|a| from"):
        assert words in " ".join(text.split())


def test_a_test_in_law_states_its_power():
    verdict = check(undx, properties=["rotation"], dim=3, trials=4)["rotation"]
    law = verdict.law.to_dict()
    assert law["power"] == 0.9
    assert law["false_alarm"] == 1e-4
    assert 0 < law["detectable"] < 1
    assert law["samples"] == 500
    assert law["dims"] == (3,)
    assert check(de, properties=["rotation"], dim=3, trials=4)["rotation"].law is None


@pytest.mark.parametrize("share", [0.02, 0.005, 0.001])
def test_a_branch_of_any_share_is_refused(share):
    """Laws are compared on calls whose paths differ; where these are too few, the paths decide."""

    def branch(p, lower, upper, rng):
        return np.where(rng.random((len(p[0]), 1)) < share, 0.0, de(p, lower, upper, rng))

    assert not check(branch, properties=["translation"], dim=4, trials=8).holds["translation"]
