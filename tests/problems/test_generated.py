"""Families of users: one instance for each run, and no instance in two parts of a design."""

import pickle
from collections import Counter

import numba
import numpy as np
import pytest

import autov
from autov import InputError, function_problem
from autov.core import identity
from autov.problems import instance_of
from autov.problems.generated import PARTS, part_of

BOUNDS = [(-5.0, 5.0)] * 3
SMALL = {
    "generations": 2,
    "population": 6,
    "race_size": 2,
    "race_runs": 2,
    "retest_runs": 4,
    "rng": 1,
    "remember": False,
}
SMALL |= {"members": "ma-es", "trial": {"evaluations": 60, "popsize": 6, "runs": 2}}


@numba.njit
def mixture_at(x, centres, heights, width):
    best = 0.0
    for k in range(len(heights)):
        away = 0.0
        for i in range(len(x)):
            away += (x[i] - centres[k, i]) ** 2
        best = max(best, heights[k] * np.exp(-away / width))
    return -best


def drawn(rng):
    return rng.uniform(-4, 4, (5, 3)), rng.uniform(0.5, 1.0, 5)


class Mixtures:
    """Gaussian mixtures that count how often each instance is made and called."""

    def __init__(self, vectorized=False):
        self.vectorized, self.made, self.calls = vectorized, Counter(), Counter()

    def __call__(self, run):
        self.made[run] += 1
        centres, heights = drawn(np.random.default_rng(run))

        def value(x):
            self.calls[run] += len(x) if self.vectorized else 1
            away = ((np.atleast_2d(x)[:, None] - centres) ** 2).sum(axis=2)
            found = -(heights * np.exp(-away / 4)).max(axis=1)
            return found if self.vectorized else found[0]

        return value


@pytest.mark.parametrize("vectorized", [False, True])
def test_a_design_trains_validates_and_tests_on_disjoint_instances(vectorized):
    make = Mixtures(vectorized)
    mine = autov.family(make, BOUNDS, vectorized=vectorized, key="mixtures")
    found = autov.design(mine, workers=1, **SMALL)
    assert found.retested.shape == (1, 4)
    calls = {part: Counter({run: n for run, n in make.calls.items() if part_of(run) == part}) for part in PARTS}
    assert all(calls.values())
    assert {part: sum(calls[part].values()) for part in PARTS} == {
        "train": found.spent["search"] + found.spent["measure"], "validation": found.spent["race"],
        "test": found.spent["retest"],
    }  # fmt: skip
    # Every instance of the test is called equally often: once by the result, and by each of the others.
    assert set(calls["test"].values()) == {60 * (1 + len(found.baselines))}
    assert len(calls["test"]) == 4
    assert set(make.made.values()) == {1}


def test_the_held_out_instances_can_come_from_another_generator():
    trained, tested = Mixtures(), Mixtures()
    mine = autov.family(trained, BOUNDS, validate=tested, key="two")
    found = autov.design(mine, workers=1, **SMALL)
    assert {part_of(run) for run in trained.calls} == {"train"}
    assert sum(tested.calls.values()) == found.spent["race"] + found.spent["retest"]
    autov.minimize(mine, maxfev=50, algorithm="ma-es", rng=1)
    assert tested.calls[0] == 50


def test_compare_and_minimize_take_test_instances_and_construct_each_once():
    make = Mixtures()
    mine = autov.family(make, BOUNDS, key="mixtures")
    compared = autov.compare({"a": "ma-es", "b": "de"}, mine, maxfev=100, runs=3, rng=1, store=None, workers=1)
    assert dict(make.calls) == {0: 200, 1: 200, 2: 200}
    assert set(make.made.values()) == {1}
    assert len(set(compared.values("Mixtures", "a"))) == 3
    result = autov.minimize(mine, maxfev=100, algorithm="ma-es", rng=1)
    assert make.calls[0] == 300
    assert result.fun == mine.instance(0)(result.x[None], None)[0]


