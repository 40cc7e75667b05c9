"""One driver for all algorithms: the cut last batch, watching, evaluate, NaN, fixed variables, families."""

import os
import subprocess
import sys

import numpy as np
import pytest

import autov
from autov.algorithms import ALGORITHMS, Evolution, make_algorithm, resolve_algorithm
from autov.core import Box, InputError, generator
from autov.problems import Classic, function_problem, resolve_problem
from autov.runs import solve
from autov.runs.budget import BudgetedObjective, BudgetSpent
from autov.runs.live_run import LiveRun
from tests.algorithms.driver import Contracted

ALL = pytest.mark.parametrize("name", list(ALGORITHMS))
SPHERE = Classic("sphere", 4)


def counted(values):
    """A problem that keeps the points it was asked for."""

    def fun(x):
        values.append(x.copy())
        return (x**2).sum(axis=1)

    return function_problem(fun, [(-5.0, 10.0)] * 4, vectorized=True)


@ALL
def test_a_batch_cut_by_the_budget_counts_for_the_best_but_is_not_told(name):
    """The same rule for all: the population is that before the cut batch, the best may come from it."""
    algorithm = make_algorithm(name)
    batches = []
    solve(counted(batches), algorithm, maxfev=400, popsize=20, seed=2)
    sizes = np.cumsum([len(batch) for batch in batches])
    before = next(i for i in range(2, len(batches)) if len(batches[i + 1]) > 1)  # three batches, or a few more
    whole, part = int(sizes[before]), min(7, len(batches[before + 1]) - 1)
    points = []
    cut = solve(counted(points), algorithm, maxfev=400, popsize=20, seed=2, watch=lambda run: run.nfev >= whole)
    assert cut.nfev == whole

    class Stopped:
        """Told the budget of the long run, so that its course is the same, but cut in the middle of a batch."""

        name = algorithm.name
        ask, tell, population = algorithm.ask, algorithm.tell, algorithm.population

        def init(self, box, popsize, maxfev, rng, x0=None):  # noqa: ARG002
            return algorithm.init(box, popsize, 400, rng, x0)

    points = []
    run = solve(counted(points), Stopped(), maxfev=whole + part, popsize=20, seed=2)
    everything = np.concatenate(points)
    assert len(everything) == run.nfev == whole + part
    values = (everything**2).sum(axis=1)
    assert run.fun == values.min()
    assert np.array_equal(run.x, everything[values.argmin()])
    assert np.array_equal(run.population, cut.population)
    assert np.array_equal(run.values, cut.values)
    assert run.trace_nfev.tolist() == [*sizes[: before + 1], whole + part]


def test_the_compiled_run_keeps_the_same_rule():
    for maxfev in (20, 50, 51, 59, 60):
        whole = solve(SPHERE, Evolution(), maxfev=maxfev, popsize=20, seed=1)
        watched = solve(SPHERE, Evolution(), maxfev=maxfev, popsize=20, seed=1, watch=lambda run: False)  # noqa: ARG005
        for field in ("x", "fun", "nfev", "nit", "population", "values", "trace_nfev", "trace_best", "nans"):
            assert np.array_equal(getattr(whole, field), getattr(watched, field)), (maxfev, field)


@ALL
def test_evaluate_is_used_for_compiled_problems_too(name):
    asked = []

    def evaluate(x):
        asked.append(len(x))
        return np.full(len(x), 7.0)

    run = solve(SPHERE, make_algorithm(name), maxfev=110, popsize=20, seed=1, evaluate=evaluate)
    assert run.fun == 7.0
    assert sum(asked) == 110


def test_values_are_checked_and_nan_is_worst_in_one_place():
    spent = BudgetedObjective(lambda x: np.array([np.nan, 2.0, np.inf])[: len(x)], Box.cube(0, 1, 2), 5)
    assert spent.take(np.zeros((3, 2))).tolist() == [np.inf, 2.0, np.inf]
    assert (spent.nans, spent.nfev, spent.best) == (1, 3, 2.0)
    spent.evaluate = lambda x: np.zeros(len(x) + 1)
    with pytest.raises(InputError, match="one value for each of 2 points"):
        spent.take(np.zeros((2, 2)))


