"""autov through scipy.optimize."""

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, differential_evolution, minimize

import autov
from autov.adapters.scipy import scipy_strategy
from autov.core import InputError
from tests.algorithms.driver import sized

BOX = [(-5.0, 5.0)] * 3


def shifted(x, shift=1.0):
    return float(((x - shift) ** 2).sum())


@pytest.mark.parametrize("algorithm", [None, "paper-h3", "shade", "ma-es"])
def test_the_same_bits_as_autov_minimize(algorithm):
    options = {"maxfev": 400, "rng": 4, "algorithm": algorithm, **sized(algorithm, 20)}
    found = minimize(shifted, np.zeros(3), args=(2.0,), method=autov.scipy_method, bounds=BOX, options=options)
    own = autov.minimize(shifted, BOX, args=(2.0,), x0=np.zeros(3), **options)
    assert np.array_equal(found.x, own.x)
    assert (found.fun, found.nfev, found.success) == (own.fun, 400, False)


def test_x0_is_evaluated_and_bounds_objects_are_fine():
    seen = []

    def watched(x):
        seen.append(x.copy())
        return shifted(x)

    start = np.array([0.1, 0.2, 0.3])
    options = {"maxfev": 20, "popsize": 10, "rng": 1, "algorithm": "paper-h3"}
    minimize(watched, start, method=autov.scipy_method, bounds=Bounds([-5] * 3, [5] * 3), options=options)
    assert len(seen) == 20
    assert np.array_equal(seen[0], start)


def test_the_callback_ends_the_run_by_stop_iteration_only():
    values = []

    def callback(intermediate_result):
        values.append(intermediate_result.fun)
        if len(values) == 3:
            raise StopIteration
        return True

    options = {"maxfev": 1000, "popsize": 10, "rng": 1, "algorithm": "paper-h3"}
    found = minimize(shifted, np.zeros(3), method=autov.scipy_method, bounds=BOX, callback=callback, options=options)
    assert found.nfev == 30
    assert found.status == 1
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bounds": None}, "bounds: autov searches in a box"),
        ({"options": {"maxiter": 3}}, "options: unknown 'maxiter'"),
        ({"jac": lambda x: 2 * x}, "jac: autov uses no derivatives"),
        ({"tol": 1e-3}, "tol: autov uses no derivatives and has no tolerance"),
    ],
)
def test_what_cannot_be_done_is_said(changes, message):
    with pytest.raises(InputError, match=message):
        minimize(shifted, np.zeros(3), method=autov.scipy_method, **{"bounds": BOX, **changes})


@pytest.mark.parametrize("given", [{"type": "ineq", "fun": lambda x: x[0] - 2}, LinearConstraint([1, 0, 0], 2, np.inf)])
def test_constraints_are_passed_on(given):
    options = {"maxfev": 200, "rng": 1, "algorithm": "de", "popsize": 20}
    found = minimize(shifted, np.zeros(3), method=autov.scipy_method, bounds=BOX, constraints=given, options=options)
    same = autov.minimize(shifted, BOX, x0=np.zeros(3), constraints=given, **options)
    assert found.x[0] >= 2
    assert (found.fun, found.maxcv) == (same.fun, 0.0)


def rastrigin(x):
    return float(10 * x.size + (x**2 - 10 * np.cos(2 * np.pi * x)).sum())


@pytest.mark.parametrize("operator", ["paper-h3", "sbx"])
def test_strategy_of_differential_evolution(operator):
    def run(strategy):
        return differential_evolution(
            rastrigin, [(-5.12, 5.12)] * 10, strategy=strategy, maxiter=100, popsize=5, polish=False, rng=5, tol=0
        )

    ours = run(scipy_strategy(operator, rng=1))
    assert ours.fun == run(scipy_strategy(operator, rng=1)).fun
    assert ours.fun < run("best1bin").fun
    assert (np.abs(ours.x) <= 5.12).all()


def test_strategy_takes_best_and_mean():
    operator = autov.AffineOperator.from_rows(
        ("x1", "best", "mean"), [{"probability": 1.0, "best": (0.5, 0.0), "mean": (0.5, 0.0)}]
    )
    population = np.array([[0.25, 0.75], [0.5, 0.5], [0.0, 1.0]])
    made = scipy_strategy(operator)(2, population, rng=np.random.default_rng(0))
    assert np.allclose(made, (population[0] + population.mean(axis=0)) / 2)
