import sqlite3

import numpy as np
import pytest

from autov.core import FileError
from autov.experiments import Store, experiment
from autov.experiments.store import MAGIC, VERSION
from autov.experiments.trace import Trace, grid, sample


@pytest.fixture
def tasks():
    """Runs 0 and 1 of one algorithm, then of the other."""
    options = {"dim": 3, "maxfev": 300, "popsize": 10, "runs": 2, "seed": 2**64 - 1}
    return sum((experiment(spec, "sphere", **options).tasks for spec in ("mine=paper-h3", "ga")), ())


def test_rows_come_back_as_they_went_in(tmp_path, tasks):
    samples = np.array([np.nan, 3.0, 0.1 + 0.2])
    with Store(tmp_path / "r.db") as store:
        store.add(tasks[1], 0.1 + 0.2, samples, 1.5)
        store.add(tasks[1], 99.0, samples, 1.5)
        store.add(tasks[0], np.inf, samples, 1.0)
    with Store(tmp_path / "r.db") as store:
        first, second = store.rows(tasks)
        assert (first.run, first.best, second.run, second.best) == (0, np.inf, 1, 0.1 + 0.2)
        assert second.samples.tobytes() == samples.tobytes()
        assert second.seed == 2**64 - 1
        assert set(second.versions) == {"autov", "numpy", "numba", "scipy", "python"}
        assert [row.key for row in store.rows()] == [tasks[1].key, tasks[0].key]
        assert store.missing(tasks) == list(tasks[2:])
        assert store.has(tasks[0])


def test_labels_are_those_of_who_asks(tmp_path, tasks):
    other = experiment("paper-h3", "sphere", dim=3, maxfev=300, popsize=10, runs=2, seed=2**64 - 1).tasks
    with Store(tmp_path / "r.db") as store:
        store.add(tasks[0], 1.0, [], 1.0)
        assert store.rows(other)[0].label == "paper-h3"
        assert store.rows()[0].label == "mine"


def test_a_failure_lasts_until_a_success(tmp_path, tasks):
    with Store(tmp_path / "r.db") as store:
        store.fail(tasks[0], "ValueError: no", "trace")
        assert [failure.error for failure in store.failures(tasks)] == ["ValueError: no"]
        assert store.failures(tasks[2:]) == []
        assert not store.has(tasks[0])
        store.add(tasks[0], 1.0, [], 1.0)
        assert store.failures() == []


def _foreign(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE people (name TEXT)")
    db.close()


def _version(path, version):
    Store(path).close()
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {version}")
    db.close()


def _truncated(path, tasks):
    with Store(path) as store:
        for task in tasks:
            store.add(task, 1.0, np.ones(3000), 1.0)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])


def _scrambled(path, tasks):
    with Store(path) as store:
        for task in tasks:
            store.add(task, 1.0, np.ones(3000), 1.0)
    data = bytearray(path.read_bytes())
    data[4096:12288] = b"\x5a" * 8192
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda path, _: path.write_text("problem,value\nf1,3\n"), "not a results store"),
        (lambda path, _: path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 4000), "cannot be read|damaged"),
        (lambda path, _: _foreign(path), "not a results store of autov"),
        (lambda path, _: _version(path, VERSION + 1), f"version {VERSION + 1}"),
        (lambda path, _: _version(path, 0), "version 0"),
        (_truncated, "damaged|cannot be read"),
        (_scrambled, "damaged|cannot be read"),
    ],
    ids=["text", "noise", "foreign", "newer", "older", "truncated", "scrambled"],
)
def test_other_files_are_refused_and_left_alone(tmp_path, tasks, spoil, text):
    path = tmp_path / "r.db"
    spoil(path, tasks)
    before = path.read_bytes()
    with pytest.raises(FileError, match=text) as caught:
        Store(path)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "harm", ["DROP TABLE results", "UPDATE results SET samples = 'xx'", "UPDATE results SET best = 'abc'"]
)
def test_a_store_that_was_tampered_with_is_one_line(tmp_path, tasks, harm):
    with Store(tmp_path / "r.db") as store:
        for task in tasks:
            store.add(task, 1.0, np.ones(3), 1.0)
    db = sqlite3.connect(tmp_path / "r.db", isolation_level=None)
    db.execute(harm)
    db.close()
    with pytest.raises(FileError, match=r"damaged|not a results store") as caught, Store(tmp_path / "r.db") as store:
        store.rows(tasks)
    assert "\n" not in str(caught.value)


