"""Files of format version 1, written when it was new: they are read, and the same results are written alike."""

import gzip
import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from autov.experiments import Store, experiment
from autov.experiments.compact import pack, read_compact, write_compact

DATA = Path(__file__).with_name("data")
BESTS = (0.1 + 0.2, np.inf, -12569.486618164879, 0.0)


def planned():
    """The tasks of the stored file: all but the last one were finished."""
    options = {"dim": 3, "maxfev": 60, "popsize": 10, "runs": 2, "seed": 2**64 - 1}
    first = experiment({"GA": "ga", "quick": "de+F=0.7"}, "sphere,f9+rotate=run", **options)
    second = experiment({"autov": "paper-h3"}, "paper-f8", dim=4, maxfev=90, popsize=12, runs=1, seed=7)
    return [*first.tasks, *second.tasks]


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress((DATA / "store-v1.db.gz").read_bytes()))
    return path


def test_keys_of_tasks_are_those_of_before():
    found = [[task.label, task.problem, task.run, task.key] for task in planned()]
    assert found == json.loads((DATA / "keys.json").read_text())


def test_a_store_of_before_is_read(old):
    *finished, failed = planned()
    with Store(old) as store:
        assert store.missing([*finished, failed]) == [failed]
        rows = store.rows(finished)
        (failure,) = store.failures()
    assert len(rows) == 8
    names = ("key", "algorithm", "settings", "label", "problem", "content", "dim", "maxfev", "popsize", "seed", "run")
    for i, (row, task) in enumerate(zip(rows, finished, strict=True)):
        assert [getattr(row, name) for name in names] == [getattr(task, name) for name in names]
        assert (row.best, row.seconds) == (BESTS[i % 4], 0.5 * i)
        np.testing.assert_array_equal(row.samples, [np.nan, 3.0 + i, 0.1 + 0.2])
        assert row.created.startswith("20")
        assert row.versions["autov"] == "0.1.0"
    assert (failure.key, failure.label, failure.problem, failure.run) == (failed.key, "autov", "paper-f8", 0)
    assert (failure.error, failure.traceback) == ("ValueError: no", "Traceback:\n  line\n")


def _content(path):
    """Schema and rows, without the moment and the versions, and without the checksums that came later."""
    db = sqlite3.connect(path)
    db.execute("DROP TABLE IF EXISTS checked")
    for table in ("results", "failures"):
        db.execute(f"UPDATE {table} SET created = '', versions = ''")
        db.execute(f"UPDATE {table} SET algorithm = 'evolution' WHERE algorithm = 'autov'")  # its name of before
    found = [db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version", "journal_mode")]
    found += list(db.iterdump())
    db.close()
    return found


def test_a_store_is_written_as_before(old, tmp_path):
    *finished, failed = planned()
    with Store(tmp_path / "new.db") as store:
        for i, task in enumerate(finished):
            store.add(task, BESTS[i % 4], [np.nan, 3.0 + i, 0.1 + 0.2], 0.5 * i)
        store.fail(failed, "ValueError: no", "Traceback:\n  line\n")
    assert _content(tmp_path / "new.db") == _content(old)


def test_versions_are_written_as_before(old, tmp_path):
    with Store(tmp_path / "new.db") as store:
        store.add(planned()[0], 1.0, [], 1.0)
    texts = []
    for path in (old, tmp_path / "new.db"):
        db = sqlite3.connect(path)
        texts.append(db.execute("SELECT versions, created FROM results").fetchone())
        db.close()
    assert list(json.loads(texts[0][0])) == list(json.loads(texts[1][0]))
    assert texts[1][0] == json.dumps(json.loads(texts[1][0]))
    assert len(texts[0][1]) == len(texts[1][1])


def test_compact_results_of_before_are_read():
    found = read_compact(DATA / "compact-v1.json")
    data = json.loads((DATA / "compact-v1.json").read_text())
    assert (found.name, found.algorithms, found.reference) == ("comparison", ("GA", "quick", "autov"), "autov")
    assert found.problems == ("sphere", "f9+rotate=run")
    assert len(found.rows) == 18
    for row in found.rows:
        assert (row.dim, row.maxfev, row.popsize, row.seed) == (3, 60, 10, 1)
        assert row.settings == data["settings"][row.label]
        assert row.versions == data["versions"]
        assert row.best == data["values"][row.problem][row.label][row.run]


def test_compact_results_are_written_as_before(tmp_path):
    text = (DATA / "compact-v1.json").read_text()
    found = read_compact(DATA / "compact-v1.json")
    times = {key: json.loads(text)[key] for key in ("seconds", "seconds_per_run")}  # not kept for each row
    assert json.dumps({**pack(found), **times}, separators=(",", ":")) + "\n" == text
    write_compact(found, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == json.dumps(pack(found), separators=(",", ":")) + "\n"
