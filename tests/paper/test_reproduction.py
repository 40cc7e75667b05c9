"""The paper's values beside ours: signs, ratios, counts."""

import dataclasses
import math
import subprocess
import sys
from pathlib import Path

import pytest

from autov.core import InputError
from autov.experiments import Comparison
from autov.experiments.compact import read_compact
from autov.paper import AS_WRITTEN, PAPER_TABLES, Paired, Reproduction, reproduce
from autov.paper.reproduction import RANK_SUM, pair
from autov.stats import summarise
from tests.reports.made import made_row

ROOT = Path(__file__).parents[2]


def cell(ours, paper, our_sign="", paper_sign="", problem="f1", algorithm="GA"):
    return Paired(problem, algorithm, paper, 1.0, paper_sign, our_sign, summarise([ours]))


def made(cells):
    """A reproduction of these cells; the last column is the reference."""
    rows = tuple(made_row(c.problem, c.algorithm, 0, c.ours.mean) for c in cells)
    algorithms, problems = (tuple(dict.fromkeys(names)) for names in
                            ((c.algorithm for c in cells), (c.problem for c in cells)))  # fmt: skip
    comparison = Comparison("made", algorithms, problems, algorithms[-1], rows)
    return Reproduction("table-0", "made", RANK_SUM, comparison, tuple(cells), ())


@pytest.mark.parametrize(
    ("ours", "paper", "ratio"),
    [
        (1e5, 1e-5, 10.0),
        (1e-5, 1e5, -10.0),
        (1e200, 1e-200, 400.0),
        (1e-200, 1e-199, -1.0),
        (-10.0, -100.0, -1.0),
        (0.0, 0.0, 0.0),
        (0.0, 1.0, None),
        (1.0, 0.0, None),
        (-1.0, 1.0, None),
        (math.inf, 1.0, None),
        (1.0, math.nan, None),
    ],
)
def test_the_log_ratio_of_a_cell_is_not_clipped(ours, paper, ratio):
    assert cell(ours, paper).log_ratio == ratio


def test_mean_log_ratios_are_exact():
    found = made([
        cell(1e5, 1e-5), cell(1.0, 100.0, algorithm="AutoV"),
        cell(0.0, 1.0, problem="f2"), cell(1e-3, 1.0, problem="f2", algorithm="AutoV"),
        cell(10.0, 1.0, problem="f3"), cell(-1.0, 1.0, problem="f3", algorithm="AutoV"),
    ])  # fmt: skip
    assert found.ratios() == {"GA": 5.5, "AutoV": 2.5}
    assert found.mean_log_ratio == 4.0
    assert found.table().footer == (("|log10 ratio|", ("5.50", "2.50")),)
    assert [entry.data["log10_ratio"] for _, entries in found.table().rows for entry in entries] == [
        10.0, -2.0, None, -3.0, 1.0, None,
    ]  # fmt: skip


def test_signs_are_counted_where_both_are_known():
    found = made([
        cell(1.0, 1.0, "+", "+"), cell(2.0, 2.0, "-", "=", algorithm="DE"), cell(3.0, 3.0, algorithm="AutoV"),
        cell(1.0, 1.0, "=", "=", problem="f2"), cell(2.0, 2.0, "+", "", problem="f2", algorithm="DE"),
        cell(3.0, 3.0, problem="f2", algorithm="AutoV"),
    ])  # fmt: skip
    assert [c.agrees for c in found.cells] == [True, False, None, True, None, None]
    assert found.signs == (2, 3)
    assert [(c.problem, c.algorithm) for c in found.disagreements()] == [("f1", "DE")]
    table = found.table()
    assert table.notes == ("Signs (against AutoV; rank sum test, 0.05): 2 of 3 agree, the others are set off.",)
    assert [entry.mark for entry in table.rows[0][1]] == ["+", "- (paper =)", ""]
    assert [entry.differs for entry in table.rows[0][1]] == [False, True, False]


def test_a_table_without_signs_counts_none():
    found = made([cell(1.0, math.nan, "+"), cell(2.0, math.nan, algorithm="AutoV")])
    assert found.signs == (0, 0)
    assert found.mean_log_ratio is None
    assert found.table().notes == ("Signs (against AutoV; rank sum test, 0.05).",)
    assert [entry.detail for entry in found.table().rows[0][1]] == ["", ""]


def test_reproduce(monkeypatch):
    few = {label: AS_WRITTEN[label] for label in ("GA", "AutoV")}
    where = {name: PAPER_TABLES["table-7-text"].problems[name] for name in ("paper-f1", "paper-f6")}
    short = dataclasses.replace(PAPER_TABLES["table-7-text"], algorithms=few, problems=where, maxfev=1000)
    monkeypatch.setitem(PAPER_TABLES, "table-7-text", short)
    found = reproduce("table-7-text", runs=6, rng=1, store=None)
    cells = {(cell.problem, cell.algorithm): cell for cell in found.cells}
    assert cells["paper-f1", "GA"].paper_mean == 14.973
    assert cells["paper-f1", "GA"].paper_sign == "-"
    assert cells["paper-f1", "AutoV"].agrees is None
    agreed, known = found.signs
    assert known == 2
    assert len(found.disagreements()) == known - agreed
    assert f"{agreed} of 2 agree" in found.table().notes[0]
    assert set(found.ratios()) == {"GA", "AutoV"}
    with pytest.raises(InputError, match="unknown 'table-4'"):
        reproduce("table-4")


