"""Several independent runs of one algorithm on one problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from autov.algorithms.base import Algorithm, Compiled
from autov.algorithms.driver import Run, solve
from autov.algorithms.evaluation import evaluation_of
from autov.algorithms.evolution import Evolution
from autov.core import whole_number
from autov.engines import engine_of, worker_count
from autov.problems import Problem, instance_of, takes_points


@dataclass(frozen=True)
class Repeated:
    """The outcome: run r depends on (seed, r) and on nothing else."""

    problem: str
    dim: int
    algorithm: str
    operator: str | None
    maxfev: int
    popsize: int
    seed: int
    values: tuple[float, ...]
    best_x: tuple[float, ...]
    seconds: tuple[float, ...]
    nans: int

    def summary(self) -> dict[str, float]:
        """Best, mean, std (n - 1), median and worst."""
        values = np.array(self.values)
        with np.errstate(invalid="ignore"):
            std = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        return {
            "best": float(values.min()), "mean": float(values.mean()), "std": std,
            "median": float(np.median(values)), "worst": float(values.max()),
        }  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | self.summary()


def _one(run: int, problem: Problem, algorithm: Algorithm, options: dict[str, Any]) -> Run:
    return solve(problem, algorithm, run=run, **options)


def repeat(
    problem: Problem, algorithm: Algorithm, *, maxfev: int = 10_000, popsize: int = 100, runs: int = 30, seed: int = 1,
    workers: Any = None, operator: str | None = None, progress: Callable[[], Any] | None = None,
) -> Repeated:  # fmt: skip
    """Run an algorithm several times, in threads where all is compiled and in processes elsewhere.

    Fewer runs than workers on a slow Python function: then the points of each batch are spread instead.
    """
    runs = whole_number("runs", runs, 1)
    options: dict[str, Any] = {"maxfev": maxfev, "popsize": popsize, "seed": seed}
    results: dict[int, Run] = {}

    def keep(index: int, result: Run) -> None:
        results[index] = result
        if progress:
            progress()

    if (
        takes_points(instance_of(problem, 0))
        and isinstance(workers, (int, type(None)))
        and runs < worker_count(workers)
    ):
        for run in range(runs):
            with evaluation_of(problem, workers, run) as evaluate:
                keep(run, solve(problem, algorithm, run=run, evaluate=evaluate, **options))
    else:
        compiled = isinstance(algorithm, Compiled) and algorithm.compiles and problem.objective() is not None
        work = partial(_one, problem=problem, algorithm=algorithm, options=options)
        first = 1 if compiled else 0
        if compiled:
            keep(0, work(0))  # compiles, or loads from the disk cache, once
        with engine_of(workers, "threads" if compiled else "processes") as engine:
            for index, result in engine.map(work, range(first, runs)):
                keep(first + index, result)
    ordered = [results[run] for run in range(runs)]
    best = min(ordered, key=lambda r: r.fun)
    return Repeated(
        problem.name, problem.box.dim, algorithm.name, operator if isinstance(algorithm, Evolution) else None, maxfev,
        popsize, seed, tuple(r.fun for r in ordered), tuple(best.x.tolist()), tuple(r.seconds for r in ordered),
        sum(r.nans for r in ordered),
    )  # fmt: skip
