import csv
import io
import json
import math
import re
from dataclasses import replace

import pytest

from autov.core import InputError
from autov.experiments import Comparison
from autov.experiments.table import Cell, Table, scientific, significant
from autov.reports import render, to_csv, to_json, to_latex, to_markdown, to_text
from autov.reports.html import table_html
from autov.reports.table_layout import split
from tests.reports.made import made_comparison, made_row

TABLE = made_comparison().table()
PAPER = made_comparison().table(test="paper")

MARKDOWN = r"""**made: mean (standard deviation) of 5 runs**

| problem | ga | <b>\|& | paper-h3 |
| --- | ---: | ---: | ---: |
| f_1 | **5.0000e+0 (1.58e+0) +** | 5.0000e+1 (1.58e+1) - | 1.2000e+1 (1.58e+0) |
| step | 4.0000e-1 (5.48e-1) = | 8.6000e+0 (5.48e-1) - | **0.0000e+0 (0.00e+0)** |
| f8 | **-8.0000e+1 (1.58e+1) =** | -8.0000e+0 (1.58e+0) - | **-8.0000e+1 (1.58e+1)** |
| +/-/= | 1/0/2 | 0/3/0 |  |
| average rank | **1.50** | 3.00 | **1.50** |

+, - and = : significantly better, worse and not different from paper-h3 (rank sum test, 0.05).
Ranks of the means on 3 problems, Friedman p = 0.086.
"""

LATEX = r"""% needs \usepackage{booktabs,multirow,color,soul,graphicx}
\begin{table*}[!t]
\centering
\footnotesize
\caption{made: mean (standard deviation) of 5 runs}
\begin{tabular}{cccc}
\toprule
problem&ga&\textless{}b\textgreater{}\textbar{}\&&paper-h3\\
\midrule
\multirow{2}{*}{f\_1}&\hl{5.0000e+0 $+$}&5.0000e+1 $-$&1.2000e+1\\
&\hl{(1.58e+0)}&(1.58e+1)&(1.58e+0)\\[1mm]
\multirow{2}{*}{step}&4.0000e-1 $=$&8.6000e+0 $-$&\hl{0.0000e+0}\\
&(5.48e-1)&(5.48e-1)&\hl{(0.00e+0)}\\[1mm]
"""


def test_markdown():
    assert "\n".join(line.rstrip() for line in to_markdown(PAPER).splitlines()) + "\n" == MARKDOWN
    assert "**5.000 (1.58) + 1.00 x0.42**" in to_markdown(TABLE)


def test_latex():
    assert r"\hl{5.000 $+$ 1.00 $\times$0.42}" in to_latex(TABLE)
    text = to_latex(PAPER)
    assert text.startswith(LATEX)
    assert text.endswith("\\end{table*}\n")
    assert r"$+/-/=$&1/0/2&0/3/0&\\" in text
    assert r"\par $+$, $-$ and $=$: significantly better, worse and not different from paper-h3" in text


def wide(columns):
    names = tuple(f"algorithm-{i}" for i in range(columns))
    cells = tuple(Cell(f"{i}.0000e+0", "1.00e+0", "=", best=i == 1) for i in range(columns))
    return Table("wide", ("problem", *names), (("f1", cells),), (("+/-/=", ("0/0/1",) * columns),), ("A note.",))


def test_latex_of_many_columns_is_scaled_and_then_split():
    text = to_latex(wide(8))
    assert text.count(r"\begin{tabular}{ccccccccc}") == text.count(r"\resizebox{\textwidth}{!}{%") == 1
    text = to_latex(wide(16))
    assert text.count(r"\begin{tabular}{ccccccccc}") == 2, "eight and eight"
    assert text.count(r"\caption{wide (part 1 of 2)}") == text.count(r"\caption{wide (part 2 of 2)}") == 1
    assert text.count("f1") == 2
    assert text.count("A note.") == 1
    for i in range(16):
        assert text.count(f"algorithm-{i}&") + text.count(f"algorithm-{i}\\") == 1
    assert r"\resizebox" not in to_latex(TABLE)


