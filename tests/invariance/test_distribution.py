"""The two-sample test: its distance against SciPy's, its false alarms and its power as stated."""

# ruff: noqa: ARG001, ARG005

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from autov.invariance import check, distribution
from autov.invariance.distribution import compare_laws, distance, threshold
from autov.invariance.pathwise import compare
from autov.invariance.subject import Subject
from autov.invariance.transformations import Transformation, random, random_orthogonal, simple


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(4, 60), st.integers(1, 8), st.integers(0, 10**6))
def test_distance_is_that_of_kolmogorov_and_smirnov(n, values, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, values, (2, n)).astype(float)  # many ties
    expected = ks_2samp(x, y, method="asymp").statistic
    assert distance(np.sort(x), np.sort(y), 1e-9) == pytest.approx(expected)


def test_rounding_does_not_split_an_atom():
    x = np.full(500, 0.3)
    assert distance(x, x + 1e-15, 1e-9) == 0
    assert distance(x, x + 1e-6, 1e-9) == 1


def test_false_alarms_are_rarer_than_stated(monkeypatch):
    monkeypatch.setattr(distribution, "ALPHA", 0.2)
    monkeypatch.setattr(distribution, "STAGES", (458,))
    subject = Subject(lambda p, lower, upper, rng: p[0] + rng.standard_normal(p[0].shape), 1, 3)
    turn = next(T for T in simple("rotation", 3) if "45" in T.label)
    alarms = 0
    for k in range(40):
        rng = np.random.default_rng(k)
        case = compare(subject, subject.inputs(2, rng), turn, k)[1]
        found = compare_laws(subject, [case], 1e-9, rng)
        alarms += found.refused is not None
        assert (found.p_value < 0.2) == (found.refused is not None), "the p-value is corrected, too"
    assert alarms <= 8  # 40 * 0.2; the bound is not sharp and the seeds are fixed


def test_thresholds_by_hand():
    """The constant of Wei and Dudley: e for samples of fewer than 458, 2 from there on."""
    assert threshold(100, 50) == pytest.approx(np.sqrt(np.log(np.e * 50 / 1e-4) / 100))
    assert threshold(500, 50) == pytest.approx(np.sqrt(np.log(2 * 50 / 1e-4) / 500))


def noisy(p, lower, upper, rng):
    return p[0] + np.abs(p[1] - p[0]) * rng.standard_normal(p[0].shape)


def test_laws_are_corrected_for_all_numbers_of_variables(monkeypatch):
    monkeypatch.setattr(distribution, "STAGES", (100, 500))
    one, both = (check(noisy, properties=["rotation"], dim=dim, trials=8)["rotation"] for dim in (2, (2, 10)))
    assert one.law.dims == both.law.dims == (2,), "refused at once"
    assert both.law.comparisons == 2 * one.law.comparisons
    assert both.p_value == pytest.approx(2 * one.p_value)


def test_the_distance_that_a_certificate_states_by_hand(monkeypatch):
    monkeypatch.setattr(distribution, "STAGES", (100, 500))

    def round_noise(p, lower, upper, rng):
        return p[0] + np.linalg.norm(p[1] - p[0], axis=1, keepdims=True) * rng.standard_normal(p[0].shape)

    law = check(round_noise, properties=["rotation"], dim=2, trials=8)["rotation"].law
    assert law.samples == 500
    assert law.detectable == pytest.approx(threshold(500, law.comparisons) + 1.2816 / np.sqrt(1000), abs=1e-4)


def test_sizes_of_all_numbers_of_variables_are_stated_together():
    two, ten, both = (check(noisy, properties=["scale"], dim=dim, trials=8)["scale"].scope for dim in (2, 10, (2, 10)))
    for mine in ("inputs", "sizes"):
        lows, highs = zip(getattr(two, mine), getattr(ten, mine), strict=True)
        assert getattr(both, mine) == (min(lows), max(highs))
    assert both.offspring == two.offspring + ten.offspring


