"""Figures on the first pages are those of stored results."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from autov import compare
from autov.experiments.compact import read_compact
from autov.reports import to_markdown
from benchmarks import bias, certificates, families
from benchmarks.quality_markdown import verdicts

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/index.md")


def stored(name):
    return json.loads((ROOT / "results" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_the_caption_of_the_picture_is_what_was_measured(page):
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    made = stored("picture.json")
    medians = dict(made["median"])
    own = medians.pop("designed")
    best = min(medians.values())
    assert f"**{best / own:.1f} times lower** than that of the best baseline ({own:.1f} against {best:.1f})" in text
    assert f"{made['runs']} held-out instances" in text
    assert f"{made['maxfev']:,} evaluations in {made['dim']} variables" in text
    assert ("All five baselines are significantly worse" in text) == (set(made["mark"].values()) == {"-"})


def test_the_default_still_ends_where_the_picture_shows_it():
    """Rounding differs between processors, so not all digits."""
    made = stored("picture.json")
    runs = compare(["general"], [made["family"]], runs=made["runs"], maxfev=made["maxfev"], rng=made["seed"])
    assert np.median(runs.values(made["family"], "general")) == pytest.approx(made["median"]["general"], rel=0.2)


def test_the_families_of_the_readme_are_those_stored():
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    table = (ROOT / "docs" / "designs-found.md").read_text(encoding="utf-8")
    rows = {
        line.split("`")[1]: [cell.strip() for cell in line.split("|")[2:-1]]
        for line in table.splitlines()
        if re.match(r"\| `\w+\+family=", line) and line.count("|") > 8
    }
    found = stored("families/summary.json")
    shown = {name: dict(zip((*families.RIVALS, families.DEFAULT), (c[-1] for c in row[1:-1]), strict=True))
             for name, row in rows.items()}  # fmt: skip
    assert shown == found["marks"]
    for name, row in rows.items():
        made = read_compact(ROOT / "results" / "families" / name.replace("+family=", "-") / "comparison.json")
        for label, cell in zip(("designed", *families.RIVALS, families.DEFAULT), row, strict=False):
            median = float(np.median(made.gaps(name, label)))
            assert float(cell.split()[0].replace(",", "")) == pytest.approx(median, rel=0.006), (name, label)
    assert {name: row[-1] for name, row in rows.items()} == {
        name: f"{shares['designed']:.0%}" for name, shares in found["failed_runs"].items()
    }
    known = sum("(`general`)" in row[0] for row in rows.values())
    assert found["never_worse"] == 12
    assert (len(rows), len(families.RIVALS), families.RUNS) == (12, 6, 100)
    assert "We designed for twelve families and tested on 100 held-out instances each" in text
    best = words[found["better_than_all"]].capitalize()
    assert f"{best} designs are significantly better than all six; none is significantly worse than any" in text
    assert f"{words[known].capitalize()} of the twelve designs are the default of that time" in text
    marks = [row[families.DEFAULT] for row in found["marks"].values()]
    better, worse = words[marks.count("+")], words[marks.count("-")]
    assert f"The present default is significantly better than {better} designs and worse than {worse}" in text


def test_the_verdict_on_the_default_is_that_of_the_figures():
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    figures = [stored(f"quality/{path.name}") for path in (ROOT / "results" / "quality").glob("*bbob-*.json")]
    said = verdicts(figures)[1]
    assert said in (ROOT / "docs" / "quality.md").read_text(encoding="utf-8")
    lead = "`general` is ahead of all rivals"
    assert said.startswith(lead)
    assert f"{lead} of other libraries{said.removeprefix(lead)}" in text
    assert {data["suite"] for data in figures} == {"bbob", "ma-bbob"}


def test_verdicts_on_algorithms_are_those_stored_and_none_is_left_out():
    holds = {name: row["holds"] for name, row in stored("certificates.json")["algorithms"].items()}
    assert set(holds) == set(certificates.ALGORITHMS)
    assert set(stored("certificates.json")["operators"]) == set(certificates.OPERATORS)
    page = (ROOT / "docs" / "invariance.md").read_text(encoding="utf-8")
    table = page.partition("Verdicts on the algorithms of the package")[2]
    table = table.partition("`python -m benchmarks certificates")[0]
    told = {}
    for line in re.findall(r"^\| `.*\|$", table, re.MULTILINE):
        names, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        told |= {name: [cell.split()[0] for cell in cells] for name in re.findall(r"`([^`]+)`", names)}
    assert told == {name: [certificates.WORDS[held] for held in row.values()] for name, row in holds.items()}


def test_the_table_of_structural_bias_is_that_stored_and_no_algorithm_is_left_out():
    found = stored("bias.json")
    assert {row["algorithm"] for row in found["rows"]} >= set(bias.OWN)
    page = (ROOT / "docs" / "invariance.md").read_text(encoding="utf-8")
    for table in (bias.bias_table(found), bias.default_table(found)):
        for line in to_markdown(table).splitlines():
            if line.startswith("| "):
                assert line in page
    free = sorted(row["algorithm"] for row in found["rows"] if not row["biased"])
    assert f"{len(found['rows'])} algorithms" in page
    assert all(f"`{name}`" in page.partition("pass all tests:")[2].partition("**")[0] for name in free)