def test_an_objective_under_a_budget_ends_the_run():
    seen = []

    def fun(x):
        seen.append(x.copy())
        return x[:, 0]

    spent = BudgetedObjective(fun, Box.cube(0, 1, 2), 5)
    assert spent(np.full((3, 2), 3.0)).tolist() == [1, 1, 1], "clipped to the box"
    with pytest.raises(BudgetSpent):
        spent(np.zeros((3, 2)))
    assert len(np.concatenate(seen)) == 5
    with pytest.raises(BudgetSpent):
        spent(np.zeros((1, 2)))
    counts, best = spent.trace()
    assert counts.tolist() == [3, 5]
    assert best.tolist() == [1.0, 0.0]


def test_traces_of_earlier_moments_stay():
    kept = []
    run = solve(SPHERE, Evolution(), maxfev=4000, popsize=10, watch=lambda run: kept.append(run.trace_best) and False)
    assert all(np.array_equal(trace, run.trace_best[: len(trace)]) for trace in kept)
    assert len(kept) == 400


def test_fixed_variables():
    bounds = [(-5.0, 5.0), (2.0, 2.0), (-5.0, 5.0)]
    asked = []

    def fun(x):
        asked.append(x.copy())
        return float((x**2).sum())

    for algorithm in ("paper-h3", "cma-es", "scipy:de"):
        asked.clear()
        x0 = np.array([1.0, 2.0, 1.0])
        result = autov.minimize(fun, bounds, algorithm=algorithm, maxfev=600, popsize=20, rng=1, x0=x0)
        points = np.array(asked)
        assert (points[:, 1] == 2).all()
        assert (np.abs(points - x0) < 1e-12).all(axis=1).any()
        assert result.x.shape == (3,)
        assert result.population.shape[1] == 3
        assert result.fun == pytest.approx(4, abs=0.1)
    watched = []
    options = {"maxfev": 100, "popsize": 20, "rng": 1, "algorithm": "paper-h3"}
    autov.minimize(fun, bounds, callback=lambda r: watched.append(r.x.copy()) and None, **options)
    assert np.array(watched).shape == (5, 3)
    with pytest.raises(InputError, match=r"^x0: "):
        autov.minimize(fun, bounds, x0=np.zeros(2))


def test_a_family_gives_every_run_its_instance():
    family = resolve_problem("sphere+translate=run", dim=3)
    for run in (0, 4):
        own = solve(family, Evolution(), maxfev=200, popsize=20, seed=1, run=run)
        assert own.fun == solve(family.instance(run), Evolution(), maxfev=200, popsize=20, seed=1, run=run).fun


def test_budgets_may_be_integral_floats():
    assert autov.minimize("sphere", maxfev=1e2, rng=1).nfev == 100
    for bad in (1.5, np.nan, "9", True, 0):
        with pytest.raises(InputError, match="maxfev"):
            autov.minimize("sphere", maxfev=bad)


class Outside:
    name = "outside"

    def init(self, box, popsize, maxfev, rng, x0=None):  # noqa: ARG002
        return box

    def ask(self, state, rng):  # noqa: ARG002
        return np.full((3, state.dim), state.upper[0] + 1), state

    def tell(self, state, x, f, rng):  # noqa: ARG002
        return state

    def population(self, state):
        return np.empty((0, state.dim)), np.empty(0)


def test_algorithms_that_leave_the_box_are_refused():
    with pytest.raises(InputError, match="outside asked for a point outside the box"):
        solve(SPHERE, Outside(), maxfev=9, popsize=3)


def test_infinitely_good_is_not_infinitely_bad():
    result = autov.minimize(lambda x: -np.inf if x[0] > 0 else 1.0, [(-1, 1)], maxfev=100, rng=1)
    assert result.fun == -np.inf
    assert result.success
    with pytest.raises(InputError, match="must give real numbers"):
        autov.minimize(lambda x: complex(x[0], 1.0), [(-1, 1)], maxfev=10, rng=1)


def test_noise_belongs_to_the_run():
    first = solve(Classic("quartic", 3), Evolution(), maxfev=100, popsize=20, seed=1)
    assert first.fun == solve(Classic("quartic", 3), Evolution(), maxfev=100, popsize=20, seed=1).fun
    assert generator(1, 0).random() != generator(1, 0, 1).random()


