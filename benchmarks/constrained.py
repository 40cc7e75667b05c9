"""Constrained and mixed-integer problems: autov's algorithms and SciPy's differential evolution.

All get the same budget of points and the same population. A point counts when its constraints are evaluated, whether or
not its objective is: neither side calls the objective at infeasible points. ``scipy`` is `differential_evolution` with
its own handling of constraints and integers (Lampinen's rules), all settings but the population its defaults, without
polishing, and with batches of points, without which it takes minutes longer.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autov.core import Array, generator
from autov.experiments import Cell, Table
from autov.experiments.table import scientific
from autov.problems import CONSTRAINED_NAMES, Constrained, constrained_problem
from autov.runs import minimize
from benchmarks.kernel import machine

ALGORITHMS = ("general", "paper-h3", "shade", "imode", "de", "cma-es", "scipy")


class _Spent(Exception):  # noqa: N818
    pass


def scipy_run(problem: Constrained, maxfev: int, popsize: int, seed: int) -> tuple[float, int]:
    """The best feasible value that SciPy's own handling finds, infinite if none, and the points it looked at."""
    from scipy.optimize import NonlinearConstraint, differential_evolution

    box, (limits,) = problem.problem.box, problem.constraints
    best, spent = np.inf, 0

    def fun(x: Array) -> Array:  # SciPy has points in columns
        nonlocal best
        values = problem.problem(x.T, generator(0))
        best = float(values.min(initial=best))
        return values

    def bounded(x: Array) -> Array:
        nonlocal spent
        points = np.atleast_2d(x.T)
        if x.ndim == 2:  # one point alone is SciPy asking for the number of constraints
            if spent >= maxfev:
                raise _Spent
            spent += len(points)
        found = limits.values(points).T
        return found if x.ndim == 2 else found[:, 0]

    lower, upper = limits.limits(limits.values(box.lower[None]).shape[1])
    points: Any = box.sample(popsize, generator(seed, 5))
    sides: Any = np.column_stack([box.lower, box.upper])
    with contextlib.suppress(_Spent):
        differential_evolution(
            fun, sides, constraints=NonlinearConstraint(bounded, lower, upper), init=points,
            integrality=problem.whole, maxiter=maxfev, tol=0, atol=-1, polish=False, rng=seed, vectorized=True,
            updating="deferred",
        )  # fmt: skip
    return best, spent


def bench_constrained(
    *, maxfev: int = 10_000, popsize: int = 50, runs: int = 5, seed: int = 1,
    problems: Sequence[str] = CONSTRAINED_NAMES, algorithms: Sequence[str] = ALGORITHMS,
    progress: Callable[[], Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Best feasible values of all runs, JSON-able."""
    start = time.perf_counter()
    found: dict[str, Any] = {}
    for name in problems:
        problem = constrained_problem(name)
        values: dict[str, list[float]] = {}
        for label in algorithms:
            values[label] = []
            for run in range(runs):
                if label == "scipy":
                    value = scipy_run(problem, maxfev, popsize, seed + run)[0]
                else:
                    size = None if label == "general" else popsize  # it has its own
                    value = minimize(problem, algorithm=label, maxfev=maxfev, popsize=size, rng=seed + run).fun
                values[label].append(float(value))
                if progress:
                    progress()
        found[name] = {"minimum": problem.minimum, "dim": problem.box.dim, "values": values}
    settings = {"maxfev": maxfev, "popsize": popsize, "runs": runs, "seed": seed}
    return {"machine": machine(), "settings": settings, "seconds": time.perf_counter() - start, "problems": found}


def constrained_table(data: dict[str, Any]) -> Table:
    """Median gap to the known optimum, and in brackets how many runs found a feasible point."""
    labels = list(next(iter(data["problems"].values()))["values"])
    rows = []
    for name, entry in data["problems"].items():
        gaps = {label: np.array([float(v) for v in entry["values"][label]]) - entry["minimum"] for label in labels}
        middle = {label: float(np.median(gap)) for label, gap in gaps.items()}
        lead = min(middle.values())
        rows.append((f"{name} ({entry['dim']})", tuple(
            Cell(scientific(middle[label], 2), f"{int(np.isfinite(gap).sum())}/{len(gap)}", best=middle[label] == lead,
                  data={"median": middle[label], "feasible": int(np.isfinite(gap).sum())})
            for label, gap in gaps.items()
        )))  # fmt: skip
    s = data["settings"]
    caption = (
        f"Median gap to the best known value (runs that found a feasible point), {s['runs']} runs of {s['maxfev']} "
        f"points, population {s['popsize']}"
    )
    return Table(caption, ("problem (variables)", *labels), tuple(rows))
