"""Several independent runs of one algorithm on one problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from autov.algorithms.choose import choose
from autov.algorithms.evolution import Evolution
from autov.algorithms.solve import Run, solve, whole
from autov.engines import map_processes, worker_count
from autov.problems import parse


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


def _one(run: int, name: str, dim: int | None, bounds: dict[str, Any], algorithm: Any, options: dict[str, Any],
         problem: Any = None) -> Run:  # fmt: skip
    problem = parse(name, dim, run=run, **bounds) if problem is None else problem
    return solve(problem, algorithm, run=run, **options)


def repeat(
    problem: str, *, dim: int | None = None, operator: str = "paper-h3", algorithm: str = "autov",
    maxfev: int = 10_000, popsize: int = 100, runs: int = 30, seed: int = 1, lower: float | None = None,
    upper: float | None = None, vectorized: bool = False, workers: int | None = None,
    progress: Callable[[], Any] | None = None,
) -> Repeated:  # fmt: skip
    """Run an algorithm several times, in threads where all is compiled and in processes elsewhere."""
    runs, count = whole("runs", runs, 1), worker_count(workers)
    bounds = {"lower": lower, "upper": upper, "vectorized": vectorized}
    first = parse(problem, dim, **bounds)
    chosen = choose(algorithm, operator)
    options = {"maxfev": maxfev, "popsize": popsize, "seed": seed}
    work = partial(_one, name=problem, dim=dim, bounds=bounds, algorithm=chosen, options=options)
    results: list[Run] = []

    def collect(stream: Iterator[Run]) -> None:
        for result in stream:
            results.append(result)
            if progress:
                progress()

    compiled = isinstance(chosen, Evolution) and first.objective() is not None
    if "rotate=run" not in problem and (compiled or count == 1):  # else: another matrix for each run, or a process
        work = partial(work, problem=first)
    if count == 1 or runs == 1:
        collect(map(work, range(runs)))
    elif compiled:
        results.append(work(0))  # compiles, or loads from the disk cache, once
        if progress:
            progress()
        with ThreadPoolExecutor(count) as pool:
            collect(pool.map(work, range(1, runs)))
    else:
        collect(map_processes(work, range(runs), count))
    best = min(results, key=lambda r: r.fun)
    return Repeated(
        problem, first.box.dim, chosen.name, operator if isinstance(chosen, Evolution) else None, maxfev, popsize, seed,
        tuple(r.fun for r in results), tuple(best.x.tolist()), tuple(r.seconds for r in results),
        sum(r.nans for r in results),
    )  # fmt: skip
