"""What every adapter must keep to, for the libraries that are installed."""

import ast
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from functools import cache
from importlib import metadata

import numpy as np
import pytest

from autov.algorithms import resolve_algorithm
from autov.core import Box, InputError
from autov.experiments import compare
from autov.experiments.task import identify
from autov.peers import PEERS, PREFIXES
from autov.problems import resolve_problem
from autov.runs import solve

MODULES = {
    "cma": "cma", "scipy": "scipy", "pymoo": "pymoo", "minion": "minionpy", "nevergrad": "nevergrad", "cmaes": "cmaes",
    "pypop7": "pypop7", "nlopt": "nlopt", "optuna": "optuna", "smac": "smac",
}  # fmt: skip
ALL = pytest.mark.parametrize("name", list(PEERS))
BUDGET = dict.fromkeys(PEERS, 211) | {
    "nevergrad:ngopt": 83, "minion:nlshade-rsp": 401, "optuna:tpe": 83, "optuna:gp": 31, "smac:hpo": 83,
}  # fmt: skip
# in the middle of a generation; some are slow, and NL-SHADE-RSP begins with 30 points for a variable
SLOW = ("nevergrad:ngopt", "optuna:tpe", "optuna:gp", "smac:hpo")
# Of a library or a peer; else peers.
EXTRAS = {"pypop7": "pypop7", "optuna:tpe": "optuna", "optuna:gp": "optuna-gp", "smac": "smac"}
SEEDLESS = ("scipy:direct",)  # has no random numbers


class Recorded:
    """A function on a skewed box that keeps the points it was called with."""

    name = "recorded"
    minimum = optimum = None

    def __init__(self, function, box=None):
        self.function = function
        self.box = box or Box(np.array([-1e-3, 5.0, -1e6]), np.array([2.0, 5.5, -1e5]))
        self.points = []

    def __call__(self, x, rng):  # noqa: ARG002
        self.points += list(x.copy())
        return self.function((x - self.box.lower) / self.box.width)

    def objective(self):
        return None


def sphere(u):
    return ((u - 0.3) ** 2).sum(axis=1)


def corner(u):
    return u.sum(axis=1)


def holes(u):
    return np.where(10 * u[:, 0] % 1 < 0.3, np.nan, sphere(u))  # in stripes


def algorithm(name):
    pytest.importorskip(MODULES[name.partition(":")[0]], exc_type=ImportError)
    if name == "optuna:gp":
        pytest.importorskip("torch", exc_type=ImportError)
    return resolve_algorithm(name)


@cache
def outcome(name, function, seed=1):
    problem = Recorded(function)
    run = solve(problem, algorithm(name), maxfev=BUDGET[name], popsize=20, seed=seed)
    return run, np.array(problem.points)


@ALL
def test_the_budget_is_exact(name):
    run, points = outcome(name, sphere)
    assert len(points) == run.nfev == BUDGET[name]
    assert not run.stopped


@ALL
@pytest.mark.parametrize("maxfev", [1, 7])
def test_the_budget_is_exact_when_tiny(name, maxfev):
    problem = Recorded(sphere)
    assert solve(problem, algorithm(name), maxfev=maxfev, popsize=20).nfev == len(problem.points) == maxfev


@pytest.mark.parametrize("name", [name for name in PEERS if name not in SLOW])
def test_a_converged_search_uses_the_budget_too(name):
    problem = Recorded(sphere, Box.cube(-1, 1, 2))
    assert solve(problem, algorithm(name), maxfev=3000, popsize=20).nfev == len(problem.points) == 3000


@ALL
def test_points_stay_in_the_box(name):
    run, points = outcome(name, corner)
    box = Recorded(corner).box
    assert ((points >= box.lower) & (points <= box.upper)).all()
    assert ((run.x >= box.lower) & (run.x <= box.upper)).all()


@ALL
def test_a_seed_gives_the_same_bits_and_leaves_the_global_stream_alone(name):
    _, first = outcome(name, sphere)
    np.random.seed(5)  # noqa: NPY002
    before = np.random.get_state()  # noqa: NPY002
    again, other = Recorded(sphere), Recorded(sphere)
    solve(again, algorithm(name), maxfev=BUDGET[name], popsize=20, seed=1)
    after = np.random.get_state()  # noqa: NPY002
    solve(other, algorithm(name), maxfev=50, popsize=20, seed=2)
    assert np.array_equal(first, again.points)
    assert np.array_equal(first[:50], other.points[: len(first)]) == (name in SEEDLESS)
    assert before[2:] == after[2:]
    assert np.array_equal(before[1], after[1])


