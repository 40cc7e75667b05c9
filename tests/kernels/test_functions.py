"""The compiled functions equal their formulas."""

import numpy as np
import pytest

from autov.core import generator
from autov.problems import resolve_problem
from autov.problems.classics import TABLE, Classic
from tests import naive

PLAIN = [name for name in TABLE if not name.startswith("noisy_")]  # tests/problems/test_noisy.py has the others


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 7, 30, 33])
@pytest.mark.parametrize("name", PLAIN)
def test_equals_formula(name, dim):
    problem = Classic(name, max(dim, TABLE[name].least))
    x = problem.box.sample(23, generator(dim))
    ours = problem(x, generator(0))
    twin = naive.classic(name, x)
    if problem.noisy:
        noise = ours - twin
        assert ((noise >= -1e-12) & (noise < 1 + 1e-12)).all()
        assert noise.std() > 0.1
    else:
        assert np.allclose(ours, twin, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("name", PLAIN)
def test_optimum_has_the_minimum_and_nothing_near_is_better(name):
    problem = Classic(name, 6)
    assert problem.optimum is not None
    value = naive.classic(name, problem.optimum[None])[0]
    assert value == pytest.approx(problem.minimum, abs=1e-9)
    near = problem.box.clip(problem.optimum + 1e-3 * problem.box.width * generator(1).standard_normal((200, 6)))
    assert (naive.classic(name, near) >= value - 1e-9).all()


def test_noise_of_quartic_comes_from_the_given_stream():
    problem = Classic("quartic", 5)
    x = problem.box.sample(10, generator(0))
    assert np.array_equal(problem(x, generator(7)), problem(x, generator(7)))
    assert not np.array_equal(problem(x, generator(7)), problem(x, generator(8)))


def test_many_points_equal_few():
    problem = Classic("ackley", 30)
    x = problem.box.sample(500, generator(3))
    whole = problem(x, generator(0))
    assert np.allclose(whole, [problem(p[None], generator(0))[0] for p in x], rtol=1e-13)


@pytest.mark.parametrize("name", ["rastrigin", "weierstrass"])
def test_no_value_lies_below_the_minimum(name):
    """Near the optimum the cosines round to slightly more than 1."""
    problem = resolve_problem(name, dim=30)
    step = 10.0 ** generator(1).uniform(-20, -6, (4000, 1))
    values = problem(step * generator(2).standard_normal((4000, 30)), generator(0))
    assert values.min() == 0.0
    assert (values > 0).any()
    unknown = problem(np.array([[np.nan] * 30, [0.5] * 30]), generator(0))
    assert not unknown[0] <= 0