def test_places_that_cannot_hold_a_store(tmp_path):
    with pytest.raises(FileError, match="folder"):
        Store(tmp_path)
    with pytest.raises(FileError, match="does not exist"):
        Store(tmp_path / "no" / "r.db")


def test_an_empty_file_becomes_a_store(tmp_path):
    (tmp_path / "r.db").touch()
    Store(tmp_path / "r.db").close()
    db = sqlite3.connect(tmp_path / "r.db")
    assert db.execute("PRAGMA application_id").fetchone() == (MAGIC,)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()


def test_samples_of_a_step_function():
    counts = grid(10_000)
    assert (counts[0], counts[-1], len(counts)) == (100, 10_000, 50)
    assert np.array_equal(grid(3), [1, 2, 3])
    values = sample(np.array([10, 20, 30]), np.array([5.0, 4.0, 1.0]), np.array([9, 10, 19, 20, 30, 40]))
    np.testing.assert_array_equal(values, [np.nan, 5.0, 5.0, 4.0, 1.0, 1.0])


def _edit(path, *statements):
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


def test_a_flipped_digit_of_a_row_is_found(tmp_path, tasks):
    path = tmp_path / "r.db"
    with Store(path) as store:
        store.add(tasks[0], 1.0, [3.0, 1.0], 1.0)
        store.add(tasks[1], 2.0, [3.0, 2.0], 1.0, failed={"raised": 2, "timed out": 0})
        assert [row.failed for row in store.rows()] == [{}, {"raised": 2}]
    _edit(path, f"UPDATE results SET best = 1.5 WHERE key = '{tasks[0].key}'")
    with Store(path) as store:
        assert store.rows(tasks[1:])[0].best == 2.0
        with pytest.raises(FileError, match=f"{tasks[0].key}.*another checksum; delete the row"):
            store.rows()


def test_rows_without_a_checksum_are_those_of_older_versions(tmp_path, tasks):
    path = tmp_path / "r.db"
    with Store(path) as store:
        store.add(tasks[0], 1.0, [3.0, 1.0], 1.0)
    _edit(path, "DROP TABLE checked", "UPDATE results SET best = 1.5")
    with Store(path) as store:
        assert store.rows()[0].best == 1.5
        store.add(tasks[1], 2.0, [3.0, 2.0], 1.0)
    _edit(path, f"UPDATE results SET best = 1.5 WHERE key = '{tasks[1].key}'")
    with Store(path) as store, pytest.raises(FileError, match="checksum"):
        store.rows()


ENDLESS = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c) SELECT i FROM c"


@pytest.mark.parametrize(
    "statements",
    [
        ("DROP TABLE results", f"CREATE VIEW results AS {ENDLESS}"),
        ("CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results; END",),
        ("ALTER TABLE results ADD COLUMN more TEXT",),
        ("DROP TABLE failures",),
        ("CREATE TABLE others (a)",),
    ],
)
def test_tables_of_another_shape_are_refused(tmp_path, statements):
    path = tmp_path / "r.db"
    Store(path).close()
    _edit(path, *statements)
    with pytest.raises(FileError, match=r"other tables, views|other columns"):
        Store(path)


def test_a_changed_number_of_failed_evaluations_is_found(tmp_path, tasks):
    with Store(tmp_path / "r.db") as store:
        store.add(tasks[0], 1.0, [3.0, 1.0], 1.0, failed={"raised": 2})
    _edit(tmp_path / "r.db", """UPDATE checked SET failed = '{"raised": 1}'""")
    with Store(tmp_path / "r.db") as store, pytest.raises(FileError, match="checksum"):
        store.rows()


def test_any_number_of_rows_is_read():
    tasks = experiment("ga", "sphere", dim=2, maxfev=20, popsize=10, runs=1001).tasks
    with Store(None) as store:
        for task in tasks:
            store.add(task, float(task.run), [], 1.0, Trace(np.array([1]), np.array([float(task.run)])))
        rows = store.rows(tasks)
        assert [row.run for row in rows] == list(range(1001))
        assert [row.trace.bests.tolist() for row in rows] == [[float(i)] for i in range(1001)]
        assert [row.trace.bests.tolist() for row in store.rows()] == [[float(i)] for i in range(1001)]
