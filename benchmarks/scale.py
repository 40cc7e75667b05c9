"""How well engines use 1 and 2 workers: efficiency, overhead and bytes of a task."""

from __future__ import annotations

import contextlib
import os
import pickle
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from autov.algorithms.resolve import resolve_algorithm
from autov.designer import design
from autov.engines import Engine, OnDask, Processes, Serial, Threads, in_order, local_dask
from autov.engines.dask.mapping import AHEAD
from autov.experiments import compare
from autov.problems import Classic, Problem, function_problem
from autov.runs import minimize, solve
from autov.runs.evaluation import in_message
from autov.runs.point_scheduler import Job, PointScheduler, RunPoint, run_scheduled
from benchmarks.kernel import machine
from benchmarks.simulation import simulate

RUNS, MAXFEV, DIM = 12, 6_000_000, 30  # compiled work, in tasks of about a second, as searches send it
FED_RUNS, POPSIZE, FED_MAXFEV = 12, 20, 40  # evaluations of 10 to 100 ms
TASKS = 300  # that do nothing


def uneven(x: np.ndarray) -> float:
    """Takes between 10 and 100 ms, as its point says."""
    time.sleep(duration(x))
    return float((x**2).sum())


def duration(x: np.ndarray) -> float:
    """Seconds of a point, uniform for uniform points."""
    return 0.01 + 0.09 * float(np.modf(abs(float(x[0])) * 1e4)[0])


def _nothing(_: int) -> int:
    return 0


def _compiled(run: int, maxfev: int = MAXFEV) -> float:
    return solve(Classic("rastrigin", DIM), resolve_algorithm("paper-h3"), maxfev=maxfev, run=run).fun


def _loading(run: int) -> float:
    return _compiled(run, 1000)


class Recorded:
    """`uneven`, noting in a file of each process how long its evaluations took."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, x: np.ndarray) -> float:
        """The value."""
        begun = time.perf_counter()
        value = uneven(x)
        with open(f"{self.folder}/{os.getpid()}", "a", encoding="ascii") as notes:
            notes.write(f"{time.perf_counter() - begun}\n")
        return value


def whole_commands(engine: Engine, workers: int) -> dict[str, float]:
    """Share of the workers' time that evaluations of 10 to 100 ms take while something whole is done."""
    bounds, given = [(-1, 1)] * 5, {"workers": engine, "rng": 1}
    small: dict[str, Any] = {
        "population": 6, "generations": 2, "race_size": 2, "race_runs": 2, "retest_runs": 2, "family": (),
        "known": False, "trial": {"popsize": 10, "generations": 3, "runs": 2},
    }  # fmt: skip
    calls: dict[str, Callable[..., Any]] = {
        "minimize": lambda f: minimize(f, bounds, maxfev=400, **given),
        "minimize_autov": lambda f: minimize(f, bounds, algorithm="paper-h3", maxfev=400, **given),
        "design": lambda f: design([_keyed(f, bounds)], preset="quick", space="operator", **given, **small),
        "compare": lambda f: compare(
            ["paper-h3", "ga"], [_keyed(f, bounds)], maxfev=60, popsize=20, runs=5, store=None, **given
        ),
    }
    found = {}
    for name, call in calls.items():
        with tempfile.TemporaryDirectory() as folder:
            in_order(engine, _loading, range(2 * workers))
            start = time.perf_counter()
            call(Recorded(folder))
            elapsed = time.perf_counter() - start
            spent = sum(float(line) for path in Path(folder).iterdir() for line in path.read_text().split())
        found[name] = spent / (workers * elapsed)
    return found


def _keyed(f: Recorded, bounds: list[tuple[int, int]]) -> Problem:
    """Named by its folder, so that no stored run is taken for one of it."""
    return function_problem(f, bounds, key=f.folder)


@contextlib.contextmanager
def _dask(workers: int) -> Iterator[Engine]:
    with local_dask(workers) as engine:
        yield engine


