"""Operators broken on purpose: each is caught in the right property, with a witness. Fixed seeds."""

# ruff: noqa: ARG001, ARG005

from __future__ import annotations

import itertools

import numpy as np
import pytest

from autov import invariance
from autov.core import InputError
from autov.invariance import PAPER, distribution
from autov.invariance.subject import Subject


def check(operator, **options):
    """The paper's properties with ten variables, where nothing is said; several numbers are tried elsewhere."""
    return invariance.check(operator, **{"properties": PAPER, "dim": 10, **options})


@pytest.fixture
def fewer_calls(monkeypatch):
    monkeypatch.setattr(distribution, "STAGES", (100, 500))


def difference(p):
    return p[0] + 0.5 * (p[1] - p[2])  # the sound operator under the mutants


def constant_added(p, lower, upper, rng):
    return difference(p) + 1e-6


def tiny_constant_added(p, lower, upper, rng):
    return difference(p) + 1e-12


def pulled_to_the_origin(p, lower, upper, rng):
    return 0.99 * difference(p)


def noise_in_absolute_units(p, lower, upper, rng):
    return difference(p) + 0.1 * rng.standard_normal(p[0].shape)


def noise_per_variable(p, lower, upper, rng):
    return p[0] + rng.uniform(0, 1, p[0].shape) * (p[1] - p[2])


def index_of_the_variable(p, lower, upper, rng):
    return p[0] + np.linspace(0.1, 0.9, p.shape[2]) * (p[1] - p[2])


def last_variable_is_special(p, lower, upper, rng):
    o = difference(p)
    o[:, -1] = p[0][:, -1]
    return o


def root_of_the_box_size(p, lower, upper, rng):
    return p[0] + np.sqrt(np.abs(upper - lower)) * 0.01 * np.sign(upper - lower)


def size_of_the_box_without_sign(p, lower, upper, rng):
    return p[0] + 0.1 * np.linalg.norm(upper - lower) * np.abs(p[1] - p[2]) / np.linalg.norm(p[1] - p[2])


def clipped_to_the_box(p, lower, upper, rng):
    return np.clip(p[0] + 2 * (p[1] - p[2]), lower, upper)


def clipped_to_a_fixed_box(p, lower, upper, rng):
    return np.clip(difference(p), -100.0, 100.0)


def reset_in_the_box(p, lower, upper, rng):
    return np.where(rng.random(p[0].shape) < 0.1, rng.uniform(lower, upper, p[0].shape), p[0])


def rounded(p, lower, upper, rng):
    return np.round(difference(p), 3)


def distance_from_the_origin(p, lower, upper, rng):
    return p[0] + 0.1 * np.linalg.norm(p[0], axis=1, keepdims=True) * (p[1] - p[2])


def differences_between_variables(p, lower, upper, rng):
    return p[0] + 0.1 * (p[0] - p[0].mean(axis=1, keepdims=True))


def sorted_variables(p, lower, upper, rng):
    return p[0] + np.sort(p[1] - p[2], axis=1)


def absolute_difference(p, lower, upper, rng):
    return p[0] + 0.5 * np.abs(p[1] - p[2])


def rare_branch(p, lower, upper, rng):
    o = difference(p)
    return np.where(rng.random((len(o), 1)) < 0.02, 0.0, o)


def very_rare_branch(p, lower, upper, rng):
    o = difference(p)
    return np.where(rng.random((len(o), 1)) < 0.001, 0.0, o)


