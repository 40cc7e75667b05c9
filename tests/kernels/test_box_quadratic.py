"""Convex quadratics in the unit box, beside SciPy and beside the conditions of an optimum."""

import numpy as np
import pytest
from scipy.optimize import minimize

from autov.core import generator
from autov.kernels.models import box_quadratic


def solved(u, g, matrix):
    d = len(u)
    p, fixed = np.empty(d), np.empty(d, np.int64)
    box_quadratic.minimize_quadratic(u, g, matrix, np.empty((d, d)), p, np.empty(d), np.empty(d), fixed)
    return p


def case(seed, d):
    rng = generator(seed)
    a = rng.normal(size=(d, d))
    return rng.random(d), 5 * rng.normal(size=d), a @ a.T + 0.05 * np.eye(d)


@pytest.mark.parametrize("d", [1, 2, 5, 12])
@pytest.mark.parametrize("seed", range(8))
def test_meets_the_conditions_of_a_minimum_in_the_box(seed, d):
    u, g, matrix = case(seed, d)
    p = solved(u, g, matrix)
    end, slope = u + p, g + matrix @ p
    assert (end >= 0).all()
    assert (end <= 1).all()
    inside = (end > 1e-9) & (end < 1 - 1e-9)
    np.testing.assert_allclose(slope[inside], 0, atol=1e-8 * np.abs(g).max())
    assert (slope[end <= 1e-9] >= -1e-8).all()
    assert (slope[end >= 1 - 1e-9] <= 1e-8).all()


@pytest.mark.parametrize("seed", range(5))
def test_is_as_low_as_scipy(seed):
    u, g, matrix = case(100 + seed, 6)
    value = lambda p: g @ p + 0.5 * p @ matrix @ p  # noqa: E731
    reference = minimize(value, np.zeros(6), jac=lambda p: g + matrix @ p, bounds=list(zip(-u, 1 - u, strict=True)))
    assert value(solved(u, g, matrix)) <= reference.fun + 1e-9


def test_where_the_first_method_cycles_the_second_takes_over():
    u, g, matrix = case(3, 8)
    whole = solved(u, g, matrix)
    d = len(u)
    p, fixed = np.empty(d), np.empty(d, np.int64)
    box_quadratic.one_at_a_time(u, g, matrix, np.empty((d, d)), p, np.empty(d), np.empty(d), fixed)
    np.testing.assert_allclose(p, whole, atol=1e-9)
