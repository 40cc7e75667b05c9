"""The local search that models constraints, and the default that uses it."""

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint

import autov
from autov.algorithms import resolve_algorithm
from autov.algorithms.constrained_models import Models, constrained_step, fitted
from autov.algorithms.constrained_search import ConstrainedSearch, PointArchive, penalized, penalty_weights
from autov.algorithms.first_step import with_first_step
from autov.algorithms.memetic import MOST_VARIABLES
from autov.core import Box, generator
from autov.engines import Serial
from autov.runs.point_scheduler import Job, PointScheduler

BOUNDS = [(-2.0, 2.0)] * 2
DISC = NonlinearConstraint(lambda x: x[0] ** 2 + x[1] ** 2, -np.inf, 1.0)


def line_in_disc(x):
    return x[0] + x[1], x[0] ** 2 + x[1] ** 2 - 1


def test_models_interpolate_and_are_exact_for_quadratics():
    rng = generator(1)
    points, inner = rng.standard_normal((10, 3)), rng.standard_normal((3, 3))
    hessian, slope = inner + inner.T, rng.standard_normal(3)
    values = 2 + points @ slope + 0.5 * np.einsum("ni,ij,nj->n", points, hessian, points)
    found = fitted(points, np.column_stack([values, rng.standard_normal(10)]))
    np.testing.assert_allclose(found.hessian[0], hessian, atol=1e-5)
    np.testing.assert_allclose(found.slope[0], slope, atol=1e-5)
    fewer = fitted(points[:6], values[:6, None])
    np.testing.assert_allclose([fewer.at(x)[0] for x in points[:6]], values[:6], atol=1e-6)
    assert np.linalg.norm(fewer.hessian) < np.linalg.norm(hessian)


@pytest.mark.parametrize(
    ("radius", "expected"),
    [(1.0, [-np.sqrt(0.5), -np.sqrt(0.5)]), (0.3, [-0.3, -0.3])],
    ids=["at the constraint", "at the box"],
)
def test_step_minimises_under_a_constraint(radius, expected):
    models = Models(
        np.array([0.0, -1.0]), np.array([[1.0, 1.0], [0.0, 0.0]]), np.stack([np.zeros((2, 2)), 2 * np.eye(2)])
    )
    step, multipliers = constrained_step(models, np.full(2, -radius), np.full(2, radius), np.zeros(1))
    np.testing.assert_allclose(step, expected, atol=1e-5)
    assert multipliers[0] == pytest.approx(np.sqrt(0.5) if radius == 1 else 0.0, abs=1e-4)


def test_step_that_cannot_meet_the_constraint_comes_near_it():
    models = Models(np.array([0.0, 5.0]), np.array([[1.0, 0.0], [0.0, -1.0]]), np.zeros((2, 2, 2)))
    step, _ = constrained_step(models, np.full(2, -1.0), np.ones(2), np.zeros(1))
    assert step[1] == 1.0


def test_archives_share_no_later_points():
    first = PointArchive(1).added(np.zeros((1, 1)), np.zeros((1, 2)))
    one, other = first.added(np.ones((1, 1)), np.ones((1, 2))), first.added(np.full((1, 1), 2.0), np.ones((1, 2)))
    wider = one.added(np.ones((1, 1)), np.ones((1, 3)))
    assert (first.x.tolist(), one.x.tolist(), other.x.tolist()) == ([[0]], [[0], [1]], [[0], [2]])
    assert np.isnan(wider.rows[0, 2])
    assert wider.rows[2, 2] == 1


@pytest.mark.parametrize("returned", [True, False])
def test_line_in_a_disc_converges_soon(returned):
    options = {"constraints": "returned"} if returned else {"constraints": DISC}
    fun = line_in_disc if returned else lambda x: x[0] + x[1]
    found = autov.minimize(fun, BOUNDS, rng=1, **options)
    assert found.fun == pytest.approx(-np.sqrt(2), abs=1e-7)
    assert found.maxcv == 0
    assert found.nfev < 1000  # local searches that do not know the constraint need 6,000


def test_integers_are_searched_beside_the_others():
    def fun(x):
        return (x[0] - 0.3) ** 2 + (x[1] - 3.4) ** 2, 2.0 - x[0] - 0.5 * x[1]

    found = autov.minimize(
        fun, [(-5, 5), (-9, 9)], constraints="returned", integrality=[False, True], maxfev=120, rng=1
    )
    assert found.x[1] == 3
    assert found.x[0] == pytest.approx(0.5, abs=1e-3)


def test_problem_with_local_optima_at_its_constraints():
    assert autov.minimize("g01", maxfev=1000, rng=1).fun < -12  # 8.8 above the minimum of -15 without models of them