def test_stated_distance_is_found():
    """A shift whose Kolmogorov-Smirnov distance is the stated one is found in at least 90% of the cases."""
    size, comparisons = 4000, 810
    stated = threshold(size, comparisons) + distribution.NORMAL_90 / np.sqrt(2 * size)
    rng, found = np.random.default_rng(2), 0
    for _ in range(200):
        x, y = rng.random((2, size))
        found += distance(np.sort(x), np.sort(y + stated), 0.0) > threshold(size, comparisons)
    assert found >= 180


def test_dependence_between_offspring_of_one_call_is_seen():
    def h(p, lower, upper, rng):
        z = rng.standard_normal((1, 3))
        shared = p[0][0, 0] > 50  # beyond 50, all offspring of a call share their noise
        return p[0] + (np.repeat(z, len(p[0]), axis=0) if shared else rng.standard_normal(p[0].shape))

    far = Transformation("translation", "b = 100", b=100.0)
    subject, rng = Subject(h, 1, 3), np.random.default_rng(0)
    case = compare(subject, subject.inputs(2, rng, decimals=2), far, 1)[1]
    assert compare_laws(subject, [case], 1e-9, rng).refused is far


def test_rare_differences_are_seen_and_rare_agreement_is_not_blamed():
    def moved(p, lower, upper, rng):
        return np.where(rng.random((len(p[0]), 1)) < 0.03, 0.0, p[0])

    def noisy(p, lower, upper, rng):
        z = np.linalg.norm(p[0] - p[1], axis=1, keepdims=True) * rng.standard_normal(p[0].shape)
        return p[0] + np.where(rng.random((len(p[0]), 1)) < 0.1, z, 0.0)

    b, turn = Transformation("translation", "b = 1", b=1.0), simple("rotation", 3)[-1]
    for h, T, refused in ((moved, b, True), (noisy, turn, False)):
        subject, rng = Subject(h, 2, 3), np.random.default_rng(5)
        case = next(c for d, c in (compare(subject, subject.inputs(2, rng), T, k) for k in range(999)) if d > 1e-9)
        laws = compare_laws(subject, [case], 1e-9, rng)
        assert laws.rare
        assert (laws.refused is T) == refused
        assert refused or laws.detectable < 0.35


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.sampled_from(["translation", "scale", "rotation"]), st.integers(2, 7), st.integers(0, 10**6))
def test_transformations_can_be_undone(property, dim, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((4, dim))
    for T in [*simple(property, dim), *random(property, dim, 8, rng)]:
        np.testing.assert_allclose(T.inverse(T(x)), x, atol=1e-11)
        if property == "rotation":
            np.testing.assert_allclose(T.M @ T.M.T, np.eye(dim), atol=1e-12)
        assert set(T.to_dict()) == {"property", "label", {"translation": "b", "scale": "a", "rotation": "M"}[property]}


def test_random_matrices_have_both_orientations():
    signs = [np.linalg.det(random_orthogonal(3, np.random.default_rng(k))) for k in range(20)]
    assert min(signs) < 0 < max(signs)


def test_random_factors_have_both_signs_and_are_powers_of_two_or_not():
    factors = [T.a for T in random("scale", 3, 40, np.random.default_rng(1))]
    powers = [np.log2(abs(a)).is_integer() for a in factors]
    kinds = {(a > 0, bool(power), abs(a) > 1) for a, power in zip(factors, powers, strict=True)}
    assert len(kinds) == 8


def test_random_matrices_are_uniform_on_the_sphere():
    """The image of the first axis: each of its variables has mean 0 and variance 1/3."""
    first = np.array([random_orthogonal(3, np.random.default_rng(k))[0] for k in range(2000)])
    assert np.abs(first.mean(axis=0)).max() < 5 / np.sqrt(3 * 2000)
    assert np.abs((first**2).mean(axis=0) - 1 / 3).max() < 5 * np.sqrt(4 / 45 / 2000)
