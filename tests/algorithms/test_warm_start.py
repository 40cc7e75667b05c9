"""An algorithm that remembers: it starts at its points where they are good, and cold elsewhere."""

import json

import numpy as np
import pytest

import autov
from autov.algorithms import resolve_algorithm
from autov.algorithms.files import load_algorithm, save_algorithm
from autov.algorithms.start_distribution import PART
from autov.algorithms.text import explain
from autov.algorithms.warm_start import WarmStart
from autov.core import FileError, InputError
from autov.runs import solve

D = 4
BOX = [(-5.0, 5.0)] * D
PLACE = np.array([2.0, -3.0, 1.0, 3.5])
POINTS = tuple(map(tuple, ((PLACE + 0.2 * np.random.default_rng(1).standard_normal((8, D))) + 5) / 10))
ASKED = []


def bowl(shift=0.0):
    def fun(x):
        ASKED.append(x.copy())
        y = x - PLACE - shift
        return float((y**2).sum() + 3 * (1 - np.cos(2 * (y + y.sum()))).sum())  # not separable

    return autov.function_problem(fun, BOX, name="bowl", key=f"warm {shift}")


def warm(name, points=POINTS):
    return WarmStart(resolve_algorithm(name), points, (0.01,) * D)


@pytest.fixture(autouse=True)
def clean():
    ASKED.clear()


@pytest.mark.parametrize("name", ["general", "portfolio", "ma-es", "de", "quasi-newton"])
def test_it_is_better_where_the_optimum_is_remembered(name):
    problem = bowl(0.1)
    cold, found = ([solve(problem, one, maxfev=100, seed=s).fun for s in range(6)]
                   for one in (resolve_algorithm(name), warm(name)))  # fmt: skip
    assert np.mean(found) < 0.5 * np.mean(cold)


@pytest.mark.parametrize("name", ["general", "de"])
def test_elsewhere_it_starts_cold_after_a_twentieth_of_the_budget(name):
    problem, algorithm = bowl(-5.0), warm(name, tuple(tuple(1 - np.array(p)) for p in POINTS))
    state = algorithm.init(problem.box, 100, 400, np.random.default_rng(1))
    x, state = algorithm.ask(state, np.random.default_rng(1))
    assert 1 <= len(x) <= PART * 400
    state = algorithm.tell(state, x, np.arange(len(x), 0, -1.0), np.random.default_rng(1))
    assert not state.known


@pytest.mark.parametrize("name", ["general", "portfolio", "de", "ga"])
def test_no_point_is_evaluated_twice_and_the_budget_is_exact(name):
    solve(bowl(), warm(name), maxfev=300, popsize=20, seed=1)
    assert len(ASKED) == 300
    first = np.array(ASKED[: int(PART * 300)])
    later = np.array(ASKED[len(first) :])
    assert not any((later == row).all(axis=1).any() for row in first)


def test_what_was_tried_is_told(monkeypatch):
    told = []
    algorithm = warm("de")
    original = type(algorithm.cold).tell
    monkeypatch.setattr(
        type(algorithm.cold), "tell",
        lambda self, state, x, f, rng: told.append((x.copy(), f.copy())) or original(self, state, x, f, rng),
    )  # fmt: skip
    solve(bowl(), algorithm, maxfev=300, popsize=20, seed=1)
    x, f = told[0]
    assert len(x) == 20
    again = bowl()
    assert f == pytest.approx(again(x, None))
    assert any((np.array(ASKED[:15]) == row).all(axis=1).any() for row in x)


def test_given_points_and_other_dimensions_start_cold():
    algorithm, cold = warm("de"), resolve_algorithm("de")
    for problem, x0 in ((bowl(), np.zeros(D)), (autov.function_problem(lambda x: x @ x, [(-1, 1)] * 3), None)):
        one, other = (solve(problem, each, maxfev=60, popsize=10, seed=1, x0=x0) for each in (algorithm, cold))
        assert np.array_equal(one.x, other.x)


def test_ask_and_tell_gives_the_same_points():
    optimizer = autov.Optimizer(BOX, algorithm=warm("de"), popsize=20, maxfev=200, rng=3)
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, bowl()(x, None))
    by_hand = np.array(ASKED)
    ASKED.clear()
    autov.minimize(bowl(), algorithm=warm("de"), popsize=20, maxfev=200, rng=3)
    assert np.array_equal(by_hand, np.array(ASKED))


def test_a_saved_optimizer_goes_on(tmp_path):
    optimizer = autov.Optimizer(BOX, algorithm=warm("de"), popsize=20, maxfev=200, rng=3)
    for _ in range(2):
        x = optimizer.ask()
        optimizer.tell(x, bowl()(x, None))
    optimizer.save(tmp_path / "half.npz")
    again = autov.Optimizer.load(tmp_path / "half.npz")
    assert np.array_equal(again.ask(), optimizer.ask())


def test_a_file_holds_it_and_cold_leaves_it_out(tmp_path):
    path = tmp_path / "optimizer.json"
    save_algorithm(warm("de"), path)
    assert load_algorithm(path) == warm("de")
    assert resolve_algorithm(f"{path}+cold") == resolve_algorithm("de")
    assert autov.minimize(bowl(), algorithm=str(path), maxfev=100, rng=1).fun < 3
    shown = explain(load_algorithm(path))
    assert "8 points of 4 variables" in shown
    assert "not translation invariant" in shown
    assert "x[0] 7" in shown


@pytest.mark.parametrize(
    "start",
    [
        {}, {"points": [], "spread": []}, {"points": [[0.5]], "spread": [0.1, 0.1]}, {"points": "x", "spread": [0.1]},
        {"points": [[1.5]], "spread": [0.1]}, {"points": [[float("nan")]], "spread": [0.1]}, 7,
        {"points": [[0.5]] * 1001, "spread": [0.1]}, {"points": [[0.5]], "spread": [-0.1]},
    ],
)  # fmt: skip
def test_hostile_files_are_refused(tmp_path, start):
    path = tmp_path / "optimizer.json"
    save_algorithm(warm("de"), path)
    data = json.loads(path.read_text())
    data["algorithm"]["start"] = start
    path.write_text(json.dumps(data))
    with pytest.raises(FileError, match="not an optimizer"):
        load_algorithm(path)


def test_a_memory_in_a_memory_is_refused():
    with pytest.raises(InputError, match=r"^start: "):
        WarmStart(warm("de"), POINTS, (0.01,) * D)


def test_a_check_says_that_it_knows_places():
    report = autov.check_algorithm(warm("de"), "rosenbrock", dim=2, runs=20, rng=1, properties=("translation", "order"))
    assert report.holds == {"translation": False, "order": True}
    assert "problems with a fixed optimum" in report["translation"].note()
    assert "+cold: yes" in report["translation"].note()
