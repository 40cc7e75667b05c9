"""The inverse of the interpolation system against dense linear algebra."""

import numpy as np
import pytest

from autov.kernels.models.interpolation import append, exchange, invert, lagrange_values
from autov.kernels.models.quadratic import fill_lagrange, fill_least_norm, hessian_times, make_explicit

SIZES = pytest.mark.parametrize(("n", "m", "size"), [(1, 3, 3), (2, 5, 6), (4, 6, 9), (4, 9, 15), (7, 20, 20)])


def inverse_of(points, size):
    """z and b of `invert`, in arrays with room for more points."""
    m, n = points.shape
    z, b = np.zeros((size - n - 1, size)), np.zeros((n, size + n))
    scratch = [np.zeros(shape) for shape in ((n + 1, size), (size, size), (size, size), (n + 1, size))]
    triangle, vector = np.zeros((size - n - 1, size - n - 1)), np.zeros((2, size + n))
    made = invert(points, z[: m - n - 1], b, *scratch, triangle, vector)
    return made, z, b


def dense_inverse(points):
    """The inverse of W = [A X'; X 0], from its definition."""
    m, n = points.shape
    system = np.zeros((m + n + 1, m + n + 1))
    system[:m, :m] = 0.5 * (points @ points.T) ** 2
    system[:m, m], system[m, :m] = 1, 1
    system[:m, m + 1 :], system[m + 1 :, :m] = points, points.T
    return np.linalg.inv(system)


def assert_inverse(points, z, b, tolerance=1e-7):
    m, n = points.shape
    dense = dense_inverse(points)
    rows, size = z[: m - n - 1, :m], z.shape[1]
    upsilon = b[:, size : size + n]
    for mine, theirs in [
        (rows.T @ rows, dense[:m, :m]), (b[:, :m], dense[m + 1 :, :m]), (upsilon, dense[m + 1 :, m + 1 :])
    ]:  # fmt: skip
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance * max(1.0, abs(theirs).max()))


def points_of(n, m, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (m, n))


def model_value(points, centre, curvatures, gradient, constant, x):
    step = x - centre
    return constant + gradient @ step + 0.5 * (curvatures * (points @ step) ** 2).sum()


@SIZES
@pytest.mark.parametrize("width", [1.0, 1e-6])
def test_the_inverse_is_that_of_the_dense_system(n, m, size, width):
    points = points_of(n, m)
    made, z, b = inverse_of(width * points, size)
    assert made
    made, unit_z, unit_b = inverse_of(points, size)
    assert_inverse(points, unit_z, unit_b)
    np.testing.assert_allclose(z[:, :m] * width**2, unit_z[:, :m], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(b[:, :m] * width, unit_b[:, :m], rtol=1e-6, atol=1e-8)


def test_points_in_a_plane_have_no_inverse():
    points = points_of(3, 7)
    points[:, 2] = points[:, 0] - points[:, 1]
    assert not inverse_of(points, 7)[0]
    assert not inverse_of(np.zeros((7, 3)), 7)[0]


@SIZES
def test_a_replaced_point_gives_the_inverse_of_the_new_points(n, m, size):
    points, rng = points_of(n, m), np.random.default_rng(1)
    _, z, b = inverse_of(points, size)
    for t in (0, m - 1, m // 2):
        opt = (t + 1) % m
        values, w, step = np.zeros(size + n), np.zeros(size + n), rng.uniform(-1, 1, n)
        beta = lagrange_values(points, points[opt], opt, z[: m - n - 1], b, step, values, w)
        assert exchange(z[: m - n - 1], b, m, t, values, beta, w)
        points[t] = points[opt] + step
        assert_inverse(points, z, b)


@pytest.mark.parametrize(("n", "m", "size"), [(2, 5, 6), (4, 9, 15), (5, 11, 14)])
def test_an_added_point_gives_the_inverse_of_all_points(n, m, size):
    points, rng = points_of(n, m), np.random.default_rng(2)
    _, z, b = inverse_of(points, size)
    while m < size:
        values, w, step = np.zeros(size + n), np.zeros(size + n), rng.uniform(-1, 1, n)
        beta = lagrange_values(points, points[1], 1, z[: m - n - 1], b, step, values, w)
        assert beta > 0
        append(z[: m - n], b, m, values, beta)
        points, m = np.vstack([points, points[1] + step]), m + 1
        assert_inverse(points, z, b)


@SIZES
def test_lagrange_functions_are_one_at_their_point_and_zero_at_the_others(n, m, size):
    points = points_of(n, m)
    _, z, b = inverse_of(points, size)
    values, w = np.zeros(size + n), np.zeros(size + n)
    for k in range(m):
        lagrange_values(points, points[0], 0, z[: m - n - 1], b, points[k] - points[0], values, w)
        np.testing.assert_allclose(values[:m], np.eye(m)[k], atol=1e-8)
    x = points_of(n, 1, seed=5)[0]
    lagrange_values(points, points[0], 0, z[: m - n - 1], b, x - points[0], values, w)
    for t in range(m):  # the same by curvatures and gradient
        curvatures, gradient = np.zeros(m), np.zeros(n)
        fill_lagrange(points, points[0], z[: m - n - 1], b, t, curvatures, gradient)
        at = model_value(points, points[0], curvatures, gradient, float(t == 0), x)
        np.testing.assert_allclose(at, values[t], atol=1e-7)


@SIZES
def test_the_model_has_the_hessian_of_the_least_frobenius_norm(n, m, size):
    """All quadratics as vectors (constant, gradient, Hessian): interpolation is a linear system, solved by `lstsq`."""
    points, f = points_of(n, m), np.random.default_rng(3).normal(size=m)
    _, z, b = inverse_of(points, size)
    curvatures, gradient = np.zeros(m), np.zeros(n)
    fill_least_norm(points, f, 2, points[2], z[: m - n - 1], b, np.zeros(m), curvatures, gradient)
    hessian = (points.T * curvatures) @ points
    squares = 0.5 * np.einsum("ki,kj->kij", points, points).reshape(m, -1)
    linear = np.column_stack([np.ones(m), points])
    free = np.linalg.svd(linear)[0][:, n + 1 :].T  # takes constant and gradient out of the conditions
    least = np.linalg.lstsq(free @ squares, free @ f, rcond=None)[0].reshape(n, n)
    np.testing.assert_allclose(hessian, least, atol=1e-6 * abs(least).max())
    for k in range(m):
        at = model_value(points, points[2], curvatures, gradient, f[2], points[k])
        np.testing.assert_allclose(at, f[k], atol=1e-7)


def test_the_explicit_hessian_is_the_sum_over_points():
    points, curvatures = points_of(4, 9), np.random.default_rng(4).normal(size=9)
    matrix, v, out = np.diag([1.0, 2.0, 3.0, 4.0]), np.arange(4.0), np.zeros(4)
    whole = matrix + (points.T * curvatures) @ points
    hessian_times(matrix, curvatures, points, v, out)
    np.testing.assert_allclose(out, whole @ v, rtol=1e-12)
    make_explicit(matrix, curvatures, points)
    np.testing.assert_allclose(matrix, whole, rtol=1e-12)
    assert not curvatures.any()
