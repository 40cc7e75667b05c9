"""Tables in LaTeX, where it is installed: they compile and fit the page."""

import shutil
import subprocess
from pathlib import Path

import pytest

from autov.experiments.compact import read_compact
from autov.experiments.table import Cell, Table
from autov.paper import pair
from autov.reports import to_latex
from tests.reports.made import made_comparison

REASON = "no LaTeX here; install texlive-latex-recommended, texlive-plain-generic"
pytestmark = [pytest.mark.cold, pytest.mark.skipif(shutil.which("pdflatex") is None, reason=REASON)]
ROOT = Path(__file__).parents[2]
NAMES = ("GA", "PSO", "DE", "CMA-ES", "FEP", "CSO", "SHADE", "IMODE", "AutoV")
HEAD = r"\documentclass[twocolumn]{article}\usepackage{booktabs,multirow,color,soul,graphicx}\begin{document}"


def compiled(folder, *tables):
    """What LaTeX says of a page with these tables."""
    text = "".join(map(to_latex, tables))
    (folder / "t.tex").write_text(f"{HEAD}\n{text}\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    if "soul.sty' not found" in done.stdout:
        pytest.skip("no soul.sty here; install texlive-plain-generic")
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


@pytest.mark.parametrize("columns", [9, 12, 20])
def test_many_columns_compile_and_fit(tmp_path, columns):
    cells = tuple(Cell("-1.2345e+11", "1.23e+10", "=+-?"[i % 4], best=i == 1, differs=i == 2) for i in range(columns))
    rows = (("paper-f8+translate=-9", cells), ("f_1", cells))
    made = made_comparison().table()
    names = tuple(NAMES[i % 9] for i in range(columns))
    wide = Table("wide", ("problem", *names), rows, (("+/-/=", ("10/10/10",) * columns),), made.notes)
    said = compiled(tmp_path, wide, made)
    assert "Overfull" not in said
    assert "too large" not in said


@pytest.mark.parametrize("name", ["table-1", "table-5", "table-7", "table-9"])
def test_tables_of_the_paper_fit_the_page(tmp_path, name):
    said = compiled(tmp_path, pair(name, read_compact(ROOT / f"results/paper/{name}.json")).table())
    assert "Overfull" not in said
    assert "too large" not in said
