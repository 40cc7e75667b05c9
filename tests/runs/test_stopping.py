"""Stopping criteria, callbacks in SciPy's ways, history, made-up bounds."""

import re

import numpy as np
import pytest
from scipy.optimize import Bounds

import autov
from autov.core import Box, InputError
from autov.runs.stopping import LEAST, Seen, Stopping, has_converged

BOX = [(-5.0, 5.0)] * 3


def sphere(x):
    return float((x**2).sum())


def seen(best=1.0, nfev=100, improved=50, values=(1.0, 1.5), population=((0.0, 0.0), (1.0, 0.1)), seconds=2.0):
    return Seen(best, nfev, improved, np.array(population), np.array(values), Box([0.0, 0.0], [10.0, 1.0]), seconds)


@pytest.mark.parametrize(
    ("criterion", "met", "not_met", "status"),
    [
        ("target", 1.0, 0.99, 3), ("ftol", 0.5, 0.49, 4), ("xtol", 0.1, 0.09, 5), ("maxtime", 2.0, 2.1, 6),
        ("patience", 50, 51, 7),
    ],
)  # fmt: skip
def test_each_criterion_holds_from_its_number_on(criterion, met, not_met, status):
    found = Stopping(**{criterion: met}).met(seen())
    assert found is not None
    assert found[0] == status
    assert criterion in found[1] or criterion in ("target", "maxtime")
    assert Stopping(**{criterion: not_met}).met(seen()) is None


def test_ftol_is_relative_to_large_values_absolute_below_one_and_needs_finite_ones():
    assert Stopping(ftol=1e-3).met(seen(best=1000.0, values=(1000.0, 1001.0)))
    assert Stopping(ftol=1e-3).met(seen(best=0.0, values=(0.0, 1e-3)))
    assert Stopping(ftol=1e-3).met(seen(best=0.0, values=(0.0, 1.1e-3))) is None
    assert Stopping(ftol=1e-3).met(seen(values=(1.0, np.inf))) is None


@pytest.mark.parametrize("bad", [{"ftol": -1}, {"xtol": "a"}, {"target": np.nan}, {"maxtime": True}, {"patience": 0}])
def test_bad_criteria_are_refused(bad):
    with pytest.raises(InputError, match=f"^{next(iter(bad))}: "):
        Stopping(**bad)


@pytest.mark.parametrize(
    ("criterion", "status"),
    [({"target": 0.5}, 3), ({"ftol": 1e-3}, 4), ({"xtol": 1e-2}, 5), ({"maxtime": 0.0}, 6), ({"patience": 300}, 7)],
)
def test_minimize_and_optimizer_say_why_they_stopped(criterion, status):
    options = {"algorithm": "de", "popsize": 20, "rng": 1, "maxfev": 50_000, "stop": Stopping(**criterion)}
    fun = (lambda x: sphere(np.rint(x))) if status == 7 else sphere
    result = autov.minimize(fun, BOX, **options)
    assert result.status == status
    assert result.success == (status != 6)
    assert result.nfev < 50_000
    optimizer = autov.Optimizer(BOX, **options)
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, [fun(row) for row in x])
    assert optimizer.result.status == status
    assert optimizer.result.nfev == result.nfev
    assert optimizer.result.message == result.message or status == 6


def test_stopping_does_not_change_the_course_of_a_compiled_run():
    plain = autov.minimize("rastrigin", dim=5, maxfev=3000, rng=1)
    watched = autov.minimize("rastrigin", dim=5, maxfev=3000, rng=1, target=-1.0, history=True)
    assert watched.status == 0
    assert np.array_equal(plain.x, watched.x)
    assert watched.history.x.shape == (3000, 5)
    assert watched.history.fun.min() == plain.fun


def test_an_optimiser_without_population_has_no_spread():
    with pytest.raises(InputError, match=r"^xtol: "):
        autov.minimize(sphere, BOX, algorithm="scipy:de", stop=Stopping(xtol=0.1))
    result = autov.minimize(sphere, BOX, algorithm="scipy:de", target=0.5, popsize=20, rng=1)
    assert result.status == 3
    assert result.fun <= 0.5


