"""Design an optimiser for your own function, then use it in minimize and by ask and tell."""

import sys
import tempfile
from pathlib import Path

import numpy as np

import autov
from autov.reports.design_files import comparison_table


def cost(x):
    """A bent valley with ripples; (n, 8) points in, n values out."""
    return (x[:, 0] - 1) ** 2 + 10 * ((x[:, 1:] - x[:, :-1] ** 2) ** 2).sum(axis=1) + np.sin(5 * x).sum(axis=1) ** 2


if __name__ == "__main__":
    small = {"generations": 1, "population": 4, "race_size": 2, "race_runs": 2, "retest_runs": 2}
    quick = "--quick" in sys.argv
    size, budget = (small, 300) if quick else ({"time": "3m"}, 2000)
    bounds = [(-3, 3)] * 8
    found = autov.design(cost, bounds, vectorized=True, trial={"evaluations": budget, "runs": 2}, rng=1, **size)
    print(comparison_table(found, 0))
    file = Path(tempfile.gettempdir()) / "optimizer.json"
    found.save(file)

    result = autov.minimize(cost, bounds, vectorized=True, algorithm=str(file), maxfev=budget, rng=2)
    print(f"minimize: {result.fun:.4g} after {result.nfev} evaluations")

    optimizer = autov.Optimizer(bounds, algorithm=found, maxfev=budget, rng=3)
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, cost(x))
    print(f"ask and tell: {optimizer.result.fun:.4g} after {optimizer.result.nfev} evaluations")
