"""Linear and quadratic models: fits against NumPy, derivatives against differences, ranks against SciPy."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from autov.kernels.models.model_fit import fitted_values, fitting_arrays, prepare_fit, solve_fit, weight_of
from autov.kernels.models.model_order import kendall, make_monotone
from autov.kernels.models.quadratic_model import (
    DIAGONAL,
    FULL,
    LINEAR,
    NONE,
    ROUND,
    count_terms,
    fill_terms,
    largest_kind,
    model_arrays,
    multiply_hessian,
    predict,
)

KINDS = pytest.mark.parametrize("kind", [LINEAR, ROUND, DIAGONAL, FULL])


def fitted(x, f, kind):
    """A model of all points, and its scratch arrays."""
    n, d = x.shape
    m = count_terms(kind, d)
    model, fitting = model_arrays(d, m), fitting_arrays(d, n, m)
    model.frame[:] = np.eye(d)
    order = np.argsort(f, kind="stable")
    assert prepare_fit(x, order, n, kind, model, fitting)
    assert solve_fit(f[order], n, m, model, fitting)
    return model, fitting


def values(model, kind, x):
    d = x.shape[1]
    return np.array([predict(u, kind, model, np.empty(d), np.empty(d)) for u in x])


def monomials(x, kind):
    """Columns of the same space of functions, in plain coordinates."""
    columns = [np.ones(len(x)), *x.T]
    if kind == ROUND:
        columns.append((x**2).sum(axis=1))
    if kind >= DIAGONAL:
        columns += list((x**2).T)
    if kind == FULL:
        columns += [x[:, i] * x[:, j] for i in range(x.shape[1]) for j in range(i)]
    return np.stack(columns, axis=1)


def cloud(n, d, seed=1):
    return 0.4 + 0.1 * np.random.default_rng(seed).standard_normal((n, d)) * 10.0 ** -np.arange(d)


@KINDS
@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_function_of_the_kind_is_recovered(kind, d):
    n = count_terms(kind, d) + 6
    stretch = 10.0 ** (np.arange(d) * (kind <= ROUND))  # these two do not divide by deviations
    x, c = cloud(n, d) * stretch, np.random.default_rng(2).standard_normal(monomials(cloud(1, d), kind).shape[1])
    model, _ = fitted(x, monomials(x, kind) @ c, kind)
    new = cloud(20, d, 3) * stretch
    np.testing.assert_allclose(values(model, kind, new), monomials(new, kind) @ c, rtol=1e-9, atol=1e-9)


@KINDS
def test_the_fit_is_that_of_weighted_least_squares(kind):
    x = np.random.default_rng(1).uniform(0, 1, (60, 4))
    f = np.sin(5 * x).sum(axis=1) + x[:, 0] * x[:, 1]
    model, fitting = fitted(x, f, kind)
    rank = np.argsort(np.argsort(f))
    weight = 20 - 19 * rank / 59
    c = np.linalg.lstsq(weight[:, None] * monomials(x, kind), weight * f, rcond=None)[0]
    expected = monomials(x, kind) @ c
    np.testing.assert_allclose(values(model, kind, x), expected, rtol=0, atol=1e-9)
    out = np.empty(60)
    fitted_values(60, count_terms(kind, 4), model, fitting, out)
    np.testing.assert_allclose(out, expected[np.argsort(f)], rtol=0, atol=1e-9)


@KINDS
def test_with_fewer_points_than_terms_it_has_the_smallest_coefficients(kind):
    d, n = 6, 5
    m = count_terms(kind, d)
    x = np.random.default_rng(4).uniform(0, 1, (n, d))
    f = x.sum(axis=1)
    model, _ = fitted(x, f, kind)
    np.testing.assert_allclose(values(model, kind, x), f, rtol=0, atol=1e-6)
    rows = np.empty((n, m))
    for i in range(n):
        frame = np.diag(np.diag(model.frame)) if kind == DIAGONAL else model.frame
        fill_terms(frame @ (x[i] - model.centre), kind, 1.0, rows[i])
    np.testing.assert_allclose(model.coefficients, np.linalg.pinv(rows) @ f, rtol=0, atol=1e-6)


def test_a_long_thin_cloud_is_no_problem():
    x = cloud(80, 6)  # deviations from 0.1 to 1e-6
    f = (((x - 0.4) * 10.0 ** np.arange(6)) ** 2).sum(axis=1)
    model, _ = fitted(x, f, FULL)
    np.testing.assert_allclose(values(model, FULL, x), f, rtol=0, atol=1e-9)


@KINDS
def test_second_derivatives_are_those_of_the_values(kind):
    d = 4
    rng = np.random.default_rng(5)
    model = model_arrays(d, count_terms(kind, d))
    model.frame[:] = np.eye(d)
    model.coefficients[:] = rng.standard_normal(model.coefficients.size)
    v, out = rng.standard_normal(d), np.empty(d)
    multiply_hessian(v, kind, model, out)
    for k in range(d):
        e = np.eye(d)[k]
        f = values(model, kind, np.array([v + e, v, e, np.zeros(d)]))
        assert out[k] == pytest.approx(f[0] - f[1] - f[2] + f[3], abs=1e-12)  # e' H v of a quadratic


@pytest.mark.parametrize(
    ("d", "diagonal", "round_"), [(30, FULL, FULL), (31, DIAGONAL, ROUND), (250, LINEAR, ROUND), (500, NONE, NONE)]
)
def test_the_largest_model_by_the_number_of_variables(d, diagonal, round_):
    assert largest_kind(d, DIAGONAL) == diagonal
    assert largest_kind(d, ROUND) == round_


@pytest.mark.parametrize("n", [2, 3, 15, 60])
def test_kendall_is_that_of_scipy(n):
    rng = np.random.default_rng(n)
    for levels in (3, 1000):
        for _ in range(20):
            a, b = rng.integers(0, levels, n).astype(float), rng.integers(0, levels, n).astype(float)
            expected = kendalltau(a, b).statistic if len(set(a)) > 1 and len(set(b)) > 1 else 0.0
            assert kendall(a, b, n) == pytest.approx(expected, abs=1e-12)


def slow_monotone(values, weights):
    """Minimum over later, maximum over earlier weighted means: the definition by bounds."""
    n = len(values)

    def mean(i, j):
        return np.average(values[i : j + 1], weights=weights[i : j + 1])

    return [max(min(mean(i, j) for j in range(k, n)) for i in range(k + 1)) for k in range(n)]


@pytest.mark.parametrize("n", [1, 2, 12])
def test_monotone_numbers_are_the_nearest(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        given = np.linspace(0, 1, n) + rng.standard_normal(n)
        found = given.copy()
        make_monotone(found, n, np.empty(n), np.empty(n), np.empty(n, np.int64))
        weights = np.array([weight_of(i, n) ** 2 for i in range(n)])
        np.testing.assert_allclose(found, slow_monotone(given, weights), rtol=0, atol=1e-12)
        assert (np.diff(found) >= 0).all()
