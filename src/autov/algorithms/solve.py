"""One run of an algorithm on a problem: the loop that everything else repeats."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.algorithms.base import AnyMetaheuristic
from autov.algorithms.evolution import Evolution, EvolutionState
from autov.core import Array, InputError, generator
from autov.kernels import run as kernels
from autov.problems import NumbaFunction, Problem

Watch = Callable[["Run"], bool | None]


@dataclass(frozen=True, eq=False)
class Run:
    """What came out of a run (or has come out so far)."""

    x: Array
    fun: float
    nfev: int
    nit: int  # generations after the initial population
    population: Array
    values: Array
    trace_nfev: np.ndarray  # evaluations made when ...
    trace_best: Array  # ... the best value so far was this
    nans: int
    stopped: bool  # by the watcher, before the budget was used up
    seconds: float


def whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least ``least``, or an error that names it."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(f"{name}: must be a whole number of at least {least}, got {value!r}")
    return int(value)


def solve(
    problem: Problem, algorithm: AnyMetaheuristic, *, maxfev: int = 10_000, popsize: int = 100, seed: int = 0,
    run: int = 0, x0: Array | None = None, watch: Watch | None = None,
    evaluate: Callable[[Array], Array] | None = None,
) -> Run:  # fmt: skip
    """Run an algorithm with exactly maxfev evaluations, or until ``watch(run so far)`` is true.

    The result depends on (seed, run) and on nothing else. ``evaluate`` replaces calls of the problem (for workers).
    An affine operator on a compiled problem runs as one compiled piece unless watched: the same bits, faster.
    """
    maxfev, popsize = whole("maxfev", maxfev, 1), whole("popsize", popsize, 2)
    start = time.perf_counter()
    rng, noise = generator(seed, run), generator(seed, run, 1)
    state = algorithm.init(problem.box, popsize, maxfev, rng, x0)
    objective = problem.objective() if isinstance(algorithm, Evolution) else None
    if objective is not None and watch is None and isinstance(algorithm, Evolution):
        return _compiled(problem, algorithm, state, objective, maxfev, start)

    best, best_x = np.inf, None
    nfev = nit = nans = 0
    trace: list[tuple[int, float]] = []
    stopped = False
    population = values = np.empty(0)
    while nfev < maxfev and not stopped:
        x, state = algorithm.ask(state, rng)
        x = x[: maxfev - nfev]
        if objective is not None:
            f = np.empty(len(x))
            nans += kernels.evaluate_blocks(state.key, state.generation, objective, x, f)
            raise_noted(problem, objective)
        else:
            f = np.asarray(evaluate(x) if evaluate else problem(x, noise), dtype=np.float64)
            nans += int(np.isnan(f).sum())
            f = np.where(np.isnan(f), np.inf, f)
        nfev += len(x)
        i = int(np.argmin(f))
        if best_x is None or f[i] < best:
            best, best_x = float(f[i]), x[i].copy()
        trace.append((nfev, best))
        first = len(trace) == 1
        nit += not first
        if nfev < maxfev or isinstance(state, EvolutionState):
            state = algorithm.tell(state, x, f, rng)
            population, values = algorithm.population(state)
        elif first:
            population, values = x, f
        if watch is not None:
            so_far = np.array(trace)
            stopped = bool(
                watch(Run(best_x, best, nfev, nit, population, values, so_far[:, 0].astype(int), so_far[:, 1], nans,
                          False, time.perf_counter() - start))
            )  # fmt: skip
    history = np.array(trace)
    assert best_x is not None
    return Run(best_x, best, nfev, nit, population, values, history[:, 0].astype(int), history[:, 1], nans,
               stopped and nfev < maxfev, time.perf_counter() - start)  # fmt: skip


def _compiled(problem: Problem, algorithm: Evolution, state: EvolutionState, objective: Any, maxfev: int,
              start: float) -> Run:  # fmt: skip
    n = min(len(state.x), maxfev)
    x, f = state.x[:n].copy(), np.empty(n)
    generations = -(-(maxfev - n) // n)
    trace = np.empty(generations + 1)
    box = problem.box
    variation = algorithm.operator.variation()
    nans = kernels.run(state.key, variation, objective, box.lower, box.upper, maxfev, x, f, n, trace)
    raise_noted(problem, objective)
    i = int(np.argmin(f))
    nfev = np.minimum(n * np.arange(1, generations + 2), maxfev)
    return Run(x[i].copy(), float(f[i]), maxfev, generations, x, f, nfev, trace, int(nans), False,
               time.perf_counter() - start)  # fmt: skip


def raise_noted(problem: Any, objective: Any) -> None:
    """Raise what a function compiled by Numba raised during a compiled run, if anything."""
    while not isinstance(problem, NumbaFunction):
        problem = getattr(problem, "problem", None)
        if problem is None:
            return
    problem.raise_noted(objective.context)
