"""Runs whose points are in single precision: the same draws, points inside of the box, values in double precision."""

import numpy as np
import pytest

from autov.algorithms import Evolution
from autov.core import Box, generator, stream_key
from autov.kernels import run as kernels
from autov.kernels.many import Common, Tasks, in_single, run_many
from autov.kernels.objective import stack_objectives
from autov.operators import load_operator
from autov.problems import Classic, Rotated, resolve_problem


@pytest.mark.parametrize("dim", [1, 3, 4, 7, 8, 15, 16, 17, 30, 40])  # of every width of the innermost steps
@pytest.mark.parametrize("name", ["paper-h3", "exchange"])
def test_offspring_are_those_in_double_precision_rounded(name, dim):
    box = Box(np.full(dim, -5.0), np.full(dim, 5.0))
    plan = Evolution(load_operator(name)).plan()
    x = box.sample(20, generator(dim)).astype(np.float32)
    offspring = {}
    for real in (np.float32, np.float64):
        own, lower, upper = plan, box.lower, box.upper
        if real == np.float32:
            own, lower, upper = in_single(plan, box.lower, box.upper)
        work = kernels.evolution_work(stream_key(3), own, 20, 20, dim, real)
        work.pool[:20], work.f[:], work.counters[:] = x, np.arange(20.0), 0
        work.counters[kernels.GENERATION] = 5
        kernels.evolution_ask(own, work, lower, upper)
        offspring[real] = work.offspring
    assert offspring[np.float32].dtype == np.float32
    assert np.abs(offspring[np.float32] - offspring[np.float64]).max() < 1e-5
    assert np.abs(offspring[np.float64] - x.mean(axis=0)).max() > 1e-2  # they were drawn


@pytest.mark.parametrize("problem", [Classic("ackley", 30), Rotated(Classic("rastrigin", 5), 1)])
def test_the_best_value_is_exactly_that_of_the_best_point(problem):
    plan, lower, upper = in_single(Evolution().plan(), problem.box.lower, problem.box.upper)
    work = kernels.evolution_work(stream_key(1), plan, 50, 50, problem.box.dim, np.float32)
    trace = np.empty(80, np.int64), np.empty(80)
    kernels.run(plan, work, problem.objective(), lower, upper, 3000, *trace)
    assert work.best.dtype == np.float32
    out = np.empty(1)
    kernels.evaluate_blocks(stream_key(1), 0, problem.objective(), work.best[None].astype(np.float64), out)
    assert out[0] == work.numbers[kernels.BEST]
    assert work.numbers[kernels.BEST] == work.f.min()
    assert work.counters[kernels.NFEV] == 3000


def test_points_in_single_precision_are_inside_of_bounds_that_are_not_numbers_of_it():
    lower, upper = np.array([0.1, -0.1, 0.3, 1.0]), np.array([0.7, 0.7, 0.4, 2.0])
    _, low, high = in_single(Evolution().plan(), lower, upper)
    assert (low.astype(np.float64) >= lower).all()
    assert (high.astype(np.float64) <= upper).all()
    assert (low.astype(np.float64) - lower < 1e-7).all()
    assert (upper - high.astype(np.float64) < 1e-7).all()
    assert low[3] == 1
    assert high[3] == 2


@pytest.mark.parametrize("name", ["rastrigin", "ackley+family=translate-rotate-scale"])
def test_runs_are_as_good_as_those_in_double_precision(name):
    problem = resolve_problem(name, dim=10)
    objectives = stack_objectives([problem.objective()])
    plan = kernels.plain_plan(Evolution().plan().variation)
    stacked = plan._replace(variation=plan.variation._replace(**{
        name: getattr(plan.variation, name)[None]
        for name in ("thresholds", "solution_thresholds", "rows", "parameters")
    }))  # fmt: skip
    common = Common(stacked, objectives, problem.box.lower, problem.box.upper, 3000, 30, 30)
    zeros, runs = np.zeros(60, np.int64), np.arange(60)
    found = {}
    for single in (False, True):
        found[single] = np.empty(60)
        run_many(stream_key(5), common, Tasks(zeros, zeros, zeros, runs), found[single], single)
    assert not np.array_equal(found[True], found[False])
    assert np.median(found[True]) == pytest.approx(np.median(found[False]), rel=0.35)
