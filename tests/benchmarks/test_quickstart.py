"""The quickstart shows the output of its example, and the default still gives its part of it."""

import json
from pathlib import Path

import pytest

from autov import compare
from benchmarks.quickstart import PAGE, bench_quickstart, example

STORED = Path(__file__).parents[2] / "results" / "quickstart.json"


def test_the_page_shows_the_stored_run():
    _, shown = example(PAGE.read_text(encoding="utf-8"))
    assert shown.splitlines() == json.loads(STORED.read_text(encoding="utf-8"))["printed"]


def test_the_default_still_gives_the_means_of_the_page():
    """Rounding differs between processors, and runs on rotated functions with it: means of 30 runs differ by tenths."""
    for line in json.loads(STORED.read_text(encoding="utf-8"))["printed"][1:3]:
        problem, *means = line.split("  ")
        shown = next(float(mean.split()[1]) for mean in means if mean.startswith("general "))
        made = compare(["general"], [problem], runs=30, rng=2).values(problem, "general").mean()
        assert made == pytest.approx(shown, rel=0.4, abs=0.06)


def test_the_code_of_the_page_is_what_is_run(monkeypatch, tmp_path):
    page, code = tmp_path / "page.md", "x = 2  # autov.design(\nprint(x)\n"
    first, second = (f"```python\n{text}```\n\n" for text in ("x = 1\n", code))
    page.write_text(f"{first}{second}which printed\n\n```text\n3\n```\n")
    monkeypatch.setattr("benchmarks.quickstart.PAGE", page)
    assert example(page.read_text()) == (code, "3\n")
    assert bench_quickstart()["printed"] == ["2"]
