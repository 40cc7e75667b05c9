"""Pages in a real browser, where Chromium is installed: no errors, no text upon other text, screenshots kept."""

import dataclasses
import shutil
import subprocess
from pathlib import Path

import pytest

from autov.designer import TrialBudget, design
from autov.experiments import Comparison
from autov.experiments.compact import read_compact
from autov.experiments.design_comparison import compare_design
from autov.paper import pair
from autov.paper.page import reproduction_page
from autov.reports import comparison_page
from autov.reports.design_page import design_page
from tests.reports.browser import CHROMIUM, REASON, printed, seen
from tests.reports.made import FAILURE, made_comparison

pytestmark = [pytest.mark.cold, pytest.mark.skipif(CHROMIUM is None, reason=REASON)]
ROOT = Path(__file__).parents[2]
NAMES = ("GA", "PSO", "DE", "CMA-ES", "FEP", "CSO", "SHADE", "IMODE", "AutoV")
WIDE, PHONE = 1200, 500  # Chromium makes no window narrower than 500


def nine_algorithms():
    """The made comparison with nine algorithms, some of which do the same: their lines and names lie close together."""
    made = made_comparison([FAILURE])
    rows = tuple(
        dataclasses.replace(row, label=name, key=f"{row.key}{name}", problem=f"{row.problem}+family=translate-rotate")
        for i, name in enumerate(NAMES)
        for row in made.rows
        if row.label == made.algorithms[i % 3]
    )
    problems = tuple(f"{problem}+family=translate-rotate" for problem in made.problems)
    return Comparison("nine", NAMES, problems, "AutoV", rows, made.failures)


@pytest.fixture(scope="module")
def designed():
    found = design("rastrigin", dim=5, space="portfolio", population=4, generations=2, trial=TrialBudget(20, 20, 1),
                   race_size=2, race_runs=2, retest_runs=5, rng=1, workers=1)  # fmt: skip
    return design_page(found, compare_design(found, 1), "autov design rastrigin --dim 5", Path("runs/made"))


@pytest.fixture(scope="module")
def pages(designed):
    table = pair("table-7", read_compact(ROOT / "results/paper/table-7.json"))
    return {
        "comparison": comparison_page(made_comparison([FAILURE]), "made"),
        "nine": comparison_page(nine_algorithms()), "design": designed, "table-7": reproduction_page(table),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["comparison", "nine", "design", "table-7"])
@pytest.mark.parametrize(("width", "dark"), [(WIDE, False), (WIDE, True), (PHONE, False)])
def test_a_page_is_whole_and_readable(pages, tmp_path, name, width, dark):
    result = seen(pages[name], tmp_path, name, width, dark)
    assert result["plots"] >= 2
    assert result["overlaps"] == []
    assert result["outside"] == [], "text that leaves its plot"
    assert result["faults"] == result["console"] == []
    assert result["wide"] <= result["width"], "the page itself does not scroll sideways"
    assert result["bytes"] > 10_000
    assert result["smallest"] > 9.5, "letters of plots can be read on a phone"
    assert result["tallest"] < 120, "names of rows are not broken letter by letter"
    if width == WIDE:
        assert result["hidden"] == [], "no column hides behind a scrollbar"


def test_the_first_screen_of_a_design_holds_what_was_found(designed, tmp_path):
    assert seen(designed, tmp_path, "design", 1280)["first"] < 800


def test_text_upon_text_would_be_found(tmp_path):
    text = "<svg width='300' height='99'><text x='9' y='30'>one name</text><text x='12' y='32'>another</text></svg>"
    result = seen(f"<html><body>{text}<script>nosuch()</script></body></html>", tmp_path, "bad", WIDE)
    assert result["overlaps"] == [["one name", "another"]]
    assert result["console"]


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="no pdftotext here; install the package poppler-utils")
def test_print_cuts_no_column(pages, tmp_path):
    path = printed(pages["table-7"], tmp_path, "table-7")
    lines = subprocess.run(["pdftotext", "-layout", str(path), "-"], capture_output=True, text=True, check=True).stdout
    for name in NAMES:
        assert name in lines
    assert "1.0460e+2" in lines or "1.046e+2" in lines
