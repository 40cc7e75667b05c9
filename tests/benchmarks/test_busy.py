"""How busy workers are, in real time."""

import json
from pathlib import Path

from benchmarks.busy import FILE, bench_busy, busy_table

ROOT = Path(__file__).parents[2]


def test_every_schedule_and_count_has_a_share():
    found = bench_busy((1, 3), (0.1,), 40, 60.0, None)
    assert [(row["schedule"], row["workers"]) for row in found["rows"]] == [
        ("asynchronous", 1), ("asynchronous", 3), ("batches", 1), ("batches", 3),
    ]  # fmt: skip
    assert all(0 < row["busy"] <= 1 and row["evaluations"] == 40 for row in found["rows"])
    assert busy_table(found).rows[0][0] == "asynchronous, 0.1 ms"


def test_the_page_has_the_stored_figures():
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "parallel.md").read_text(encoding="utf-8")
    for name, cells in busy_table(stored).rows:
        schedule, milliseconds = name.removesuffix(" ms").split(", ")
        assert f"| `{schedule}` | {milliseconds} ms | {' | '.join(cell.text for cell in cells)} |" in page
