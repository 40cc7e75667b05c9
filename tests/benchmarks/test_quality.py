"""The page on quality says what the runs say, whoever wins."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import rankdata

from autov.experiments import compare
from benchmarks.quality import (
    BBOB,
    COMBINED,
    LIMITS,
    OTHERS,
    OWN,
    Suite,
    bench_quality,
    figures,
    finished,
    joined,
    too_slow,
)
from benchmarks.quality_markdown import best_rival, quality_page, ran, verdicts


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


def test_figures_by_instance_rank_every_run(made):
    found = figures(made, by_instance=True)
    assert len(found["functions"]) == 2 * 5
    rows = np.array([[made.values(p, a)[run] for a in made.algorithms] for p in made.problems for run in range(5)])
    ranks = rankdata(rows, axis=1).mean(axis=0)
    assert [found["measures"][a]["rank"] for a in made.algorithms] == pytest.approx(ranks.tolist())
    assert not any(row["significantly_better"] for row in found["functions"].values())
    assert found["measures"]["ga"]["area"] == figures(made)["measures"]["ga"]["area"]


def test_algorithms_with_missing_runs_are_left_out(made):
    missing = next(row for row in made.rows if row.label == "ma-es")
    cut = replace(made, rows=tuple(row for row in made.rows if row is not missing))
    assert finished(made, 5).algorithms == made.algorithms
    found = finished(cut, 5)
    assert found.algorithms == ("general", "ga")
    assert {row.label for row in found.rows} == {"general", "ga"}
    assert finished(made, 6).algorithms == ()


def test_settings_and_limits():
    assert {maxfev / dim for dim, maxfev in BBOB.settings[:4]} == {20}
    assert {maxfev / dim for dim, maxfev in BBOB.settings[4:8]} == {100}
    assert all(maxfev == min(1_000 * dim, 10_000) for dim, maxfev in BBOB.settings[8:])
    assert COMBINED.runs == 100
    assert set(LIMITS) <= set(OTHERS)
    assert not too_slow("cma:lq", 20, 2_000)
    assert too_slow("cma:lq", 20, 2_001)
    assert not too_slow("minion:bipop", 1_000, 10**9)
    assert len(set(OWN) | set(OTHERS)) == len(OWN) + len(OTHERS)


def test_what_is_stored_becomes_figures_without_a_run(tmp_path):
    suite = Suite("bbob", "BBOB", "sphere+family=translate", 3, ((2, 60), (3, 60)))
    first = replace(suite, settings=suite.settings[:1])
    kept = bench_quality(tmp_path, ["ga", "nothing:known"], [first])
    assert list(kept) == ["bbob-2d-60"]
    stored = bench_quality(tmp_path, ["ga", "de"], [suite], run=False)
    assert stored == kept, "nobody else is there, and nothing of the other setting"
    data = json.loads((tmp_path / "bbob-2d-60.json").read_text())
    assert data["algorithms"] == ["general", "ga"]
    assert data["suite"] == "bbob"
    assert data["drawn"] == ["general"]
    assert (tmp_path / "bbob-2d-60.png").exists()
    assert not (tmp_path / "bbob-3d-60.json").exists()
    bench_quality(tmp_path, ["nothing:known"], [first], run=False)
    again = json.loads((tmp_path / "bbob-2d-60.json").read_text())
    assert again["kept"] == ["ga"]
    assert list(again["refused"]) == ["nothing:known"]


def section(tmp_path, made, name="bbob-20d-10000", **changed):
    data = figures(made) | {"dim": 20, "maxfev": 10_000} | changed
    (tmp_path / f"{name}.json").write_text(json.dumps(data))
    (tmp_path / "remarks.md").write_text("<!-- Links: relative\nto docs. -->\nBy hand.\n")
    (tmp_path / "methods.md").write_text("<!-- The same. -->\n\nMade so.\n")
    return quality_page(tmp_path, tmp_path / "page.md")


MEASURES = {
    "general": {"area": 0.4, "targets": 0.5, "rank": 2.5},
    "ma-es": {"area": 0.5, "targets": 0.6, "rank": 1.0},
    "scipy:de": {"area": 0.3, "targets": 0.6, "rank": 1.5},
    "cma:default": {"area": 0.35, "targets": 0.1, "rank": 3.0},
}


def test_verdicts_compare_with_the_best_rival_of_another_library():
    data = {"dim": 10, "maxfev": 1_000, "reference": "general", "algorithms": list(MEASURES), "measures": MEASURES}
    assert best_rival(data, "area") == "cma:default"
    assert best_rival(data, "rank") == "scipy:de"
    tie = MEASURES | {"scipy:de": {"area": 0.4, "targets": 1.0, "rank": 9.0}}
    heading, said, _, table = verdicts([data, data | {"dim": 20, "suite": "ma-bbob", "measures": tie}])
    assert heading == "## Verdicts"
    assert "in area under the ECDF in 1 (level in 1) of 2 settings and in mean rank in 1 of 2 settings." in said
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines()[2:]]
    assert rows[0] == [
        "[BBOB, 10-D, 1,000](#bbob-10-variables-1000-evaluations)",
        "**0.4000**", "`cma:default` 0.3500", "2.50", "`scipy:de` **1.50**",
    ]  # fmt: skip
    assert rows[1][0].startswith("[MA-BBOB, 20-D, 1,000](#ma-bbob-20-")
    assert rows[1][1:3] == ["**0.4000**", "`scipy:de` **0.4000**"], "level"
    assert rows[1][3] == "**2.50**"
    close = MEASURES | {"general": {"area": 0.34996, "targets": 0.5, "rank": 1.496}}
    _, said, _, table = verdicts([data | {"measures": close}])
    assert "in area under the ECDF in 0 (level in 1) of 1 settings and in mean rank in 0 (level in 1) of 1" in said
    assert "| **0.3500** | `cma:default` **0.3500** | **1.50** | `scipy:de` **1.50** |" in table, "level in print"
    alone = data | {"algorithms": ["general", "ma-es"]}
    assert best_rival(alone, "area") is None
    assert verdicts([]) == []


def test_the_page_says_who_is_first_and_by_how_much(made, tmp_path):
    measures = {
        "general": {"area": 0.4, "targets": 0.5, "rank": 2.5},
        "ma-es": {"area": 0.3, "targets": 0.6, "rank": 1.5},
        "ga": {"area": 0.1, "targets": 0.1, "rank": 3.0},
    }
    text = section(tmp_path, made, measures=measures)
    assert text == (tmp_path / "page.md").read_text()
    assert text.startswith("# Quality of the default\n\n## Verdicts\n")
    assert "\n\n## Terms\n\nBy hand.\n\n## BBOB, 20 variables" in text
    methods = (tmp_path / "quality-methods.md").read_text()
    assert methods.startswith("# How quality was measured\n\nMade so.\n\n## Which algorithms ran\n")
    first = "first of 3 in area under the ECDF (0.4000; `ma-es` 0.3000)"
    second = "number 2 of 3 in mean rank (2.50; `ma-es` 1.50)"
    assert f"`general` is {first} and {second}." in text
    rows = [line for line in text.splitlines() if line.startswith("| **`general`**")]
    assert len(rows) == 1
    assert "[Which algorithms ran, and when](quality-methods.md#which-algorithms-ran)." in text
    assert "| **0.400** | 0.500 | 2.50 |" in rows[0]
    assert text.index("| **`general`**") < text.index("| `ma-es`") < text.index("| `ga`"), "by area"


def test_equal_figures_are_level(made, tmp_path):
    measures = {name: {"area": 0.2, "targets": 0.4, "rank": 1.999 + i / 1000}
                for i, name in enumerate(("general", "ma-es", "ga"))}  # fmt: skip
    text = section(tmp_path, made, measures=measures)
    first = "first of 3 in area under the ECDF, level with `ma-es`, `ga` (0.2000)"
    assert f"`general` is {first} and first of 3 in mean rank, level with `ma-es`, `ga` (2.00)." in text
    assert text.count("| **0.200** | **0.400** | **2.00** |") == 3
    measures["ga"]["rank"] = 1.0
    assert "number 2 of 3 in mean rank, level with `ma-es` (2.00)." in section(tmp_path, made, measures=measures)


def test_a_table_says_who_ran_and_why_others_did_not(made, tmp_path):
    said = {"refused": {"cmaes:default": "it is not installed", "ga": "ran all the same"}, "kept": ["ga"]}
    section(tmp_path, made, **said)
    text = (tmp_path / "quality-methods.md").read_text()
    assert "| refused | could not be run: `cmaes:default` (it is not installed) |" in text
    cells = {line.split("`")[1]: line.split("|")[2:-1] for line in text.splitlines() if line.startswith("| `")}
    shown = {name: [cell.strip() for cell in row] for name, row in cells.items()}
    assert shown["general"] == ["", "run"]
    assert shown["ga"] == ["", "earlier"]
    assert shown["cma:lq"] == ["40,000", "slow"]
    assert shown["cmaes:default"] == ["", "refused"]
    assert shown["paper-h3"] == ["", ""]
    assert ran([]) == []


def test_pictures_that_are_there_are_shown(made, tmp_path):
    said = {"drawn": ["ga"]}
    assert "![" not in section(tmp_path, made, **said)
    (tmp_path / "quality").mkdir()
    (tmp_path / "quality" / "bbob-20d-10000.png").touch()
    assert "![ECDF curves](quality/bbob-20d-10000.png)" in section(tmp_path, made, **said)


def test_settings_come_in_their_order_and_combinations_last(made, tmp_path):
    for name, dim, maxfev, suite in [
        ("ma-bbob-10d-1000", 10, 1_000, "ma-bbob"), ("bbob-40d-4000", 40, 4_000, "bbob"),
        ("bbob-5d-100", 5, 100, "bbob"),
    ]:  # fmt: skip
        text = section(tmp_path, made, name, dim=dim, maxfev=maxfev, suite=suite)
    heads = [line for line in text.splitlines() if line.startswith("## ")]
    assert heads == [
        "## Verdicts", "## Terms", "## BBOB, 5 variables, 100 evaluations", "## BBOB, 40 variables, 4,000 evaluations",
        "## MA-BBOB, 10 variables, 1,000 evaluations",
    ]  # fmt: skip
    combined = text.partition("## MA-BBOB")[2]
    assert "better than `general` on" in combined
    assert "significantly" not in combined
    medians = [row["medians"] for row in figures(made)["functions"].values()]
    count = sum(row["ga"] < row["general"] for row in medians)
    assert f"| {count} of 2 |" in next(line for line in combined.splitlines() if line.startswith("| `ga`"))


def test_losses_are_listed(made, tmp_path):
    functions = {"sphere": {"medians": {"general": 2.0, "ma-es": 1.0, "ga": 0.5}, "significantly_better": ["ma-es"]}}
    text = section(tmp_path, made, functions=functions)
    assert "| `sphere` | 1 | `ma-es` | 1 | 2 |" in text
    functions["sphere"]["not_compared"] = ["ga"]
    assert "Not tested against it as it is now: `ga`." in section(tmp_path, made, functions=functions)
    none = {"sphere": {"medians": {}, "significantly_better": []}}
    assert "No algorithm is significantly better than `general`" in section(tmp_path, made, functions=none)
