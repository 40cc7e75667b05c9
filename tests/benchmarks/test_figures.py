"""Measurements as tables."""

import json
from pathlib import Path

import pytest

from autov.reports import to_text
from benchmarks.figures import figure, tables_of

STORED = [
    path
    for path in sorted((Path(__file__).parents[2] / "results" / "bench").glob("*.json"))
    if isinstance(json.loads(path.read_text(encoding="utf-8")), dict)
]


def test_figures_and_groups():
    found = tables_of({
        "what": "a run", "numpy_evaluations_per_second": 123456.7, "threads": {"1": {"rate": 2.0}, "2": {"rate": 4.0}},
        "machine": {"cores": 2},
    })  # fmt: skip
    assert [(table.caption, table.columns) for table in found] == [
        ("a run", ("figure", "value")), ("threads", ("", "rate")), ("machine", ("figure", "value"))]  # fmt: skip
    assert found[0].rows[0][0] == "numpy evaluations per second"
    assert found[0].rows[0][1][0].text == "123,457"
    assert [entries[0].text for _, entries in found[1].rows] == ["2", "4"]


@pytest.mark.parametrize(
    ("value", "text"), [(3, "3"), (12345, "12,345"), (0.000012, "1.2e-05"), (None, "-"), (2.34567, "2.346"),
                        ([1, 2.5], "1, 2.5"), (True, "True"), ("x", "x"), (float("inf"), "inf")]
)  # fmt: skip
def test_numbers(value, text):
    assert figure(value) == text


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_what_is_stored_fits_a_terminal(path):
    found = tables_of(json.loads(path.read_text(encoding="utf-8")))
    assert found
    for table in found:
        assert max(map(len, to_text(table, 100).splitlines())) <= 100
        assert "{" not in to_text(table)
