"""What the paper ran and what it prints."""

from collections import Counter

import numpy as np
import pytest

from autov.core import InputError
from autov.paper import AS_FITTED, AS_WRITTEN, PAPER_TABLES, paper_experiment, paper_table, printed_values
from autov.problems import resolve_problem


def test_printed_values_are_complete():
    lost = []
    for name, entry in PAPER_TABLES.items():
        for problem, path in entry.problems.items() if entry.table else ():
            row = printed_values()[entry.table]
            for key in path:
                row = row[key]
            assert set(row) == set(entry.columns)
            means = {label: cell["mean"] if isinstance(cell, dict) else cell for label, cell in row.items()}
            lost += [(name, problem, label) for label, mean in means.items() if mean is None]
            assert all(np.isfinite(mean) for mean in means.values() if mean is not None)
    assert lost == [("table-5", "schwefel_2_22", "h1")]
    counts = {}
    for row in printed_values()["table-9"].values():
        for label, cell in row.items():
            counts.setdefault(label, []).append(cell.get("versus_autov"))
    assert [counts["SHADE"].count(sign) for sign in "+-="] == [5, 8, 2]


@pytest.mark.parametrize(
    ("name", "maxfev"),
    [("table-2", 20_000), ("table-3", 20_000), ("table-7", 10_000), ("table-8-text", 10_000), ("fig-6", 10_000)],
)
def test_paper_experiments(name, maxfev):
    planned = paper_experiment(name, runs=2)
    entry = paper_table(name)
    assert len(planned.tasks) == 2 * len(entry.algorithms) * len(entry.problems)
    assert {(task.dim, task.maxfev, task.popsize) for task in planned.tasks} == {(30, maxfev, 100)}


def test_the_shifted_problems_have_their_optima_nine_percent_off():
    for name, (row,) in PAPER_TABLES["table-7"].problems.items():
        plain, moved = resolve_problem(f"paper-{row}"), resolve_problem(name)
        if row == "f8":
            assert name == "paper-f8"
            continue
        np.testing.assert_allclose(moved.optimum - plain.optimum, 0.09 * plain.box.upper)
        assert np.array_equal(moved.box.upper, plain.box.upper)
        assert f"{name}+rotate=run" in PAPER_TABLES["table-8"].problems


def test_the_letter_of_the_text_changes_no_setting():
    for name in ("table-7-text", "table-8-text"):
        assert all("+" not in spec for spec in PAPER_TABLES[name].algorithms.values())
    assert "paper-f3" in PAPER_TABLES["table-7-text"].problems


def test_runs_may_differ():
    planned = paper_experiment("table-9", runs={"AutoV": 3, **dict.fromkeys(AS_WRITTEN, 2), "SHADE": 4})
    counts = Counter(task.label for task in planned.tasks)
    assert (counts["SHADE"], counts["AutoV"], counts["GA"]) == (60, 30, 30)
    assert [task.run for task in planned.tasks] == sorted(task.run for task in planned.tasks)
    assert {t.label for t in paper_experiment("fig-6", {"GA": 31}).tasks if t.run == 30} == {"GA"}
    with pytest.raises(InputError, match="unknown Foo"):
        paper_experiment("table-9", {"Foo": 1})


def test_the_figure_is_part_of_the_table():
    assert set(paper_experiment("fig-6", 2).tasks) <= set(paper_experiment("table-7", 2).tasks)


def test_both_readings_have_the_columns_of_the_paper():
    assert list(AS_WRITTEN) == list(AS_FITTED) == list(printed_values()["table-7"]["f1"])
    assert PAPER_TABLES["table-7"].algorithms == AS_FITTED
    assert PAPER_TABLES["table-7-text"].algorithms == AS_WRITTEN
