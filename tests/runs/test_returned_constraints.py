"""Functions that return their value and their constraints together."""

import numpy as np
import pytest

import autov
from autov.algorithms.resolve import resolve_algorithm
from autov.core import InputError
from autov.runs.many_runs import repeat

BOUNDS = [(-2.0, 2.0)] * 2


def disc(x):
    """The smallest sum in the unit disc."""
    return x[0] + x[1], [x[0] ** 2 + x[1] ** 2 - 1]


def disc_batch(x):
    return x.sum(axis=1), (x**2).sum(axis=1) - 1


def line(x):
    """The point of a line that is nearest to the origin."""
    return x[0] ** 2 + x[1] ** 2, [], x[0] + x[1] - 1


def falls(x):
    if x[0] > 0.5:
        raise RuntimeError("the simulation diverged")
    return disc(x)


class Counted:
    def __init__(self, fun):
        self.fun, self.points = fun, []

    def __call__(self, x):
        self.points.append(x.copy())
        return self.fun(x)


@pytest.mark.parametrize("algorithm", [None, "de", "quasi-newton", "cma-es"])
def test_one_call_for_each_evaluation(algorithm):
    fun = Counted(disc)
    found = autov.minimize(fun, BOUNDS, constraints="returned", algorithm=algorithm, maxfev=150, rng=1)
    assert len(fun.points) == found.nfev == 150
    assert disc(found.x)[1][0] <= 0
    assert found.fun == disc(found.x)[0]
    assert found.maxcv == 0
    assert len(found.constr) == 1


def test_history_has_values_and_violations_of_infeasible_points():
    found = autov.minimize(disc, BOUNDS, constraints="returned", maxfev=200, rng=1, history=True)
    history = found.history
    values, constraints = zip(*(disc(x) for x in history.x), strict=True)
    np.testing.assert_array_equal(history.fun, values)
    np.testing.assert_array_equal(history.constraints, constraints)
    np.testing.assert_array_equal(history.violation, np.maximum(constraints, 0)[:, 0])
    assert 0 < history.feasible.sum() < 200
    assert history.best.min() == found.fun


def test_history_of_separate_constraints_has_violations():
    limit = {"type": "ineq", "fun": lambda x: 1 - x[0] ** 2 - x[1] ** 2}
    history = autov.minimize(lambda x: x.sum(), BOUNDS, constraints=limit, maxfev=200, rng=1, history=True).history
    outside = np.maximum((history.x**2).sum(axis=1) - 1, 0)
    np.testing.assert_allclose(history.violation, outside, atol=1e-12)
    assert (np.isinf(history.fun) == (outside > 0)).all()  # the objective is not called there


def test_history_of_integers_alone_has_no_violations():
    history = autov.minimize(lambda x: x.sum(), BOUNDS, integrality=[1, 0], maxfev=50, rng=1, history=True).history
    assert not hasattr(history, "violation")


def test_same_bits_with_workers_and_batches():
    options = {"constraints": "returned", "maxfev": 120, "rng": 3, "history": True}
    here = autov.minimize(disc, BOUNDS, **options)
    there = autov.minimize(disc, BOUNDS, workers=2, **options)
    batch = autov.minimize(disc_batch, BOUNDS, vectorized=True, **options)
    for other in (there, batch):
        np.testing.assert_array_equal(here.history.x, other.history.x)
        np.testing.assert_array_equal(here.history.violation, other.history.violation)
        assert here.fun == other.fun


def test_equality():
    found = autov.minimize(line, BOUNDS, constraints="returned", maxfev=2000, rng=1)
    assert abs(found.x.sum() - 1) <= 1e-4
    assert found.fun == pytest.approx(0.5, abs=1e-3)
    infeasible = autov.minimize(lambda x: (x[0], [], x[0] ** 2 + 1), BOUNDS, constraints="returned", maxfev=50, rng=1)
    assert infeasible.status == 8
    assert infeasible.maxcv == pytest.approx(1, abs=1e-2)
    assert infeasible.fun == np.inf


def test_integers():
    found = autov.minimize(disc, BOUNDS, constraints="returned", integrality=True, maxfev=100, rng=1)
    assert sorted(found.x) == [-1, 0]
    assert found.nfev == 25


def test_a_failed_simulation_fails_both():
    faults = autov.FaultPolicy(on_error="worst")
    found = autov.minimize(falls, BOUNDS, constraints="returned", maxfev=100, rng=1, faults=faults, history=True)
    failed = found.history.x[:, 0] > 0.5
    assert failed.any()
    assert found.failed == {"raised": failed.sum()}
    assert np.isinf(found.history.fun[failed]).all()
    assert np.isinf(found.history.violation[failed]).all()
    assert np.isfinite(found.history.violation[~failed]).all()
    with pytest.raises(RuntimeError, match="diverged") as caught:
        autov.minimize(falls, BOUNDS, constraints="returned", maxfev=100, rng=1)
    assert caught.value.autov_result.history.violation.shape == (caught.value.autov_result.nfev,)


