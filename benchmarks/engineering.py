"""An engineer's case and a trap: plants of examples/annealing_line.py, next to other libraries.

Twelve variables, one an integer, and one constraint. A point counts when its constraint is evaluated, whether or not
its cost is. Algorithms of autov, random search, and COBYLA as SciPy has it are told the constraint. The others
minimise the cost with `WEIGHT` times the violation added. All see the integer rounded. The result of a run is the
best feasible point that it has evaluated; a run that found none counts as `NONE`.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from autov.core import Array
from autov.core.atomic_files import read_json, to_json, write_text
from autov.engines.choose import engine_of
from autov.experiments import Cell, Table
from autov.experiments.row import versions
from autov.runs import minimize
from autov.stats import one_with_many, versus
from benchmarks.kernel import machine
from examples.annealing_line import BOUNDS, INTEGRALITY, LOWER, UPPER, Plant

NATIVE = ("general", "ma-es", "de")
SOLVERS = {"COBYLA": {"rhobeg": 0.1, "tol": 1e-9}}
PENALIZED = ("scipy:cobyqa", "cma:lq", "cma:default", "scipy:de", "optuna:tpe", "optuna:gp")
ALGORITHMS = (NATIVE[0], "random", *NATIVE[1:], *SOLVERS, *PENALIZED)
KINDS = ("cost", "trap")
BUDGETS, PLANTS, RUNS, SEED = (100, 300, 1000), 12, 10, 1
MANY = 300
SLOW = {  # runs of those that take seconds, with fewer evaluations than `MANY` and with more
    "optuna:gp": (3, 3), "optuna:tpe": (10, 1), "cma:lq": (10, 3), "scipy:cobyqa": (10, 3), "COBYLA": (10, 3),
}  # fmt: skip
MOST = {"optuna:tpe": 300, "optuna:gp": 100}  # evaluations of those that take minutes for more
WEIGHT = 20.0
NONE = 1000.0
LEVEL = 0.05
TITLES = {"cost": "The annealing line", "trap": "The trap"}
HEAD = """# An engineer's case, and a trap

`examples/annealing_line.py` models an annealing line with twelve settings, one of them an integer, and a nonlinear
constraint that a third to a half of all settings meet. It comes as {plants} plants. The trap is the same with a broad
basin of bad settings around the centre of the box, in which local searches from the centre end.

`general`, `ma-es`, `de` and random search know the constraint; so does `COBYLA` of SciPy. The other libraries get
{weight:g} times the violation added to the cost. One simulation gives cost and constraint; `ma-es`, `de` and random
search do not use the cost at infeasible points. The result of a run is its best feasible cost; a run without one
counts as {none:g}. The tables show means, over the plants, of the median of the runs on each plant. The tests are
signed-rank tests of these medians, paired by plant, with Holm's correction for all algorithms of a table, at
{level}. Some algorithms that take seconds for a run have fewer runs, as the tables say, and not all ran at every
budget.

