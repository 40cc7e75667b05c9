"""Each classic operator against its formula, with fixed seeds: one step by hand, and its law by a two-sample test."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from autov.core import InputError
from autov.operators import CLASSIC, SBX, DEMutation, FEPMutation, GaussianSampling, PolynomialMutation
from autov.operators.sbx import spread_factor

LOWER, UPPER = np.array([-1.0, 0.0, 10.0]), np.array([1.0, 5.0, 11.0])


def parents(count, n=4):
    return LOWER + np.random.default_rng(3).random((count, n, 3)) * (UPPER - LOWER)


@pytest.mark.parametrize("name", CLASSIC)
def test_contract(name):
    operator = CLASSIC[name]
    x = parents(operator.n_parents)
    before = x.copy()
    one = operator(x, LOWER, UPPER, np.random.default_rng(1))
    assert one.shape == (4, 3)
    assert np.array_equal(one, operator(x, LOWER, UPPER, np.random.default_rng(1)))
    assert np.array_equal(x, before)
    assert operator.name == name
    with pytest.raises(dataclasses.FrozenInstanceError):
        operator.name = "other"
    assert operator == type(operator)(**dataclasses.asdict(operator))


def test_de_mutation_is_its_formula():
    x = parents(3)
    assert np.array_equal(DEMutation(F=0.7)(x, LOWER, UPPER, np.random.default_rng(0)), x[0] + 0.7 * (x[1] - x[2]))


def test_gaussian_and_fep_are_their_formulas():
    x = parents(1)
    z = np.random.default_rng(5).standard_normal((4, 3))
    c = np.random.default_rng(5).standard_cauchy((4, 3))
    assert np.array_equal(
        GaussianSampling()(x, LOWER, UPPER, np.random.default_rng(5)), x[0] + 0.6 * (UPPER - LOWER) * z
    )
    assert np.array_equal(FEPMutation(law="normal")(x, LOWER, UPPER, np.random.default_rng(5)), x[0] + 3.0 * z)
    assert np.array_equal(FEPMutation()(x, LOWER, UPPER, np.random.default_rng(5)), x[0] + 3.0 * c)


def test_sbx_spread_has_the_density_of_deb_and_agrawal():
    eta = 2.0
    beta = spread_factor(np.random.default_rng(1).random(5000), eta)

    def cdf(b):
        return np.where(b <= 1, 0.5 * b ** (eta + 1), 1 - 0.5 * b ** -(eta + 1))

    assert stats.kstest(beta, cdf).pvalue > 1e-3  # fixed seed; false alarm 1e-3 over seeds


def test_sbx_children_lie_around_both_parents_alike():
    x = np.broadcast_to(np.array([[[0.0]], [[1.0]]]), (2, 4000, 1))
    children = SBX(eta=5)(x, np.zeros(1), np.ones(1), np.random.default_rng(2))[:, 0]
    assert stats.ks_2samp(children, 1 - children).pvalue > 1e-3
    assert abs(np.mean(children < 0.5) - 0.5) < 4 * 0.5 / np.sqrt(4000)


def test_sbx_prime_keeps_a_tenth_of_x1():
    x = parents(2)
    whole, part = (SBX(keep=k)(x, LOWER, UPPER, np.random.default_rng(8)) for k in (1.0, 0.1))
    np.testing.assert_allclose(whole - part, 0.9 * x[0], rtol=1e-12, atol=1e-12)


def test_sbx_crosses_pairs_and_variables_with_their_probabilities():
    n, d = 4000, 5
    x1, x2 = np.zeros((n, d)), np.ones((n, d))
    first, second = SBX(probability=0.7, variable_probability=0.4).children(x1, x2, np.random.default_rng(6))
    moved = first != x1
    assert np.array_equal(moved, second != x2)
    np.testing.assert_allclose(first + second, 1.0, rtol=1e-12)
    pairs = moved.any(axis=1).mean()
    chance = 0.7 * (1 - 0.6**d)
    assert abs(pairs - chance) < 4 * np.sqrt(chance * (1 - chance) / n)
    assert abs(moved.mean() - 0.28) < 4 * np.sqrt(0.28 * 0.72 / n)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.floats(0, 200), st.floats(0, 1))
def test_polynomial_mutation_stays_in_the_box(seed, eta, rate):
    x = parents(1, n=30)
    o = PolynomialMutation(eta=eta, rate=rate)(x, LOWER, UPPER, np.random.default_rng(seed))
    slack = 1e-12 * np.abs(UPPER)
    assert (o >= LOWER - slack).all()
    assert (o <= UPPER + slack).all()


def test_polynomial_mutation_changes_one_variable_in_d():
    x = np.full((1, 2000, 10), 0.3)
    o = PolynomialMutation()(x, np.zeros(10), np.ones(10), np.random.default_rng(4))
    changed = np.mean(o != x[0])
    assert abs(changed - 0.1) < 4 * np.sqrt(0.09 / 20000)
    assert np.array_equal(PolynomialMutation(rate=0)(x, np.zeros(10), np.ones(10), np.random.default_rng(4)), x[0])


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: SBX(eta=-1), "eta"),
        (lambda: SBX(keep=np.nan), "keep"),
        (lambda: SBX(probability=1.5), "probability"),
        (lambda: SBX(variable_probability=-0.1), "variable_probability"),
        (lambda: PolynomialMutation(eta=np.inf), "eta"),
        (lambda: PolynomialMutation(rate=1.5), "rate"),
        (lambda: DEMutation(F=np.nan), "F"),
        (lambda: GaussianSampling(sigma=-1), "sigma"),
        (lambda: FEPMutation(eta=-1), "eta"),
        (lambda: FEPMutation(law="levy"), "law"),
    ],
)
def test_bad_settings_are_named(make, word):
    with pytest.raises(InputError, match=f"^{word}: "):
        make()
