"""Runs that tell values as they come: every evaluation counts once, and a stored run is repeated to the bit."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import autov
from autov.core import FileError, InputError
from autov.runs.run_store import OtherPointError

BOUNDS = [(-5.0, 5.0)] * 4
LOCK = threading.Lock()
CALLS: list[np.ndarray] = []
FAIL_AT = [0]


def cost(x):
    with LOCK:
        CALLS.append(np.array(x))
        if len(CALLS) == FAIL_AT[0]:
            raise RuntimeError("the simulator died")
    time.sleep(0.004 * random.random())
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


PROBLEM = autov.function_problem(cost, BOUNDS, key="asynchronous")
OPTIONS = {"rng": 3, "schedule": "asynchronous", "history": True}


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()
    FAIL_AT[0] = 0


def on_threads(count, maxfev=150, **options):
    with ThreadPoolExecutor(count) as pool:
        return autov.minimize(PROBLEM, maxfev=maxfev, workers=pool, **OPTIONS, **options)


@pytest.mark.parametrize("algorithm", [None, "de+popsize=10", "ma-es"])
def test_exactly_the_budget_is_evaluated_and_the_best_is_found(algorithm):
    states = []
    algorithm, popsize = ("de", 10) if algorithm and algorithm.startswith("de") else (algorithm, None)
    result = on_threads(6, algorithm=algorithm, popsize=popsize, callback=lambda state: states.append(state))
    assert result.nfev == len(CALLS) == len(result.history.fun) == 150
    assert result.fun == result.history.fun.min()
    assert result.fun == cost(result.x)
    assert {row.tobytes() for row in result.history.x} == {row.tobytes() for row in CALLS[:150]}
    assert [state.nfev for state in states] == list(range(1, 151))
    assert sum(states[-1].members.values()) >= 150
    assert states[-1].workers == 6
    assert result.trace_nfev.tolist() == list(range(1, 151))


def test_workers_have_points_beside_a_batch_that_is_not_done():
    members = {}
    on_threads(16, callback=lambda state: members.update(state.members))
    assert members["extra points"] > 0
    alone = autov.minimize(PROBLEM, maxfev=60, rng=3)
    assert alone.fun == autov.minimize(PROBLEM, maxfev=60, workers=1, **OPTIONS).fun  # nothing beside it is needed


def test_a_stored_run_is_repeated_to_the_bit_with_any_workers(tmp_path):
    path = tmp_path / "runs.db"
    first = on_threads(6, store=path)
    CALLS.clear()
    for workers in (1, 2):
        again = autov.minimize(PROBLEM, maxfev=150, workers=workers, store=path, **OPTIONS)
        assert not CALLS
        assert np.array_equal(again.history.x, first.history.x)
        assert np.array_equal(again.history.fun, first.history.fun)
        assert np.array_equal(again.population, first.population)


def test_an_interrupted_run_goes_on_without_evaluating_anything_twice(tmp_path):
    path = tmp_path / "runs.db"
    FAIL_AT[0] = 80
    with pytest.raises(RuntimeError, match="died") as caught:
        on_threads(6, store=path)
    made = caught.value.autov_result
    assert 0 < made.nfev < 150
    CALLS.clear()
    FAIL_AT[0] = 0
    result = on_threads(4, store=path)
    assert len(CALLS) == 150 - made.nfev
    assert np.array_equal(result.history.x[: made.nfev], made.history.x)
    CALLS.clear()
    assert on_threads(2, store=path).fun == result.fun
    assert not CALLS


def test_a_stored_run_goes_on_to_more_evaluations(tmp_path):
    path = tmp_path / "runs.db"
    first = on_threads(4, maxfev=80, store=path)
    CALLS.clear()
    longer = on_threads(4, maxfev=200, store=path)
    assert len(CALLS) == 120
    assert longer.nfev == len(longer.history.fun) == 200
    assert longer.fun <= first.fun
    CALLS.clear()
    assert np.array_equal(on_threads(2, maxfev=200, store=path).history.x, longer.history.x)
    assert not CALLS


def test_batches_and_asynchronous_runs_do_not_mix_in_a_store(tmp_path):
    path = tmp_path / "runs.db"
    on_threads(3, store=path)
    CALLS.clear()
    autov.minimize(PROBLEM, maxfev=150, rng=3, store=path)
    assert len(CALLS) == 150


def test_another_point_than_the_stored_one_is_refused(tmp_path):
    import sqlite3
    from contextlib import closing

    path = tmp_path / "runs.db"
    on_threads(3, store=path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE evaluations SET x = ? WHERE number = 41", (np.zeros(4).tobytes(),))
        db.commit()
    with pytest.raises(OtherPointError, match="evaluation 42"):
        on_threads(3, store=path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("DELETE FROM evaluations WHERE number = 41")
        db.commit()
    with pytest.raises(FileError, match=r"evaluation 42 .* missing"):
        on_threads(3, store=path)


def test_failures_constraints_integers_and_fixed_variables():
    def fun(x):
        if x[0] < -3:
            raise ValueError("far")
        return float(((x - 0.3) ** 2).sum())

    with ThreadPoolExecutor(4) as pool:
        result = autov.minimize(
            fun, [(-5, 5), (1, 1), (-4, 9)], integrality=[False, False, True], maxfev=200, workers=pool,
            constraints={"type": "ineq", "fun": lambda x: x[0] - 1.0}, faults=autov.FaultPolicy(on_error="worst"),
            **OPTIONS,
        )  # fmt: skip
    assert result.nfev == 200
    assert result.maxcv == 0
    assert result.x[1] == 1.0
    assert result.x[2] == 0.0
    assert abs(result.x[0] - 1.0) < 0.2


def line_in_disc(x):
    return x[0] + x[1] + x[2], [x[0] ** 2 + x[1] ** 2 - 1, abs(x[2] - round(x[2]))]


def test_constraints_are_modelled(tmp_path):
    given = {"bounds": [(-2, 2), (-2, 2), (-1.5, 1.5), (3, 3)], "integrality": [False, False, True, False]}
    given |= {"constraints": "returned", "maxfev": 90, "rng": 1, "history": True}
    batches = autov.minimize(line_in_disc, **given)
    alone = autov.minimize(line_in_disc, schedule="asynchronous", **given)
    np.testing.assert_array_equal(alone.history.x, batches.history.x)
    problem = autov.function_problem(line_in_disc, given.pop("bounds"), constraints="returned", key="disc",
                                     integrality=given.pop("integrality"))  # fmt: skip
    del given["constraints"]
    with ThreadPoolExecutor(5) as pool:
        several = autov.minimize(problem, workers=pool, schedule="asynchronous", store=tmp_path / "r.db", **given)
    assert several.fun == pytest.approx(-1 - np.sqrt(2), abs=1e-2)
    assert several.maxcv == 0
    again = autov.minimize(problem, schedule="asynchronous", store=tmp_path / "r.db", **given)
    np.testing.assert_array_equal(again.history.x, several.history.x)


def test_a_target_ends_the_run():
    with ThreadPoolExecutor(4) as pool:
        result = autov.minimize(PROBLEM, target=5.0, maxfev=2000, workers=pool, **OPTIONS)
    assert result.status == 3
    assert result.nfev < 2000


@pytest.mark.parametrize(
    ("fun", "more", "message"),
    [
        ("sphere", {}, "Python functions of single points"),
        (cost, {"schedule": "sometimes"}, "must be 'batches' or 'asynchronous'"),
        (cost, {"algorithm": "scipy:de"}, "runs as a whole"),
        (cost, {"learn_from": ([[0.0] * 4], [1.0])}, "learn_from"),
    ],
)
def test_what_cannot_be_is_refused(fun, more, message):
    where = {"dim": 4} if fun == "sphere" else {"bounds": BOUNDS}
    with pytest.raises(InputError, match=message):
        autov.minimize(fun, maxfev=20, **where, **({"schedule": "asynchronous"} | more))


def test_processes():
    result = autov.minimize(lambda x: float((x**2).sum()), BOUNDS, maxfev=60, workers=2, **OPTIONS)
    assert result.nfev == 60
    assert result.fun < 10
