"""How fast the large-scale suite is: microseconds per evaluation, against plain NumPy, and its share of a run.

Times are the best of several repetitions on one thread; both sides see the same points in the same process, in turn.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import carray
from threadpoolctl import threadpool_limits

from autov.algorithms import Evolution
from autov.core import generator, stream_key
from autov.kernels.evolution.run import evolution_work, run
from autov.kernels.objective import Objective, compile_objective
from autov.operators import load_operator
from autov.problems.large_scale import LargeScale
from benchmarks.lsgo_numpy import evaluate as evaluate_numpy


def _best(repeats: int, *functions: Callable[[], object]) -> list[float]:
    """Shortest times of the functions in seconds, called in turn."""
    times = [np.inf] * len(functions)
    for _ in range(repeats):
        for i, function in enumerate(functions):
            start = time.perf_counter()
            function()
            times[i] = min(times[i], time.perf_counter() - start)
    return times


def _first_variable(x, n, d, out, context, size, first, second):  # noqa: ARG001
    points = carray(x, (n, d))
    values = carray(out, (n,))
    for i in range(n):
        values[i] = points[i, 0]


@functools.cache
def _free() -> Any:
    return compile_objective(_first_variable)


def profile_run(number: int = 9, maxfev: int = 5000, popsize: int = 100, repeats: int = 5) -> dict[str, Any]:
    """A run with the published operator, and the part of its time that goes into the objective.

    That part is what the run takes longer than the same run of an objective that costs nothing.
    """
    problem = LargeScale(number)
    box = problem.box
    plan = Evolution(load_operator("paper-h3")).plan()
    objective = problem.objective()
    free = Objective(_free().address, *objective[1:])
    work = evolution_work(stream_key(1, 0, 0), plan, popsize, popsize, box.dim)
    nfev, best = np.empty(0, np.int64), np.empty(0)

    def solve(target: Objective, budget: int) -> None:
        run(plan, work, target, box.lower, box.upper, budget, nfev, best)

    solve(free, 2 * popsize)  # compile
    whole, rest = _best(repeats, lambda: solve(objective, maxfev), lambda: solve(free, maxfev))
    return {
        "problem": problem.name,
        "evaluations": maxfev,
        "us_per_evaluation": whole / maxfev * 1e6,
        "objective_us": (whole - rest) / maxfev * 1e6,
        "objective_share": 1.0 - rest / whole,
    }


def bench_lsgo(batch: int = 100, repeats: int = 5) -> dict[str, Any]:
    """Microseconds per evaluation of every function, here and in NumPy, their sums, and the profile of a run."""
    functions = {}
    rng = generator(1)
    with threadpool_limits(1):
        for number in range(1, 16):
            problem = LargeScale(number)
            x = problem.box.sample(batch, rng)
            problem(x[:1])  # compile, read the data
            ours, plain = _best(repeats, lambda: problem(x), lambda: evaluate_numpy(number, x))  # noqa: B023
            functions[problem.name] = {
                "us": ours / batch * 1e6, "numpy_us": plain / batch * 1e6, "ratio": plain / ours,
            }  # fmt: skip
        profile = profile_run(repeats=repeats)
    ours = sum(row["us"] for row in functions.values())
    plain = sum(row["numpy_us"] for row in functions.values())
    return {
        "batch": batch,
        "functions": functions,
        "sum": {"us": ours, "numpy_us": plain, "ratio": plain / ours},
        "run": profile,
    }
