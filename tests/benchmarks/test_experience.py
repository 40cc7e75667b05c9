"""The page on experience shows what is stored, and the benchmark can be made again."""

import json
from pathlib import Path

import numpy as np

from benchmarks.experience import bench_experience, experience_table

ROOT = Path(__file__).parents[2]


def test_the_page_shows_what_is_stored():
    data = json.loads((ROOT / "results" / "experience.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "experience.md").read_text(encoding="utf-8")
    for algorithm, kinds in data["values"].items():
        for kind, plants in kinds.items():
            budget, sources = kind.split(", ")
            means = [np.mean(values) for values in plants.values()]
            numbers = " | ".join(f"{mean:.2f}" for mean in [*means, np.mean(means)])
            assert f"| `{algorithm}` | {int(budget):,} | {sources} | {numbers} |" in page


def test_a_small_one(tmp_path):
    found = bench_experience(
        tmp_path / "found.json", old=(1, 2), new=(101,), history=30, budgets=(40,), runs=1, algorithms=("de",)
    )
    assert json.loads((tmp_path / "found.json").read_text())["values"] == found["values"]
    assert len(experience_table(found).rows) == 4
