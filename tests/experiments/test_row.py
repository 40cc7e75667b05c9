"""The record of a run and its columns."""

from dataclasses import fields, replace

import numpy as np
import pytest

from autov.experiments import Failure, Row, Task
from autov.experiments.row import DECISIVE, SETUP, columns, decode, encode, schema
from tests.reports.made import FAILURE, made_row


def test_every_field_has_a_column_and_the_key_comes_first():
    for kind in (Row, Failure):
        # the trace and what failed have tables of their own, so that files of before stay as they are
        kept = {item.name for item in fields(kind)} - {"trace", "failed"}
        assert set(columns(kind)) == kept
        assert next(iter(columns(kind))) == "key"
    assert schema(Failure).startswith("key TEXT PRIMARY KEY, algorithm TEXT NOT NULL, settings TEXT NOT NULL, label")
    assert schema(Row).endswith("TEXT NOT NULL, best REAL NOT NULL, seconds REAL NOT NULL, samples TEXT NOT NULL")


@pytest.mark.parametrize("record", [made_row("f1", "ga", 3, 0.1 + 0.2), FAILURE], ids=["row", "failure"])
def test_records_come_back_from_their_values(record):
    values = encode(record)
    assert all(isinstance(value, (str, int, float)) for value in values)
    back = decode(type(record), values)
    for name in columns(type(record)):
        np.testing.assert_array_equal(getattr(back, name), getattr(record, name))
    assert decode(type(record), values, label="other").label == "other"


def test_a_task_has_the_fields_of_its_record():
    assert [item.name for item in fields(Task)] == [*SETUP, "solver", "function"]
    assert set(SETUP) - set(DECISIVE) == {"label"}


def test_too_few_values_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        decode(Row, encode(made_row("f1", "ga", 0, 1.0))[:-1])


def test_the_course_of_a_row_without_a_trace_is_what_its_samples_show():
    row = made_row("f1", "ga", 0, 5.0)
    counts, bests = row.course
    assert np.array_equal(counts, row.counts[3:])
    assert np.array_equal(bests, row.samples[3:])
    bare = replace(row, samples=np.full(len(row.counts), np.nan))
    assert [part.tolist() for part in bare.course] == [[300], [5.0]]