@pytest.mark.cold
def test_results_do_not_depend_on_the_threads_of_blas():
    code = (
        "import autov; r = autov.minimize('rosenbrock', [(-30, 30)] * 300, algorithm='cma-es', maxfev=600, popsize=60, "
        "rng=1); print(r.fun.hex(), autov.minimize('f9+rotate=1', [(-5.12, 5.12)] * 300, algorithm='de', maxfev=300, "
        "rng=1).fun.hex())"
    )
    found = {
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "OPENBLAS_NUM_THREADS": count}, check=True,
                       capture_output=True, text=True).stdout
        for count in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1


class Hesitant:
    """A whole that asks for nothing at times, and gives up."""

    name = "hesitant"

    def check_fit(self, box, popsize, maxfev, x0=None):
        pass

    def minimize_with(self, objective, box, popsize, maxfev, seed, x0):  # noqa: ARG002
        if maxfev == 20:
            assert objective(np.empty((0, box.dim))).shape == (0,)
            objective(np.zeros((15, box.dim)))


def test_a_whole_that_ends_early_is_not_said_to_have_used_its_budget():
    result = autov.minimize(lambda x: float((x**2).sum()), [(-1, 1)] * 2, algorithm=Hesitant(), maxfev=20)
    assert result.nfev == 15
    assert "ended by itself after 15 of 20" in result.message


