"""How specialists are made: kinds of problems that do not overlap, and one small one from beginning to end."""

import json
from pathlib import Path

import pytest

from autov.algorithms import resolve_algorithm
from autov.experiments import compare
from autov.experiments.compact import write_compact
from autov.problems import BBOB_NAMES, expand_names, resolve_problem
from benchmarks import specialists
from benchmarks.specialists import KINDS, Kind, bench_specialists, specialists_page

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", KINDS)
def test_what_judges_takes_no_part_in_training(name):
    kind = KINDS[name]
    assert not set(kind.trained) & set(kind.others)
    assert kind.dim not in kind.settings["dims"]
    assert not any(one in problem for one in BBOB_NAMES for problem in (*kind.trained, *kind.held_out))
    for problem in (*kind.training, *kind.held_out):
        for each in expand_names(problem):
            resolve_problem(each, dim=kind.dim if kind.suite is None else None)


def test_a_small_one_is_designed_certified_judged_and_not_made_twice(tmp_path, monkeypatch):
    small = Kind(
        "for a test", ("sphere",), "translate", ("ackley",),
        {"space": "portfolio", "population": 4, "generations": 1, "trial": {"runs": 1, "evaluations": 60},
         "final_race": False, "retest_runs": 2, "dims": (2,)},
        dim=3, maxfev=80, runs=3, rivals=("ga",), table=("sphere", "ackley"),
        checked={"dim": 2, "runs": 20},
    )  # fmt: skip
    paper = compare(["ga", "de"], ["sphere", "ackley"], maxfev=80, runs=3, store=None, rng=1)
    write_compact(paper, tmp_path / "paper" / "table-9.json")
    tmp_path /= "specialists"
    monkeypatch.setattr(specialists, "KINDS", {"small": small})
    ranks = bench_specialists(tmp_path, ("small",))
    assert set(ranks["small"]) == {"small", "ga"}
    file = tmp_path / "small" / "small.json"
    before = file.read_bytes()
    assert json.loads(before)["provenance"]["what"] == "for a test"
    assert resolve_algorithm(str(file)).name == "portfolio"
    summary = json.loads((tmp_path / "small" / "summary.json").read_text())
    assert summary["holds"]["translation"] is True
    assert set(summary["marks"]) == {f"{p}+family=translate, ga" for p in ("sphere", "ackley")}
    assert bench_specialists(tmp_path, ("small",)) == ranks
    assert file.read_bytes() == before
    (tmp_path / "remarks.md").write_text("By hand.\n")
    page = specialists_page(tmp_path, tmp_path / "page.md")
    assert page.startswith("# Specialists\n\nBy hand.\n\n## small\n\n| | |\n| --- | --- |\n| problems | for a test |\n")
    assert "| training | sphere (translate; 2 variables) |" in page
    assert "| algorithm | mean rank of means |" in page
    assert page.count("| `ga` | ") == 2
    counts = [sum(mark == sign for mark in summary["marks"].values()) for sign in "+-="]
    assert f"| `ga` | {ranks['small']['ga']:.2f} | {' | '.join(map(str, counts))} |" in page


def test_the_page_is_made_of_what_is_stored(tmp_path):
    page = specialists_page(ROOT / "results" / "specialists", tmp_path / "page.md")
    assert page == (ROOT / "docs" / "specialists.md").read_text(encoding="utf-8")