def test_latex_of_many_rows_takes_several_pages():
    one = wide(2)
    long = Table("long", one.columns, tuple((f"p{i}", one.rows[0][1]) for i in range(30)), one.footer, one.notes)
    text = to_latex(long)
    assert text.count(r"\begin{table*}") == 2
    for i in range(30):
        assert text.count(f"{{p{i}}}") == 1
    assert text.count("+/-/=") == 1


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_text_is_split_to_the_width(width):
    text = to_text(wide(9), width)
    assert max(map(len, text.splitlines())) <= width
    for i in range(9):
        assert text.count(f"algorithm-{i} ") == 1, "no name is broken"
        assert text.count(f"{i}.0000e+0 (1.00e+0) =") == 1, "no value is broken"
    assert text.count("*") == 2, "the best, and the note that says so"
    assert text.count("A note.") == 1


def test_the_best_average_rank_is_marked_and_one_algorithm_is_never_the_best():
    (rank,) = [line for line in to_text(TABLE).splitlines() if "average rank" in line]
    assert re.findall(r"\*?\d\.\d\d", rank) == ["*1.50", "3.00", "*1.50"]
    assert r"average rank&\hl{1.50}&3.00&\hl{1.50}" in to_latex(TABLE)
    assert '<td class="best">1.50</td><td>3.00</td>' in table_html(TABLE)
    assert json.loads(to_json(TABLE))["footer"]["average rank"]["ga"] == "1.50"
    alone = replace(made_comparison(), algorithms=("ga",), reference="ga").table()
    assert alone.footer_best[-1] == (False,)
    narrow = [part.footer_best for part in split(PAPER, 70)]
    assert narrow == [((False, False), (True, True)), ((False, False), (False, True))], "the reference stays"


def test_latex_says_what_is_set_off_and_has_one_sign_for_each_mark():
    cells = (Cell("1", mark="= (paper -)", differs=True), Cell("2", best=True))
    text = to_latex(Table("t", ("problem", "a", "b"), (("f1", cells),)))
    assert "1 $=$ (paper $-$)" in text
    assert r"\par \hl{highlighted}: the best, \underline{underlined}: another sign." in text
    assert "highlighted" not in to_latex(Table("t", ("problem", "a"), (("f1", (Cell("1"),)),)))


def test_parts_of_a_table_are_not_smaller_first():
    table = Table("t", ("problem", *"abcde"), (("f1", tuple(Cell("1" * 20) for _ in range(5))),))
    assert [len(part.columns) - 1 for part in split(table, 60)] == [2, 2, 1]


def test_a_cell_that_differs_is_not_called_the_best():
    table = Table("t", ("p", "a"), (("x", (Cell("1", mark="+ (paper -)", differs=True),)),), notes=("n",))
    assert "*" not in to_text(table)
    assert r"\underline{1 $+$ (paper $-$)}" in to_latex(table)
    assert 'class="differs"' in table_html(table)
    assert 'class="best"' not in table_html(table)


def test_text():
    lines = to_text(PAPER).splitlines()
    assert lines[0] == "made: mean (standard deviation) of 5 runs"
    assert lines[2].split() == ["┃", "problem", "┃", "ga", "┃", "<b>|&", "┃", "paper-h3", "┃"]
    assert lines[4] == "│ f_1          │  *5.0000e+0 (1.58e+0) + │  5.0000e+1 (1.58e+1) - │   1.2000e+1 (1.58e+0) │"
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
    assert data["columns"] == ["ga", "<b>|&", "paper-h3"]
    assert data["rows"][1]["cells"]["paper-h3"]["mean"] == 0.0
    assert data["footer"]["+/-/="]["ga"] == "1/0/2"


def test_missing_and_infinite_numbers():
    table = Table("t", ("p", "a", "b"), (("x", (Cell("1", data={"v": math.inf}), Cell("2", data={"v": math.nan}))),))
    cells = json.loads(to_json(table))["rows"][0]["cells"]
    assert cells == {"a": {"v": "inf"}, "b": {"v": None}}


