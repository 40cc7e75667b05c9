"""The kernels of the matrix adaptation strategy equal their twin, and a run may be cut into slices."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.core import Box, stream_key
from autov.kernels.matrix_adaptation import steps as kernels
from autov.kernels.matrix_products import COLUMNS, ROWS, add_products, multiply_rows, padded
from autov.problems import Classic, Rotated, Translated
from tests import naive_matrix_adaptation as naive


def fresh(settings, key, box, maxfev=10_000):
    plan = settings.plan()
    most = kernels.most_points(plan, box.dim, maxfev, 0)
    work = kernels.workspace(key, box.dim, most, most, np.empty((0, box.dim)), np.empty((0, 0)))
    kernels.es_start(plan, work, box.lower, box.upper, most, maxfev)
    kernels.fill_rates(plan, work.scalars[0].batch, box.dim, work.scalars[0], work.weights)
    return plan, work


def valley(x):
    """Optimum in a corner of the box of most tests, so that points are folded; no two values are equal."""
    return ((x - np.arange(1, x.shape[1] + 1)) ** 2 * 3.0 ** np.arange(x.shape[1])).sum(axis=1) + x[:, 0] * x[:, -1]


def compare(settings, dim, generations, fun=valley, maxfev=10_000, seed=3):
    """Run both side by side; the values of the twin's points go to both. Gives the sizes of the populations."""
    box = Box(-np.arange(1.0, dim + 1), 1.5 + np.arange(dim))
    key = stream_key(seed, dim)
    plan, work = fresh(settings, key, box, maxfev)
    twin = naive.Strategy(settings, key, box.lower, box.upper, len(work.f), maxfev)
    sizes = []
    for _ in range(generations):
        n = int(work.scalars[0].batch)
        assert n == twin.n
        kernels.es_ask(plan, work, box.lower, box.upper)
        x = twin.ask()
        np.testing.assert_allclose(work.x[:n], x, rtol=1e-5, atol=1e-5)
        f = fun(x)
        work.f[:n] = f
        twin.tell(x, f)
        kernels.es_tell(plan, work, box.lower, box.upper)
        np.testing.assert_allclose(work.mean[:dim], twin.mean, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(work.path[:dim], twin.s, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(work.matrix[:dim, :dim].T, twin.M, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(work.scalars[0].sigma, twin.sigma, rtol=1e-4)
        sizes.append(n)
    return sizes


@pytest.mark.parametrize("dim", [1, 2, 3, 8, 9])
@pytest.mark.parametrize("bounds", ["fold", "smooth", "clip"])
def test_generations_equal_the_twin(dim, bounds):
    compare(MatrixAdaptation(bounds=bounds), dim, 12)


@pytest.mark.parametrize(
    "settings",
    [
        {"paths": "two", "c_c_factor": 0.7}, {"negative": 0.0}, {"negative": 1.5, "c_mu_factor": 2.0},
        {"c_1_factor": 3.0, "c_sigma_factor": 1.5, "d_sigma_factor": 0.5}, {"popsize": 21, "sigma": 0.8},
        {"popsize_factor": 2.5, "longest": 2.0, "sigma": 0.05}, {"popsize": 2}, {"popsize": 3},
        {"popsize_budget": 0.3},
        {"bounds": "smooth", "margin": 0.3, "sigma": 2.0},
    ],
)  # fmt: skip
def test_every_rate_equals_that_of_the_twin(settings):
    compare(MatrixAdaptation(**settings), 5, 12)


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({"restarts": "ipop", "growth": 1.5}, [6, 9, 13]),
        ({"restarts": "ipop", "restart_mean": "best", "restart_sigma": 0.3}, [6, 12, 24, 48]),
        ({"restarts": "none"}, [6]),
        ({"restarts": "ipop", "restart_mean": "mixed", "first_mean": "centre"}, [6, 12, 24]),
    ],
)
@pytest.mark.parametrize("bounds", ["fold", "smooth"])
def test_restarts_equal_the_twin(settings, wanted, bounds):
    """A coarse tolerance: a run converges in a few generations, before rounding is amplified."""
    sizes = compare(MatrixAdaptation(tol_x=0.1, bounds=bounds, **settings), 2, 30)
    different = list(dict.fromkeys(sizes))
    assert different[: len(wanted)] == wanted
    assert (len(different) > 1) == (len(wanted) > 1)


@pytest.mark.parametrize("mean", ["uniform", "best", "mixed"])
def test_small_and_large_runs_in_turns_equal_the_twin(mean):
    sizes = compare(MatrixAdaptation(restarts="bipop", tol_x=0.1, popsize=10, restart_mean=mean), 2, 60)
    assert len(set(sizes) - {10, 20, 40, 80, 160}) >= 1  # a small run between
    assert {10, 20, 40} <= set(sizes)


@pytest.mark.parametrize("fun", [lambda x: np.full(len(x), 2.0), lambda x: np.full(len(x), np.inf)])
def test_a_plateau_ends_a_run_like_the_twins(fun):
    sizes = compare(MatrixAdaptation(popsize=6), 2, 24, fun)
    assert sizes == [6] * 20 + [12] * 4  # 10 + 30 d / lambda generations


def test_a_run_without_a_better_value_ends_like_the_twins():
    calls = []

    def worse(x):
        calls.append(1)
        return len(calls) + np.arange(len(x)) / len(x)

    sizes = compare(MatrixAdaptation(popsize=6, patience=0.1, tol_f=0.0), 2, 11, worse)
    assert sizes == [6] * 9 + [12] * 2  # the first generation is the best; then more than 0.1 (60 + 10)


def test_a_population_beyond_the_limit_starts_again_with_the_first():
    sizes = compare(MatrixAdaptation(popsize=6, tol_x=0.15), 2, 60, maxfev=300)
    assert max(sizes) == 24  # a tenth of 300 evaluations
    last = len(sizes) - 1 - sizes[::-1].index(24)
    assert 6 in sizes[last:]


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.5, np.inf]), min_size=1, max_size=150))
def test_order_is_that_of_a_stable_sort(values):
    f, n = np.array(values), len(values)
    order = np.full((2, n), -1)
    kernels.sort_order(f, n, order)
    assert np.array_equal(order[0], np.argsort(f, kind="stable"))


