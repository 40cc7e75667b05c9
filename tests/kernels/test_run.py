"""A whole run equals its steps and its twin, and depends on its key alone."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.stats import ks_2samp

from autov.algorithms import Evolution, solve
from autov.bench.twin import numpy_run
from autov.core import stream_key
from autov.kernels import run as kernels
from autov.operators import load
from autov.problems import Classic, Rotated, Scaled, Translated
from tests import naive


def best_of(problem, key, maxfev=3000, popsize=50):
    x, f = np.empty((popsize, problem.box.dim)), np.empty(popsize)
    box = problem.box
    trace = np.empty(2 + maxfev // popsize)
    kernels.run(key, load("paper-h3").variation(), problem.objective(), box.lower, box.upper, maxfev, x, f, 0, trace)
    return x, f, trace


def test_run_equals_twin_step_by_step():
    problem = Classic("rastrigin", 6)
    box, key, variation = problem.box, stream_key(11), load("paper-h3").variation()
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
    twin = [numpy_run(load("paper-h3"), problem, maxfev=2000, popsize=50, rng=rng) for _ in range(150)]
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


def test_processes_do_not_change_bits(tmp_path):
    script = (
        "from autov.algorithms import Evolution, solve\n"
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
    ],
)  # fmt: skip
def test_transformed_objectives_equal_transformed_calls(wrap):
    problem = wrap(Classic("rosenbrock", 7))
    x = problem.box.sample(40, np.random.default_rng(0))
    out = np.empty(40)
    kernels.evaluate_blocks(np.zeros(2, np.uint64), 0, problem.objective(), x, out)
    assert np.allclose(out, problem(x, np.random.default_rng(0)), rtol=1e-10)
