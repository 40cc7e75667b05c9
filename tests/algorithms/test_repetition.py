"""Repeated runs: run r is that of (seed, r), and the best point is that of the best run."""

import numpy as np
import pytest

from autov.algorithms import Evolution, make_algorithm, solve
from autov.algorithms.repetition import repeat
from autov.core import generator
from autov.problems import Classic

PROBLEM = Classic("rosenbrock", 3)


@pytest.mark.parametrize("algorithm", [Evolution(), make_algorithm("ga")], ids=["compiled", "asked"])
def test_runs_are_those_of_their_numbers(algorithm):
    options = {"maxfev": 60, "popsize": 10, "seed": 5}
    found = repeat(PROBLEM, algorithm, runs=4, workers=1, **options)
    alone = [solve(PROBLEM, algorithm, run=run, **options) for run in range(4)]
    assert found.values == tuple(run.fun for run in alone)
    assert len(set(found.values)) == 4
    assert PROBLEM(np.array([found.best_x]), generator(0))[0] == min(found.values)
    assert found.summary()["best"] == min(found.values)
    assert found.summary()["std"] == pytest.approx(np.std(found.values, ddof=1))