@ALL
def test_it_improves_on_a_sphere(name):
    run, points = outcome(name, sphere)
    values = sphere((points - Recorded(sphere).box.lower) / Recorded(sphere).box.width)
    assert run.fun == values.min()
    assert np.array_equal(run.x, points[values.argmin()])
    assert run.fun < max(0.5 * values[:20].min(), 1e-12)  # which some reach in twenty evaluations


@pytest.mark.parametrize("name", ["minion:bipop", "minion:rcmaes", "cmaes:default", "pypop7:ddcma"])
def test_kinds_of_cma_es_solve_a_turned_ellipsoid(name):
    """A wrong use of bounds or scales would show: 10^6 is the condition, and all solve it in far less than this."""
    problem = resolve_problem("ellipsoid+rotate=1", dim=5)
    assert solve(problem, algorithm(name), maxfev=4000, popsize=20, seed=3).fun < 1e-6


@pytest.mark.parametrize("name", ["scipy:slsqp", "scipy:l-bfgs-b", "scipy:cobyqa", "nlopt:bobyqa", "cma:lq"])
def test_those_with_a_model_solve_a_quadratic_function_at_once(name):
    """A wrong scale, first step or tolerance would show: none needs more than half of this."""
    quadratic = Recorded(lambda u: ((u - 0.3) ** 2 * [1, 3, 10, 30, 100]).sum(axis=1), Box.cube(-5, 5, 5))
    assert solve(quadratic, algorithm(name), maxfev=400, popsize=20, seed=3).fun < 1e-8


LOCAL = ["scipy:slsqp", "scipy:l-bfgs-b", "scipy:powell", "scipy:cobyqa", "nlopt:bobyqa", "nlopt:sbplx"]


@pytest.mark.parametrize("name", [*LOCAL, "cma:lq", "scipy:dual-annealing"])
def test_local_solvers_start_near_the_centre_or_where_they_are_told(name):
    problem = Recorded(sphere)
    solve(problem, algorithm(name), maxfev=1, seed=4)
    away = np.abs((problem.points[0] - problem.box.lower) / problem.box.width - 0.5)
    assert (away > 0).all()
    assert away.max() < (0.02 if name != "cma:lq" else 2)  # the population of the latter is drawn about it
    problem = Recorded(sphere)
    solve(problem, algorithm(name), maxfev=1, x0=problem.box.lower)
    assert np.array_equal(problem.points[0], problem.box.lower)


@pytest.mark.parametrize("name", LOCAL)
def test_local_solvers_start_again_elsewhere(name):
    """Of two basins the smaller one is at the centre: only a start in the other finds it."""

    def two_basins(u):
        return np.minimum(sphere(u - 0.25) + 0.1, sphere(u + 0.2))  # at 0.55 with 0.1, and at 0.1 with 0

    problem = Recorded(two_basins)
    run = solve(problem, algorithm(name), maxfev=3000, seed=5)
    assert run.fun < 1e-6
    values = two_basins((np.array(problem.points) - problem.box.lower) / problem.box.width)
    assert 0.09 < values[:30].min() < 0.11


@ALL
def test_the_trace_falls_and_ends_with_the_budget(name):
    run, _ = outcome(name, sphere)
    assert (np.diff(run.trace_best) <= 0).all()
    assert (np.diff(run.trace_nfev) > 0).all()
    assert run.trace_nfev[-1] == BUDGET[name]
    assert run.trace_best[-1] == run.fun


@ALL
def test_points_without_a_value_do_not_win(name):
    run, points = outcome(name, holes)
    assert len(points) == BUDGET[name]
    assert 0 < run.nans < BUDGET[name]
    assert np.isfinite(run.fun)


@ALL
def test_first_points_are_evaluated_early(name):
    problem = Recorded(sphere)
    x0 = problem.box.lower + 0.25 * problem.box.width
    solve(problem, algorithm(name), maxfev=30, popsize=20, x0=x0)
    assert (np.abs(np.array(problem.points) - x0) <= 1e-9 * problem.box.width).all(axis=1).any()