def test_store_goes_on_with_values_and_constraints(tmp_path):
    fun, options = Counted(disc), {"constraints": "returned", "maxfev": 80, "rng": 5, "history": True}
    whole = autov.minimize(disc, BOUNDS, **options)

    def breaks(x):
        if len(fun.points) == 30:
            raise KeyboardInterrupt
        return fun(x)

    def problem(f):
        return autov.function_problem(f, BOUNDS, constraints="returned", key="disc")

    del options["constraints"]
    with pytest.raises(KeyboardInterrupt):
        autov.minimize(problem(breaks), store=tmp_path / "runs.db", **options)
    again = Counted(disc)
    found = autov.minimize(problem(again), store=tmp_path / "runs.db", **options)
    assert len(again.points) == 50
    np.testing.assert_array_equal(found.history.fun, whole.history.fun)
    np.testing.assert_array_equal(found.history.violation, whole.history.violation)
    known = autov.minimize(problem(Counted(disc)), known=tmp_path / "runs.db", maxfev=1, rng=1)
    assert known.fun == whole.fun


def test_known_evaluations_of_a_result_keep_what_is_infeasible():
    first = autov.minimize(disc, BOUNDS, constraints="returned", maxfev=100, rng=1, history=True)
    assert first.history.fun.min() < first.fun  # of an infeasible point
    second = autov.minimize(disc, BOUNDS, constraints="returned", maxfev=1, rng=1, known=first)
    assert second.fun == first.fun
    assert second.success is False or second.maxcv == 0


def test_ask_and_tell():
    optimizer = autov.Optimizer(BOUNDS, rng=1, maxfev=200, algorithm="ma-es")
    while not optimizer.stop():
        x = optimizer.ask()
        values, constraints = zip(*(disc(point) for point in x), strict=True)
        optimizer.tell(x, values, constraints=constraints)
    same = autov.minimize(disc, BOUNDS, constraints="returned", maxfev=200, rng=1, algorithm="ma-es")
    assert optimizer.result.fun == same.fun
    with pytest.raises(InputError, match="shape"):
        optimizer.tell(x, values, constraints=[1.0, 2.0, 3.0] * 9)
    with pytest.raises(InputError, match="not both"):
        optimizer.tell(x, values, np.zeros(len(x)), constraints=constraints)


@pytest.mark.parametrize(
    "fun",
    [
        lambda x: x[0],
        lambda x: (x[0],),
        lambda x: (x, x),
        lambda x: (x[0], None),
        lambda x: (x[0], "a"),
        lambda x: (x[0], [0.0] * (1 + (x[0] > 0))),
    ],
)
def test_other_returns_are_refused(fun):
    with pytest.raises(InputError):
        autov.minimize(fun, BOUNDS, constraints="returned", maxfev=50, rng=1, algorithm="de")


def test_refused_where_it_means_nothing():
    for fun in ("sphere", autov.function_problem(disc, BOUNDS, constraints="returned")):
        with pytest.raises(InputError, match="returned"):
            autov.minimize(fun, constraints="returned", maxfev=5)
    with pytest.raises(InputError, match="constraints"):
        autov.minimize(disc, BOUNDS, constraints="returns", maxfev=5)


def test_a_design_from_stored_runs_says_that_it_cannot_learn_them(tmp_path):
    problem = autov.function_problem(disc, BOUNDS, constraints="returned")
    autov.minimize(problem, maxfev=60, rng=1, store=tmp_path / "runs.db")
    with pytest.raises(InputError, match="returns with its value"):
        autov.design(problem, learn_from=tmp_path / "runs.db", preset="quick", rng=1)


def test_experience_of_such_runs(tmp_path):
    problem = autov.function_problem(disc, BOUNDS, constraints="returned")
    first = autov.minimize(problem, maxfev=200, rng=1, store=tmp_path / "runs.db")
    moved = autov.function_problem(lambda x: disc(x + 0.01), BOUNDS, constraints="returned")
    found = autov.minimize(moved, maxfev=60, rng=2, learn_from=tmp_path / "runs.db")
    assert disc(found.x + 0.01)[1][0] <= 0
    assert found.fun < first.fun + 0.1


def test_in_a_comparison_and_fixed_variables():
    problem = autov.function_problem(disc, [(-2.0, 2.0), (0.5, 0.5)], constraints="returned", name="chord")
    found = autov.minimize(problem, maxfev=200, rng=1)
    assert found.fun == pytest.approx(0.5 - 0.75**0.5, abs=1e-2)
    made = repeat(problem, resolve_algorithm("de"), runs=3, maxfev=100, popsize=10, workers=2)
    assert np.isfinite(made.values).all()
