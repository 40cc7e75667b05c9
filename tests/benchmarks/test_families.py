"""The verdicts of docs/designs-found.md come from the stored comparisons."""

import json
from dataclasses import replace
from pathlib import Path

from autov.experiments.compact import read_compact
from autov.stats import SOLVED
from benchmarks.families import failed_runs, marks_of, summarise

STORED = Path(__file__).parents[2] / "results" / "families"


def test_differences_below_the_floor_decide_nothing():
    stored = read_compact(STORED / "griewank-translate" / "comparison.json")
    rows = [
        replace(row, best=0.0) if row.label == "designed" else replace(row, best=0.9 * SOLVED) for row in stored.rows
    ]
    assert set(marks_of(replace(stored, rows=tuple(rows))).values()) == {"="}


def test_the_stored_summary_is_what_the_stored_runs_give(tmp_path):
    for path in STORED.glob("*/comparison.json"):
        (tmp_path / path.parent.name).mkdir()
        (tmp_path / path.parent.name / "comparison.json").write_text(path.read_text())
    summary, stored = summarise(tmp_path), json.loads((STORED / "summary.json").read_text(encoding="utf-8"))
    assert summary["marks"] == stored["marks"]
    assert (summary["never_worse"], summary["better_than_all"]) == (stored["never_worse"], stored["better_than_all"])
    assert summary["failed_runs"] == stored["failed_runs"]
    one = read_compact(STORED / "ackley-translate" / "comparison.json")
    assert failed_runs(one)["ga"] == 1.0, "pycma solves its median run, a GA none"