def test_callbacks_are_called_as_scipy_does():
    got = []

    def by_name(*, intermediate_result):
        got.append(intermediate_result.x)

    def by_point(xk):
        got.append(xk)

    def by_both(x, convergence):
        assert 0 <= convergence <= 1
        got.append(x)

    def by_keyword(xk, *, convergence):
        by_both(xk, convergence)

    def by_keywords(xk, **others):
        by_both(xk, **others)

    for callback in (by_name, by_point, by_both, by_keyword, by_keywords):
        autov.minimize(sphere, BOX, algorithm="paper-h3", maxfev=20, popsize=20, rng=1, callback=callback)
    assert len(got) == 5
    assert all(np.array_equal(got[0], x) for x in got)


def test_history_holds_every_point_in_order():
    asked = []
    result = autov.minimize(lambda x: asked.append(x) or sphere(x), [*BOX, (1, 1)], maxfev=130, rng=1,
                            history=True)  # fmt: skip
    assert np.array_equal(result.history.x, np.array(asked))
    assert result.history.fun.tolist() == [sphere(x) for x in asked]


def test_missing_bounds_are_made_up_around_x0():
    result = autov.minimize(lambda x: sphere(x - 3), x0=[0.0, 0.0], maxfev=3000, popsize=30, rng=1, algorithm="de")
    assert result.fun < 1e-6
    assert "made up" not in result.message
    far = autov.minimize(lambda x: float(-x[0]), [(0, None), (0, 1)], x0=[2.0, 0.5], maxfev=300, rng=1, algorithm="de")
    assert far.x[0] == 22.0
    assert "x[0] lies at a border that was made up" in far.message
    with pytest.raises(InputError, match=r"^bounds: "):
        autov.minimize(sphere, [(0, 1), (0, np.inf)])


def test_borders_made_up_for_whole_numbers_are_reported_too():
    found = autov.minimize(
        lambda x: float(-x[0]), x0=[2.4], integrality=True, maxfev=100, popsize=10, rng=1, algorithm="de"
    )
    assert found.x[0] == 26.0
    assert "x[0] lies at a border that was made up" in found.message


@pytest.mark.parametrize(
    ("bounds", "x0", "message"),
    [
        (None, "abc", "x0: must be an array of numbers"),
        ([(0, None)] * 2, ["a", "b"], "x0: must be an array of numbers"),
        ([(0, None)] * 2, [np.nan, 1.0], "x0: must be finite"),
        ([(0, None)] * 2, [np.inf, 1.0], "x0: must be finite"),
        ([(20, None)] * 2, [-1.0, 1.0], r"x0: must lie inside the bounds; variable 0 is -1, not in \[20, inf\]"),
        ([(0, 2)] * 2, [1.0, 3.0], r"x0: must lie inside the bounds; variable 1 is 3, not in \[0, 2\]"),
        ([(0, 2)] * 2, [[1, 1], [1, np.nan]], r"x0: must lie inside the bounds; variable 1 is nan, not in \[0, 2\]"),
        ([(0, None)] * 2, [1.0] * 3, "x0: must be a point of 2 variables"),
    ],
)  # fmt: skip
def test_a_bad_x0_is_named(bounds, x0, message):
    with pytest.raises(InputError, match=message):
        autov.minimize(sphere, bounds, x0=x0)


@pytest.mark.parametrize("upper", [5, np.inf])
def test_one_pair_of_scipy_bounds_is_for_all_variables_of_x0(upper):
    found = autov.minimize(sphere, Bounds(-5, upper), x0=[1.0, 2.0], maxfev=40, popsize=10, rng=1, algorithm="de")
    each = autov.minimize(sphere, [(-5, upper)] * 2, x0=[1.0, 2.0], maxfev=40, popsize=10, rng=1, algorithm="de")
    assert np.array_equal(found.x, each.x)


def test_a_result_is_short_in_print():
    result = autov.minimize("sphere", dim=40, maxfev=200, rng=1, history=True, algorithm="paper-h3")
    assert len(repr(result)) < 600
    assert "population" not in repr(result)
    assert len(repr(result).splitlines()) == len(result.lines())
    assert result["population"].shape == (100, 40)


