"""Pages of reproduced tables."""

import json
from pathlib import Path

from autov.experiments.compact import read_compact
from autov.paper import Paired, Reproduction, pair
from autov.paper.page import reproduction_page, tables_page
from tests.reports.made import made_comparison
from tests.reports.pages import check_page

ROOT = Path(__file__).parents[2]


def test_the_page_of_a_reproduction():
    comparison = made_comparison()
    scores = comparison.scores()
    cells = [
        Paired(f, a, 5.0, 1.0, "-" if a != "paper-h3" else "", scores.cells[f, a].mark, scores.cells[f, a].summary)
        for f in comparison.problems
        for a in comparison.algorithms
    ]
    text = reproduction_page(Reproduction("table-0", "made", "rank sum", comparison, tuple(cells), ("a note",)))
    check_page(text)
    assert "ga on f_1: ours +, the paper&#x27;s -" in text
    assert "a note" in text


def test_a_page_without_signs_does_not_count_them():
    found = pair("fig-5", read_compact(ROOT / "results" / "paper" / "fig-5.json"))
    text = reproduction_page(found)
    check_page(text)
    assert "Other signs" not in text
    assert "0 of 0" not in text


def test_the_page_in_the_docs_is_that_of_the_results():
    made = tables_page(ROOT / "results" / "paper")
    assert made == (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
    assert "0 of 0" not in made


def test_a_section_says_what_was_run(tmp_path):
    data = json.loads((ROOT / "results" / "paper" / "table-1.json").read_text(encoding="utf-8"))
    (tmp_path / "table-1.json").write_text(json.dumps({**data, "seconds": 1234}))
    (tmp_path / "remarks.md").write_text("# table-1\n\nA remark.\n\n# table-9\n\nOf another.\n")
    text = tables_page(tmp_path)
    assert "12 of 12 signs agree (100 %). 17 of 24 means do not differ from the paper's (Welch, 0.05). Mean" in text
    assert "0.39. Seed 1, 20,000 evaluations" in text
    assert "1,234 seconds of computing" in text
    assert text.rstrip().endswith("A remark.\n\n</details>")
    counts = "12 of 12 (100\N{NO-BREAK SPACE}%) | 17 of 24 (71\N{NO-BREAK SPACE}%)"
    assert f"with and without translation | 30 | {counts} | 0.39 |" in text
    assert text.index("## In short") < text.index("## table-1")
    assert text.count("<details") == text.count("</details>") == 4
    assert "\n12 of 12 signs of significance or order agree" in text
    assert "letter of the paper's text" not in text
    assert "Of another." not in text


def test_the_total_counts_a_row_of_the_paper_once(tmp_path):
    """Two rows of Table VII are those of Fig. 6."""
    for name in ("table-7", "fig-6"):
        (tmp_path / f"{name}.json").write_text((ROOT / "results" / "paper" / f"{name}.json").read_text())
    assert "\n97 of 104 signs" in tables_page(tmp_path)
