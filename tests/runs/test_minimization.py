"""minimize: results, seeds, budgets, callbacks, and what it says to bad input."""

import numba
import numpy as np
import pytest
from scipy.optimize import Bounds, OptimizeResult

import autov
from autov.core import InputError

BOX = [(-5.0, 5.0)] * 4


def sphere(x):
    return float((x**2).sum())


def slow_square(x, factor):
    return factor * float((x**2).sum())


@numba.njit
def compiled(x):
    return (x**2).sum()


@numba.njit
def fragile(x):
    if x[0] > 4:
        raise ValueError("too far")
    return x[0] ** 2


def test_finds_the_minimum_and_speaks_scipy():
    result = autov.minimize(sphere, BOX, maxfev=3000, popsize=50, rng=1, algorithm="paper-h3")
    assert np.linalg.norm(result.x) < 0.1
    assert isinstance(result, OptimizeResult)
    assert result.fun == sphere(result.x)
    assert result.nfev == 3000
    assert result.nit == 59
    assert (result.status, result.success) == (0, False)
    assert "before the run converged" in result.message
    assert result.population.shape == (50, 4)
    assert result.population_energies.min() == result.fun


def test_kinds_of_functions_take_the_same_path():
    options = {"maxfev": 1230, "rng": 3}
    results = [
        autov.minimize(sphere, BOX, **options),
        autov.minimize(lambda x: (x**2).sum(axis=1), BOX, vectorized=True, **options),
        autov.minimize(compiled, Bounds([-5.0] * 4, [5.0] * 4), **options),
        autov.minimize(sphere, BOX, workers=2, **options),
        autov.minimize(sphere, BOX, workers=map, **options),
        autov.minimize(slow_square, BOX, args=(1.0,), **options),
    ]
    assert np.allclose([r.fun for r in results], results[0].fun, rtol=1e-6)
    assert np.allclose([r.x for r in results], results[0].x, rtol=1e-6)


@pytest.mark.parametrize("maxfev", [1, 7, 99, 100, 101, 250])
def test_budget_is_exact(maxfev):
    seen = []
    result = autov.minimize(lambda x: seen.append(1) or sphere(x), BOX, maxfev=maxfev, rng=1)
    assert len(seen) == result.nfev == maxfev


def test_seeds():
    a, b, c = (autov.minimize("rastrigin", maxfev=500, rng=seed, algorithm="de").fun for seed in (1, 1, 2))
    assert a == b != c
    g = np.random.default_rng(1)
    one, other = (autov.minimize("sphere", maxfev=300, rng=g, algorithm="de").fun for _ in range(2))
    assert one != other


def test_watching_does_not_change_the_course():
    options = {"maxfev": 2050, "rng": 5, "algorithm": "paper-h3"}
    plain = autov.minimize("quartic", **options)
    seen = []
    watched = autov.minimize("quartic", **options, callback=lambda r: seen.append((r.nfev, r.fun)))
    assert watched.fun == plain.fun
    assert np.array_equal(watched.x, plain.x)
    assert seen[0][0] == 100
    assert seen[-1] == (2050, plain.fun)


def stop_by_true(intermediate_result):
    return intermediate_result.nfev >= 300


def stop_by_exception(intermediate_result):
    if intermediate_result.nfev >= 300:
        raise StopIteration


@pytest.mark.parametrize("callback", [stop_by_true, stop_by_exception])
def test_callback_stops(callback):
    result = autov.minimize(sphere, BOX, callback=callback, rng=1, algorithm="paper-h3")
    assert result.nfev == 300
    assert result.status == 1
    assert "callback" in result.message


def test_x0_is_used_and_checked():
    result = autov.minimize(sphere, BOX, x0=np.zeros(4), maxfev=100, rng=1)
    assert result.fun == 0
    population = np.full((3, 4), 2.0)
    assert autov.minimize(sphere, BOX, x0=population, maxfev=3, rng=1).fun == 16.0
    for x0, message in ((np.zeros(3), "4 variables"), (np.full(4, 9.0), "inside"), (np.zeros((101, 4)), "only 100")):
        with pytest.raises(InputError, match=message):
            autov.minimize(sphere, BOX, x0=x0)


def test_nan_counts_as_worst_and_is_reported():
    result = autov.minimize(lambda x: np.nan if x[0] > 0 else sphere(x), BOX, maxfev=500, rng=1)
    assert result.x[0] <= 0
    assert np.isfinite(result.fun)
    assert "NaN" in result.message
    hopeless = autov.minimize(lambda x: np.nan, BOX, maxfev=200, rng=1)  # noqa: ARG005
    assert not hopeless.success
    assert hopeless.status == 2


