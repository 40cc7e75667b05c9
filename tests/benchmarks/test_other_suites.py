"""Ranks on CEC'2017 and CEC'2011."""

import json

import pytest

from benchmarks import other_suites

SMALL = (other_suites.Setting("CEC'2017", 10, 60), other_suites.Setting("CEC'2011", None, 40))


def test_a_small_one_has_a_rank_and_a_sign_for_each(tmp_path, monkeypatch):
    pytest.importorskip("minionpy")
    monkeypatch.setattr(other_suites, "SETTINGS", SMALL)
    monkeypatch.setattr(other_suites, "OTHERS", ("scipy:de",))
    monkeypatch.setattr(other_suites, "OWN", ("general", "ga"))
    monkeypatch.setattr(other_suites, "NUMBERS", {"CEC'2017": [1, 5], "CEC'2011": [1, 2]})
    monkeypatch.setattr(other_suites, "RUNS", 2)
    path = tmp_path / "found.json"
    other_suites.bench_other_suites(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    for setting in data["settings"]:
        assert sum(setting["ranks"].values()) == pytest.approx(6)
        assert all(len(row) == 3 for row in setting["medians"].values())
    assert all(value > 100 for value in data["settings"][0]["medians"]["CEC'2017 1"].values()), "above the minimum"
    page = "\n".join(other_suites.section(data))
    first = [setting["ranks"]["general"] == min(setting["ranks"].values()) for setting in data["settings"]]
    assert f"first in {sum(first)} of 2 settings" in page
    assert "CEC'2011, 40" in page


def test_a_table_says_who_is_better():
    setting = {
        "suite": "CEC'2017", "dim": 10, "maxfev": 100, "runs": 5, "seed": 1, "medians": {"f": {}},
        "ranks": {"general": 1.5, "minion:bipop": 1.25, "scipy:de": 3.0},
        "marks": {"minion:bipop": [2, 1], "scipy:de": [0, 9]},
    }  # fmt: skip
    table = other_suites.section({"settings": [setting], "minionpy": "1"})[2].splitlines()
    assert table[2:] == [
        "| `minion:bipop` | **1.25** (+2, -1) |",
        "| **`general`** | 1.50 |",
        "| `scipy:de` | 3.00 (+0, -9) |",
    ]