def test_a_result_prints_numbers_as_people_write_them():
    bounds = [(0, 2000), (0, 1e6), (0, 1e-3)]
    result = autov.minimize(lambda x: ((x - 12.55) ** 2).sum(), bounds, maxfev=100, rng=1)
    assert "x: [12.55, 12.55, 0.001]\n" in repr(result)


def trace(*pairs):
    """Evaluations and the best value then."""
    nfev, best = zip(*pairs, strict=True)
    return np.array(nfev), np.array(best, dtype=float)


@pytest.mark.parametrize(
    ("pairs", "converged"),
    [
        ([(100, 5.0), (200, 1.0), (499, 1.0)], False),
        ([(100, 5.0), (200, 1.0), (500, 1.0)], True),  # 300 evaluations, the least in one variable
        ([(100, 5.0), (200, 1.0), (500, 0.5)], False),
        ([(100, 5.0), (1000, 1.0), (1999, 1.0)], False),  # as many again as it took
        ([(100, 5.0), (1000, 1.0), (2000, 1.0)], True),
        ([(100, 1.0), (200, 5e-15), (500, 0.0)], True),  # what came last is rounding
        ([(100, 1.0), (200, 5e-14), (500, 0.0)], False),
        ([(100, 1e9), (200, 1e9), (400, 1e9)], True),  # a constant function
        ([(100, 0.0)], False),
        ([(1000, 3.0)], False),
        ([(300, np.inf), (600, np.inf)], False),
        ([(300, np.inf), (600, np.inf), (700, 3.0), (1399, 3.0)], False),
        ([(300, np.inf), (600, np.inf), (700, 3.0), (1400, 3.0)], True),
        ([(100, 3.0), (101, -np.inf)], True),  # nothing is better
        ([(100, 1.7e308), (200, -1.7e308), (499, -1.7e308)], False),
        ([(100, 1.7e308), (200, -1.7e308), (500, -1.7e308)], True),
        ([(100, np.finfo(float).max), (400, np.finfo(float).max)], True),
    ],
)
def test_converged_is_what_brought_nothing_for_as_long_as_it_took(pairs, converged):
    assert has_converged(*trace(*pairs), 1, 1) is converged


def test_nothing_has_converged_before_the_first_evaluation():
    assert not has_converged(np.empty(0, dtype=int), np.empty(0), 3, 100)


@pytest.mark.parametrize("dim", [1, 5, 30])
def test_more_variables_take_longer_to_converge(dim):
    least = 100 * (dim + 2)
    assert not has_converged(*trace((10, 1.0), (9 + least, 1.0)), dim, 10)
    assert has_converged(*trace((10, 1.0), (10 + least, 1.0)), dim, 10)


def test_a_large_population_takes_longer_to_converge():
    assert not has_converged(*trace((10, 1.0), (2009, 1.0)), 3, 100)
    assert has_converged(*trace((10, 1.0), (2010, 1.0)), 3, 100)


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
def test_a_few_generations_without_a_better_point_are_not_convergence(seed):
    def sphere(x):
        return ((x - 0.3) ** 2).sum(axis=1)

    result = autov.minimize(sphere, [(-5, 5)] * 3, algorithm="de", vectorized=True, rng=seed)
    assert result.fun < 1e-8
    optimizer = autov.Optimizer([(-5, 5)] * 3, algorithm="de", rng=seed)
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, sphere(x))
    assert optimizer.result.fun < 1e-8


@pytest.mark.parametrize("seed", range(5))
def test_scale_and_translation_of_values_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    gains = np.where(rng.random(200) < 0.1, rng.uniform(0.1, 1, 200), 0.0)
    gains[80:] = 0
    nfev, best = np.arange(10, 2010, 10), 20 - np.cumsum(gains)
    ends = range(1, 201)
    expected = [has_converged(nfev[:end], best[:end], 1, 1) for end in ends]
    assert len(set(expected)) == 2
    for factor, shift in ((1e-200, 0.0), (1e200, 0.0), (3.7, 0.0), (1.0, 1e6), (1.0, -1e6), (1e-3, 12.0)):
        other = factor * best + shift
        assert [has_converged(nfev[:end], other[:end], 1, 1) for end in ends] == expected


def bowl(x):
    return float(((x - 1) ** 2).sum())


