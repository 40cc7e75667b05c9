"""With noise the best value is an optimistic one, and the message says so where noise is known."""

import numba
import numpy as np
import pytest

import autov
from autov.problems import resolve_problem
from autov.runs.budget import Evaluations
from autov.runs.stopping import NOISY

SMALL = {"maxfev": 200, "popsize": 20, "rng": 1, "algorithm": "de"}
BOX = [(-5.0, 5.0)] * 2


@pytest.mark.parametrize(
    ("name", "noisy"),
    [
        ("noisy_sphere", True), ("quartic", True), ("noisy_ackley+translate=1+rotate=2", True),
        ("noisy_rastrigin+family=translate-rotate", True), ("quartic+translate=run", True), ("sphere", False),
        ("rastrigin+family=translate", False), ("g06", False), ("paper-f7", True),
    ],
)  # fmt: skip
def test_named_problems_are_known(name, noisy):
    result = autov.minimize(name, dim=None if name == "g06" else 3, **SMALL)
    assert (NOISY in result.message) == noisy


def test_the_best_of_noisy_values_is_what_the_message_says():
    problem = resolve_problem("noisy_sphere", dim=3)
    result = autov.minimize(problem, **SMALL)
    again = np.array([problem(result.x[None], np.random.default_rng(i))[0] for i in range(200)])
    assert result.fun < again.mean()


class Noisy:
    """A function with another value at every call."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return float((x**2).sum()) + self.calls


@pytest.mark.parametrize(
    ("vectorized", "options"),
    [
        (False, {}), (False, {"history": True}), (False, {"constraints": {"type": "ineq", "fun": lambda x: x[0] + 9}}),
        (True, {}), (True, {"history": True}),
    ],
)  # fmt: skip
def test_noise_is_seen_at_a_point_that_was_evaluated_twice(vectorized, options):
    twice = np.array([[1.0, 2.0]] * 2)
    one = Noisy()
    fun = (lambda x: np.array([one(row) for row in x])) if vectorized else one
    call = {"vectorized": vectorized, **options, **SMALL}
    assert NOISY in autov.minimize(fun, BOX, x0=twice, **call).message
    unseen = autov.minimize(
        fun, BOX, **(call | {"algorithm": "ma-es", "popsize": None})
    )  # which evaluates no point twice
    assert NOISY not in unseen.message
    plain = (lambda x: (x**2).sum(axis=-1)) if vectorized else (lambda x: float((x**2).sum()))
    assert NOISY not in autov.minimize(plain, BOX, x0=twice, **call).message


def test_of_functions_compiled_by_users_nothing_is_known():
    fun = numba.njit(lambda x: x[0] ** 2 + x[1] ** 2)
    assert NOISY not in autov.minimize(fun, BOX, **SMALL).message


def test_points_with_different_values_are_found():
    x = np.random.default_rng(1).random((50, 3))
    f = np.arange(50.0)
    assert not Evaluations(x, f).noisy
    assert not Evaluations(x[:0], f[:0]).noisy
    assert not Evaluations(np.vstack([x, x]), np.append(f, f)).noisy
    other = np.append(f, f)
    other[57] += 1e-9
    assert Evaluations(np.vstack([x, x]), other).noisy
    other[57] = np.inf
    assert not Evaluations(np.vstack([x, x]), other).noisy, "it failed once"
    assert not Evaluations(np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1.0, 2.0])).noisy, "equal sums"
    assert not Evaluations(np.full((2, 3), 1e308) * [[1], [-1]], np.array([1.0, 2.0])).noisy


def test_a_run_that_found_nothing_says_nothing_of_noise():
    result = autov.minimize(lambda _: np.inf, BOX, **SMALL)
    assert result.status == 2
    assert NOISY not in result.message


@pytest.mark.parametrize("constraints", [None, {"type": "ineq", "fun": lambda x: x[0] + 9}])
@pytest.mark.parametrize("noisy", [True, False, None])
def test_users_can_say_that_their_function_is_noisy(noisy, constraints):
    problem = autov.function_problem(lambda x: float(x.sum()), BOX, noisy=noisy, constraints=constraints)
    assert (NOISY in autov.minimize(problem, **SMALL).message) == bool(noisy)
