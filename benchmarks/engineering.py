"""An engineer's case and a trap: plants of examples/annealing_line.py, beside other libraries.

Twelve variables, one of them an integer, and one constraint. A point counts when its constraint is evaluated, whether or
not its cost is. Algorithms of autov, random search, and COBYLA and COBYQA as SciPy has them are told the constraint.
The others minimise the cost with `WEIGHT` times the violation added. All see the integer rounded. What counts is the
best feasible point that a run has evaluated; a run that found none counts as `NONE`.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autov.core import Array
from autov.core.atomic_files import read_json, to_json, write_text
from autov.engines.choose import engine_of
from autov.experiments.row import versions
from autov.runs import minimize
from autov.stats.ranksum import holm
from benchmarks.kernel import machine
from examples.annealing_line import BOUNDS, INTEGRALITY, LOWER, UPPER, Plant

NATIVE = ("general", "ma-es", "de")
SOLVERS = {"COBYLA": {"rhobeg": 0.1, "tol": 1e-9}, "COBYQA": {"initial_tr_radius": 0.1, "final_tr_radius": 1e-9}}
PENALIZED = ("scipy:cobyqa", "cma:lq", "cma:default", "scipy:de", "optuna:tpe")
ALGORITHMS = (NATIVE[0], "random", *NATIVE[1:], *SOLVERS, *PENALIZED)
KINDS = ("cost", "trap")
BUDGETS, PLANTS, RUNS, SEED = (100, 300, 1000), 12, 10, 1
SLOW = {
    "optuna:tpe": 1,
    "cma:lq": 3,
    "scipy:cobyqa": 3,
    "COBYLA": 3,
}  # runs at `MANY` evaluations of those that take seconds
MANY = 300
MOST = {"optuna:tpe": 300}  # evaluations of one that takes a minute for more
WEIGHT = 20.0
NONE = 1000.0
LEVEL = 0.05


class _Spent(Exception):  # noqa: N818
    pass


class Counted:
    """A plant that counts the points it is asked for, and keeps the best feasible value."""

    def __init__(self, plant: int, kind: str, maxfev: int) -> None:
        self._plant, self._maxfev = Plant(plant), maxfev
        self._cost = getattr(self._plant, kind)
        self.best, self.nfev = NONE, 0
        self._last: tuple[Array, float, float] | None = None

    def point(self, x: Array) -> tuple[float, float]:
        """The cost, and what is left of the constraint's limit; asking again for the same point is free."""
        x = np.where(INTEGRALITY, np.rint(x), np.clip(x, LOWER, UPPER))
        if self._last is None or not np.array_equal(self._last[0], x):
            if self.nfev >= self._maxfev:
                raise _Spent
            self.nfev += 1
            cost, left = self._cost(x), 1.0 - self._plant.buckling(x)
            self._last = x, cost, left
            if left >= 0:
                self.best = min(self.best, cost)
        return self._last[1:]

    def penalized(self, x: Array) -> float:
        """The cost with `WEIGHT` times the violation."""
        cost, left = self.point(x)
        return cost + WEIGHT * max(0.0, -left)


def best_found(label: str, kind: str, plant: int, maxfev: int, seed: int) -> float:
    """The best feasible cost that one run finds."""
    counted = Counted(plant, kind, maxfev)
    if label in NATIVE:
        own = Plant(plant)
        limit = {"type": "ineq", "fun": lambda x: 1.0 - own.buckling(x)}
        found = minimize(getattr(own, kind), BOUNDS, constraints=limit, integrality=INTEGRALITY, algorithm=label,
                         maxfev=maxfev, rng=seed)  # fmt: skip
        return float(found.fun) if np.isfinite(found.fun) else NONE
    if label == "random":
        for u in np.random.default_rng(seed).random((maxfev, len(BOUNDS))):
            counted.point(np.where(INTEGRALITY, np.floor(LOWER + u * (UPPER - LOWER + 1)), LOWER + u * (UPPER - LOWER)))
    elif label in SOLVERS:
        _solver_runs(label, counted, np.random.default_rng(seed))
    else:
        minimize(counted.penalized, BOUNDS, algorithm=label, maxfev=maxfev, rng=seed)
    return counted.best


def _solver_runs(method: str, counted: Counted, rng: np.random.Generator) -> None:
    """SciPy's solver in the unit box with the constraint: from near the centre, then from uniform points."""
    from scipy.optimize import minimize as solve

    def placed(u: Array) -> Array:
        return LOWER + np.clip(u, 0.0, 1.0) * (UPPER - LOWER)

    start, d = 0.5 + 1e-3 * (2 * rng.random(len(BOUNDS)) - 1), len(BOUNDS)
    with contextlib.suppress(_Spent), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while True:
            solve(
                lambda u: counted.point(placed(u))[0], start, method=method, bounds=[(0.0, 1.0)] * d,
                constraints={"type": "ineq", "fun": lambda u: counted.point(placed(u))[1]},
                options={"maxiter": 10**6, **SOLVERS[method]},
            )  # fmt: skip
            start = rng.random(d)


def _run(item: tuple[str, str, int, int, int]) -> float:
    return best_found(*item)


def bench_engineering(
    path: str | Path = "runs/engineering.json", algorithms: Sequence[str] = ALGORITHMS,
    budgets: Iterable[int] = BUDGETS, kinds: Iterable[str] = KINDS, plants: int = PLANTS, runs: int = RUNS,
    seed: int = SEED, workers: int = -1,
) -> dict[str, Any]:  # fmt: skip
    """Run what the file does not have yet: values by kind, budget, algorithm, plant and run."""
    path = Path(path)
    data = read_json(path, "figures") if path.exists() else {"values": {}}
    with engine_of(workers, "processes") as engine:
        for maxfev in budgets:
            for kind in kinds:
                for label in algorithms:
                    rows = data["values"].setdefault(kind, {}).setdefault(str(maxfev), {})
                    count = min(runs, SLOW.get(label, runs)) if maxfev >= MANY else runs
                    if maxfev > MOST.get(label, maxfev) or np.shape(rows.get(label, [])) == (plants, count):
                        continue
                    items = [(label, kind, p, maxfev, seed + r) for p in range(plants) for r in range(count)]
                    found = np.empty(len(items))
                    for i, value in engine.map(_run, items):
                        found[i] = value
                    rows[label] = found.reshape(plants, count).tolist()
                    settings = {"plants": plants, "runs": runs, "seed": seed, "weight": WEIGHT, "none": NONE}
                    data = data | settings | {"machine": machine(), "versions": versions()}
                    write_text(path, to_json(data, indent=1) + "\n")
    return data
