"""Rules for constraints, and the page that says which of them is better."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.constraint_rules import FILE, RULES, bench_constraint_rules, constraint_rules_table, weighted, wins

ROOT = Path(__file__).parents[2]
FIRST, LAGRANGIAN, WEIGHTED = RULES


@pytest.fixture(scope="module")
def stored():
    return json.loads(FILE.read_text(encoding="utf-8"))


def test_every_rule_solves_a_small_problem():
    pytest.importorskip("cma")
    found = bench_constraint_rules(("tension-spring",), (600,), 1, file=None)["budgets"]["600"]["tension-spring"]
    assert set(found["values"]) == set(RULES)
    assert all(found["minimum"] - 1e-9 <= value for (value,) in found["values"].values())
    assert math.isfinite(found["values"][FIRST][0])


def test_no_infeasible_point_is_better_than_the_best_feasible_one():
    rows = np.array([[1.0, -1.0], [0.0, 0.5], [5.0, 1e-9]])
    told = weighted(2)(rows, np.array([1.0, 2.5e50, 2e50]), 1.0)
    assert told[0] == 1.0
    assert (told[1:] > 1.0).all()


def test_the_page_has_the_stored_figures(stored):
    page = (ROOT / "docs" / "constraints.md").read_text(encoding="utf-8")
    for label, cells in constraint_rules_table(stored).rows:
        assert f"| {label} | {' | '.join(cell.text for cell in cells)} |" in page
    for budget in stored["budgets"]:
        ahead, behind = wins(stored, budget, LAGRANGIAN, FIRST)
        assert ahead < behind, "the page says that Deb's rules are better"
