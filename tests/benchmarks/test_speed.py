"""The page of speed shows what is stored."""

import json
import shutil
from pathlib import Path

from benchmarks.speed import speed_page

ROOT = Path(__file__).parents[2]


def test_the_page_is_made_of_the_stored_figures():
    assert (ROOT / "docs" / "speed.md").read_text(encoding="utf-8") == speed_page(ROOT / "results")


def test_a_figure_that_changes_changes_the_page(tmp_path):
    for folder, name in (("bench", "*.json"), ("paper", "table-9.json")):
        (tmp_path / folder).mkdir()
        for path in (ROOT / "results" / folder).glob(name):
            shutil.copy(path, tmp_path / folder)
    place = tmp_path / "bench" / "peers.json"
    data = json.loads(place.read_text(encoding="utf-8"))
    data["loops"]["scipy"]["evaluations_per_second"] = 12345.6
    data["not_installed"] = ["evox"]
    place.write_text(json.dumps(data), encoding="utf-8")
    text = speed_page(tmp_path, tmp_path / "speed.md")
    assert "| 12,346 |" in text
    assert "Not installed: evox." in text
    assert (tmp_path / "speed.md").read_text(encoding="utf-8") == text