def bench_scale() -> dict[str, Any]:
    """Threads, processes and Dask, on 1 and 2 workers; a Dask cluster of this machine if Dask is there."""
    engines: dict[str, Any] = {"threads": Threads, "processes": Processes}
    with contextlib.suppress(ImportError):
        import importlib

        importlib.import_module("distributed")
        engines["dask"] = _dask
    found: dict[str, Any] = {"machine": machine() | {"load": _load()}}
    for name, make in engines.items():
        found[name] = {str(workers): _measure(make, workers) for workers in (1, 2)}
    problem = function_problem(uneven, [(-1, 1)] * 5)
    item = (0, 0, np.zeros(5))
    found["bytes"] = {
        "function_once_for_each_worker": len(pickle.dumps(RunPoint((problem,)))),
        "point_of_5_variables": len(pickle.dumps([item])),
        "value": len(pickle.dumps([(0.5, 0.01, None)])),
    }
    return found


def _load() -> float | None:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def _measure(make: Any, workers: int) -> dict[str, Any]:
    with make(workers) as engine:
        in_order(engine, _nothing, range(4 * workers))
        start = time.perf_counter()
        in_order(engine, _nothing, range(TASKS))
        overhead = (time.perf_counter() - start) / TASKS
        in_order(engine, _loading, range(2 * workers))  # compiled code is loaded
        _loading(0)
        alone = together = 0.0
        for first in range(0, RUNS, RUNS // 3):  # in turns, so that both meet the same load of the machine
            runs = range(first, first + RUNS // 3)
            start = time.perf_counter()
            in_order(Serial(), _compiled, runs)
            middle = time.perf_counter()
            in_order(engine, _compiled, runs)
            alone, together = alone + middle - start, together + time.perf_counter() - middle
        efficiency = alone / (workers * together)
        busy, elapsed, spent, chunk = _feed(engine, workers)
        ahead = AHEAD if isinstance(engine, OnDask) else 1
        whole = whole_commands(engine, workers) if workers > 1 and not isinstance(engine, Threads) else {}
    expected = simulate([np.array(spent)], workers, overhead, chunk, ahead)
    return {
        "overhead_seconds_per_task": overhead, "efficiency_compiled": efficiency, "busy_uneven": busy,
        "seconds_uneven": elapsed, "seconds_uneven_simulated": expected.seconds,
        "measured_over_simulated": elapsed / expected.seconds, "points_in_a_message": chunk, "load": _load(),
    } | ({"busy_whole_commands": whole} if whole else {})  # fmt: skip


def _feed(engine: Engine, workers: int) -> tuple[float, float, list[float], int]:
    """Share of the workers' time that evaluations take, the time, the durations, and how many travelled together."""
    problem = function_problem(uneven, [(-1, 1)] * 5)
    jobs = [
        Job(0, resolve_algorithm("ga"), {"maxfev": FED_MAXFEV, "popsize": POPSIZE, "run": r}) for r in range(FED_RUNS)
    ]
    spent: list[float] = []
    scheduler = _Noting([problem], engine, spent)
    run_scheduled(scheduler, [Job(0, resolve_algorithm("ga"), {"maxfev": 4 * workers, "popsize": 4})], lambda *_: None)
    spent.clear()  # of the start of the workers
    start = time.perf_counter()
    run_scheduled(scheduler, jobs, lambda *_: None)
    elapsed = time.perf_counter() - start
    together = in_message(engine, float(np.mean(spent)), FED_RUNS * POPSIZE)
    return sum(spent) / (workers * elapsed), elapsed, spent, together


class _Noting(PointScheduler):
    """A scheduler that notes how long evaluations took."""

    def __init__(self, problems: list[Any], engine: Engine, spent: list[float]) -> None:
        super().__init__(problems, engine)
        self._spent = spent

    def _measure(self, seconds: float) -> None:
        self._spent.append(seconds)
        super()._measure(seconds)
