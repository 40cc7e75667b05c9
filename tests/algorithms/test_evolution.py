"""The paper's metaheuristic around operators of any kind."""

import numpy as np
import pytest

import autov
from autov.algorithms import Evolution, solve
from autov.core import Box, InputError, generator, stream_key
from autov.operators import CLASSIC, SBX, CallableOperator
from autov.problems import Classic
from tests import naive

BOX = [(-5.0, 5.0)] * 4
PROBLEM = Classic("sphere", 4)


def sphere(x):
    return float((x**2).sum())


def middle(parents, lower, upper, rng):  # noqa: ARG001
    return parents[:2].mean(axis=0) + 0.1 * rng.standard_normal(parents[0].shape)


middle.n_parents = 2


@pytest.mark.parametrize("name", CLASSIC)
def test_classic_operators_run_by_name_and_as_objects(name):
    options = {"maxfev": 300, "popsize": 20, "rng": 1}
    by_name = autov.minimize(sphere, BOX, operator=name, **options)
    assert autov.minimize(sphere, BOX, operator=CLASSIC[name], **options).fun == by_name.fun
    assert by_name.nfev == 300
    assert ((by_name.population >= -5) & (by_name.population <= 5)).all()


def test_any_function_is_an_operator_everywhere(tmp_path):
    options = {"maxfev": 400, "popsize": 20}
    reference = solve(PROBLEM, Evolution(middle), seed=3, **options)
    assert reference.fun < solve(PROBLEM, Evolution(middle), seed=3, maxfev=20, popsize=20).fun
    assert autov.minimize(PROBLEM, operator=middle, rng=3, **options).fun == reference.fun
    optimizer = autov.Optimizer(PROBLEM.box, middle, rng=3, **options)
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, PROBLEM(x, generator(0)))
    assert optimizer.result.fun == reference.fun
    found = autov.compare({"mine": Evolution(middle)}, {"bowl": PROBLEM}, runs=2, store=None, workers=1, **options)
    assert found.values("bowl", "mine")[0] == solve(PROBLEM, Evolution(middle), seed=1, **options).fun
    (tmp_path / "middle_for_test.py").write_text(
        "def middle(parents, lower, upper, rng):\n"
        "    return parents[:2].mean(axis=0) + 0.1 * rng.standard_normal(parents[0].shape)\n"
        "middle.n_parents = 2\n"
    )
    own = autov.minimize(PROBLEM, operator=f"{tmp_path / 'middle_for_test.py'}:middle", rng=3, **options)
    assert own.fun == reference.fun


def test_parents_are_winners_of_tournaments():
    """The same parents as the compiled run picks: two of the population, the first of two equals wins."""
    seen = []

    def first_parent(parents, lower, upper, rng):  # noqa: ARG001
        seen.append(parents.copy())
        return parents[0]

    algorithm = Evolution(CallableOperator.of(first_parent, 2))
    box = Box.of(BOX)
    x = box.sample(6, generator(5))
    f = np.array([3.0, 1.0, 2.0, 1.0, 5.0, 4.0])
    state = algorithm.start(stream_key(2), box, 6, 100, x)
    state = algorithm.tell(state, x, f, generator(0))
    algorithm.ask(state, generator(0))
    expected = naive.parents(stream_key(2), 1, np.array([1, 2]), f, 6)
    assert np.array_equal(seen[0], x[expected.T])


def test_operators_may_want_the_best_and_the_mean():
    def to_best(parents, lower, upper, rng, best=None, mean=None):  # noqa: ARG001
        return np.broadcast_to((best + mean) / 2, parents[0].shape)

    algorithm = Evolution(to_best)
    x = Box.of(BOX).sample(6, generator(5))
    state = algorithm.tell(algorithm.start(stream_key(2), Box.of(BOX), 6, 100, x), x, PROBLEM(x, generator(0)),
                           generator(0))  # fmt: skip
    asked, _ = algorithm.ask(state, generator(0))
    best = x[PROBLEM(x, generator(0)).argmin()]
    assert np.allclose(asked, (best + x.mean(axis=0)) / 2)


@pytest.mark.parametrize(
    ("operator", "message"),
    [
        (3, "must be callable"), (lambda p, low, up, rng: p[0][:1], "must return numbers of shape"),  # noqa: ARG005
        (lambda p, low, up, rng: p[0] * np.nan, "got NaN"), (lambda p, low, up, rng: "x", "not an array"),  # noqa: ARG005
        ("nosuch", "no file 'nosuch'"),
    ],
)  # fmt: skip
def test_operators_that_do_not_work_are_named(operator, message):
    with pytest.raises(InputError, match=message):
        autov.minimize(sphere, BOX, operator=operator, maxfev=100, popsize=10, rng=1)


def test_points_of_other_origin_compete():
    algorithm = Evolution(SBX())
    box = Box.of(BOX)
    x = box.sample(5, generator(1))
    state = algorithm.tell(algorithm.start(stream_key(1), box, 5, 100, x), x, np.arange(5.0), generator(0))
    after = algorithm.inject(state, np.zeros((1, 4)), np.array([-1.0]))
    assert sorted(after.f) == [-1, 0, 1, 2, 3]
    assert after.generation == state.generation
    assert after.x[after.f.argmin()].tolist() == [0, 0, 0, 0]


def test_every_generation_has_its_own_random_numbers():
    seen = []

    def noted(parents, lower, upper, rng):  # noqa: ARG001
        seen.append(rng.random())
        return parents[0]

    solve(PROBLEM, Evolution(CallableOperator.of(noted, 1)), maxfev=50, popsize=10, seed=1)
    solve(PROBLEM, Evolution(CallableOperator.of(noted, 1)), maxfev=50, popsize=10, seed=1, run=1)
    assert len(set(seen)) == len(seen) == 8