@ALL
def test_errors_of_the_problem_come_out_as_they_are(name):
    def wrong(u):  # noqa: ARG001
        raise ArithmeticError("no such value")

    with pytest.raises(ArithmeticError, match="no such value"):
        solve(Recorded(wrong), algorithm(name), maxfev=50, popsize=20)


@ALL
def test_settings_are_frozen_described_and_pickled(name):
    chosen = algorithm(name)
    assert chosen.name == name
    assert pickle.loads(pickle.dumps(chosen)) == chosen
    with pytest.raises(FrozenInstanceError):
        chosen.version = "0"
    identity, settings = identify(chosen, name)
    assert identity == name
    assert all(f'"{field.name}":' in settings for field in fields(chosen))
    assert f'"version":"{metadata.version(MODULES[name.partition(":")[0]])}"' in settings


@pytest.mark.parametrize(
    "name",
    [
        "cma:default", "cma:lq", "pymoo:de", "minion:jso", "nevergrad:ngopt", "cmaes:default", "pypop7:ddcma",
        "nlopt:bobyqa", "optuna:tpe",
    ],
)  # fmt: skip
def test_a_missing_library_says_what_to_install(name, monkeypatch):
    chosen, module = algorithm(name), MODULES[name.partition(":")[0]]
    extra = EXTRAS.get(name, EXTRAS.get(module, "peers"))
    told = rf'{module} is not installed; in a copy of the repository: pip install ".\[{extra}\]"'
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=told):
        chosen.check_fit(Box.cube(0, 1, 2), 20, 100)

    def gone(package):
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", gone)
    with pytest.raises(InputError, match=told):
        resolve_algorithm(name)


@pytest.mark.parametrize("prefix", list(MODULES))
def test_unknown_names_are_refused(prefix):
    pytest.importorskip(MODULES[prefix])
    with pytest.raises(InputError, match=f"unknown '{prefix}:nonsense'"):
        resolve_algorithm(f"{prefix}:nonsense")


def test_names_are_known_without_importing_any_library():
    code = "import sys, autov; autov.compare; from autov.peers import PREFIXES; print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not (set(MODULES.values()) - {"scipy"}) & set(ast.literal_eval(done.stdout))
    assert set(PREFIXES) == set(MODULES)


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match=r"^bounds: "):
        solve(Recorded(sphere, Box.cube(0, 1, 1)), algorithm("cma:default"), maxfev=20)
    for name in ("cmaes:default", "cma:lq", "nlopt:bobyqa", "pypop7:ddcma"):
        with pytest.raises(InputError, match=r"^bounds: "):
            solve(Recorded(sphere, Box.cube(0, 1, 1)), algorithm(name), maxfev=20)
    with pytest.raises(InputError, match=r"^popsize: "):
        solve(Recorded(sphere), algorithm("scipy:de"), maxfev=20, popsize=4)
    with pytest.raises(InputError, match=r"^popsize: "):
        algorithm("cma:2")


def test_a_watcher_stops_a_run():
    run = solve(Recorded(sphere), algorithm("scipy:de"), maxfev=500, popsize=20, watch=lambda run: run.nfev >= 60)
    assert run.stopped
    assert run.nfev == 60


def test_comparisons_run_them_beside_the_others(tmp_path):
    names = [name for name in PEERS if name not in SLOW]
    for name in names:
        algorithm(name)
    store = tmp_path / "results.db"
    options = {"dim": 3, "maxfev": 60, "popsize": 20, "runs": 2, "store": store}
    first = compare(["paper-h3", *names], "sphere", workers=1, **options)
    assert not first.failures
    assert all(np.isfinite(first.values("sphere", name)).all() for name in names)
    assert all(len(first.values("sphere", name)) == 2 for name in names)
    again = compare({name: algorithm(name) for name in names}, "sphere", workers=1, **options)
    assert all(np.array_equal(first.values("sphere", n), again.values("sphere", n)) for n in names)


def test_worker_processes_give_the_same_results():
    names = ["cma:100", "minion:lshade"]
    for name in names:
        algorithm(name)
    options = {"dim": 3, "maxfev": 120, "popsize": 20, "runs": 1, "store": None}
    here, there = (compare(names, "sphere", rng=1, workers=workers, **options) for workers in (1, 2))
    assert not there.failures
    assert all(np.array_equal(here.values("sphere", n), there.values("sphere", n)) for n in names)