def test_medians():
    entry = made_comparison().table("median").rows[0][1][0]
    assert (entry.text, entry.detail) == ("5.000", "2.00")
    assert any(
        note.startswith("Ranks of the medians on 3 problems") for note in made_comparison().table("median").notes
    )
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
    few = Comparison("few", made.algorithms, ("f_1",), "paper-h3", tuple(r for r in made.rows if r.run < 3))
    table = few.table()
    assert [entry.mark for entry in table.rows[0][1]] == ["?", "?", ""]
    assert table.notes[1].startswith("? : too few runs to tell")
    assert table.notes[3] == "Ranks of the means on 1 problem."


def test_wide_tables_are_split_so_that_no_column_hides():
    cells = tuple(Cell("-1.2345e+11", "1.23e+10", "=") for _ in range(9))
    wide = Table(
        "wide", ("problem", *"abcdefghi"), (("paper-f8+translate=-9", cells),), (("+/-/=", ("",) * 9),), ("n",)
    )
    shown = table_html(wide)
    assert shown.count("<table>") == 2
    assert shown.count("paper-<wbr>f8+<wbr>translate=-9") == 2, "each part has the first column, which may be broken"
    assert shown.count('<p class="note">n</p>') == 1
    assert table_html(TABLE).count("<table>") == 1


def test_six_algorithms_fit_80_columns_with_whole_numbers():
    labels = ("ga", "scipy:de", "shade", "ma-es", "general", "cma:default")
    problems = ("rastrigin+family=translate-rotate", "f8")
    rows = tuple(
        made_row(problem, label, run, scale * (1.2553 + place + run / 10))
        for problem, scale in zip(problems, (10.0, 1e-7), strict=True)
        for place, label in enumerate(labels)
        for run in range(5)
    )
    table = Comparison("six", labels, problems, "general", rows).table()
    lines = to_text(table, 80).splitlines()
    assert max(map(len, lines)) <= 80
    (head,) = [line for line in lines if line.startswith("problem")]
    assert head.split() == ["problem", *labels], "one part"
    (first,) = [line for line in lines if line.startswith("rastrigin")]
    assert [cell for cell in first.split() if cell[-1].isdigit()] == ["*14.6", "24.6", "34.6", "44.6", "54.6", "64.6"]
    parts = [line.split() for line in to_text(table, 50).splitlines() if line.startswith("problem")]
    assert len(parts) > 1
    assert all("general" in part for part in parts), "the reference is in every part"


@pytest.mark.parametrize(
    ("value", "text"),
    [(12.553, "12.6"), (1e-7, "1.00e-7"), (0.0, "0"), (math.inf, "inf"), (math.nan, "n/a"), (-3.14159, "-3.14"),
     (52814.0, "5.28e+4"), (1354.0, "1354"), (0.00123456, "0.00123")],
)  # fmt: skip
def test_numbers_have_significant_digits(value, text):
    assert significant(value, 3) == text


def test_names_of_problems_are_short_where_they_share_an_end():
    def table(*names):
        return Table("t", ("problem", "a"), tuple((name, (Cell(str(i)),)) for i, name in enumerate(names)))

    moved = table("f9+scale=2+family=translate", "ackley+family=translate", "mine.py:f+family=translate")
    for render_ in (to_text, to_markdown, to_latex, table_html):
        text = render_(moved).replace("<wbr>", "")
        assert text.count("family=translate") == 1  # in the note
        assert "f9+scale=2" in text
    assert [row["problem"] for row in json.loads(to_json(moved))["rows"]] == [name for name, _ in moved.rows]
    files = to_text(table("/some/where/tank.py:small", "/some/where/tank.py:large"))
    assert files.count("/some/where/") == 1
    assert "tank.py:large" in files
    paper = to_text(table("f9+bound=10+translate=5+noise", "f10+bound=10+noise"))
    assert "f9+translate=5 " in paper
    assert "+bound=10 behind the function, +noise at the end" in paper
    alone, others = table("f9+family=translate"), table("f9+rotate=1", "f9+rotate=2", "rotate=1")
    assert "f9+family=translate" in to_text(alone)
    assert "f9+rotate=1" in to_text(others)
