"""One run of an algorithm on a problem: the loop that everything else repeats."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.algorithms.base import AnyMetaheuristic
from autov.algorithms.evolution import Evolution, EvolutionState
from autov.core import Array, Box, InputError, generator
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


MOST = 2**40  # more evaluations, points or runs than any machine makes


def whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least ``least``, or an error that names it."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(f"{name}: must be a whole number of at least {least}, got {value!r}")
    if value > MOST:
        raise InputError(f"{name}: must be at most {MOST:,}, got {value}")
    return int(value)


def checked(values: Any, count: int) -> Array:
    """Values of ``count`` points, or an error: kernels do not look."""
    f = np.asarray(values, dtype=np.float64)
    if f.shape != (count,):
        raise InputError(f"objective: must give one value for each of {count} points, got shape {f.shape}")
    return f


def solve(
    problem: Problem, algorithm: AnyMetaheuristic, *, maxfev: int = 10_000, popsize: int = 100, seed: int = 0,
    run: int = 0, x0: Array | None = None, watch: Watch | None = None,
    evaluate: Callable[[Array], Array] | None = None,
) -> Run:  # fmt: skip
    """Run an algorithm with exactly maxfev evaluations, or until ``watch(run so far)`` is true.

    The result depends on (seed, run) and on nothing else. ``evaluate`` replaces calls of the problem (for workers).
    An affine operator on a compiled problem runs as one compiled piece unless watched: the same bits, faster.
    An algorithm with a method ``run_whole`` is not asked but run (see `Counted`).
    """
    maxfev, popsize = whole("maxfev", maxfev, 1), whole("popsize", popsize, 2)
    start = time.perf_counter()
    rng, noise = generator(seed, run), generator(seed, run, 1)
    if hasattr(algorithm, "run_whole"):
        counted = Counted(evaluate or (lambda x: problem(x, noise)), problem.box, maxfev, watch)
        return counted.run(algorithm, popsize, rng, x0)
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
        asked, state = algorithm.ask(state, rng)
        x = asked[: maxfev - nfev]
        if not isinstance(state, EvolutionState) and not problem.box.holds(x):
            raise InputError(f"algorithm: {algorithm.name} asked for a point outside the box or of another dimension")
        if objective is not None:
            f = np.empty(len(x))
            nans += kernels.evaluate_blocks(state.key, state.generation, objective, x, f)
            raise_noted(problem, objective)
        else:
            f = checked(evaluate(x) if evaluate else problem(x, noise), len(x))
            nans += int(np.isnan(f).sum())
            f = np.where(np.isnan(f), np.inf, f)
        nfev += len(x)
        i = int(np.argmin(f))
        if best_x is None or f[i] < best:
            best, best_x = float(f[i]), x[i].copy()
        trace.append((nfev, best))
        first = len(trace) == 1
        nit += not first
        if len(x) == len(asked):
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


class Spent(Exception):  # noqa: N818
    """The budget is used up or the watcher said stop: raised through an algorithm that runs as a whole."""


class Counted:
    """A function of batches, for algorithms that call it instead of being asked.

    It clips points to the box, counts, keeps the best, and raises `Spent` when the budget is used up. The trace has the
    batches that brought a better value, and the last one; ``nit`` counts the batches after the first.
    """

    def __init__(
        self, evaluate: Callable[[Array], Array], box: Box, maxfev: int, watch: Watch | None = None
    ) -> None:  # fmt: skip
        self.evaluate, self.box, self.maxfev, self.watch = evaluate, box, maxfev, watch
        self.nfev = self.batches = self.nans = 0
        self.best, self.best_x = np.inf, np.empty((0, box.dim))
        self.trace: list[tuple[int, float]] = []
        self.stopped = False
        self.start = time.perf_counter()

    def __call__(self, x: Array) -> Array:
        """Values of the rows of x, shape (n,); NaN counts as infinite."""
        x = self.box.clip(np.atleast_2d(np.asarray(x, dtype=np.float64)))[: self.maxfev - self.nfev]
        if self.stopped or not len(x):
            raise Spent
        f = checked(self.evaluate(x), len(x))
        self.nans += int(np.isnan(f).sum())
        f = np.where(np.isnan(f), np.inf, f)
        self.nfev += len(x)
        self.batches += 1
        i = int(np.argmin(f))
        if f[i] < self.best or not self.trace:
            self.best, self.best_x = float(f[i]), x[i].copy()
            self.trace.append((self.nfev, self.best))
        self.stopped = self.watch is not None and bool(self.watch(self.result()))
        if self.stopped or self.nfev == self.maxfev:
            raise Spent
        return f

    def run(self, algorithm: Any, popsize: int, rng: np.random.Generator, x0: Array | None) -> Run:
        """Run it; if it ends before the budget is used up, again with another seed and what is left."""
        try:
            before = -1
            while before < self.nfev:
                before = self.nfev
                seed = int(rng.integers(1, 2**31))
                algorithm.run_whole(self, self.box, popsize, self.maxfev - self.nfev, seed, None if before else x0)
        except Spent:
            pass
        if not self.trace:
            raise RuntimeError(f"{algorithm.name}: ended without any evaluation")
        return self.result()

    def result(self) -> Run:
        """What has come out so far; the population is the best point alone."""
        last = [] if self.trace[-1][0] == self.nfev else [(self.nfev, self.best)]
        trace = np.array(self.trace + last)
        return Run(self.best_x, self.best, self.nfev, self.batches - 1, self.best_x[None].copy(), np.array([self.best]),
                   trace[:, 0].astype(int), trace[:, 1], self.nans, self.stopped and self.nfev < self.maxfev,
                   time.perf_counter() - self.start)  # fmt: skip


def _compiled(problem: Problem, algorithm: Evolution, state: EvolutionState, objective: Any, maxfev: int,
              start: float) -> Run:  # fmt: skip
    n = min(len(state.x), maxfev)
    x, f = state.x[:n].copy(), np.empty(n)
    generations = -(-(maxfev - n) // n)
    trace = np.empty(generations + 1)
    box = problem.box
    plan = kernels.Plan(algorithm.operator.variation(), objective, box.lower, box.upper, maxfev, n)
    best_x = np.empty(box.dim)
    best, nans = kernels.run(state.key, plan, x, f, n, trace, best_x)
    raise_noted(problem, objective)
    nfev = np.minimum(n * np.arange(1, generations + 2), maxfev)
    return Run(best_x, float(best), maxfev, generations, x, f, nfev, trace, int(nans), False,
               time.perf_counter() - start)  # fmt: skip


def raise_noted(problem: Any, objective: Any) -> None:
    """Raise what a function compiled by Numba raised during a compiled run, if anything."""
    while not isinstance(problem, NumbaFunction):
        problem = getattr(problem, "problem", None)
        if problem is None:
            return
    problem.raise_noted(objective.context)