Y, N = True, False
MUTANTS = {
    constant_added: (Y, N, N),
    tiny_constant_added: (Y, N, N),  # found where inputs are small
    pulled_to_the_origin: (N, Y, Y),
    noise_in_absolute_units: (Y, N, Y),  # rotation in distribution: the noise is round
    noise_per_variable: (Y, Y, N),
    index_of_the_variable: (Y, Y, N),
    last_variable_is_special: (Y, Y, N),
    root_of_the_box_size: (Y, N, N),
    size_of_the_box_without_sign: (Y, N, N),
    clipped_to_the_box: (Y, N, N),
    clipped_to_a_fixed_box: (N, N, N),
    reset_in_the_box: (Y, N, N),
    rounded: (N, N, N),
    distance_from_the_origin: (N, N, Y),
    differences_between_variables: (N, Y, N),
    sorted_variables: (Y, N, N),
    absolute_difference: (Y, N, N),
    rare_branch: (N, Y, Y),
    very_rare_branch: (N, Y, Y),  # too rare to compare laws: the paths decide
}


@pytest.mark.usefixtures("fewer_calls")
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.__name__)
def test_mutants_are_caught(mutant):
    certificate = check(mutant, dim=4, trials=16)
    expected = dict(zip(("translation", "scale", "rotation"), MUTANTS[mutant], strict=True))
    assert certificate.holds == expected
    assert not all(expected.values())
    for verdict in certificate.verdicts:
        if not verdict.holds:
            w = verdict.witness
            assert w is not None
            assert str(w) in str(certificate).replace("\n      ", " ")
            assert w.found is None or not np.allclose(w.found, w.expected, rtol=1e-14, atol=0)


def test_an_index_is_shown_by_a_swap():
    witness = check(index_of_the_variable, properties=["rotation"])["rotation"].witness
    assert witness.transformation.label == "swap of variables 1 and 2"
    witness = check(last_variable_is_special, properties=["rotation"])["rotation"].witness
    assert witness.transformation.label == "swap of variables 1 and 10"


def test_negative_factors_are_named_when_only_they_break():
    for mutant in (absolute_difference, clipped_to_the_box, reset_in_the_box, size_of_the_box_without_sign):
        verdict = check(mutant, properties=["scale"])["scale"]
        assert verdict.witness.transformation.a < 0
        assert "only negative a break a path" in " ".join(verdict.evidence)


def test_an_operator_that_fails_on_a_flipped_box_is_refused_with_its_error():
    verdict = check(reset_in_the_box, properties=["scale"])["scale"]
    assert verdict.witness.found is None
    assert "ValueError" in verdict.witness.error


def test_one_b_for_all_variables_is_told_from_one_b_each():
    verdict = check(differences_between_variables, properties=["translation"])["translation"]
    assert verdict.witness.transformation.label == "b = 1 in variable 1 only"
    assert "one b for all agrees" in " ".join(verdict.evidence)


@pytest.mark.usefixtures("fewer_calls")
def test_round_noise_of_the_parents_size_is_invariant_in_distribution():
    def h(p, lower, upper, rng):
        return p[0] + 0.3 * np.linalg.norm(p[1] - p[2], axis=1, keepdims=True) * rng.standard_normal(p[0].shape)

    certificate = check(h, dim=3)
    assert all(certificate.holds.values())
    assert certificate["translation"].level == "pathwise"
    assert certificate["scale"].level == "distribution"  # z and -z have one law, but not one path
    assert certificate["rotation"].level == "distribution"


@pytest.mark.usefixtures("fewer_calls")
def test_sampling_by_rejection_is_invariant_in_distribution():
    def h(p, lower, upper, rng):
        o = np.empty_like(p[0])
        for i, (x, v) in enumerate(zip(p[0], p[1] - p[2], strict=True)):
            z = rng.uniform(-1, 1, x.size)
            while z @ z > 1:  # a round ball from a square
                z = rng.uniform(-1, 1, x.size)
            o[i] = x + np.linalg.norm(v) * z
        return o

    certificate = check(h, dim=2, properties=["translation", "rotation"], trials=8)
    assert certificate.holds == {"translation": True, "rotation": True}
    assert not certificate["rotation"].pathwise


