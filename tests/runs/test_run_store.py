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


def test_a_budget_that_an_algorithm_plans_with_is_named(tmp_path):
    path = tmp_path / "runs.db"
    autov.minimize(PROBLEM, algorithm="general", store=path, **DEFAULT)
    with pytest.raises(
        FileError, match=f"the algorithm plans with its budget, .* begun with maxfev = {OPTIONS['maxfev']}, not 900"
    ):
        autov.minimize(PROBLEM, algorithm="general", store=path, **{**DEFAULT, "maxfev": 900})


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
