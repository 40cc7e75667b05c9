import csv
import io
import json
import math

import pytest

from autov.core import InputError
from autov.experiments import Comparison
from autov.experiments.table import Entry, Table, scientific
from autov.reports import render, to_csv, to_json, to_latex, to_markdown, to_text
from tests.reports.made import made_comparison

TABLE = made_comparison().table()

MARKDOWN = r"""**made: mean (standard deviation) of 5 runs**

| problem | ga | <b>\|& | autov |
| --- | ---: | ---: | ---: |
| f_1 | **5.0000e+0 (1.58e+0) +** | 5.0000e+1 (1.58e+1) - | 1.2000e+1 (1.58e+0) |
| step | 4.0000e-1 (5.48e-1) = | 8.6000e+0 (5.48e-1) - | **0.0000e+0 (0.00e+0)** |
| f8 | **-8.0000e+1 (1.58e+1) =** | -8.0000e+0 (1.58e+0) - | **-8.0000e+1 (1.58e+1)** |
| +/-/= | 1/0/2 | 0/3/0 |  |
| average rank | 1.50 | 3.00 | 1.50 |

+, - and = : significantly better, worse and not different from autov (rank sum test, 0.05).
Ranks of the means on 3 problems, Friedman p = 0.086.
"""

LATEX = r"""% needs \usepackage{booktabs,multirow,color,soul}
\begin{table*}[!t]
\centering
\caption{made: mean (standard deviation) of 5 runs}
\begin{tabular}{cccc}
\toprule
problem&ga&\textless{}b\textgreater{}\textbar{}\&&autov\\
\midrule
\multirow{2}{*}{f\_1}&\hl{5.0000e+0 $+$}&5.0000e+1 $-$&1.2000e+1\\
&\hl{(1.58e+0)}&(1.58e+1)&(1.58e+0)\\[1mm]
\multirow{2}{*}{step}&4.0000e-1 $\approx$&8.6000e+0 $-$&\hl{0.0000e+0}\\
&(5.48e-1)&(5.48e-1)&\hl{(0.00e+0)}\\[1mm]
"""


def test_markdown():
    assert "\n".join(line.rstrip() for line in to_markdown(TABLE).splitlines()) + "\n" == MARKDOWN


def test_latex():
    text = to_latex(TABLE)
    assert text.startswith(LATEX)
    assert text.endswith("\\end{table*}\n")
    assert r"$+/-/\approx$&1/0/2&0/3/0&\\" in text


def test_text():
    lines = to_text(TABLE).splitlines()
    assert lines[0] == "made: mean (standard deviation) of 5 runs"
    assert lines[2].split() == ["┃", "problem", "┃", "ga", "┃", "<b>|&", "┃", "autov", "┃"]
    assert lines[4] == "│ f_1          │  5.0000e+0 (1.58e+0) + │  5.0000e+1 (1.58e+1) - │  1.2000e+1 (1.58e+0) │"
    assert "\x1b" not in to_text(TABLE)
    assert max(map(len, to_text(TABLE, width=60).splitlines())) <= 60


def test_csv_has_the_numbers_in_full():
    rows = list(csv.DictReader(io.StringIO(to_csv(TABLE))))
    assert len(rows) == 9
    assert rows[0]["problem"] == "f_1"
    assert float(rows[0]["std"]) == math.sqrt(2.5)
    assert [row["mark"] for row in rows[:3]] == ["+", "-", ""]
    assert rows[2]["p"] == ""


def test_json():
    data = json.loads(to_json(TABLE))
    assert data["columns"] == ["ga", "<b>|&", "autov"]
    assert data["rows"][1]["cells"]["autov"]["mean"] == 0.0
    assert data["footer"]["+/-/="]["ga"] == "1/0/2"


def test_missing_and_infinite_numbers():
    table = Table("t", ("p", "a", "b"), (("x", (Entry("1", data={"v": math.inf}), Entry("2", data={"v": math.nan}))),))
    cells = json.loads(to_json(table))["rows"][0]["cells"]
    assert cells == {"a": {"v": "inf"}, "b": {"v": None}}


def test_medians():
    entry = made_comparison().table("median").rows[0][1][0]
    assert (entry.text, entry.detail) == ("5.0000e+0", "2.00e+0")
    assert any(note.startswith("Ranks of the medians on 3 problems") for note in made_comparison().table("median").notes)
    with pytest.raises(InputError, match="show"):
        made_comparison().table("mode")


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0965e-49, "1.0965e-49"), (0.0, "0.0000e+0"), (-12569.5, "-1.2570e+4"), (math.inf, "inf"), (math.nan, "n/a")],
)
def test_numbers_as_the_paper_prints_them(value, text):
    assert scientific(value) == text


def test_unknown_format():
    with pytest.raises(InputError, match="one of text, markdown, latex, csv, json"):
        render(TABLE, "pdf")
    assert render(TABLE, "csv") == to_csv(TABLE)


def test_a_table_says_what_few_runs_and_one_problem_cannot_tell():
    made = made_comparison()
    few = Comparison("few", made.algorithms, ("f_1",), "autov", tuple(r for r in made.rows if r.run < 3))
    table = few.table()
    assert [entry.mark for entry in table.rows[0][1]] == ["?", "?", ""]
    assert table.notes[1].startswith("? : too few runs to tell")
    assert table.notes[2] == "Ranks of the means on 1 problem."
