"""Runs that contradict Theorem 4 of the paper; `results/theorem-4.json` has what docs/theory.md shows.

The theorem says that every elitist metaheuristic with weights r_i ~ N(mu_i, sigma_i^2), sum one, comes as near to the
optimum of a continuous function as one likes. With one draw of the weights for each solution, as the theorem has
it, and two parents (form h1), an offspring lies on the line through its parents: the population loses its dimensions
and stays where it is. Drawn for each variable it continues for longer, and ends away from the optimum, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autov.algorithms import Evolution
from autov.experiments.row import versions
from autov.operators import AffineOperator
from autov.problems import Classic, Translated
from autov.runs import solve

DIM, POPSIZE, RUNS, SEED = 10, 20, 10, 1
BUDGETS = (200, 2_000, 20_000, 100_000, 400_000)


def lines(draw: str) -> AffineOperator:
    """h1: x1 + r (x2 - x1) with r ~ N(0.5, 0.5^2)."""
    return AffineOperator(("x1", "x2"), [[0.5]], [[0.5]], [1.0], draw)  # type: ignore[arg-type]


def span(points: np.ndarray) -> int:
    """How many dimensions a population has, up to a relative 1e-9 of the box."""
    return int((np.linalg.svd(points - points.mean(axis=0), compute_uv=False) > 1e-9 * 200).sum())


def bench_theory(runs: int = RUNS, budgets: tuple[int, ...] = BUDGETS) -> dict[str, Any]:
    """The best values after each budget, with a draw for each solution and for each variable."""
    problem = Translated(Classic("sphere", DIM), 30.0)
    found: dict[str, Any] = {
        "what": f"sphere in {DIM} variables, shifted by 30, box of width 200; h1, population {POPSIZE}, {runs} runs, "
        "the better half survives"
    }
    for draw in ("solution", "variable"):
        algorithm: Any = Evolution(lines(draw))
        best = np.empty((len(budgets), runs))
        dimensions = np.empty((len(budgets), runs))
        for place, maxfev in enumerate(budgets):
            for run in range(runs):
                end = solve(problem, algorithm, maxfev=maxfev, popsize=POPSIZE, seed=SEED, run=run)
                best[place, run], dimensions[place, run] = end.fun, span(end.population)
        found[f"draw_per_{draw}"] = {
            str(maxfev): {
                "median": float(np.median(best[place])), "smallest": float(best[place].min()),
                "largest": float(best[place].max()), "dimensions": float(np.median(dimensions[place])),
            }
            for place, maxfev in enumerate(budgets)
        }  # fmt: skip
    found["versions"] = versions()
    return found
