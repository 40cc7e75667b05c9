"""minimize and ask and tell under constraints and with integers."""

import itertools

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint, differential_evolution

import autov
from autov.algorithms import ALGORITHMS
from autov.core import InputError
from tests.algorithms.driver import sized

CIRCLE = NonlinearConstraint(lambda x: x[0] ** 2 + x[1] ** 2, -np.inf, 1.0)
BOX = [(-2.0, 2.0)] * 2
OWN = sorted(ALGORITHMS)


def slope(x):
    return float(x[0] + x[1])


@pytest.mark.parametrize("algorithm", [*OWN, "scipy:de"])
def test_every_algorithm_meets_the_constraint(algorithm):
    result = autov.minimize(
        slope, BOX, algorithm=algorithm, constraints=CIRCLE, maxfev=3000, rng=1, **sized(algorithm, 30)
    )
    assert result.status == 0
    assert result.maxcv == result.constr_violation == 0
    assert (result.x**2).sum() <= 1
    assert result.fun == slope(result.x)
    assert result.fun == pytest.approx(-np.sqrt(2), abs=0.2)
    assert result.nfev == 3000


def test_fields_are_those_of_scipy():
    limits = [CIRCLE, LinearConstraint([[1, 0], [0, 1]], 5, 6)]
    ours = autov.minimize(slope, BOX, constraints=limits, maxfev=200, rng=1)
    theirs = differential_evolution(slope, BOX, constraints=limits, maxiter=3, rng=1, polish=False)
    assert [part.shape for part in ours.constr] == [part.shape for part in theirs.constr]
    assert ours.maxcv == ours.constr_violation == max(part.max() for part in ours.constr)
    assert not ours.success
    assert ours.fun == theirs.fun == np.inf
    assert ours.status == 8
    assert "exceeded by" in ours.message
    assert np.isinf(ours.population_energies).all()


def test_callbacks_and_history_never_show_the_numbers_that_order_points():
    seen = []
    result = autov.minimize(
        slope, BOX, constraints=CIRCLE, maxfev=300, rng=1, history=True,
        callback=lambda intermediate_result: seen.append(intermediate_result),
    )  # fmt: skip
    assert all(r.fun < 3 for r in seen)
    assert ((result.history.x**2).sum(axis=1) <= 1).tolist() == np.isfinite(result.history.fun).tolist()
    assert np.nanmax(result.trace_best) < 3


def test_workers_give_the_same_bits():
    options = {"constraints": CIRCLE, "integrality": [False, True], "maxfev": 400, "rng": 2}
    one, two = (autov.minimize(slope, BOX, workers=workers, **options) for workers in (1, 2))
    assert np.array_equal(one.x, two.x)
    assert np.array_equal(one.population, two.population)


def test_fixed_variables_and_constraints_together():
    result = autov.minimize(lambda x: slope(x) + x[2], [*BOX, (0.5, 0.5)], constraints=CIRCLE, rng=1)
    assert result.x[2] == 0.5
    assert result.success


@pytest.mark.parametrize("algorithm", [*OWN, "scipy:de"])
def test_whole_numbers_are_never_asked_for_twice(algorithm):
    seen = []

    def fun(x):
        seen.append(tuple(x))
        return float((x - [3, -4, 0]) @ (x - [3, -4, 0]))

    result = autov.minimize(
        fun, [(-5, 5)] * 3, algorithm=algorithm, integrality=True, maxfev=400, rng=1, **sized(algorithm, 20)
    )  # fmt: skip
    assert len(seen) == len(set(seen)) == result.nfev
    assert all(float(value).is_integer() for point in seen for value in point)
    assert np.array_equal(result.population, np.rint(result.population))
    assert (20 if algorithm == "coordinate" else 250) < result.nfev <= 400  # axes have few integers
    assert result.fun == 0 or algorithm == "quasi-newton"  # whose differences see a plateau around every integer


def test_a_small_space_is_searched_through_and_the_run_ends():
    result = autov.minimize(lambda x: float(x.sum()), [(0, 1)] * 3, integrality=True, maxfev=500, rng=1)
    assert result.nfev == 8
    assert result.fun == 0
    assert "No new points" in result.message


def test_the_budget_holds_where_a_batch_has_known_points():
    seen = []
    box = [(0, 9)] * 2
    result = autov.minimize(lambda x: seen.append(1) or float(x.sum()), box, integrality=True, maxfev=37, rng=1)
    assert len(seen) == result.nfev == 37


def test_ask_and_tell_know_constraints_and_whole_numbers():
    optimizer = autov.Optimizer(
        [(-5, 5)] * 2,
        rng=1,
        maxfev=100,
        constraints=LinearConstraint([[1, 1]], 3, np.inf),
        integrality=True,
    )
    asked = []
    while not optimizer.stop() and len(asked) < 60:
        x = optimizer.ask(4)
        assert len(x) <= 4
        assert np.array_equal(x, np.rint(x))
        asked += map(tuple, x.tolist())
        optimizer.tell(x, (x**2).sum(axis=1))
    assert len(asked) == len(set(asked))
    assert optimizer.result.fun == 5
    assert sorted(optimizer.result.x.tolist()) == [1.0, 2.0]


