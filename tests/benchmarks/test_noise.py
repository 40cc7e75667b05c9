"""The section of docs/noise.md that a command writes."""

from pathlib import Path

from benchmarks.noise import noise_page

ROOT = Path(__file__).parents[2]


def test_the_page_is_that_of_the_stored_results(tmp_path):
    text, page = (ROOT / "docs" / "noise.md").read_text(encoding="utf-8"), tmp_path / "noise.md"
    page.write_text(text, encoding="utf-8")
    noise_page(ROOT / "results" / "noise.json", page)
    assert page.read_text(encoding="utf-8") == text
