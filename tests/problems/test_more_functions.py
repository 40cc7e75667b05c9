"""The functions besides the classic thirteen: places, boxes, and all that named problems can do."""

import math

import numpy as np
import pytest

from autov.algorithms import resolve_algorithm
from autov.core import Box, InputError, generator
from autov.kernels.evolution.run import evaluate_blocks
from autov.problems import GROUPS, MORE_NAMES, NAMES, Classic, expand_names, instance_of, resolve_problem
from autov.runs import solve
from tests import naive

ALL = pytest.mark.parametrize("name", MORE_NAMES)


@ALL
@pytest.mark.parametrize("dim", [2, 5, 30])
def test_no_random_point_is_below_the_known_minimum(name, dim):
    problem = resolve_problem(name, dim=dim)
    assert problem(problem.optimum[None], generator(0))[0] == pytest.approx(problem.minimum, abs=1e-9)
    assert problem(problem.box.sample(2000, generator(dim)), generator(0)).min() >= problem.minimum


@ALL
def test_values_near_the_optimum_are_exact_enough_for_the_last_target(name):
    """The smallest target is 1e-8 above the minimum: steps of 1e-6 must be seen as the formula sees them."""
    problem = resolve_problem(name, dim=4)
    x = problem.box.clip(problem.optimum + 1e-6 * generator(1).standard_normal((50, 4)))
    assert np.allclose(problem(x, generator(0)), naive.classic(name, x), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", [name for name in MORE_NAMES if name not in ("michalewicz", "styblinski_tang")])
def test_minima_of_zero_are_zero(name):
    problem = resolve_problem(name, dim=7)
    assert problem.minimum == 0.0
    assert problem(problem.optimum[None], generator(0))[0] == 0.0


@pytest.mark.parametrize(("dim", "value"), [(2, -1.8013034100), (5, -4.6876581790), (10, -9.6601517156)])
def test_the_published_minima_of_michalewicz(dim, value):
    assert resolve_problem("michalewicz", dim=dim).minimum == pytest.approx(value, abs=5e-10)


def test_each_term_of_michalewicz_is_smallest_where_it_is_said_to_be():
    x = np.linspace(0, math.pi, 200_001)
    at = resolve_problem("michalewicz", dim=60).optimum
    for i in (1, 2, 3, 7, 20, 60):
        terms = -np.sin(x) * np.sin(i * x**2 / math.pi) ** 20
        best = -np.sin(at[i - 1]) * np.sin(i * at[i - 1] ** 2 / math.pi) ** 20
        assert best <= terms.min() <= best + 1e-5


def test_usual_boxes():
    assert resolve_problem("zakharov", dim=2).box == Box.cube(-5, 10, 2)
    assert resolve_problem("michalewicz", dim=2).box == Box.cube(0, math.pi, 2)
    assert resolve_problem("lunacek", dim=3).box == Box.cube(-5, 5, 3)
    assert resolve_problem("zakharov+bound=3", dim=2).box == Box.cube(-3, 3, 2)
    assert resolve_problem("zakharov+bound=3", dim=2).minimum == 0.0
    assert resolve_problem("michalewicz+bound=3", dim=2).minimum is None, "outside [0, pi] it may be smaller"
    assert resolve_problem("lunacek+bound=2", dim=2).minimum is None, "the optimum is outside"


def test_lunacek_needs_two_variables():
    with pytest.raises(InputError, match=r"^dim: "):
        resolve_problem("lunacek", dim=1)


def test_the_wide_funnel_of_lunacek_ends_higher():
    problem = resolve_problem("lunacek", dim=10)
    s = 1 - 1 / (2 * math.sqrt(30) - 8.2)
    other = np.full((1, 10), -math.sqrt(5.25 / s))
    assert problem(other, generator(0))[0] >= 10.0
    assert problem(np.round(other - 0.5) + 0.5, generator(0))[0] < 15.0, "without waves at the half numbers"


@ALL
@pytest.mark.parametrize(
    "step", ["rotate=run", "translate=run", "family=translate-rotate-scale", "translate=0.1+scale=2"]
)
def test_transformations_apply(name, step):
    problem = resolve_problem(f"{name}+{step}", dim=5)
    for run in (0, 3):
        instance = instance_of(problem, run)
        x = instance.box.sample(9, generator(run))
        out = np.empty(9)
        evaluate_blocks(np.zeros(2, np.uint64), 0, instance.objective(), x, out)
        assert np.allclose(out, instance(x, generator(0)), rtol=1e-8, atol=1e-8)
        if instance.minimum is not None:
            assert instance(instance.optimum[None], generator(0))[0] == pytest.approx(instance.minimum, abs=1e-4)


@ALL
def test_a_compiled_run_on_each(name):
    run = solve(resolve_problem(name, dim=4), resolve_algorithm("paper-h3"), maxfev=600, popsize=20, seed=1)
    assert np.isfinite(run.fun)
    assert run.fun <= run.trace_best[0]
    assert run.fun == pytest.approx(naive.classic(name, run.x[None])[0], rel=1e-9, abs=1e-9)


def test_groups_and_other_names():
    assert expand_names("added") == list(MORE_NAMES)
    assert expand_names("added+rotate=run")[1] == "discus+rotate=run"
    assert expand_names("all") == [*NAMES, *MORE_NAMES]
    assert expand_names("classic,levy") == [*NAMES, "levy"]
    assert len(GROUPS["paper"]) == 13
    assert resolve_problem("bi_rastrigin", dim=3) == Classic("lunacek", 3)
    with pytest.raises(InputError, match="'added' is a group of 13; take one of them"):
        resolve_problem("added")
    assert len(NAMES) == 13
    assert not set(NAMES) & set(MORE_NAMES)
