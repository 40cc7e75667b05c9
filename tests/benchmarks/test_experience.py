"""The pages on experience show what is stored, and the benchmarks can be made again."""

import json
from pathlib import Path

import numpy as np

from benchmarks.experience import USELESS, bench_experience, experience_table, losses
from benchmarks.history import bench_history, history_table
from benchmarks.weekly import bench_weekly, markdown, picture, weekly_table

ROOT = Path(__file__).parents[2]


def stored(name):
    return json.loads((ROOT / "results" / f"{name}.json").read_text(encoding="utf-8"))


def page(name):
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def test_the_page_shows_what_useless_sources_cost():
    data = stored("experience")
    marks = {name: test.mark() for name, test in losses(data).items()}
    for name, kinds in data["values"].items():
        cold = f"{np.median(kinds['cold']):.3g}"
        cells = [f"{np.median(kinds[kind]):.3g} {marks[f'{name}, {kind}']}" for kind in USELESS]
        assert f"| `{name}` | {cold} | {' | '.join(cells)} |" in page("experience")
    assert "-" not in marks.values()


def test_the_tutorial_shows_both_tables():
    data = stored("weekly")
    for name in data["values"]:
        assert "\n".join(markdown(data, name)) in page("weekly")
    text, needed = " ".join(page("weekly").split()), np.array(data["grown"]["needed"])
    first, *_, last = np.median(needed, axis=0)
    missed = (needed[:, 1:] > data["grown"]["maxfev"]).mean(axis=0)
    assert f"{len(needed)} repetitions" in text
    assert f"from {first:.0f} evaluations in the first week to {last:.0f} in the tenth" in text
    assert f"{100 * missed.min():.0f} to {missed.max():.0%}".replace("%", " %") in text


def test_the_page_shows_the_design_from_history():
    data = stored("history")
    text = page("experience").replace("\n> ", " ").replace("\n", " ")
    assert data["self_check"] in text
    assert data["validation"] in text
    assert data["memory"] in text
    for label, cells in history_table(data).rows:
        budget, _, name = label.partition(", ")
        assert f"| {int(budget):,} | {name} | {' | '.join(cell.text for cell in cells)} |" in page("experience")


def test_a_small_one(tmp_path):
    found = bench_experience(tmp_path / "found.json", functions=("sphere", "rastrigin"), runs=2, maxfev=40)
    assert json.loads((tmp_path / "found.json").read_text())["values"] == found["values"]
    assert len(experience_table(found).rows) == 2


def test_a_small_table_of_problems_that_come_again(tmp_path):
    small = {"old": (1, 2), "new": (101,), "history": 30, "budgets": (30,), "runs": 1, "weeks": 2, "repeats": 2}
    found = bench_weekly(tmp_path / "found.json", **small)
    assert len(weekly_table(found).rows) == 6 + 4
    assert np.array(found["grown"]["needed"]).shape == (2, 2)
    assert picture(found).axes


def test_a_small_design_from_history(tmp_path):
    small = {"old": (1, 2), "new": (101,), "history": 120, "budgets": (30,), "runs": 2}
    size = {"generations": 0, "population": 2, "race_size": 1, "race_runs": 1, "retest_runs": 2}
    found = bench_history(tmp_path / "found.json", **small, **size)
    assert bool(found["refused"]) != bool(found["values"])
    history_table(found)