@pytest.mark.usefixtures("fewer_calls")
def test_eigenvectors_have_no_sign():
    def h(p, lower, upper, rng):
        v = (p[1] - p[2])[..., None]
        frames = np.linalg.eigh(v @ v.transpose(0, 2, 1) + p[0][..., None] * 0)[1]
        return p[0] + 0.1 * np.linalg.norm(v, axis=1) * (frames @ rng.standard_normal(v.shape))[..., 0]

    certificate = check(h, dim=2, properties=["rotation"], trials=8)
    assert certificate.holds == {"rotation": True}
    assert certificate["rotation"].level == "distribution"


def counting():
    calls = itertools.count()
    return lambda p, lower, upper, rng: difference(p) + 1e-3 * next(calls) * (p[1] - p[2])


def own_generator():
    own = np.random.default_rng(0)
    return lambda p, lower, upper, rng: p[0] + own.standard_normal() * (p[1] - p[2])


def slow_drift():
    calls = itertools.count()
    return lambda p, lower, upper, rng: difference(p) * (1 if next(calls) < 60 else 2)


@pytest.mark.parametrize("make", [counting, own_generator, slow_drift])
def test_hidden_state_is_refused(make):
    certificate = check(make(), dim=3)
    assert not certificate.reproducible
    assert not any(certificate.holds.values())
    for verdict in certificate.verdicts:
        assert verdict.level == "none"
        assert verdict.witness.transformation is None
        assert not np.array_equal(verdict.witness.found, verdict.witness.offspring)
    assert "the same call twice" in str(certificate)
    assert certificate.to_dict()["verdicts"][0]["deviation"] is None


def test_changed_inputs_are_reported_and_do_no_harm():
    def h(p, lower, upper, rng):
        o = difference(p)
        p[1] = 7.0
        lower -= 1.0
        return o

    certificate = check(h, dim=3)
    assert all(certificate.holds.values())
    assert "changes its inputs" in " ".join(certificate.remarks)


def test_inputs_changed_late_do_no_harm_either():
    calls = itertools.count()

    def h(p, lower, upper, rng):
        o = p[0] + rng.standard_normal(p[0].shape)
        if next(calls) == 300:
            p[0] = 7.0
        return o

    subject = Subject(h, 1, 3)
    inputs = subject.inputs(2, np.random.default_rng(0))
    sample = subject.sample(inputs, 600, np.random.default_rng(1))
    assert subject.mutates
    assert np.abs(sample.mean(axis=0) - inputs.parents[0]).max() < 0.25


def test_use_of_the_bounds_is_mentioned():
    def part_of_the_box(parents, lower, upper, rng):
        return parents[0] + 0.1 * (upper - lower)

    def halfway(parents, lower, upper, rng):
        return (parents[0] + parents[1]) / 2

    assert check(part_of_the_box, dim=2)["scale"].condition
    assert not check(part_of_the_box, dim=2)["translation"].condition  # a moved problem has a moved box
    assert not any(verdict.condition for verdict in check(halfway, dim=2, n_parents=2).verdicts)


@pytest.mark.parametrize(
    ("h", "words"),
    [
        (lambda p, lower, upper, rng: p, "returns shape"),
        (lambda p, lower, upper, rng: p[0][:, :-1], "returns shape"),
        (lambda p, lower, upper, rng: p[0] * np.nan, "NaN"),
        (lambda p, lower, upper, rng: "offspring", "not an array of numbers"),
        (lambda p, lower, upper, rng: None, "NaN|shape|not an array"),
        (lambda p, lower: p[0], "raises TypeError"),
        (lambda p, lower, upper, rng: p[7], "raises IndexError"),
        (lambda p, lower, upper, rng: np.where(rng.random((len(p[0]), 1)) < 0.02, np.nan, p[0]), "NaN"),
    ],
)
def test_operators_that_do_not_work_at_all(h, words):
    with pytest.raises(InputError, match=rf"^operator: .*({words})"):
        check(h)
