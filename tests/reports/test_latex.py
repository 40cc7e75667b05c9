"""Tables in LaTeX, where it is installed: they compile and fit the page."""

import shutil
import subprocess

import pytest

from autov.experiments.table import Entry, Table
from autov.reports import to_latex
from tests.reports.made import made_comparison

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")]
NAMES = ("GA", "PSO", "DE", "CMA-ES", "FEP", "CSO", "SHADE", "IMODE", "AutoV")
HEAD = r"\documentclass[twocolumn]{article}\usepackage{booktabs,multirow,color,soul}\begin{document}"


def test_nine_columns_compile_and_fit(tmp_path):
    cells = tuple(Entry("-1.2345e+11", "1.23e+10", "=+-?"[i % 4], best=i == 1, differs=i == 2) for i in range(9))
    rows = (("paper-f8+translate=-9", cells), ("f_1", cells))
    made = made_comparison().table()
    wide = Table("wide", ("problem", *NAMES), rows, (("+/-/=", ("10/10/10",) * 9),), made.notes)
    (tmp_path / "t.tex").write_text(f"{HEAD}\n{to_latex(wide)}{to_latex(made)}\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout
