"""Designs from earlier runs: what is read, the check before the search, and that the problem is not called."""

import json

import numpy as np
import pytest

import autov
from autov.cli import main
from autov.core import InputError
from autov.designer import history_check
from autov.designer.history import learned_from, recordings_of
from autov.designer.history_check import OPTIMISERS, HistoryCheck, Validation, recorded_ranks

BOX = [(-5.0, 5.0)] * 3
CALLS = [0]
SMALL = {"generations": 1, "population": 4, "race_size": 2, "race_runs": 2, "retest_runs": 3, "space": "evolution"}


def bowl(shift=0.0, key=None, name=None, **more):
    def fun(x):
        CALLS[0] += 1
        y = x - shift - np.array([2.0, -3.0, 1.0])
        return float((y**2).sum() + 2 * (1 - np.cos(3 * y)).sum())

    return autov.function_problem(fun, BOX, name=name or f"bowl {shift:g}", key=key or f"bowl {shift}", **more)


@pytest.fixture(autouse=True)
def few_runs(monkeypatch):
    monkeypatch.setattr(history_check, "LEARNED_RUNS", 4)


@pytest.fixture
def any_order(monkeypatch):
    """So few and short runs do not tell an order."""
    monkeypatch.setattr(history_check, "AGREEMENT", -1.0)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Runs of all optimisers on two problems."""
    path = tmp_path_factory.mktemp("history") / "runs.db"
    for shift in (0.0, 0.4):
        for seed, name in enumerate(OPTIMISERS):
            popsize = {"popsize": 20} if name in ("de", "ga", "pso") else {}
            autov.minimize(bowl(shift), algorithm=name, maxfev=150, rng=seed, store=path, **popsize)
    return path


@pytest.fixture(scope="module")
def of_one(tmp_path_factory):
    """One run of one optimiser."""
    path = tmp_path_factory.mktemp("history") / "one.db"
    autov.minimize(bowl(), algorithm="de", popsize=20, maxfev=150, rng=1, store=path)
    return path


def test_runs_on_one_problem_are_one_source(store):
    found = recordings_of(store, None)
    assert [one.label for one in found] == ["bowl 0", "bowl 0.4"]
    assert [len(one.f) for one in found] == [900, 900]
    assert [len(one.runs) for one in found] == [6, 6]


def test_recorded_orders_are_those_of_best_values(store):
    names, ranks, count = recorded_ranks(recordings_of(store, None))
    best = {}
    for shift in (0.0, 0.4):
        for seed, name in enumerate(OPTIMISERS):
            popsize = {"popsize": 20} if name in ("de", "ga", "pso") else {}
            run = autov.minimize(bowl(shift), algorithm=name, maxfev=150, rng=seed, **popsize)
            best.setdefault(name, []).append(run.fun)
    assert count == 150
    assert set(names) == set(OPTIMISERS)
    assert names[int(ranks.argmax())] == max(best, key=lambda name: sum(best[name]))


def test_a_run_with_experience_tells_nothing_of_the_order(of_one, tmp_path):
    path = tmp_path / "more.db"
    autov.minimize(bowl(1.0), algorithm="ma-es", maxfev=100, rng=1, store=path, learn_from=of_one)
    assert recorded_ranks(recordings_of(path, None))[0] == ()


def test_learned_functions_order_points_that_they_never_saw(store):
    learned = learned_from(store, None)
    assert np.median(learned.correlations) > 0.8
    assert (learned.maxfev, learned.popsize) == (150, 60)  # medians


@pytest.mark.usefixtures("any_order")
def test_a_design_from_a_store_calls_nothing(store, tmp_path):
    lines = []
    CALLS[0] = 0
    found = autov.design(learn_from=store, rng=1, checkpoint=tmp_path / "search.npz", log=lines.append, **SMALL)
    assert CALLS[0] == 0
    assert found.settings["problems"] == ["learned bowl 0", "learned bowl 0.4"]
    assert found.budgets == (150, 150)
    assert lines[0] == found.self_check == found.provenance["self_check"]
    assert found.validation is None
    again = autov.design(learn_from=store, rng=1, **SMALL)
    assert np.array_equal(found.retested, again.retested)


@pytest.mark.usefixtures("any_order")
def test_a_limit_leaves_the_sizes_that_were_given(store):
    given = {"generations": 3, "population": 5, "race_runs": 3}
    found = autov.design(learn_from=store, rng=1, evaluations=60_000, **{**SMALL, **given})
    assert {name: found.settings[name] for name in given} == given
    assert found.evaluations <= 60_000


@pytest.mark.usefixtures("any_order")
def test_real_runs_and_validation_spend_what_they_say(of_one, tmp_path):
    CALLS[0] = 0
    asked = {"learn_from": of_one, "real_runs": 6, "validate": 2, "rng": 1, **SMALL}
    found = autov.design(bowl(0.2), checkpoint=tmp_path / "search.npz", **asked)
    assert CALLS[0] == (6 + 2 * 2) * 150
    assert found.validation.designed.shape == found.validation.default.shape == (1, 2)
    assert (tmp_path / "real-runs.db").is_file()
    assert found.provenance["validation"] == found.validation.line


def test_an_unknown_order_is_refused_unless_that_is_accepted(of_one, tmp_path):
    with pytest.raises(InputError, match="started cold are of de only"):
        autov.design(learn_from=of_one, rng=1, checkpoint=tmp_path / "mine" / "search.npz", **SMALL)
    assert not any(tmp_path.iterdir())
    assert "not checked" in autov.design(learn_from=of_one, real_runs=0, rng=1, **SMALL).self_check


def test_a_budget_that_was_not_recorded_needs_real_runs(store):
    with pytest.raises(InputError, match="real_runs=12"):
        autov.design(learn_from=store, rng=1, budgets=(600,), **SMALL)


@pytest.mark.usefixtures("any_order")
def test_the_check_makes_runs_of_the_length_that_the_design_is_for(of_one):
    CALLS[0] = 0
    asked = {"learn_from": of_one, "real_runs": 6, "validate": 1, "rng": 1, "budgets": (60, 240), **SMALL}
    assert autov.design(bowl(0.2), **asked).validation.maxfev == 240
    assert CALLS[0] == (6 + 2) * 240


def test_values_without_any_order_are_refused():
    rng = np.random.default_rng(1)
    table = rng.uniform(-5, 5, (100, 3)), rng.random(100)
    with pytest.raises(InputError, match="Missing for a design is a correlation"):
        autov.design(None, BOX, learn_from=table, real_runs=0, rng=1, **SMALL)


def test_another_order_of_optimisers_is_refused():
    ranks = np.arange(6.0)
    assert HistoryCheck(0.9, "real", OPTIMISERS, ranks, ranks).refusal == ""
    assert "agreement" in HistoryCheck(0.9, "real", OPTIMISERS, ranks, ranks[::-1]).refusal
    assert "correlation" in HistoryCheck(0.3, "real", OPTIMISERS, ranks, ranks).refusal


def test_few_points_are_refused():
    x = np.random.default_rng(1).uniform(-5, 5, (30, 3))
    with pytest.raises(InputError, match="40 different points"):
        autov.design(None, BOX, learn_from=(x, x.sum(axis=1)), real_runs=0, **SMALL)
    near = 1e-3 * np.random.default_rng(1).uniform(-5, 5, (300, 3))
    with pytest.raises(InputError, match="is 1:"):
        autov.design(None, BOX, learn_from=(near, near.sum(axis=1)), real_runs=0, **SMALL)


def test_integers_and_constraints_stay(tmp_path):
    path = tmp_path / "runs.db"
    problem = bowl(0.0, "whole", integrality=[1, 0, 0], constraints={"type": "ineq", "fun": lambda x: x[1] + 2.0})
    autov.minimize(problem, algorithm="de", popsize=20, maxfev=200, rng=1, store=path)
    with pytest.raises(InputError, match="under constraints; give the problem"):
        learned_from(path, None)
    family = learned_from(path, problem).families[0]
    assert family.whole == (True, False, False)
    found = autov.minimize(family.instance(3), algorithm="de", popsize=20, maxfev=200, rng=2)
    assert found.x[0] == np.rint(found.x[0])
    assert found.x[1] >= -2
    integers = bowl(0.0, "integers", integrality=[1, 0, 0])
    autov.minimize(integers, algorithm="de", popsize=20, maxfev=200, rng=1, store=tmp_path / "integers.db")
    alone = learned_from(tmp_path / "integers.db", None).families[0]  # the store tells which they are
    assert alone.whole == (True, False, False)
    assert alone.box == integers.box
    assert alone.objective() is not None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "problem: needed"),
        ({"problem": "sphere", "real_runs": 6}, "only with learn_from"),
        ({"learn_from": "nowhere.db"}, "no such file"),
        ({"learn_from": "STORE", "real_runs": 12}, "real_runs: needs the problem"),
        ({"learn_from": "STORE", "validate": 2}, "validate: needs the problem"),
        ({"problem": bowl(), "learn_from": "STORE", "real_runs": 3}, "at least one for each"),
        ({"problem": bowl(), "learn_from": "STORE", "surrogate": bowl()}, "not from both"),
        ({"learn_from": ([[1.0, 2.0]], [1.0])}, "give the problem or its bounds"),
    ],
)
def test_bad_input_is_named(given, said, of_one):
    given = {name: of_one if isinstance(value, str) and value == "STORE" else value for name, value in given.items()}
    with pytest.raises(InputError, match=said):
        autov.design(**given, **SMALL)


def test_a_validation_says_who_is_better():
    better, worse = np.arange(10.0)[None], np.arange(10.0)[None] + 1
    assert "significantly better" in Validation(better, worse, 100, [None]).line
    assert "significantly worse" in Validation(worse, better, 100, [None]).line
    assert "no significant" in Validation(better, better, 100, [None]).line


def test_a_validation_takes_solved_runs_for_equal():
    better, worse = np.full((1, 10), 1e-12), np.full((1, 10), 1e-10)
    assert "significantly better" in Validation(better, worse, 100, [None]).line
    assert "better in 0 of 10 pairs, no significant" in Validation(better, worse, 100, [0.0]).line


@pytest.mark.usefixtures("any_order")
def test_the_command_designs_from_a_store(store, tmp_path, capsys):
    sizes = ["--generations=1", "--population=4", "--race-runs=2", "--retest-runs=3", "--space=evolution"]
    with pytest.raises(SystemExit) as ended:
        main(["design", "--learn-from", str(store), "--out", str(tmp_path / "mine"), "--json", *sizes])
    assert ended.value.code in (0, None)
    told = json.loads(capsys.readouterr().out)
    assert told["self_check"].startswith("self-check")
    assert told["validation"] is None
    assert (tmp_path / "mine" / "optimizer.json").is_file()


@pytest.mark.usefixtures("any_order")
@pytest.mark.parametrize("worse", [True, False])
def test_a_design_that_is_worse_on_the_problem_is_refused(of_one, monkeypatch, worse):
    def real_run(problem, algorithm, *rest):  # noqa: ARG001
        return float(worse and algorithm is not None)

    monkeypatch.setattr(history_check, "_real_run", real_run)
    asked = {"learn_from": of_one, "real_runs": 0, "validate": 3, "rng": 1, "known": False, "final_race": False}
    found = autov.design(bowl(0.2), **SMALL, **asked)
    assert found.validation.passed is not worse
    assert (found.baseline == "general") is worse
    assert ("refused design" in found.baselines) is worse
    assert ("general" in found.baselines) is not worse
    assert set(found.baselines) == set(found.rivals)
    assert found.provenance["baseline"] == found.baseline
    assert ("refused" in found.provenance["validation"]) is worse


@pytest.mark.usefixtures("any_order")
def test_a_design_remembers_what_was_recorded_and_validation_leaves_it_out(store, monkeypatch):
    learned, met = learned_from(store, None), []
    best = np.array([one.x[one.f.argmin()] for one in learned.recordings])

    def real_run(problem, algorithm, *rest):  # noqa: ARG001
        met.append(algorithm)
        return 0.0

    monkeypatch.setattr(history_check, "_real_run", real_run)
    asked = {"learn_from": store, "real_runs": 0, "validate": 1, "rng": 1, "remember": True}
    found = autov.design([bowl(0.0), bowl(9.0, name="new")], **SMALL, **asked)
    assert np.allclose(np.array(found.algorithm.points) * 10 - 5, best)
    assert [len(getattr(one, "points", ())) for one in met[:2]] == [1, 2]
