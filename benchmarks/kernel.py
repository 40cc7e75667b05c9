"""How fast the compiled run is, as ratios measured in one process."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np

from autov.algorithms import Evolution
from autov.core import stream_key
from autov.engines import Threads, in_order, worker_count
from autov.kernels.evolution import run as kernels
from autov.operators import load_operator
from autov.problems import Classic
from benchmarks.numpy_version import numpy_run

POPSIZE, GENERATIONS, DIM = 100, 100, 30
_KEYS = [stream_key(1, r) for r in range(100)]


def machine() -> dict[str, Any]:
    """The kind of machine and the versions; no names."""
    versions = {name: metadata.version(name) for name in ("autov", "numpy", "numba", "scipy")}
    return {
        "processor": platform.machine(),
        "cores": worker_count(None),
        "python": platform.python_version(),
    } | versions


def best_seconds(call: Callable[[], Any], repeats: int) -> float:
    """The shortest of several times: the one with the least disturbance."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def _kernel_runs(first: int, count: int) -> None:
    operator, problem = load_operator("paper-h3"), Classic("rastrigin", DIM)
    box = problem.box
    plan, objective = Evolution(operator).plan(), problem.objective()
    key, nfev, best = np.empty(2, np.uint64), np.empty(GENERATIONS + 1, np.int64), np.empty(GENERATIONS + 1)
    work = kernels.evolution_work(key, plan, POPSIZE, POPSIZE, DIM)
    for one in _KEYS[first : first + count]:
        key[:] = one
        kernels.run(plan, work, objective, box.lower, box.upper, POPSIZE * GENERATIONS, nfev, best)


def _startup() -> dict[str, float]:
    """Whole processes: the help text, and one compiled run with a cold and a warm cache."""
    run = [sys.executable, "-m", "autov", "minimize", "rastrigin", "--runs", "1", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}

        def seconds(command: list[str]) -> float:
            start = time.perf_counter()
            subprocess.run(command, env=environment, check=True, capture_output=True)
            return time.perf_counter() - start

        cold = seconds(run)
        warm = min(seconds(run) for _ in range(3))
        shown = min(seconds([sys.executable, "-m", "autov", "--help"]) for _ in range(3))
    return {"help_seconds": shown, "cold_run_seconds": cold, "warm_run_seconds": warm}


def bench_kernel(repeats: int = 7, startup: bool = True) -> dict[str, Any]:
    """One inner run of the paper (30-D Rastrigin, population 100, 100 generations, h3, k = 10) in several ways."""
    evaluations = POPSIZE * GENERATIONS
    operator, problem = load_operator("paper-h3"), Classic("rastrigin", DIM)
    rng = np.random.default_rng(1)
    count, threads = 20, 2
    _kernel_runs(0, 1)
    numpy_times, kernel_times, threaded_times = [], [], []
    with Threads(threads) as engine:
        for _ in range(repeats):  # taken in turns, so that a disturbance hits all
            numpy_times.append(best_seconds(lambda: numpy_run(operator, problem, evaluations, POPSIZE, rng), 2))
            kernel_times.append(best_seconds(lambda: _kernel_runs(0, count), 2) / count)

            def together() -> None:
                in_order(engine, lambda i: _kernel_runs(count * i, count), range(threads))

            threaded_times.append(best_seconds(together, 2) / (threads * count))
    slow, fast, both = min(numpy_times), min(kernel_times), min(threaded_times)
    result: dict[str, Any] = {
        "what": "30-D Rastrigin, population 100, 100 generations, h3, k = 10",
        "numpy_evaluations_per_second": evaluations / slow,
        "kernel_evaluations_per_second": evaluations / fast,
        "kernel_nanoseconds_per_variable": fast / (evaluations * DIM) * 1e9,
        "ratio_to_numpy": slow / fast,
        "two_threads_ratio_to_one": fast / both,
    }
    return result | (_startup() if startup else {}) | {"machine": machine()}