The figures of `general` are of a later run than the others, with the same plants and seeds. How it searches under
constraints ([how](constraints.md#models-of-constraints)) was chosen on other plants, 101 to 112 and 201 to 212:
about 40 variants when it began to model constraints, about 35 more when the length of its steps and the share of
its global search were chosen. Two of these were run on the plants of this page: the last one, which the tables
show, and one before it with longer steps, which was behind COBYLA with 300 evaluations (12.57, p = 0.007).

This page is made by `python -m benchmarks engineering` and `make quality`."""


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
        cost = getattr(own, kind)
        found = minimize(lambda x: (cost(x), own.buckling(x) - 1.0), BOUNDS, constraints="returned",
                         integrality=INTEGRALITY, algorithm=label, maxfev=maxfev, rng=seed)  # fmt: skip
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


def _others() -> dict[str, str]:
    """Versions of the other libraries."""
    return {name: metadata.version(name) for name in ("cma", "optuna")}


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
                    count = min(runs, SLOW.get(label, (runs, runs))[maxfev >= MANY])
                    if maxfev > MOST.get(label, maxfev):
                        continue
                    made = [row for row in rows.get(label, [])[:plants] if len(row) == count]
                    for plant in range(len(made), plants):
                        found = [0.0] * count
                        for i, value in engine.map(
                            _run, [(label, kind, plant, maxfev, seed + r) for r in range(count)]
                        ):
                            found[i] = value
                        rows[label] = made = [*made, found]
                        settings = {"plants": plants, "runs": runs, "seed": seed, "weight": WEIGHT, "none": NONE}
                        data = data | settings | {"machine": machine(), "versions": versions() | _others()}
                        write_text(path, to_json(data, indent=1) + "\n")
    return data


def compared(data: dict[str, Any], kind: str, budget: str) -> dict[str, dict[str, Any]]:
    """For each algorithm the mean of the plants' medians, its rank, and the test of `general` against it, best first.

    The test is Wilcoxon's signed-rank test of the medians, paired by plant; its p-values are Holm's of all others.
    """
    medians = {label: np.median(rows, axis=1) for label, rows in data["values"][kind][budget].items()}
    own = medians[ALGORITHMS[0]]
    others = [label for label in medians if label != ALGORITHMS[0]]
    corrected = one_with_many({a: versus(own, medians[a], paired=True) for a in others}, LEVEL)
    found = {}
    for label in sorted(medians, key=lambda a: medians[a].mean()):
        wins = int((own < medians[label]).sum())
        p = corrected[label].p if label in corrected else None
        better = (
            None if p is None else "not shown" if p >= LEVEL else "yes" if np.mean(own - medians[label]) < 0 else "no"
        )
        found[label] = {
            "mean": float(medians[label].mean()), "wins": wins, "p": p, "better": better,
            "runs": len(data["values"][kind][budget][label][0]),
        }  # fmt: skip
    return found


def engineering_table(data: dict[str, Any]) -> Table:
    """Means of the medians of all plants."""
    columns = [(kind, budget) for kind, budgets in data["values"].items() for budget in budgets]
    cells = {column: compared(data, *column) for column in columns}
    rows = []
    for label in ALGORITHMS:
        made = [cells[column].get(label) for column in columns]
        least = [min(one["mean"] for one in cells[column].values()) for column in columns]
        rows.append((label, tuple(
            Cell("-") if one is None else Cell(f"{one['mean']:.2f}", best=one["mean"] == low, data=one)
            for one, low in zip(made, least, strict=True)
        )))  # fmt: skip
    caption = f"Mean over {data['plants']} plants of the median best feasible cost"
    return Table(caption, ("algorithm", *(f"{kind}, {budget}" for kind, budget in columns)), tuple(rows))


def engineering_page(results: str | Path, page: str | Path) -> str:
    """Write docs/engineering.md from the stored figures."""
    data = read_json(results, "figures")
    parts = [HEAD.format(**data, level=f"{LEVEL:.0%}")]
    for kind, budgets in data["values"].items():
        for budget in budgets:
            found = compared(data, kind, budget)
            parts += [f"## {TITLES[kind]}, {int(budget):,} evaluations", _verdict(found), _rows(found, data["plants"])]
    machine = ", ".join(f"{name} {value}" for name, value in {**data["machine"], **data["versions"]}.items())
    parts.append(f"Seeds of the runs: from {data['seed']} on. Machine and versions: {machine}.")
    text = "\n\n".join(parts) + "\n"
    write_text(page, text)
    return text


def _verdict(found: dict[str, dict[str, Any]]) -> str:
    """Where the default stands, in a sentence or two."""
    place = list(found).index(ALGORITHMS[0]) + 1
    lost = [f"`{label}`" for label, one in found.items() if one["better"] == "no"]
    worse = f"Significantly better than it: {', '.join(lost)}." if lost else "None is significantly better."
    return f"`{ALGORITHMS[0]}` is number {place} of {len(found)}. {worse}"


def _rows(found: dict[str, dict[str, Any]], plants: int) -> str:
    rows = ["| algorithm | runs | mean of medians | `general` is better on | p (Holm) | `general` is better |",
            "| --- | ---: | ---: | ---: | ---: | --- |"]  # fmt: skip
    for label, one in found.items():
        if one["p"] is None:
            rows.append(f"| **`{label}`** | {one['runs']} | {one['mean']:.3f} | | | |")
        else:
            wins, p = f"{one['wins']} of {plants} plants", f"{one['p']:.2g}"
            rows.append(f"| `{label}` | {one['runs']} | {one['mean']:.3f} | {wins} | {p} | {one['better']} |")
    return "\n".join(rows)