@numba.njit
def compiled_nan(x):
    return np.nan if x[0] > 0 else x[0] ** 2


def test_nan_in_compiled_functions_is_reported():
    result = autov.minimize(compiled_nan, BOX, maxfev=300, rng=1)
    assert result.x[0] <= 0
    assert "NaN" in result.message


def test_exceptions_carry_the_point():
    def broken(x):
        if x[0] > 3:
            raise RuntimeError("no")
        return 0.0

    for function, kind in ((broken, RuntimeError), (fragile, ValueError)):
        with pytest.raises(kind, match=r"x = \["):
            autov.minimize(function, BOX, algorithm="de", rng=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"fun": lambda x: x}, "must return one number"), ({"fun": lambda x: "a"}, "must return a number"),  # noqa: ARG005
        ({"fun": lambda x: x, "vectorized": True}, r"must return shape \(\d+,\)"), ({"fun": 3}, "callable"),
        ({"bounds": [(1, 0)] * 4}, "not be above upper"), ({"bounds": [(0, np.inf)] * 4}, "finite"),
        ({"bounds": [(np.nan, 1)] * 4}, "finite"), ({"bounds": [1, 2]}, "pair"), ({"bounds": "abc"}, "pair"),
        ({"maxfev": 0}, "maxfev"), ({"popsize": 1}, "popsize"), ({"rng": -1}, "negative"), ({"rng": "x"}, "rng"),
        ({"workers": 0}, "workers"), ({"workers": True}, "workers"), ({"algorithm": "nothing"}, "nothing"),
        ({"algorithm": "evolution:nothing"}, "no such name"),
    ],
)  # fmt: skip
def test_bad_input_is_named(arguments, message):
    with pytest.raises(InputError, match=message) as caught:
        autov.minimize(**({"fun": sphere, "bounds": BOX} | arguments))
    assert "\n" not in str(caught.value)


def test_disp_prints(capsys):
    autov.minimize(sphere, BOX, maxfev=200, rng=1, disp=True, algorithm="paper-h3")
    assert "generation 1: 200 evaluations" in capsys.readouterr().out


def test_disp_says_how_far_infeasible_points_are(capsys):
    limit = {"type": "ineq", "fun": lambda x: x[0] - 20}
    autov.minimize(sphere, BOX, maxfev=40, popsize=20, rng=1, disp=True, algorithm="de", constraints=limit)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("generation 0: 20 evaluations, none feasible, constraints exceeded by 1")
    assert second.startswith("generation 1: 40 evaluations, none feasible, constraints exceeded by 1")


def test_evaluations_are_short_in_print():
    history = autov.minimize(sphere, BOX, maxfev=200, rng=1, history=True).history
    assert repr(history) == f"Evaluations(200 points of {len(BOX)} variables, best {history.fun.min():.6g})"


@pytest.mark.parametrize("values", [[1.0], [1.0] * 500])
def test_maps_that_lose_or_invent_values_are_refused(values):
    with pytest.raises(InputError, match="results for 20 items"):
        autov.minimize(sphere, BOX, algorithm="paper-h3", popsize=20, workers=lambda fun, x: values)  # noqa: ARG005


def test_an_objective_that_returns_nothing_is_named():
    with pytest.raises(InputError, match="got None"):
        autov.minimize(lambda x: None, BOX, rng=1)  # noqa: ARG005


def test_extreme_boxes_and_operators_are_refused():
    with pytest.raises(InputError, match="upper - lower"):
        autov.minimize(sphere, [(-1e200, 1e200)] * 2)
    with pytest.raises(InputError, match=r"^std: "):
        autov.AffineOperator(("x1", "x2"), [[0.5]], [[1e200]], [1.0])
    with pytest.raises(InputError, match="probability"):
        autov.AffineOperator(("x1", "x2"), [[0.5], [0.5]], [[1.0], [1.0]], [1e308, 1e308])


@pytest.mark.parametrize("algorithm", ["paper-h3", "ga", "de", "shade", "imode"])
def test_a_complete_last_batch_counts(algorithm):
    """The best point of an elitist algorithm is in its last population when the budget ends with a batch."""
    result = autov.minimize(lambda x: (x**2).sum(), [(-5, 5)] * 3, algorithm=algorithm, maxfev=400, popsize=20, rng=1)
    assert result.nfev == 400
    if algorithm == "imode":  # the population shrinks, so the last batch may be cut short
        assert result.population_energies.min() >= result.fun
    else:
        assert result.population_energies.min() == result.fun