def test_violations_can_be_told():
    optimizer = autov.Optimizer(BOX, popsize=30, rng=1, maxfev=2000, algorithm="de")
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, x.sum(axis=1), violation=np.maximum((x**2).sum(axis=1) - 1, 0))
    assert (optimizer.result.x**2).sum() <= 1
    assert optimizer.result.fun == pytest.approx(-np.sqrt(2), abs=0.05)
    with pytest.raises(InputError, match="violation must hold"):
        optimizer.tell(np.zeros((1, 2)), [0.0], violation=[-1.0])


def told(fun, **options):
    """The result of an optimizer that is told all it asks for."""
    optimizer = autov.Optimizer(BOX, popsize=10, rng=1, maxfev=60, algorithm="de", **options)
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, [fun(row) for row in x])
    return optimizer.result


@pytest.mark.parametrize("least", [1, 99])
def test_results_of_ask_and_tell_are_those_of_minimize(least):
    limit = LinearConstraint([[1, 1]], least, np.inf)
    found = told(np.sum, constraints=limit)
    same = autov.minimize(np.sum, BOX, popsize=10, rng=1, maxfev=60, algorithm="de", constraints=limit)
    for name in ("fun", "success", "status", "maxcv", "constr_violation"):
        assert found[name] == same[name]
    assert found.status == (0 if least == 1 else 8)
    assert np.array_equal(found.constr[0], same.constr[0])


def test_ask_and_tell_say_that_nothing_was_found():
    assert told(lambda _: np.nan).status == 2
    assert told(lambda _: np.nan).message.startswith("No finite value was found. Check ")
    optimizer = autov.Optimizer(BOX, popsize=10, rng=1, maxfev=10, algorithm="de")
    x = optimizer.ask()
    optimizer.tell(x[:5], np.zeros(5), violation=np.ones(5))
    assert optimizer.result.status == -1
    assert optimizer.result.message.startswith("Not finished")
    optimizer.tell(x[5:], np.zeros(5), violation=np.ones(5))
    assert optimizer.result.status == 8
    assert optimizer.result.message.startswith("No feasible point was found. Give ")


def test_ask_and_tell_end_when_all_whole_numbers_are_known():
    optimizer = autov.Optimizer([(0, 1)] * 2, integrality=True, popsize=10, rng=1, maxfev=100, algorithm="de")
    asked = []
    while not optimizer.stop():
        x = optimizer.ask(3)
        asked += x.tolist()
        optimizer.tell(x, x.sum(axis=1))
    assert sorted(asked) == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert (optimizer.result.status, optimizer.result.success) == (0, True)
    assert optimizer.result.message == "All points are known after 4 of 100 evaluations."


def test_enormous_violations_that_are_given_order_points():
    steep = {"type": "ineq", "fun": lambda x: -1.7e308 if x[0] > 0 else 1.0}
    most = np.finfo(np.float64).max
    ordered = [(-0.6, 1e250), (-0.5, most), (0.5, 1e308), (1.0, most), (-0.7, np.inf)]  # first variable, violation
    for better, worse in itertools.pairwise(ordered):
        optimizer = autov.Optimizer(BOX, popsize=10, rng=1, constraints=steep, algorithm="de")
        x = np.array([[worse[0], 0.0], [better[0], 0.0]])
        optimizer.tell(x, np.zeros(2), violation=[worse[1], better[1]])
        assert optimizer.result.x[0] == better[0]
        assert optimizer.result.fun == np.inf


def test_ask_n_gives_the_first_points_of_the_batch():
    everything = autov.Optimizer(BOX, rng=1).ask()
    optimizer = autov.Optimizer(BOX, rng=1)
    assert np.array_equal(optimizer.ask(3), everything[:3])
    with pytest.raises(InputError, match=r"^n: "):
        optimizer.ask(0)


def test_constrained_problems_can_be_designed_for_and_compared():
    problem = autov.function_problem(
        lambda x: x.sum(axis=1), BOX, vectorized=True, name="slope", integrality=[False, True],
        constraints=NonlinearConstraint(lambda x: (x**2).sum(axis=1), -np.inf, 1.0),
    )  # fmt: skip
    found = autov.design(
        problem, rng=1, workers=1, population=4, generations=1, rows=2, retest_runs=2, final_race=False, family=(),
        trial=autov.TrialBudget(10, 5, 2),
    )  # fmt: skip
    assert np.isfinite(found.retested).all()
    assert found.retested.max() < 3
    compared = autov.compare(
        {"mine": found.algorithm, "de": "de"}, problem, maxfev=200, popsize=10, runs=2, store=None, workers=1
    )
    assert (compared.values("slope", "mine") >= -1 - 1e-12).all()
