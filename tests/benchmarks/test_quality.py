"""The page on quality says what the runs say, whoever wins."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from autov.experiments import compare
from benchmarks.quality import figures, joined, quality_page


@pytest.fixture(scope="module")
def made():
    return compare(["general", "ma-es", "ga"], ["sphere", "rastrigin+translate=1"], dim=3, maxfev=400, runs=5,
                   popsize=20, rng=1, reference="general", store=None, workers=1)  # fmt: skip


def test_figures_are_those_of_the_comparison(made):
    found = figures(made)
    targets = made.targets()
    assert found["measures"]["ga"] == {
        "area": targets.area("ga"), "targets": targets.share("ga"), "rank": made.median_ranks()["ga"],
    }  # fmt: skip
    assert set(found["groups"]) == {"unimodal", "multimodal"}
    assert found["groups"]["unimodal"]["ga"] == targets.area("ga", ["sphere"])
    assert found["functions"]["sphere"]["medians"]["ma-es"] == np.median(made.values("sphere", "ma-es"))
    for name, row in found["functions"].items():
        marks = {a: made.scores().cells[name, a].mark for a in ("ma-es", "ga")}
        assert row["significantly_better"] == [a for a in ("ma-es", "ga") if marks[a] == "+"]


def test_figures_of_two_parts_join_to_those_of_the_whole(made):
    def part(names):
        rows = tuple(row for row in made.rows if row.label in names)
        return figures(replace(made, algorithms=tuple(names), rows=rows))

    whole, found = figures(made), joined(part(["general", "ga"]), part(["general", "ma-es"]))
    assert found["algorithms"] == ["general", "ma-es", "ga"]
    assert found["measures"] == whole["measures"]
    assert found["groups"] == whole["groups"]
    assert {p: row | {"not_compared": []} for p, row in whole["functions"].items()} == found["functions"]
    other = part(["general", "ga"])
    other["functions"]["sphere"]["medians"]["general"] += 1
    assert joined(other, part(["general", "ma-es"]))["functions"]["sphere"]["not_compared"] == ["ga"]


def section(tmp_path, made, **changed):
    data = figures(made) | {"dim": 20, "maxfev": 10_000} | changed
    (tmp_path / "bbob-20d-10000.json").write_text(json.dumps(data))
    (tmp_path / "remarks.md").write_text("By hand.\n")
    return quality_page(tmp_path, tmp_path / "page.md")


def test_the_page_says_who_is_first_and_by_how_much(made, tmp_path):
    measures = {
        "general": {"area": 0.4, "targets": 0.5, "rank": 2.5},
        "ma-es": {"area": 0.3, "targets": 0.6, "rank": 1.5},
        "ga": {"area": 0.1, "targets": 0.1, "rank": 3.0},
    }
    text = section(tmp_path, made, measures=measures)
    assert text == (tmp_path / "page.md").read_text()
    assert text.startswith("# Quality of the default\n\nBy hand.\n")
    first = "first in area under the ECDF (0.4; `ma-es` 0.3)"
    second = "number 2 of 3 in mean rank of medians (2.5; `ma-es` 1.5)"
    assert f"`general` is {first} and {second}." in text
    rows = [line for line in text.splitlines() if line.startswith("| **`general`**")]
    assert len(rows) == 1
    assert "Not run yet in this setting: `anytime`, `thorough`, `paper-h3`, `minion:bipop`" in text
    assert "| **0.400** | 0.500 | 2.50 |" in rows[0]


def test_losses_are_listed(made, tmp_path):
    functions = {"sphere": {"medians": {"general": 2.0, "ma-es": 1.0, "ga": 0.5}, "significantly_better": ["ma-es"]}}
    text = section(tmp_path, made, functions=functions)
    assert "| `sphere` | `ma-es` | 1 | 2 |" in text
    functions["sphere"]["not_compared"] = ["ga"]
    assert "Not compared with it as it is now: `ga`." in section(tmp_path, made, functions=functions)
    none = {"sphere": {"medians": {}, "significantly_better": []}}
    assert "No algorithm is significantly better than `general`" in section(tmp_path, made, functions=none)