@pytest.mark.parametrize("algorithm", ["paper-h3", "de"])
def test_a_callback_does_not_change_which_of_equal_points_is_best(algorithm):
    from autov.problems import resolve_problem

    options = {"maxfev": 537, "popsize": 10, "rng": 3, "algorithm": algorithm}
    plain = autov.minimize(resolve_problem("step", dim=3), **options)
    seen = autov.minimize(resolve_problem("step", dim=3), callback=lambda intermediate_result: None, **options)  # noqa: ARG005
    assert (seen.x.tolist(), seen.fun) == (plain.x.tolist(), plain.fun)


def test_a_callback_cannot_disturb_the_run():
    def spoil(intermediate_result):
        intermediate_result.population[:] = 4.0
        intermediate_result.population_energies[:] = -1.0
        intermediate_result.x[:] = 4.0

    options = {"algorithm": "de", "maxfev": 600, "popsize": 20, "rng": 1}
    plain, watched = (
        autov.minimize(lambda x: (x**2).sum(), [(-5, 5)] * 3, callback=callback, **options)
        for callback in (None, spoil)
    )
    assert watched.fun == plain.fun
    assert np.array_equal(watched.x, plain.x)


class Interrupted:
    """A function whose evaluation with that number is interrupted."""

    def __init__(self, fun, number):
        self.fun, self.number, self.calls = fun, number, []

    def __call__(self, x):
        if len(self.calls) == self.number:
            raise KeyboardInterrupt
        self.calls.append(x.copy())
        return self.fun(x)


def interrupted(fun, number, bounds=BOX, **options):
    """The function, and the result that the exception has."""
    called = Interrupted(fun, number)
    with pytest.raises(KeyboardInterrupt) as caught:
        autov.minimize(called, bounds, **{"algorithm": "de", "popsize": 20, "maxfev": 500, "rng": 1, **options})
    return called, caught.value.autov_result


@pytest.mark.parametrize("algorithm", ["de", "scipy:de"])
@pytest.mark.parametrize("bounds", [BOX, [*BOX, (2.0, 2.0)]], ids=["free", "fixed"])
def test_ctrl_c_has_what_was_found_also_in_the_batch_that_it_ended(algorithm, bounds):
    called, found = interrupted(sphere, 133, bounds, algorithm=algorithm)
    expected = [sphere(x) for x in called.calls]
    assert (found.nfev, found.success, found.fun) == (133, False, min(expected))
    assert np.array_equal(found.x, called.calls[int(np.argmin(expected))])
    assert np.array_equal(found.history.x, np.array(called.calls))
    assert found.history.fun.tolist() == expected
    assert found.message == "Interrupted after 133 evaluations."


def test_before_the_first_evaluation_ctrl_c_has_nothing():
    called = Interrupted(sphere, 0)
    with pytest.raises(KeyboardInterrupt) as caught:
        autov.minimize(called, BOX, rng=1)
    assert not hasattr(caught.value, "autov_result")


@pytest.mark.parametrize("number", [13, 133])  # in the first batch, and in a later one
def test_nan_is_not_the_best_value_after_ctrl_c(number):
    _, found = interrupted(lambda x: np.nan if x[0] > 0 else sphere(x), number)
    assert np.isfinite(found.fun)
    assert found.x[0] <= 0


def test_where_nothing_is_feasible_ctrl_c_has_the_point_of_the_smallest_violation():
    limit = {"type": "ineq", "fun": lambda x: x[0] - 20}
    with pytest.raises(KeyboardInterrupt) as caught:
        autov.minimize(
            sphere, BOX, algorithm="de", popsize=20, maxfev=500, rng=1, constraints=limit,
            callback=Interrupted(lambda _: None, 6),
        )  # fmt: skip
    found = caught.value.autov_result
    assert found.fun == np.inf
    assert found.x[0] == found.history.x[:, 0].max()


def test_whole_numbers_and_feasible_points_after_ctrl_c():
    limit = {"type": "ineq", "fun": lambda x: x[0] - 1}
    called, found = interrupted(sphere, 55, constraints=limit, integrality=[True, False, True, False])
    assert np.array_equal(found.x[::2], np.rint(found.x[::2]))
    assert found.x[0] >= 1
    assert found.fun == min(sphere(x) for x in called.calls)
    assert (found.history.fun[found.history.x[:, 0] < 1] == np.inf).all()
