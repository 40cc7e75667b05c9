"""The runs that Theorem 4 of the paper says cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.theory import bench_theory

STORED = Path(__file__).parents[2] / "results" / "theorem-4.json"


def test_a_population_on_lines_stays_where_it_is():
    found = bench_theory(runs=3, budgets=(200, 5_000, 50_000))["draw_per_solution"]
    assert found["50000"]["median"] == found["5000"]["median"] > 100
    assert found["200"]["dimensions"] > found["5000"]["dimensions"] == 0


def test_the_stored_figures_are_those_of_the_command():
    stored = json.loads(STORED.read_text())["draw_per_solution"]
    assert stored["400000"] == stored["20000"]
    assert stored["400000"]["smallest"] > 1000


@pytest.mark.parametrize(("optimum", "reached"), [([0.3] * 6, True), ([0.3, 0.3, 0.3, 0.3, 0.3, -0.3], False)])
def test_the_flat_of_few_points_and_the_bounds_has_the_diagonal_only(optimum, reached):
    """The counter-example with bounds among the inputs needs an optimum that is not on the line through them."""
    points = np.random.default_rng(1).uniform(-1.0, 1.0, (4, 6))  # N + 2 <= D
    inputs = np.vstack([points, -np.ones(6), np.ones(6)])
    directions = (inputs[1:] - inputs[0]).T
    gap = np.asarray(optimum) - inputs[0]
    weights = np.linalg.lstsq(directions, gap, rcond=None)[0]
    assert (np.linalg.norm(directions @ weights - gap) < 1e-9) == reached