def test_without_a_budget_a_small_problem_costs_few_evaluations():
    result = autov.minimize(bowl, [(-5, 5)] * 2, rng=1)
    assert (result.status, result.success) == (9, True)
    assert result.nfev < 3000
    assert result.fun < 1e-12
    match = re.fullmatch(
        r"Converged after ([\d,]+) evaluations: the last ([\d,]+) brought no improvement\.", result.message
    )
    made, last = (int(part.replace(",", "")) for part in match.groups())
    assert made == result.nfev
    assert LEAST * (2 + 2) <= last <= made
    assert np.isclose(result.trace_best[result.trace_nfev <= made - last][-1], result.fun, rtol=0, atol=1e-11)


def test_an_optimizer_says_when_it_has_converged_as_minimize_does():
    optimizer = autov.Optimizer([(-5, 5)] * 2, algorithm="ma-es", rng=1)
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, [bowl(point) for point in x])
    assert optimizer.result.message == autov.minimize(bowl, [(-5, 5)] * 2, algorithm="ma-es", rng=1).message


def test_one_evaluation_is_no_evaluations():
    said = autov.minimize(bowl, [(-5, 5)] * 2, maxfev=1, rng=1).message
    assert said.startswith("The budget of 1 evaluation is used up before")
    assert autov.minimize(lambda _: -np.inf, [(-5, 5)] * 2, rng=1).message.endswith(
        ": the best value is minus infinity."
    )


class Improving:
    """Every evaluation is a little better than the one before."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        first, self.calls = self.calls, self.calls + len(x)
        return -np.arange(first, self.calls, dtype=float)


def test_without_a_budget_there_is_still_a_limit():
    result = autov.minimize(Improving(), [(-5, 5)] * 2, vectorized=True, rng=1)
    assert (result.nfev, result.status, result.success) == (12_000, 0, False)
    assert "before the run converged" in result.message


def no_point(x):
    return -1.0 - float(x @ x)


@pytest.mark.parametrize(
    ("options", "status", "success"),
    [
        ({"maxfev": 100}, 0, False),
        ({"maxfev": 8000}, 0, True),  # converged long before
        ({"callback": lambda intermediate_result: intermediate_result.nfev >= 60}, 1, False),
        ({"callback": lambda intermediate_result: intermediate_result.nfev >= 7000, "maxfev": 8000}, 1, True),
        ({"fun": lambda _: np.inf, "maxfev": 100}, 2, False),
        ({"target": 0.5}, 3, True),
        ({"stop": Stopping(ftol=1e-3)}, 4, True),
        ({"stop": Stopping(xtol=1e-3)}, 5, True),
        ({"stop": Stopping(maxtime=0)}, 6, False),
        ({"stop": Stopping(patience=40)}, 7, True),
        ({"constraints": {"type": "ineq", "fun": no_point}, "maxfev": 100}, 8, False),
        ({}, 9, True),
    ],
)
def test_what_is_a_success(options, status, success):
    usual = {"fun": bowl, "bounds": [(-5, 5)] * 2, "algorithm": "de", "popsize": 20, "rng": 1}
    result = autov.minimize(**usual | options)
    assert (result.status, result.success) == (status, success), result.message


@pytest.mark.parametrize("algorithm", ["de", "scipy:de"])
def test_a_target_that_the_last_batch_reaches_is_a_success(algorithm):
    def steps(x):
        calls.append(x)
        return 1.0 if len(calls) < 60 else 0.0

    calls = []
    options = {"algorithm": algorithm, "popsize": 20, "rng": 1, "maxfev": 60}
    result = autov.minimize(steps, BOX, target=0.5, **options)
    assert (result.nfev, result.status, result.success) == (60, 3, True)


def test_criteria_of_another_kind_are_refused():
    with pytest.raises(InputError, match=r"^stop: must be autov\.Stopping"):
        autov.minimize(sphere, BOX, stop={"ftol": 1e-3})
    with pytest.raises(InputError, match=r"^target: stop has one already"):
        autov.Optimizer(BOX, target=1.0, stop=Stopping(target=2.0))
    with pytest.raises(InputError, match=r"^faults: must be autov\.FaultPolicy"):
        autov.minimize(sphere, BOX, faults="worst")
