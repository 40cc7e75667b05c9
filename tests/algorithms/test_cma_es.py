"""CMA-ES: one update against the equations written out, and what the settings mean."""

import math
from dataclasses import replace

import numpy as np
import pytest

from autov.algorithms.cma_es import CMAES, decompose
from autov.core import Box, generator
from tests.algorithms.driver import drive, sphere, started

BOX = Box(np.array([-10.0, 0.0, -1.0]), np.array([10.0, 5.0, 3.0]))
FORMULAS = {"c_sigma": None, "d_sigma": None, "c_c": None}


def test_the_default_settings_are_those_of_the_table():
    rates = CMAES().rates(100, 30)
    assert (rates.c_sigma, rates.d_sigma, rates.c_c) == (0.15, 1.15, 0.105)
    assert len(rates.weights) == 50
    raw = np.log(50.5) - np.log(np.arange(1, 51))
    np.testing.assert_allclose(rates.weights, raw / raw.sum())


def test_none_is_the_formula():
    m = (rates := CMAES(**FORMULAS).rates(100, 30)).mu_eff
    assert np.isclose(rates.c_sigma, (m + 2) / (30 + m + 5))
    assert np.isclose(rates.d_sigma, 1 + rates.c_sigma)  # mu_eff < d + 2
    assert np.isclose(rates.c_c, (4 + m / 30) / (34 + 2 * m / 30))
    assert rates.c_1 + rates.c_mu < 1
    assert CMAES(c_mu=0.0).rates(100, 30).c_mu == 0


@pytest.mark.parametrize("settings", [{}, FORMULAS, {"c_mu": 0.0}])
def test_an_update_follows_the_equations(settings):
    cma = CMAES(sigma=0.1, **settings)
    n, d = 12, 3
    rng = generator(1)
    state, _ = started(cma, BOX.sample(n, rng), sphere, BOX)
    for _ in range(4):  # then the last update decomposes, also where only every second one does
        x, state = cma.ask(state, rng)
        state = cma.tell(state, x, sphere(x), rng)
    x, state = cma.ask(state, rng)
    z = (x - BOX.lower) / BOX.width
    after = cma.tell(state, x, sphere(x), rng)

    w, m, cs, ds, cc, c1, cmu = cma.rates(n, d)
    order = np.argsort(sphere(x))
    y = [(z[i] - state.mean) / state.sigma for i in order[:6]]
    step = sum(w[k] * y[k] for k in range(6))
    root = np.linalg.inv(state.basis @ np.diag(state.scale) @ state.basis.T)
    p_sigma = (1 - cs) * state.p_sigma + math.sqrt(cs * (2 - cs) * m) * root @ step
    chi = math.sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d**2))
    length = np.linalg.norm(p_sigma)
    h = length / math.sqrt(1 - (1 - cs) ** (2 * (state.generation + 1))) < (1.4 + 2 / (d + 1)) * chi
    p_c = (1 - cc) * state.p_c + h * math.sqrt(cc * (2 - cc) * m) * step
    C = (1 - c1 - cmu) * state.C + c1 * (np.outer(p_c, p_c) + (1 - h) * cc * (2 - cc) * state.C)
    C = C + cmu * sum(w[k] * np.outer(y[k], y[k]) for k in range(6))
    np.testing.assert_allclose(after.mean, state.mean + state.sigma * step, rtol=1e-9)
    np.testing.assert_allclose(after.p_sigma, p_sigma, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(after.p_c, p_c, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(after.C, C, rtol=1e-6, atol=1e-9)
    assert np.isclose(after.sigma, state.sigma * math.exp(cs / ds * (length / chi - 1)))
    np.testing.assert_allclose(after.basis @ np.diag(after.scale**2) @ after.basis.T, after.C, atol=1e-9)


def test_damping_multiplies_and_sampled_steps_are_not_clipped():
    assert CMAES(damping=3.0).rates(20, 5).d_sigma == pytest.approx(3 * 1.15)
    assert CMAES(damping=3.0, **FORMULAS).rates(20, 5).d_sigma == pytest.approx(
        3 * CMAES(**FORMULAS).rates(20, 5).d_sigma
    )
    outside = {}
    for steps in ("clipped", "sampled"):
        cma = CMAES(sigma=5.0, steps=steps)
        state = cma.init(BOX, 50, 1000, generator(1))
        x, state = cma.ask(state, generator(2))
        assert ((x >= BOX.lower) & (x <= BOX.upper)).all()
        reached = state.mean + state.sigma * state.y
        outside[steps] = ((reached < -1e-9) | (reached > 1 + 1e-9)).any()
    assert outside == {"clipped": False, "sampled": True}


def test_the_sample_has_the_covariance():
    cma = CMAES(sigma=1e-4)
    A = np.array([[2.0, 0, 0], [1, 1, 0], [0, 0.5, 0.3]])
    basis, scale = decompose(A @ A.T)
    state = cma.init(BOX, 20_000, 1, generator(1))
    state = replace(state, mean=np.full(3, 0.5), C=A @ A.T, basis=basis, scale=scale)
    x, _ = cma.ask(state, generator(2))
    y = ((x - BOX.lower) / BOX.width - 0.5) / 1e-4
    np.testing.assert_allclose(np.cov(y.T), A @ A.T, atol=0.12)


def test_the_signs_of_eigenvectors_are_chosen_here_and_not_by_the_processor():
    A = generator(4).standard_normal((6, 6))
    basis, scale = decompose(A @ A.T)
    assert basis.flags.c_contiguous  # as a restored one is: products of other orders have other last digits
    assert (basis[np.abs(basis).argmax(axis=0), np.arange(6)] > 0).all()
    np.testing.assert_allclose((basis * scale**2) @ basis.T, A @ A.T, atol=1e-12)


def test_a_matrix_that_has_vanished_still_gives_finite_points():
    """Equal values for 100,000 evaluations shrink the matrix of one variable until it is zero."""
    _, scale = decompose(np.zeros((1, 1)))
    assert scale[0] > 0
    cma, rng = CMAES(), generator(1)
    state, _ = started(cma, np.full((4, 3), 0.5), lambda x: np.zeros(len(x)), BOX)
    state = replace(state, C=np.zeros((3, 3)), basis=np.eye(3), scale=decompose(np.zeros((3, 3)))[1])
    for _ in range(5):
        x, state = cma.ask(state, rng)
        assert np.isfinite(x).all()
        state = cma.tell(state, x, np.zeros(len(x)), rng)
    assert np.isfinite(state.sigma)


def test_the_decomposition_is_lazy_in_many_dimensions():
    cma, d = CMAES(), 200
    rates = cma.rates(8, d)
    gap = math.ceil(1 / (2 * d * (rates.c_1 + rates.c_mu)))
    assert gap > 1
    ages = []
    drive(cma, sphere, Box.cube(-1, 1, d), popsize=8, maxfev=8 * (2 * gap + 2),
          watch=lambda s: ages.append(s.generation - s.decomposed))  # fmt: skip
    assert max(ages) == gap - 1
    assert ages.count(0) == len(ages) // gap


def test_a_given_point_is_the_first_mean():
    state = CMAES().init(BOX, 10, 100, generator(1), np.array([0.0, 2.5, 0.0]))
    np.testing.assert_allclose(state.mean, [0.5, 0.5, 0.25])