def test_reproducing_does_not_draw():
    code = "import sys, autov; autov.reproduce; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def made_pair(monkeypatch, name, values):
    """The pairing of a table that has only these problems, algorithms and values of runs."""
    problems = dict.fromkeys(problem for problem, _ in values)
    labels = dict.fromkeys(label for _, label in values)
    table = PAPER_TABLES[name]
    short = dataclasses.replace(
        table, problems={p: table.problems[p] for p in problems}, algorithms={a: table.algorithms[a] for a in labels}
    )
    monkeypatch.setitem(PAPER_TABLES, name, short)
    rows = [made_row(*key, run, best) for key, runs in values.items() for run, best in enumerate(runs)]
    found = pair(name, Comparison("made", tuple(labels), tuple(problems), short.reference, tuple(rows)))
    return {(cell.problem, cell.algorithm): cell for cell in found.cells}


def test_without_a_test_signs_are_those_of_welchs_test(monkeypatch):
    cells = made_pair(monkeypatch, "table-2", {
        ("griewank+bound=10", "CMA-ES"): [1.0, 1.1, 1.2], ("griewank+bound=10", "FEP"): [0.1, 0.2, 0.3],
        ("rastrigin+bound=10", "CMA-ES"): [1.0, 3.0, 5.0], ("rastrigin+bound=10", "FEP"): [2.0, 4.0, 6.0],
    })  # fmt: skip
    better, equal = cells["griewank+bound=10", "FEP"], cells["rastrigin+bound=10", "FEP"]
    # The paper prints 0.85491 against 0.32242, and 169.04 against 216.28.
    assert (better.our_sign, better.paper_sign) == ("+", "-")
    assert (equal.our_sign, equal.paper_sign) == ("=", "+")
    assert (equal.paper_mean, equal.paper_std, equal.ours.mean) == (169.04, 25.2, 4.0)
    reference = cells["rastrigin+bound=10", "CMA-ES"]
    assert (reference.our_sign, reference.paper_sign, reference.paper_p) == ("", "", None)


def test_a_cell_is_tested_against_the_printed_mean_deviation_and_runs(monkeypatch):
    from scipy.stats import ttest_ind_from_stats

    near, far = [0.3, 0.32, 0.35], [3.0, 3.1, 3.2]  # the paper: 0.32242 (0.0574) and 0.85491 (0.118), 30 runs
    cells = made_pair(monkeypatch, "table-2", {
        ("griewank+bound=10", "CMA-ES"): near, ("griewank+bound=10", "FEP"): far,
    })  # fmt: skip
    assert cells["griewank+bound=10", "CMA-ES"].differs is False
    cell = cells["griewank+bound=10", "FEP"]
    assert cell.differs is True
    expected = ttest_ind_from_stats(3.1, 0.1, 3, 0.85491, 0.118, 30, equal_var=False).pvalue
    assert cell.same_p == pytest.approx(expected, rel=1e-6)


def test_a_row_that_is_run_in_two_readings_counts_once():
    found = pair("table-1", read_compact(ROOT / "results" / "paper" / "table-1.json"))
    assert len(found.cells) == 36
    assert sum(cell.counted for cell in found.cells) == 24
    assert not any(cell.counted for cell in found.cells if "translate=6" in cell.problem)
    assert found.signs[1] == 12
    assert found.same[1] == 24


def test_means_without_deviations_are_compared_by_their_order():
    found = pair("table-6", read_compact(ROOT / "results" / "paper" / "table-6.json"))
    assert found.same == (0, 0)
    assert found.signs[1] == 24
    assert {cell.our_sign for cell in found.cells} <= {"+", "-", ""}


def test_signs_of_the_paper_stand_beside_ours(monkeypatch):
    low, high = [float(run) for run in range(10)], [50.0 + run for run in range(10)]
    cells = made_pair(monkeypatch, "table-7-text", {("paper-f1", "GA"): low, ("paper-f1", "AutoV"): high})
    cell = cells["paper-f1", "GA"]
    assert (cell.our_sign, cell.paper_sign, cell.agrees) == ("+", "-", False)
    assert (cell.paper_mean, cell.ours.mean, cells["paper-f1", "AutoV"].ours.mean) == (14.973, 4.5, 54.5)


def test_a_table_of_few_runs_says_what_the_question_mark_means():
    found = made([cell(1.0, 2.0, "?", "+"), cell(1.0, 2.0, algorithm="AutoV")]).table()
    assert found.caption.endswith("Our mean of 1 runs (the paper's)")
    assert any(note.startswith("? : too few runs") for note in found.notes)
    assert not any("?" in note for note in made([cell(1.0, 2.0, "+", "+")]).table().notes)
