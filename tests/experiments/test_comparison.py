import dataclasses
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from autov.core import InputError
from autov.experiments import EXPERIMENTS, Comparison, Paired, compare, paper_experiment, paper_figures, reproduce
from autov.experiments.paper import WRITTEN, printed
from autov.experiments.plan import experiment
from autov.problems import parse
from autov.stats import summarise
from tests.experiments.tiny import RandomSearch
from tests.reports.made import made_comparison

SMALL = {"dim": 3, "maxfev": 300, "popsize": 10, "workers": 1}


def test_a_comparison(tmp_path):
    options = {**SMALL, "store": tmp_path / "r.db"}
    first = compare({"autov": "autov", "mine": RandomSearch()}, "sphere,f9", runs=8, **options)
    assert first.reference == "autov"
    assert first.values("sphere", "mine").shape == (8,)
    counts, curves = first.curves("f9", "autov")
    assert curves.shape == (8, len(counts))
    more = compare({"autov": "autov", "mine": RandomSearch()}, "sphere,f9", runs=10, **options)
    assert np.array_equal(more.values("f9", "mine")[:8], first.values("f9", "mine"))
    table = more.table()
    assert table.columns == ("problem", "autov", "mine")
    assert table.rows[0][1][1].mark == "-", "random search is worse than autov"
    assert table.rows[0][1][0].best
    assert table.footer[0] == ("+/-/=", ("", "0/2/0"))


def test_the_reference():
    options = {**SMALL, "maxfev": 20, "runs": 1, "store": None}
    assert compare(["ga", "de"], "sphere", **options).reference == "de"
    assert compare(["ga", "de"], "sphere", reference="ga", **options).reference == "ga"
    with pytest.raises(InputError, match=r"reference: 'x' is none of the algorithms \(ga, de\)"):
        compare(["ga", "de"], "sphere", reference="x", **options)


def test_paper_figures_are_complete():
    lost = []
    for name, entry in EXPERIMENTS.items():
        for problem, path in entry.problems.items() if entry.table else ():
            row = paper_figures()[entry.table]
            for key in path:
                row = row[key]
            assert set(row) == set(entry.columns)
            means = {label: cell["mean"] if isinstance(cell, dict) else cell for label, cell in row.items()}
            lost += [(name, problem, label) for label, mean in means.items() if mean is None]
            assert all(np.isfinite(mean) for mean in means.values() if mean is not None)
    assert lost == [("table-5", "schwefel_2_22", "h1")]
    counts = {}
    for row in paper_figures()["table-9"].values():
        for label, cell in row.items():
            counts.setdefault(label, []).append(cell.get("versus_autov"))
    assert [counts["SHADE"].count(sign) for sign in "+-="] == [5, 8, 2]


@pytest.mark.parametrize(
    ("name", "maxfev"),
    [("table-2", 20_000), ("table-3", 20_000), ("table-7", 10_000), ("table-8-text", 10_000), ("fig-6", 10_000)],
)
def test_paper_experiments(name, maxfev):
    planned = paper_experiment(name, runs=2)
    entry = printed(name)
    assert len(planned.tasks) == 2 * len(entry.algorithms) * len(entry.problems)
    assert {(task.dim, task.maxfev, task.popsize) for task in planned.tasks} == {(30, maxfev, 100)}


def test_the_shifted_problems_have_their_optima_nine_percent_off():
    for name, (row,) in EXPERIMENTS["table-7"].problems.items():
        plain, moved = parse(f"paper-{row}"), parse(name)
        if row == "f8":
            assert name == "paper-f8"
            continue
        np.testing.assert_allclose(moved.optimum - plain.optimum, 0.09 * plain.box.upper)
        assert np.array_equal(moved.box.upper, plain.box.upper)
        assert f"{name}+rotate=run" in EXPERIMENTS["table-8"].problems


def test_the_letter_of_the_text_changes_no_setting():
    for name in ("table-7-text", "table-8-text"):
        assert all("+" not in spec for spec in EXPERIMENTS[name].algorithms.values())
    assert "paper-f3" in EXPERIMENTS["table-7-text"].problems


def test_runs_may_differ():
    planned = paper_experiment("table-9", runs={"AutoV": 3, **dict.fromkeys(WRITTEN, 2), "SHADE": 4})
    counts = Counter(task.label for task in planned.tasks)
    assert (counts["SHADE"], counts["AutoV"], counts["GA"]) == (60, 30, 30)
    assert [task.run for task in planned.tasks] == sorted(task.run for task in planned.tasks)
    assert {t.label for t in paper_experiment("fig-6", {"GA": 31}).tasks if t.run == 30} == {"GA"}
    with pytest.raises(InputError, match="unknown Foo"):
        paper_experiment("table-9", {"Foo": 1})
    with pytest.raises(InputError, match="one for each of ga, de"):
        experiment(["ga", "de"], "f1", runs={"ga": 1})


def test_the_figure_is_part_of_the_table():
    assert set(paper_experiment("fig-6", 2).tasks) <= set(paper_experiment("table-7", 2).tasks)


def test_reproduce(monkeypatch):
    few = {label: WRITTEN[label] for label in ("GA", "AutoV")}
    where = {name: EXPERIMENTS["table-7-text"].problems[name] for name in ("paper-f1", "paper-f6")}
    short = dataclasses.replace(EXPERIMENTS["table-7-text"], algorithms=few, problems=where, maxfev=1000)
    monkeypatch.setitem(EXPERIMENTS, "table-7-text", short)
    found = reproduce("table-7-text", runs=6, workers=1, store=None)
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


def test_signs_and_ratios_of_a_cell():
    cell = Paired("f8", "GA", -100.0, 1.0, "+", "-", summarise([-10.0, -10.0]))
    assert cell.log_ratio == pytest.approx(-1)
    assert cell.agrees is False
    assert cell._replace(ours=summarise([0.0])).log_ratio is None
    assert cell._replace(paper_mean=0.0, ours=summarise([0.0])).log_ratio == 0.0


def test_experiments_do_not_draw():
    code = "import sys, autov.experiments; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_best_median_is_set_off():
    made = made_comparison()
    rows = [row for row in made.rows if row.problem == "f_1" and row.label != "autov"]
    lucky = [dataclasses.replace(row, best=row.best if row.run or row.label != "ga" else 1e6) for row in rows]
    skewed = Comparison("skewed", ("ga", "<b>|&"), ("f_1",), "ga", tuple(lucky))
    best = {show: [entry.best for entry in skewed.table(show).rows[0][1]] for show in ("mean", "median")}
    assert best == {"mean": [False, True], "median": [True, False]}


def test_peers_are_known_from_python():
    code = "import autov; autov.compare; from autov.experiments import RESOLVERS; assert 'cma' in RESOLVERS"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
