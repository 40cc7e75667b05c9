"""Runs that go on after a crash, and exceptions that carry what was evaluated before them."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

import autov
from autov.core import FileError

BOX = [(-5.0, 5.0)] * 3
OPTIONS = {"maxfev": 200, "popsize": 20, "rng": 3}
DEFAULT = {"maxfev": 200, "rng": 3}  # for the default, which has its own populations
CALLS = []
FAIL_AT = [None]


def stored_evaluations(path):
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT count(*) FROM evaluations").fetchone()[0]


def cost(x):
    if FAIL_AT[0] is not None and len(CALLS) == FAIL_AT[0]:
        raise RuntimeError("the simulator died")
    CALLS.append(x)
    return float((x**2).sum())


# What the function counts is not part of what decides its values.
PROBLEM = autov.function_problem(cost, BOX, name="cost", key="cost 1")


@pytest.fixture(autouse=True)
def clean():
    CALLS.clear()
    FAIL_AT[0] = None


@pytest.mark.parametrize("algorithm", ["paper-h3", "shade", "cma-es", "scipy:de"])
def test_a_run_goes_on_with_the_same_bits(tmp_path, algorithm):
    whole = autov.minimize(PROBLEM, algorithm=algorithm, **OPTIONS)
    CALLS.clear()
    FAIL_AT[0] = 150
    path = tmp_path / "runs.db"
    with pytest.raises(RuntimeError, match="died") as caught:
        autov.minimize(PROBLEM, algorithm=algorithm, store=path, **OPTIONS)
    made = caught.value.autov_result.history
    assert made.x.shape == (150, 3)
    assert np.array_equal(made.x, np.array(CALLS))
    assert made.fun.tolist() == [float((x**2).sum()) for x in CALLS]
    found = caught.value.autov_result
    assert (found.nfev, found.fun, found.success) == (150, made.fun.min(), False)
    assert f"150 evaluations were made, see error.autov_result; {path} has them" in caught.value.__notes__[0]
    CALLS.clear()
    FAIL_AT[0] = None
    resumed = autov.minimize(PROBLEM, algorithm=algorithm, store=path, history=True, **OPTIONS)
    assert len(CALLS) == 50
    assert np.array_equal(resumed.x, whole.x)
    assert np.array_equal(resumed.population, whole.population)
    assert len(resumed.history.fun) == 200
    CALLS.clear()
    again = autov.minimize(PROBLEM, algorithm=algorithm, store=path, **OPTIONS)
    assert not CALLS
    assert again.fun == whole.fun


def test_workers_write_what_is_done_and_go_on(tmp_path):
    path = tmp_path / "runs.db"

    def fragile(x):
        if (tmp_path / "broken").exists() and x[0] > 4:
            raise RuntimeError("far")
        return float((x**2).sum())

    problem = autov.function_problem(fragile, BOX, key="fragile")
    options = {**OPTIONS, "algorithm": "paper-h3"}
    whole = autov.minimize(problem, **options)
    (tmp_path / "broken").touch()
    with pytest.raises(RuntimeError) as caught:
        autov.minimize(problem, store=path, workers=2, **options)
    made = caught.value.autov_result.history
    (tmp_path / "broken").unlink()
    assert stored_evaluations(path) == len(made.fun)
    assert np.array_equal(autov.minimize(problem, store=path, workers=2, **options).x, whole.x)


def test_a_run_that_an_exception_ended_goes_on_where_exceptions_count_as_worst(tmp_path):
    path = tmp_path / "runs.db"
    options = {"algorithm": "pso", "maxfev": 200, "popsize": 20, "store": path}
    worst = autov.FaultPolicy(on_error="worst")
    FAIL_AT[0] = 90
    with pytest.raises(RuntimeError):
        autov.minimize(PROBLEM, **options)
    bad, FAIL_AT[0] = len(CALLS), None
    found = autov.minimize(PROBLEM, faults=worst, **options)
    assert (bad, len(CALLS), found.failed) == (90, 200, {})
    CALLS.clear()
    assert autov.minimize(PROBLEM, faults=worst, **options).fun != found.fun  # that one is finished: a new run
    assert len(CALLS) == 200


def test_points_that_counted_as_worst_do_not_where_exceptions_are_raised(tmp_path):
    def fragile(x):
        if x[0] > 4:
            raise RuntimeError("far")
        return float((x**2).sum())

    problem = autov.function_problem(fragile, BOX, key="fragile")
    options = {"algorithm": "pso", "store": tmp_path / "runs.db", **OPTIONS}
    first = autov.minimize(problem, faults=autov.FaultPolicy(on_error="worst"), **options)
    assert first.failed["raised"] > 0
    assert autov.minimize(problem, faults=autov.FaultPolicy(on_error="worst"), **options).fun == first.fun
    with pytest.raises(RuntimeError, match="far"):
        autov.minimize(problem, **options)


def test_without_a_seed_the_interrupted_run_is_taken_up(tmp_path):
    path = tmp_path / "runs.db"
    options = {"maxfev": 200, "store": path, "algorithm": "ma-es"}
    FAIL_AT[0] = 90
    with pytest.raises(RuntimeError):
        autov.minimize(PROBLEM, **options)
    FAIL_AT[0] = None
    first = autov.minimize(PROBLEM, **options)
    assert len(CALLS) == 200
    second = autov.minimize(PROBLEM, **options)  # that one is finished: a new run
    assert len(CALLS) == 400
    assert first.fun != second.fun


def test_more_evaluations_go_on_from_fewer_and_others_do_not_mix(tmp_path):
    path = tmp_path / "runs.db"
    autov.minimize(PROBLEM, algorithm="de", store=path, **OPTIONS)
    longer = autov.minimize(PROBLEM, algorithm="de", store=path, **{**OPTIONS, "maxfev": 300})
    assert len(CALLS) == 300
    assert longer.fun == autov.minimize(PROBLEM, algorithm="de", **{**OPTIONS, "maxfev": 300}).fun
    CALLS.clear()
    autov.minimize(PROBLEM, algorithm="pso", store=path, **OPTIONS)
    autov.minimize(PROBLEM, algorithm="de", store=path, **{**OPTIONS, "rng": 4})
    assert len(CALLS) == 400


def test_another_point_than_the_stored_one_is_refused(tmp_path):
    path = tmp_path / "runs.db"
    autov.minimize(PROBLEM, store=path, **DEFAULT)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE evaluations SET x = ? WHERE number = 41", (np.zeros(3).tobytes(),))
    db.close()
    with pytest.raises(FileError, match="evaluation 42 of the stored run was at another point"):
        autov.minimize(PROBLEM, store=path, **DEFAULT)


def test_fewer_evaluations_than_stored_are_refused_where_the_algorithm_plans_with_its_budget(tmp_path):
    path = tmp_path / "runs.db"
    autov.minimize(PROBLEM, algorithm="general", store=path, **DEFAULT)
    with pytest.raises(FileError, match=r"plans with its budget, .* begun with maxfev = 200, not 60"):
        autov.minimize(PROBLEM, algorithm="general", store=path, **{**DEFAULT, "maxfev": 60})


@pytest.mark.parametrize("algorithm", ["general", "cma:default"])
def test_a_run_that_planned_with_fewer_evaluations_goes_on_to_more(tmp_path, algorithm):
    if algorithm.startswith("cma"):
        pytest.importorskip("cma")
    options = {"algorithm": algorithm, "store": tmp_path / "runs.db", "history": True, "rng": 3}
    states = []
    first = autov.minimize(PROBLEM, maxfev=200, **options)
    CALLS.clear()
    longer = autov.minimize(PROBLEM, maxfev=500, callback=lambda state: states.append(state.nfev), **options)
    assert len(CALLS) == 300
    assert longer.nfev == len(longer.history.fun) == longer.trace_nfev[-1] == states[-1] == 500
    assert np.array_equal(longer.history.x[:200], first.history.x)
    assert np.array_equal(longer.history.fun[:200], first.history.fun)
    assert longer.fun == longer.history.fun.min() == longer.trace_best[-1] <= first.fun
    assert (np.diff(longer.trace_nfev) > 0).all()
    assert (np.diff(longer.trace_best) <= 0).all()
    CALLS.clear()
    again = autov.minimize(PROBLEM, maxfev=500, **options)
    back = autov.minimize(PROBLEM, maxfev=200, **options)
    assert not CALLS
    assert np.array_equal(again.history.x, longer.history.x)
    assert np.array_equal(back.history.x, first.history.x)
    longest = autov.minimize(PROBLEM, maxfev=550, **options)
    assert len(CALLS) == 50
    assert np.array_equal(longest.history.x[:500], longer.history.x)


def test_a_run_that_went_on_can_be_interrupted_and_goes_on_with_the_same_bits(tmp_path):
    options = {"history": True, "rng": 3}
    autov.minimize(PROBLEM, maxfev=200, store=tmp_path / "whole.db", **options)
    whole = autov.minimize(PROBLEM, maxfev=400, store=tmp_path / "whole.db", **options)
    path = tmp_path / "cut.db"
    autov.minimize(PROBLEM, maxfev=200, store=path, **options)
    CALLS.clear()
    FAIL_AT[0] = 77
    with pytest.raises(RuntimeError, match="died") as caught:
        autov.minimize(PROBLEM, maxfev=400, store=path, **options)
    FAIL_AT[0] = None
    made = caught.value.autov_result.nfev
    assert 200 < made < 400
    assert np.array_equal(caught.value.autov_result.history.x, whole.history.x[:made])
    CALLS.clear()
    again = autov.minimize(PROBLEM, maxfev=400, store=path, **options)
    assert len(CALLS) == 400 - made
    assert np.array_equal(again.history.x, whole.history.x)


def test_an_interrupted_run_goes_on_to_more_than_it_was_begun_with(tmp_path):
    path = tmp_path / "runs.db"
    FAIL_AT[0] = 60
    with pytest.raises(RuntimeError, match="died") as caught:
        autov.minimize(PROBLEM, maxfev=200, store=path, rng=3)
    FAIL_AT[0] = None
    made = caught.value.autov_result.nfev
    CALLS.clear()
    result = autov.minimize(PROBLEM, maxfev=500, store=path, rng=3)
    assert result.nfev == 500
    assert len(CALLS) == 500 - made


def test_without_a_seed_the_last_shorter_run_goes_on_once(tmp_path):
    path = tmp_path / "runs.db"
    for maxfev, calls in ((200, 200), (300, 100), (300, 300)):
        CALLS.clear()
        autov.minimize(PROBLEM, maxfev=maxfev, store=path)
        assert len(CALLS) == calls


def test_constraints_integers_and_fixed_variables_go_on(tmp_path):
    def fun(x):
        CALLS.append(0)
        return float(((x - 0.3) ** 2).sum())

    options = {
        "bounds": [(-5, 5), (1, 1), (-4, 9)], "integrality": [False, False, True], "store": tmp_path / "runs.db",
        "constraints": {"type": "ineq", "fun": lambda x: x[0] - 1.0}, "rng": 3,
    }  # fmt: skip
    first = autov.minimize(fun, maxfev=100, **options)
    CALLS.clear()
    longer = autov.minimize(fun, maxfev=250, **options)
    assert longer.nfev == 250
    assert len(CALLS) <= 150  # an infeasible point is not evaluated
    assert longer.fun <= first.fun
    assert longer.x[1] == 1.0
    assert longer.x[2] == round(longer.x[2])
    assert np.isfinite(longer.trace_best[-1])


def test_files_of_another_kind_are_refused(tmp_path):
    text = tmp_path / "a.txt"
    text.write_text("no database, but long enough to be looked at " * 30)
    with pytest.raises(FileError, match="cannot be used as a store"):
        autov.minimize(PROBLEM, store=text, **DEFAULT)
    results = tmp_path / "results.db"
    autov.compare(["de"], ["sphere"], dim=2, maxfev=40, popsize=10, runs=1, store=results, workers=1)
    with pytest.raises(FileError, match="not a store of minimize"):
        autov.minimize(PROBLEM, store=results, **DEFAULT)
    with pytest.raises(FileError, match="does not exist"):
        autov.minimize(PROBLEM, store=tmp_path / "no" / "runs.db", **DEFAULT)


def test_compiled_problems_are_stored_too(tmp_path):
    path = tmp_path / "runs.db"
    options = {"dim": 3, "maxfev": 200, "rng": 1}
    stored = autov.minimize("quartic", store=path, **options)
    assert stored.fun == autov.minimize("quartic", **options).fun
    assert stored_evaluations(path) == 200
    assert stored.fun == autov.minimize("quartic", store=path, **options).fun


def test_batches_before_a_failing_one_are_carried():
    def batch(x):
        if len(CALLS) == 3:
            raise ValueError("no")
        CALLS.append(x)
        return (x**2).sum(axis=1)

    with pytest.raises(ValueError, match="no") as caught:
        autov.minimize(batch, BOX, vectorized=True, algorithm="paper-h3", **OPTIONS)
    assert len(caught.value.autov_result.history.fun) == 60
