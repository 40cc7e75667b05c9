"""A whole run equals its steps and its twin, and depends on its key alone."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.stats import ks_2samp

from autov.algorithms import Evolution
from autov.core import generator, stream_key
from autov.kernels.evolution import many
from autov.kernels.evolution import run as kernels
from autov.kernels.objective import stack_objectives
from autov.operators import load_operator
from autov.problems import Classic, Rotated, Scaled, Translated
from autov.runs import solve
from benchmarks.numpy_version import numpy_run
from tests import naive

SETTINGS = Evolution()
PAPER = SETTINGS.plan().variation


def best_of(problem, key, maxfev=3000, popsize=50):
    return whole_run(problem, key, maxfev, popsize)[:3]


def whole_run(problem, key, maxfev, popsize, objective=None):
    """Population, its values, trace, best point and best value."""
    box, plan = problem.box, SETTINGS.plan()
    work = kernels.evolution_work(key, plan, popsize, popsize, box.dim)
    nfev, trace = np.empty(2 + maxfev // popsize, np.int64), np.full(2 + maxfev // popsize, np.nan)
    kernels.run(plan, work, objective or problem.objective(), box.lower, box.upper, maxfev, nfev, trace)
    assert work.scalars[0].nans == 0
    assert work.scalars[0].nfev == maxfev
    return work.pool[:popsize], work.f, trace, work.best, work.scalars[0].best


def test_run_equals_twin_step_by_step():
    problem = Classic("rastrigin", 6)
    box, key, variation = problem.box, stream_key(11), load_operator("paper-h3").variation()
    x = np.empty((20, 6))
    kernels.initial(key, box.lower, box.upper, x, 0)
    f = naive.classic("rastrigin", x)
    for generation in range(1, 15):
        offspring = naive.offspring(key, generation, variation, box.lower, box.upper, x, f, 20)
        values = naive.classic("rastrigin", offspring)
        # The twin must keep the places of survivors, because tournaments pick by place.
        kept = np.sort(np.argsort(np.concatenate([f, values]), kind="stable")[:20])
        leaving = np.setdiff1d(np.arange(20), kept)
        entering = kept[kept >= 20] - 20
        assert len(entering) == len(leaving)
        x[leaving], f[leaving] = offspring[entering], values[entering]
    ours_x, ours_f, trace = best_of(problem, key, maxfev=20 * 15, popsize=20)
    assert np.allclose(ours_f, f, rtol=1e-9)
    assert np.allclose(ours_x, x, rtol=1e-9, atol=1e-9)
    assert trace[14] == ours_f.min()


def test_results_have_the_law_of_the_numpy_twin():
    problem = Classic("rastrigin", 10)
    ours = [best_of(problem, stream_key(1, r), maxfev=2000)[1].min() for r in range(150)]
    rng = np.random.default_rng(5)
    twin = [numpy_run(load_operator("paper-h3"), problem, maxfev=2000, popsize=50, rng=rng) for _ in range(150)]
    assert ks_2samp(ours, twin).pvalue > 0.001


@pytest.mark.parametrize("maxfev", [50, 51, 99, 100, 149, 1234])
def test_budget_is_exact_and_a_cut_generation_starts_like_a_whole_one(maxfev):
    calls = []

    def count(x):
        calls.append(len(x))
        return naive.classic("sphere", x)

    from autov.problems import function_problem

    problem = function_problem(count, [(-100.0, 100.0)] * 3, vectorized=True)
    plain = solve(problem, Evolution(), maxfev=maxfev, popsize=50, seed=4)
    assert sum(calls) == plain.nfev == maxfev
    compiled = solve(Classic("sphere", 3), Evolution(), maxfev=maxfev, popsize=50, seed=4)
    assert compiled.nfev == maxfev
    assert compiled.fun == pytest.approx(plain.fun, rel=1e-9)
    assert np.array_equal(compiled.trace_nfev, plain.trace_nfev)
    assert np.allclose(compiled.trace_best, plain.trace_best, rtol=1e-9)


def test_threads_do_not_change_bits():
    problem = Classic("ackley", 12)
    keys = [stream_key(2, r) for r in range(24)]
    alone = [best_of(problem, key)[1] for key in keys]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda key: best_of(problem, key)[1], keys))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


@pytest.mark.cold
def test_processes_do_not_change_bits(tmp_path):
    script = (
        "from autov.algorithms import Evolution; from autov.runs import solve\n"
        "from autov.problems import Classic\n"
        "print(solve(Classic('griewank', 8), Evolution(), maxfev=2000, popsize=40, seed=3).fun.hex())\n"
    )
    here = solve(Classic("griewank", 8), Evolution(), maxfev=2000, popsize=40, seed=3).fun.hex()
    for cache in ("warm", tmp_path / "cold"):
        environment = {} if cache == "warm" else {"NUMBA_CACHE_DIR": str(cache)}
        import os

        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == here


@pytest.mark.parametrize(
    "wrap",
    [
        lambda p: Translated(p, 3.0), lambda p: Translated(p, np.arange(7.0) / 7), lambda p: Scaled(p, -4.0),
        lambda p: Rotated(p, 3), lambda p: Translated(Rotated(p, 1), 2.0), lambda p: Rotated(Translated(p, 2.0), 1),
        lambda p: Rotated(Scaled(Rotated(p, 2), 0.5), 1), lambda p: Scaled(Rotated(Translated(p, 1.0), 5), 3.0),
        lambda p: Translated(Scaled(p, 3.0), 2.0), lambda p: Translated(Scaled(Rotated(p, 1), -0.5), np.arange(7.0)),
    ],
)  # fmt: skip
def test_transformed_objectives_equal_transformed_calls(wrap):
    problem = wrap(Classic("rosenbrock", 7))
    x = problem.box.sample(40, np.random.default_rng(0))
    out = np.empty(40)
    kernels.evaluate_blocks(np.zeros(2, np.uint64), 0, problem.objective(), x, out)
    assert np.allclose(out, problem(x, np.random.default_rng(0)), rtol=1e-10)


@pytest.mark.parametrize(("maxfev", "left"), [(60, 20), (41, 1), (59, 19)])
def test_a_generation_cut_short_counts_for_the_best_point_alone(maxfev, left):
    problem, key = Classic("ackley", 5), stream_key(21)
    before_x, before_f, _, first_x, first = whole_run(problem, key, 40, 20)
    x, f, trace, best_x, best = whole_run(problem, key, maxfev, 20)
    out = np.empty((20, 5))
    kernels.propose(key, 2, PAPER, problem.box.lower, problem.box.upper, before_x, before_f, out)
    values = problem(out, generator(0))[:left]
    if left < 20:
        assert np.array_equal(x, before_x)
        assert np.array_equal(f, before_f)
    assert best == trace[2] == min(first, values.min())
    assert np.array_equal(best_x, out[np.argmin(values)] if values.min() < first else first_x)


def test_the_best_point_may_come_from_the_generation_that_is_cut():
    """Some of these runs end with a better point than any of the population, and say so."""
    problem = Classic("sphere", 3)
    outside = 0
    for r in range(20):
        x, f, trace, best_x, best = whole_run(problem, stream_key(22, r), 69, 10)
        assert problem(best_x[None], generator(0))[0] == best == trace[6]
        assert best <= f.min() == trace[5]
        outside += bool(best < f.min()) and not (x == best_x).all(axis=1).any()
    assert 0 < outside < 20


def test_of_equal_best_points_the_first_found_counts():
    problem = Classic("step", 2, bound=2.0)
    _, f, _, best_x, best = whole_run(problem, stream_key(23), 400, 20)
    start = np.empty((20, 2))
    kernels.initial(stream_key(23), problem.box.lower, problem.box.upper, start, 0)
    found = naive.classic("step", start)
    assert best == found.min() == f.min() == 0  # the first population has it already, and later ones more of it
    assert np.array_equal(best_x, start[np.argmin(found)])


INSTANCES = {
    "plain": lambda i: Classic("ackley", 6),  # noqa: ARG005
    "moved": lambda i: Translated(Classic("ackley", 6), 0.7 * i),
    "scaled": lambda i: Scaled(Classic("ackley", 6), 1.0 + i),
    "rotated": lambda i: Rotated(Classic("ackley", 6), i),
    "moved and rotated": lambda i: Translated(Rotated(Classic("ackley", 6), i), np.arange(6.0) * i),
}


@pytest.mark.parametrize("kind", INSTANCES)
def test_a_run_on_an_instance_of_a_stack_is_a_run_on_that_instance_alone(kind):
    problems = [INSTANCES[kind](i) for i in range(3)]
    objectives = [problem.objective() for problem in problems]
    box, base = Classic("ackley", 6).box, stream_key(24)
    names = ("thresholds", "solution_thresholds", "rows", "parameters")
    stack = PAPER._replace(**{name: getattr(PAPER, name)[None].copy() for name in names})
    instance = np.array([2, 0, 1, 1, 2])
    numbers = np.arange(5)
    plan = many.Common(SETTINGS.plan(stack), stack_objectives(objectives), box.lower, box.upper, 330, 30, 30)

    def best(plan, instance):
        out = np.empty(5)
        many.run_many(base, plan, many.Tasks(np.zeros(5, np.int64), instance, 7 + numbers, numbers), out)
        return out

    together = best(plan, instance)
    for i in range(3):
        alone = best(plan._replace(objective=stack_objectives([objectives[i]])), np.zeros(5, np.int64))
        assert together[instance == i].tolist() == alone[instance == i].tolist()
    if kind != "plain":
        assert len({best(plan, np.full(5, i))[0] for i in range(3)}) == 3
    key = np.array(naive.derived(base, 8, 1), dtype=np.uint64)
    assert together[1] == whole_run(problems[0], key, 330, 30, objective=objectives[0])[4]


def test_objectives_of_different_kinds_are_not_stacked():
    sphere = Classic("sphere", 3).objective()
    with pytest.raises(ValueError, match="objectives"):
        stack_objectives([sphere, Classic("ackley", 3).objective()])
    with pytest.raises(ValueError, match="objectives"):
        stack_objectives([sphere, Translated(Classic("sphere", 3), 1.0).objective()])
    with pytest.raises(ValueError, match="objectives"):
        stack_objectives(
            [Translated(Classic("sphere", 3), 1.0).objective(), Rotated(Classic("sphere", 3), 1).objective()]
        )
    stacked = stack_objectives([sphere] * 4)
    assert [a.shape for a in stacked[2:]] == [(4, 0), (4, 0), (4, 0, 0), (0,), (0,)]


def test_noise_is_fresh_in_every_batch_of_a_generation():
    """Points of many variables are evaluated a few at a time: 26 of 60 here."""
    problem, options = Classic("quartic", 300), {"maxfev": 180, "popsize": 60, "seed": 1}
    assert len(set(problem(np.zeros((60, 300)), generator(1)))) == 60
    watched = solve(problem, Evolution(), watch=lambda run: False, **options)  # noqa: ARG005
    assert np.array_equal(solve(problem, Evolution(), **options).values, watched.values)
