"""The runs that Theorem 4 of the paper says cannot be."""

from __future__ import annotations

import json
from pathlib import Path

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