def test_a_generator_gets_its_own_stream_and_a_number_is_the_run():
    seen = []

    def with_rng(rng):
        seen.append(rng.random())
        return lambda x: float(x.sum())

    def with_run(run):
        seen.append(run)
        return lambda x: float(x.sum())

    mine = autov.family(with_rng, BOUNDS)
    for run in (0, 1, mine.numbered("train", 0), 0):
        instance_of(mine, run)
    assert len(set(seen)) == 3 == len(seen)
    seen.clear()
    autov.family(with_run, BOUNDS).instance(7)
    assert seen == [7]


def test_compiled_instances_with_data_are_compiled_once_and_give_the_values_of_python():
    def make(rng):
        return function_problem(mixture_at, BOUNDS, args=(*drawn(rng), 4.0))

    mine = autov.family(make)
    one, two = mine.instance(0), mine.instance(1)
    assert one.objective().address == two.objective().address
    x = np.random.default_rng(1).uniform(-5, 5, (4, 3))
    for problem in (one, two):
        result = autov.minimize(problem, algorithm="ma-es", maxfev=200, rng=1)
        centres, heights = problem.args[:2]
        away = ((result.x - centres) ** 2).sum(axis=1)
        assert result.fun == pytest.approx(-(heights * np.exp(-away / 4.0)).max())
        assert problem(x, None) == pytest.approx(
            -(heights * np.exp(-((x[:, None] - centres) ** 2).sum(axis=2) / 4)).max(axis=1)
        )
    assert identity(one) != identity(two)
    found = autov.design(mine, workers=1, **SMALL)
    again = [autov.minimize(mine.instance(run), algorithm=found, maxfev=60, rng=1).fun for run in range(2)]
    assert len(set(again)) == 2
    assert len(set(found.retested[0])) == 4


def test_compiled_data_and_what_the_function_raises():
    @numba.njit
    def bad(x, limit, more):
        if x[0] > limit:
            raise ValueError("too large")
        return x.sum() + more[0]

    problem = function_problem(bad, BOUNDS, args=(-4.9, np.ones(2)))
    with pytest.raises(ValueError, match="too large"):
        autov.minimize(problem, algorithm="ma-es", maxfev=100, rng=1)
    mine = autov.family(lambda run: problem, key="bad")  # noqa: ARG005
    with pytest.raises(ValueError, match="too large"):
        autov.design(mine, workers=1, **SMALL)


def test_a_number_of_instances_is_split():
    seen = []

    def make(run):
        seen.append(run)
        return lambda x: float(((x - run / 10) ** 2).sum())

    mine = autov.family(make, BOUNDS, count=10)
    for part in PARTS:
        seen.clear()
        for number in range(40):
            mine.instance(mine.numbered(part, number))
        expected = {"test": {4, 9}, "train": {0, 1, 2, 5, 6, 7}, "validation": {3, 8}}[part]
        assert set(seen) == expected
    with pytest.raises(InputError, match="count"):
        autov.family(make, BOUNDS, count=4)


def test_families_travel_and_have_an_identity():
    mine = autov.family(Mixtures(), BOUNDS, key="mixtures")
    other = pickle.loads(pickle.dumps(autov.family(drawn_sphere, BOUNDS)))
    assert other.instance(3)(np.zeros((1, 3)), None) == drawn_sphere(3)(np.zeros(3))
    assert identity(mine) == identity(autov.family(Mixtures(), BOUNDS, key="mixtures"))
    assert identity(mine) != identity(autov.family(Mixtures(), BOUNDS, key="others"))
    assert identity(other) != identity(autov.family(drawn_sphere, BOUNDS, vectorized=True))


def drawn_sphere(run):
    centre = np.random.default_rng(run).random(3)
    return lambda x: float(((x - centre) ** 2).sum())


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: autov.family(3, BOUNDS), "make"),
        (lambda: autov.family(drawn_sphere, BOUNDS, validate=[1]), "validate"),
        (lambda: autov.family(drawn_sphere, BOUNDS, name=""), "name"),
        (lambda: autov.family(drawn_sphere).instance(0), "needs bounds"),
        (lambda: autov.family(lambda run: run, BOUNDS).instance(0), "function or a problem"),
        (lambda: autov.family(lambda run: autov.problem("sphere", dim=run + 2), BOUNDS).instance(0), "other bounds"),
    ],
)
def test_what_does_not_fit_is_refused(wrong, said):
    with pytest.raises(InputError, match=said):
        wrong()
