"""Rules for constraints: Deb's numbers, an augmented Lagrangian and weighted violations, all with `ma-es`.

All know the objective at infeasible points, too. The augmented Lagrangian is that of pycma (package cma, its defaults:
N. Dufossé and N. Hansen, Augmented Lagrangian, penalty techniques and surrogate modeling for constrained optimization
with CMA-ES, 2021). It starts with the spreads of the first batches and is updated by the mean of the better half of
every batch. Weighted violations are what `general` tells its global search: weights from the first batch that has
values, and no infeasible point is better than the best feasible one.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autov.algorithms import resolve_algorithm
from autov.algorithms.constrained_search import penalized, penalty_weights
from autov.core import Array, generator
from autov.core.atomic_files import to_json, write_text
from autov.experiments import Cell, Table
from autov.problems import CONSTRAINED_NAMES, Constrained, constrained_problem
from autov.problems.feasibility import judged
from benchmarks.kernel import machine

BUDGETS, RUNS = (1000, 10_000), 5
FILE = Path(__file__).parents[1] / "results" / "constrained" / "rules.json"
Rule = Callable[[Array, Array, float], Array]  # rows (n, 1 + m), Deb's numbers (n,), the best feasible value -> (n,)


def deb(dim: int) -> Rule:
    """Deb's numbers as they are."""
    del dim

    def told(rows: Array, numbers: Array, best: float) -> Array:
        del rows, best
        return numbers

    return told


def lagrangian(dim: int) -> Rule:
    """The augmented Lagrangian of pycma."""
    from cma.constraints_handler import AugmentedLagrangian

    made = AugmentedLagrangian(dim)
    made.logging = 0  # else it writes files

    def told(rows: Array, numbers: Array, best: float) -> Array:
        del numbers, best
        values, constraints = rows[:, 0], rows[:, 1:]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made.set_coefficients(values, constraints)
            found = values + np.array([sum(made(g)) for g in constraints])
            half = np.argsort(found, kind="stable")[: (len(found) + 1) // 2]
            made.update(float(values[half].mean()), constraints[half].mean(axis=0))
        return found

    return told


def weighted(dim: int) -> Rule:
    """Violations with weights that are fixed once; infeasible points stay behind the best feasible one."""
    del dim
    weights: list[Array] = []

    def told(rows: Array, numbers: Array, best: float) -> Array:
        if not weights:
            weights.append(penalty_weights(rows, np.empty(0)))
        return penalized(rows, numbers, weights[0], best)

    return told


RULES: dict[str, Callable[[int], Rule]] = {
    "Deb's rules": deb, "augmented Lagrangian": lagrangian, "weighted violations": weighted,
}  # fmt: skip


def known(problem: Constrained, x: Array) -> Array:
    """Values and constraints (n, 1 + m) of points, infeasible ones included."""
    at = problem.rounded(x)
    return np.column_stack([problem.problem(at, generator(0)), problem.assessed(at)[1]])


def solved(problem: Constrained, rule: Rule, maxfev: int, seed: int) -> float:
    """The best feasible value of a run of `ma-es` that is told by a rule; infinite if there is none."""
    algorithm, rng, best, spent = resolve_algorithm("ma-es"), generator(seed, 0), np.inf, 0
    state = algorithm.init(problem.box, 100, maxfev, rng)
    while spent < maxfev:
        x, state = algorithm.ask(state, rng)
        rows = known(problem, x[: maxfev - spent])
        numbers = judged(rows)[:, 0]
        feasible = rows[(rows[:, 1:] <= 0).all(axis=1), 0]
        best = float(feasible.min(initial=best))
        spent += len(rows)
        if len(rows) == len(x):
            state = algorithm.tell(state, x, rule(rows, numbers, best), rng)
    return best


def bench_constraint_rules(
    problems: Sequence[str] = CONSTRAINED_NAMES, budgets: Sequence[int] = BUDGETS, runs: int = RUNS, seed: int = 1,
    file: Path | None = FILE,
) -> dict[str, Any]:  # fmt: skip
    """Best feasible values of all runs, by budget, problem and rule, JSON-able."""
    start = time.perf_counter()
    found: dict[str, Any] = {}
    for maxfev in budgets:
        found[str(maxfev)] = {}
        for name in problems:
            problem = constrained_problem(name)
            values = {
                label: [solved(problem, make(problem.box.dim), maxfev, seed + run) for run in range(runs)]
                for label, make in RULES.items()
            }
            found[str(maxfev)][name] = {"minimum": problem.minimum, "dim": problem.box.dim, "values": values}
    settings = {"runs": runs, "seed": seed}
    data = {"machine": machine(), "settings": settings, "seconds": time.perf_counter() - start, "budgets": found}
    if file is not None:
        write_text(file, to_json(data, indent=1) + "\n")
    return data


def wins(data: dict[str, Any], budget: str, one: str, other: str) -> tuple[int, int]:
    """On how many problems one rule has the smaller median, and on how many the other."""
    medians = [
        [float(np.median(np.array(entry["values"][label], dtype=np.float64))) for label in (one, other)]
        for entry in data["budgets"][budget].values()
    ]
    return sum(a < b for a, b in medians), sum(b < a for a, b in medians)


def constraint_rules_table(data: dict[str, Any]) -> Table:
    """On how many problems each has a smaller median than Deb's rules, and on how many a larger one."""
    first = next(iter(RULES))
    rows = [
        (label, tuple(Cell("{} : {}".format(*wins(data, budget, label, first))) for budget in data["budgets"]))
        for label in list(RULES)[1:]
    ]
    columns = ("", *(f"{int(budget):,} evaluations" for budget in data["budgets"]))
    return Table(f"Problems with a smaller median than {first}, and with a larger one", columns, tuple(rows))
