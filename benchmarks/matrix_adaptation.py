"""How fast the compiled matrix adaptation strategy is, next to other implementations, measured in turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.core import stream_key
from autov.peers.pycma import PyCMA
from autov.problems import Classic, Problem, Rotated, Translated
from autov.runs import solve
from benchmarks.kernel import machine

DIM, EVALUATIONS, PEER_EVALUATIONS = 30, 100_000, 2_000


def _ours(problem: Problem) -> Callable[[], None]:
    """A run without restarts, so that the population is always the first one."""
    algorithm, objective = MatrixAdaptation(restarts="none"), problem.objective()
    assert objective is not None
    state = algorithm.start(stream_key(1), problem.box, 100, EVALUATIONS)
    return lambda: (algorithm.run_compiled(state, objective, EVALUATIONS), None)[1]


def _pycma(problem: Problem) -> Callable[[], None]:
    algorithm: Any = PyCMA()  # it is run as a whole, not asked
    return lambda: (solve(problem, algorithm, maxfev=PEER_EVALUATIONS, seed=1), None)[1]


def _cmaes(problem: Problem) -> Callable[[], None]:
    """The package of that name, as its documentation drives it: one point at a time."""
    peer = import_module("cmaes")
    rng, width = np.random.default_rng(1), float(problem.box.width.max())

    def call() -> None:
        bounds = np.column_stack([problem.box.lower, problem.box.upper])
        strategy = peer.CMA(mean=np.zeros(DIM), sigma=0.3 * width, bounds=bounds, seed=1)
        for _ in range(PEER_EVALUATIONS // strategy.population_size):
            points = np.array([strategy.ask() for _ in range(strategy.population_size)])
            strategy.tell(list(zip(points, problem(points, rng), strict=True)))

    return call


def bench_matrix_adaptation(repeats: int = 5) -> dict[str, Any]:
    """Evaluations a second of one thread, 30 variables, the default population of each (14), without a restart.

    Seconds are those of the thread, so that other work on the machine counts as little as possible.
    """
    problems: dict[str, Problem] = {
        "sphere": Translated(Classic("sphere", DIM), 20.0),
        "rotated_schwefel_1_2": Rotated(Translated(Classic("schwefel_1_2", DIM), 20.0), 1),
    }
    calls: dict[str, tuple[Callable[[], None], int]] = {}
    for name, problem in problems.items():
        calls[f"{name}_kernel"] = _ours(problem), EVALUATIONS
        for peer, make in (("cma", _pycma), ("cmaes", _cmaes)):
            if find_spec(peer) is not None:
                calls[f"{name}_{peer}"] = make(problem), PEER_EVALUATIONS
    seconds = dict.fromkeys(calls, np.inf)
    with threadpool_limits(1):
        for call, _ in calls.values():
            call()  # compiles
        for _ in range(repeats):  # taken in turns, so that a disturbance hits all
            for name, (call, _) in calls.items():
                start = time.thread_time()
                call()
                seconds[name] = min(seconds[name], time.thread_time() - start)
    rates = {name: count / seconds[name] for name, (_, count) in calls.items()}
    result: dict[str, Any] = {"what": f"{DIM} variables, default populations, one thread"}
    result |= {f"{name}_evaluations_per_second": rate for name, rate in rates.items()}
    for name in problems:
        for peer in ("cma", "cmaes"):
            if f"{name}_{peer}" in rates:
                result[f"{name}_ratio_to_{peer}"] = rates[f"{name}_kernel"] / rates[f"{name}_{peer}"]
    return result | {"machine": machine()}