@pytest.mark.parametrize("returned", [True, False])
def test_with_more_variables_than_are_modelled_the_run_has_rules_only(returned):
    def fun(x):
        value, outside = float(np.square(x - 0.3).sum()), 1.0 - x[0] - x[1]
        return (value, outside) if returned else value

    limits = "returned" if returned else {"type": "ineq", "fun": lambda x: x[0] + x[1] - 1.0}
    found = autov.minimize(fun, [(-5, 5)] * (MOST_VARIABLES + 1), constraints=limits, maxfev=1500, rng=1)
    assert found.maxcv == 0
    assert found.fun < 1  # 0.08 is the smallest


def test_same_bits_on_workers_in_runs_and_from_a_store(tmp_path):
    options = {"constraints": "returned", "maxfev": 60, "rng": 3}
    alone = autov.minimize(line_in_disc, BOUNDS, **options, history=True)
    several = autov.minimize(line_in_disc, BOUNDS, **options, workers=2, history=True)
    np.testing.assert_array_equal(alone.history.x, several.history.x)
    problem = autov.function_problem(line_in_disc, BOUNDS, constraints="returned", key="disc")
    jobs = [Job(0, resolve_algorithm(), {"maxfev": 60, "seed": 3, "run": 0})]
    scheduled = [outcome.run for _, outcome in PointScheduler([problem], Serial()).map(jobs)]
    assert scheduled[0].fun == alone.fun
    count = 0

    def interrupted(x):
        nonlocal count
        count += 1
        if count == 31:
            raise KeyboardInterrupt
        return line_in_disc(x)

    def named(fun):
        return autov.function_problem(fun, BOUNDS, constraints="returned", key="disc")

    store = tmp_path / "run.db"
    with pytest.raises(KeyboardInterrupt):
        autov.minimize(named(interrupted), maxfev=60, rng=3, store=store)
    again = autov.minimize(named(interrupted), maxfev=60, rng=3, store=store, history=True)
    np.testing.assert_array_equal(again.history.x, alone.history.x)
    assert count == 61


def test_fixed_variables_are_left_out():
    found = autov.minimize(
        lambda x: (x[0] + x[1] + x[2], x[0] ** 2 + x[1] ** 2 - 1), [*BOUNDS, (0.5, 0.5)], constraints="returned",
        maxfev=100, rng=1,
    )  # fmt: skip
    assert found.fun == pytest.approx(0.5 - np.sqrt(2), abs=1e-6)


def test_failed_evaluations_do_not_end_the_run():
    def fails(x):
        if x[0] < -0.8:
            raise ValueError
        return line_in_disc(x)

    found = autov.minimize(
        fails, BOUNDS, constraints="returned", maxfev=150, rng=1, faults=autov.FaultPolicy(on_error="worst")
    )
    assert found.fun < -1.3


def test_constraints_of_many_variables_are_not_modelled():
    general = resolve_algorithm()
    assert general.with_constraints((False,) * 61, 1000) is general
    changed = general.with_constraints((False, True), 1000)
    (search,) = changed.local_searches
    assert (search.integrality, round(search.scale, 12)) == ((False, True), 0.1)
    nearer = with_first_step(general, np.zeros(2), 0.01).with_constraints((False, True), 1000)
    assert nearer.local_searches[0].scale == pytest.approx(0.01)  # x0_std is kept
    assert changed.global_search == general.global_search
    parts = [general.with_constraints((False,) * 12, n).most for n in (100, 600, 1000, 10_000)]
    assert parts == pytest.approx(
        [general.most, 0.3, 0.18, 0.15]
    )  # the longer the run, the more is left for the others


def test_global_search_is_told_penalized_values():
    rows = np.array([[3.0, -1.0, -2.0], [5.0, -0.5, -1.0], [1.0, 2.0, -1.0], [7.0, 1.0, 4.0], [np.nan, 1.0, 1.0]])
    weights = penalty_weights(rows, np.array([10.0, 0.5]))
    assert weights == pytest.approx([10.0, (5.5 - 2.5) / 4.0])  # the multiplier; what a typical violation would cost
    f = np.array([3.0, 5.0, 2e50, 2e50, 2e50])
    assert penalized(rows, f, weights, 3.0) == pytest.approx([3.0, 5.0, 21.0, 20.0, 2e50])
    low = penalized(rows, f, 0.01 * weights, 3.0)
    assert 3.0 < low[2] < 3.01  # an infeasible point never seems better than the best feasible one
    np.testing.assert_array_equal(penalized(rows, f, weights, 2e50), f)  # before a feasible point is known: Deb's
    np.testing.assert_array_equal(penalized(rows, f, weights[:1], 3.0), f)


def test_search_alone_starts_where_it_is_told():
    box = Box.of(BOUNDS)
    search = ConstrainedSearch()
    state = search.start_at(np.array([1, 2], np.uint64), box, 100, np.array([[1.9, 0.0]]), np.array([np.inf]), 0.1)
    x, _ = search.ask(state, generator(0))
    np.testing.assert_allclose(x, [[1.9, 0.0], [1.5, 0.0], [1.9, 0.4]])
