"""How good candidate operators are: best values of short runs of the simple metaheuristic (Algorithm 2)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.algorithms.solve import checked, raise_noted
from autov.core import Array, InputError, generator
from autov.engines import PointPool, worker_count
from autov.kernels import many as kernels
from autov.kernels.objective import stack_objectives
from autov.kernels.run import Plan
from autov.kernels.variation import Variation
from autov.problems import Function

STACKED = 4_000_000  # numbers in one stacked call of a Python function, at most


@dataclass(frozen=True)
class Inner:
    """The inner metaheuristic: its population, generations (the initial population is the first) and runs."""

    popsize: int = 100
    generations: int = 100
    runs: int = 9

    def __post_init__(self) -> None:
        for name, least in (("popsize", 2), ("generations", 1), ("runs", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
                raise InputError(f"inner {name}: must be a whole number of at least {least}, got {value!r}")

    @property
    def maxfev(self) -> int:
        """Evaluations of one run."""
        return self.popsize * self.generations


class InnerRuns:
    """Best values of inner runs of stacked operators on one problem; every (candidate, run) has its own stream."""

    def __init__(self, problem: Any, inner: Inner, workers: int | None = None) -> None:
        self.problem = problem
        self.inner = inner
        self.workers = worker_count(workers)
        self._objective = problem.objective()
        self._threads = ThreadPoolExecutor(self.workers) if self._objective is not None else None
        self._points: PointPool | None = None
        if self._objective is None and isinstance(problem, Function) and not problem.vectorized and self.workers > 1:
            self._points = PointPool(problem.point, self.workers)

    def __call__(
        self, base: np.ndarray, stack: Variation, which: np.ndarray, candidates: np.ndarray, runs: np.ndarray
    ) -> Array:
        """Task i runs operator which[i] of the stack with the stream of (base, candidates[i], runs[i])."""
        which, candidates, runs = (np.ascontiguousarray(a, dtype=np.int64) for a in (which, candidates, runs))
        best = np.empty(len(which))
        if self._objective is not None:
            self._in_threads(base, stack, which, candidates, runs, best)
            return best
        step = max(1, STACKED // (self.inner.popsize * self.problem.box.dim))
        for begin in range(0, len(which), step):
            part = slice(begin, begin + step)
            best[part] = self._together(base, stack, which[part], candidates[part], runs[part])
        return best

    def _in_threads(self, base: Any, stack: Variation, which: Any, candidates: Any, runs: Any, best: Array) -> None:
        assert self._threads is not None
        assert self._objective is not None
        box, inner = self.problem.box, self.inner
        instance = np.zeros(len(which), np.int64)
        plan = Plan(stack, stack_objectives([self._objective]), box.lower, box.upper, inner.maxfev, inner.popsize)

        def work(part: slice) -> None:
            tasks = kernels.Tasks(which[part], instance[part], candidates[part], runs[part])
            kernels.run_many(base, plan, tasks, best[part])

        # Small pieces, so that no thread waits long for the other at the end; their order does not matter.
        step = max(1, min(8, len(which) // (8 * self.workers)))
        for _ in self._threads.map(work, [slice(i, i + step) for i in range(0, len(which), step)]):
            pass
        raise_noted(self.problem, self._objective)

    def _together(self, base: Any, stack: Variation, which: Any, candidates: Any, runs: Any) -> Array:
        """All runs in lockstep: each generation of all of them is one call of the Python function."""
        box, n = self.problem.box, self.inner.popsize
        x = np.empty((len(which), n, box.dim))
        plan = Plan(stack, None, box.lower, box.upper, self.inner.maxfev, n)
        tasks = kernels.Tasks(which, np.zeros(len(which), np.int64), candidates, runs)
        kernels.start_many(base, plan, tasks, x)
        streams = [(int(base[0]), int(c), int(r)) for c, r in zip(candidates, runs, strict=True)]
        f = self._values(x, streams, 0)
        offspring = np.empty_like(x)
        for generation in range(1, self.inner.generations):
            kernels.propose_many(base, plan, tasks, generation, x, f, offspring)
            kernels.survive_many(x, f, offspring, self._values(offspring, streams, generation))
        return f.min(axis=1)

    def _values(self, x: Array, streams: list[tuple[int, ...]], generation: int) -> Array:
        points = x.reshape(-1, x.shape[-1])
        if self._points:
            values = checked(self._points(points), len(points))
        elif isinstance(self.problem, Function):
            values = checked(self.problem(points, generator(0)), len(points))
        else:  # a problem of the user's own kind, which may be noisy: every run has its own stream
            parts = [self.problem(p, generator(*s, generation)) for p, s in zip(x, streams, strict=True)]
            values = np.concatenate([checked(part, x.shape[1]) for part in parts])
        return np.where(np.isnan(values), np.inf, values).reshape(x.shape[:2])

    def close(self) -> None:
        """End threads and processes."""
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        if self._points is not None:
            self._points.close()


def median_bounds(values: Array) -> tuple[Array, Array]:
    """Smallest and largest possible median of each row, where NaN stands for runs not made yet."""
    missing = np.isnan(values)
    low = np.median(np.where(missing, -np.inf, values), axis=1)
    high = np.median(np.where(missing, np.inf, values), axis=1)
    return low, high


def evaluate_candidates(
    inner_runs: InnerRuns, base: np.ndarray, stack: Variation, candidates: np.ndarray, parents: Array, early_stop: bool
) -> Array:
    """Values (c, runs) of new candidates; with early_stop, NaN for runs that could not save a hopeless candidate.

    A candidate is hopeless once its median is certain to lie above the len(parents)-th smallest of all upper bounds
    (parents included): that many others survive before it. Those that survive have all their runs, so the search
    goes on with the same bits as without early_stop.
    """
    count, runs = len(candidates), inner_runs.inner.runs
    values = np.full((count, runs), np.nan)
    alive = np.arange(count)
    done = 0
    step = runs // 2 + 1 if early_stop and len(parents) else runs
    while done < runs and len(alive):
        numbers = np.arange(done, done + step)
        which = np.repeat(alive, step)
        made = inner_runs(base, stack, which, candidates[which], np.tile(numbers, len(alive)))
        values[np.ix_(alive, numbers)] = made.reshape(len(alive), step)
        done, step = done + step, 1
        if done < runs:
            low, high = median_bounds(values)
            limit = np.partition(np.concatenate([parents, high]), len(parents) - 1)[len(parents) - 1]
            alive = alive[low[alive] <= limit]
    return values