@pytest.mark.parametrize(("rows", "steps"), [(1, 1), (3, 5), (4, 8), (14, 30), (9, 33)])
def test_tiles_equal_products(rows, steps):
    rng = np.random.default_rng(1)
    wide, high = padded(steps, COLUMNS), padded(steps, ROWS)
    z, M = np.zeros((padded(rows + 1, ROWS), wide)), np.zeros((high, wide))
    z[:rows, :steps], M[:steps, :steps] = rng.normal(size=(rows, steps)), rng.normal(size=(steps, steps))
    out = np.full_like(z, np.nan)  # what is there before is not read
    multiply_rows(z, M, out, rows, steps)
    np.testing.assert_allclose(out[:rows], z[:rows] @ M[:wide, :] if high == wide else z[:rows, :high] @ M, atol=1e-12)
    wanted = 0.75 * M + (z[:rows].T @ out[:rows])[:high]
    add_products(M, 0.75, z, out, rows)
    np.testing.assert_allclose(M, wanted, atol=1e-11)


def test_negative_weights_cannot_make_the_matrix_singular():
    for n, d in [(4, 1), (8, 5), (14, 30), (200, 10), (24, 1000)]:
        plan, work = fresh(MatrixAdaptation(popsize=n), stream_key(1), Box.cube(0, 1, d), maxfev=10)
        c_1, c_mu = work.scalars[0].c_1, work.scalars[0].c_mu
        w = work.weights[:n]
        assert math.isclose(w[: n // 2].sum(), 1)
        assert (w[n // 2 + n % 2 :] < 0).all()
        assert d * c_mu * -w[n // 2 :].sum() <= 1 - c_1 - c_mu + 1e-12
        assert plan.negative == 1


@pytest.mark.parametrize("restarts", ["ipop", "bipop"])
def test_slices_of_a_run_are_the_run(restarts):
    problem = Rotated(Translated(Classic("rastrigin", 4), 1.0), 2)
    box, objective = problem.box, problem.objective()
    settings = MatrixAdaptation(restarts=restarts)
    ends = []
    for budgets in ([6000], [1, 500, 501, 3333, 4000, 6000]):
        plan, work = fresh(settings, stream_key(4), box, 6000)
        nfev, best = np.zeros(2000, np.int64), np.zeros(2000)
        traced = 0
        for budget in budgets:
            final = budget == 6000
            traced = kernels.es_run(plan, work, objective, box.lower, box.upper, budget, final, nfev, best, traced)
            assert work.scalars[0].nfev <= budget
        assert work.scalars[0].nfev == nfev[traced - 1] == 6000
        assert work.scalars[0].runs > 2
        ends.append((work, nfev[:traced], best[:traced]))
    (one, one_nfev, one_best), (two, two_nfev, two_best) = ends
    for name in ("scalars", "mean", "path", "slow", "matrix", "best"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert np.array_equal(one_nfev, two_nfev)
    assert np.array_equal(one_best, two_best)