def test_points_that_are_no_numbers_are_refused():
    spent = BudgetedObjective(lambda x: x[:, 0], Box.cube(0, 1, 2), 5)
    with pytest.raises(InputError, match="NaN"):
        spent(np.full((1, 2), np.nan))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"x0": 10**400}, "x0"), ({"x0": "abc"}, "x0"), ({"x0": np.zeros((1, 1, 2))}, "x0"), ({"args": 5}, "args"),
        ({"x0": np.array([7.0, 1.0])}, "inside the bounds"), ({"callback": 5}, "callback"),
        ({"bounds": [(0, 10**400)] * 2}, "bounds"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("fixed", [False, True])
def test_odd_input_is_one_line(options, message, fixed):
    bounds = [(1.0, 1.0), (0.0, 2.0)] if fixed else [(0.0, 2.0)] * 2
    with pytest.raises(InputError, match=message) as caught:
        autov.minimize(**({"fun": lambda x: 1.0, "bounds": bounds, "maxfev": 10} | options))  # noqa: ARG005
    assert "\n" not in str(caught.value)


class Noisy:
    """Notes the first number of the generator that each batch is called with."""

    name, minimum, optimum, box = "noisy", None, None, Box.cube(-1, 1, 2)

    def __init__(self):
        self.noise = []

    def __call__(self, x, rng):
        self.noise.append(rng.random())
        return (x**2).sum(axis=1)

    def objective(self):
        return None


def test_noise_has_a_stream_of_its_own():
    problem = Noisy()
    solve(problem, make_algorithm("de"), maxfev=30, popsize=10, seed=3, run=2)
    noise = generator(3, 2, 1)
    assert problem.noise == [noise.random() for _ in range(3)]


def test_of_equal_best_points_the_first_counts():
    spent = BudgetedObjective(lambda x: np.zeros(len(x)), Box.cube(0, 9, 1), 9)
    for first in (3.0, 5.0):
        spent.take(np.array([[first], [first + 1]]))
    assert spent.best_x.tolist() == [3.0]


class Restarting:
    """Runs as a whole, and ends after two points; it notes what it was started with."""

    name = "restarting"

    def __init__(self):
        self.starts = []

    def check_fit(self, box, popsize, maxfev, x0=None):
        pass

    def minimize_with(self, objective, box, popsize, maxfev, seed, x0):  # noqa: ARG002
        self.starts.append((maxfev, seed, None if x0 is None else x0.tolist()))
        objective(np.zeros((2, 4)))


def test_a_search_that_ends_early_starts_anew():
    algorithm = Restarting()
    run = solve(SPHERE, algorithm, maxfev=6, popsize=2, seed=1, x0=np.ones(4))
    assert run.nfev == 6
    budgets, seeds, first = zip(*algorithm.starts, strict=True)
    assert budgets == (6, 4, 2)
    assert len(set(seeds)) == 3
    assert first == ([1.0] * 4, None, None)


def test_a_run_that_is_stopped_when_its_budget_is_used_up_was_not_stopped():
    for last, stopped in ((20, True), (30, False)):
        run = solve(SPHERE, make_algorithm("de"), maxfev=30, popsize=10, watch=lambda run, last=last: run.nfev == last)
        assert (run.nfev, run.stopped) == (last, stopped)


def test_who_observes_sees_fixed_variables_too():
    problem, seen = function_problem(np.sum, [(-5.0, 5.0), (2.0, 2.0), (-5.0, 5.0)]), []
    solve(problem, make_algorithm("de"), maxfev=20, popsize=10, observe=lambda x, f: seen.append((x.copy(), f.copy())))
    x, f = (np.concatenate(part) for part in zip(*seen, strict=True))
    assert x.shape == (20, 3)
    assert (x[:, 1] == 2.0).all()
    assert f.tolist() == x.sum(axis=1).tolist()


def test_the_best_point_is_the_first_where_no_value_is_finite():
    spent = BudgetedObjective(lambda x: np.full(len(x), np.inf), Box.cube(0, 9, 1), 9)
    for first in (3.0, 5.0):
        spent.take(np.array([[first], [first + 1]]))
    assert (spent.best, spent.best_x.tolist()) == (np.inf, [3.0])


def test_improvements_have_the_numbers_of_their_evaluations():
    values = iter([[3.0, 5.0, 2.0], [4.0], [2.0, 1.0, 0.0, 7.0]])
    spent = BudgetedObjective(lambda _: np.array(next(values)), Box.cube(0, 1, 1), 8)
    for size in (3, 1, 4):
        spent.take(np.zeros((size, 1)))
    counts, bests = spent.improvements()
    assert counts.tolist() == [1, 3, 6, 7]
    assert bests.tolist() == [3.0, 2.0, 1.0, 0.0]


def test_an_algorithm_that_begins_anew_has_time_to_find_new_points():
    """A restart follows after STALE known points, not after every batch from the first restart on."""
    batches = []
    problem = function_problem(np.sum, [(0, 99)], integrality=True)
    algorithm = Contracted()

    def watch(run):
        batches.append(run.nfev)
        return run.nfev == 4

    solve(problem, algorithm, maxfev=20, popsize=20, watch=watch)
    assert batches == [1] * 13 + [2] * 13 + [3] * 13 + [4]
    assert algorithm.starts == 4


def at_call(number, fun):
    """A function of points whose call with that number is interrupted."""
    calls = []

    def called(x):
        if len(calls) == number:
            raise KeyboardInterrupt
        calls.append(x)
        return fun(x)

    return called


@pytest.mark.parametrize("algorithm", ["ga", "paper-h3", "scipy:de"])
@pytest.mark.parametrize(
    "rules",
    [{}, {"constraints": {"type": "ineq", "fun": lambda x: x[0] - 0.5}}, {"integrality": [True, False, False]}],
    ids=["plain", "constrained", "whole"],
)
@pytest.mark.parametrize("last", [(-2.0, 2.0), (1.5, 1.5)], ids=["free", "fixed"])
def test_an_interrupted_run_is_the_one_that_was_shorter(algorithm, rules, last):
    def fun(x):
        return float((x**2).sum())

    box, chosen = [(-3.0, 3.0), (-2.0, 2.0), last], resolve_algorithm(algorithm)
    live = LiveRun()
    assert live.run is None
    with pytest.raises(KeyboardInterrupt):
        solve(function_problem(at_call(30, fun), box, **rules), chosen, maxfev=400, popsize=10, seed=1, live=live)
    found = live.run
    assert found is not None
    assert 0 < found.nfev < 400
    shorter = solve(function_problem(fun, box, **rules), chosen, maxfev=found.nfev, popsize=10, seed=1)
    assert (found.fun, found.x.tolist()) == (shorter.fun, shorter.x.tolist())
    assert found.x.shape == found.population.shape[1:] == (3,)
    assert np.array_equal(found.trace_best, shorter.trace_best)
    assert (found.trace_best < 100).any()
    assert (found.values[found.values > 100] == np.inf).all()


def test_a_run_that_has_ended_is_still_there():
    live = LiveRun()
    run = solve(Classic("sphere", 3), make_algorithm("de"), maxfev=100, popsize=20, seed=1, live=live)
    assert live.run is not None
    assert (live.run.fun, live.run.nfev, live.run.x.tolist()) == (run.fun, run.nfev, run.x.tolist())
