"""The page on variables shows what is stored, the functions have the minima they claim, and a run is counted right."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.mixed import BUDGETS, OURS, Counted, best_values, compared, mixed_table, run_autov, run_random
from benchmarks.mixed_functions import DEVELOPMENT, REPORTED, instance

ROOT = Path(__file__).parents[2]


def test_the_page_shows_what_is_stored():
    result = json.loads((ROOT / "results" / "mixed.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "variables.md").read_text(encoding="utf-8")
    table = mixed_table(result)
    for label, cells in table.rows:
        assert f"| {label} | {' | '.join(cell.text for cell in cells)} |" in page
    found = compared(result)
    assert list(found) == list(BUDGETS)
    assert found[200][OURS][2] == 1.0


@pytest.mark.parametrize("make", [*DEVELOPMENT, *REPORTED], ids=lambda make: make.__name__)
def test_functions_take_all_points_of_their_space(make):
    mixed = instance(make, 1)
    assert 10 <= len(mixed.space) <= 20
    rng = np.random.default_rng(1)
    values = [mixed.fun(point) for point in mixed.space.points(mixed.space.search_box.sample(200, rng))]
    assert np.isfinite(values).all()
    assert min(values) > -1e-9
    assert len(set(values)) > 100
    other = instance(make, 2)
    point = mixed.space.point(mixed.space.box.lower)
    assert mixed.fun(point) == instance(make, 1).fun(point) != other.fun(point)


def test_reported_functions_served_no_choice():
    assert not set(DEVELOPMENT) & set(REPORTED)


def test_best_values_after_each_budget():
    mixed = instance(REPORTED[0], 0)
    fun = Counted(mixed, 500)
    run_random_values = best_values(run_random, mixed, 500, 3)
    assert len(run_random_values) == 2
    run_random(fun, 3)
    assert run_random_values == [min(fun.values[:200]), min(fun.values[:500])]
    assert best_values(run_autov, mixed, 200, 3)[0] < run_random_values[0]


def test_readme_of_results_names_it():
    assert re.search(r"mixed\.json.*benchmarks mixed", (ROOT / "results" / "README.md").read_text(encoding="utf-8"))
