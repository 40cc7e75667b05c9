"""Evaluations of a run as they arrive, in memory or in a file, so that a run can go on."""

from __future__ import annotations

import datetime
import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from autov.core import Array, FileError, InputError, to_json
from autov.core.atomic_files import check_new
from autov.core.transactions import writing
from autov.runs.budget import Evaluations

MAGIC, VERSION = 0x61757452, 1  # application_id ("autR") and user_version of the file
BUSY = 30.0  # seconds to wait for another process
Told = float | Array  # what a point gives: its value, or a row of which the first number orders points
_SCHEMA = (
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, key TEXT NOT NULL, seed TEXT NOT NULL, about TEXT NOT NULL, "
    "created TEXT NOT NULL, finished INTEGER NOT NULL DEFAULT 0, UNIQUE (key, seed))",
    "CREATE TABLE evaluations (run INTEGER NOT NULL, number INTEGER NOT NULL, x BLOB NOT NULL, value BLOB NOT NULL, "
    "PRIMARY KEY (run, number)) WITHOUT ROWID",
    f"PRAGMA application_id = {MAGIC}",
    f"PRAGMA user_version = {VERSION}",
)


# What a run began with and could not be found again: the content of files that grow. Older stores get it when needed.
_FROZEN = (
    "CREATE TABLE IF NOT EXISTS frozen (run INTEGER NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL, "
    "PRIMARY KEY (run, name)) WITHOUT ROWID"
)


# In which order values came, and how many points were asked for by then, where the order decides what is asked for.
_ARRIVALS = (
    "CREATE TABLE IF NOT EXISTS arrivals (run INTEGER NOT NULL, place INTEGER NOT NULL, number INTEGER NOT NULL, "
    "asked INTEGER NOT NULL, PRIMARY KEY (run, place)) WITHOUT ROWID"
)


def check_store(db: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is not a store of runs of this version."""
    magic, version = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
    if magic != MAGIC:
        raise FileError(f"{path}: an SQLite file, but not a store of minimize (compare has its own)")
    if version != VERSION:
        raise FileError(f"{path}: a store of version {version}, this autov reads version {VERSION}")


class RunStore:
    """An open file of runs."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            self.path = Path(path)
        except TypeError:
            raise InputError(f"store: must be the name of a file, got {path!r}") from None
        if self.path.is_dir() or not self.path.parent.is_dir():
            raise FileError(f"{self.path}: is a folder, or its folder does not exist")
        check_new(self.path)
        try:
            self.db = sqlite3.connect(self.path, timeout=BUSY, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self.db.close()
                raise
        except sqlite3.Error as error:
            raise FileError(f"{self.path}: cannot be used as a store of runs: {error}") from None

    def _prepare(self) -> None:
        self.db.execute("BEGIN IMMEDIATE")  # another process may be creating it, too
        if self.db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            for statement in _SCHEMA:
                self.db.execute(statement)
        self.db.execute("COMMIT")
        check_store(self.db, self.path)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = NORMAL")
        self.db.execute(_FROZEN)
        self.db.execute(_ARRIVALS)

    def __enter__(self) -> RunStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.db.close()

    def unfinished_seed(self, key: str, other: str | None = None) -> int | None:
        """The seed of a run that was interrupted, or else of one of the other key that this key has not taken up."""
        query = "SELECT seed FROM runs WHERE key = ? AND NOT finished {} ORDER BY id DESC LIMIT 1"
        found = self.db.execute(query.format(""), (key,)).fetchone()
        if found is None and other is not None:
            fresh = query.format("AND seed NOT IN (SELECT seed FROM runs WHERE key = ?)")
            found = self.db.execute(fresh, (other, key)).fetchone()
        return None if found is None else int(found[0])

    def shorter_seed(self, key: str, maxfev: int) -> int | None:
        """The seed of the last run of fewer evaluations that was not continued to this number."""
        found = self.db.execute(
            "SELECT seed FROM runs WHERE key = ? AND json_extract(about, '$.maxfev') < ? AND seed NOT IN "
            "(SELECT seed FROM runs WHERE key = ? AND finished) ORDER BY id DESC LIMIT 1",
            (key, maxfev, _longer(key, maxfev)),
        ).fetchone()
        return None if found is None else int(found[0])

    def open(self, key: str, seed: int, about: dict[str, Any], other: str | None = None) -> SavedRun:
        """The run of that key and seed with what it has, or a new one with what the one of the other key has."""
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        values = (key, str(seed), to_json(about), now)
        copied = "INSERT INTO evaluations SELECT ?, number, x, value FROM evaluations WHERE run = ?"
        try:
            self.db.execute("BEGIN IMMEDIATE")
            made = self.db.execute(
                "INSERT INTO runs (key, seed, about, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", values
            ).rowcount
            number = self._number(key, seed)
            source = self._number(other, seed) if made and other not in (None, key) else None
            if source is not None:
                self.db.execute(copied, (number, source))
            self.db.execute("COMMIT")
            return SavedRun(self, number)
        except sqlite3.Error as error:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            raise FileError(f"{self.path}: cannot be written: {error}") from None

    def _number(self, key: str | None, seed: int) -> Any:
        found = self.db.execute("SELECT id FROM runs WHERE key = ? AND seed = ?", (key, str(seed))).fetchone()
        return None if found is None else found[0]


def _longer(key: str, maxfev: int) -> str:
    """The key of a run that goes on from one of this key."""
    return f"{key}:{maxfev}"


class OtherPointError(FileError):
    """A run asks for another point than the stored one did."""


class SavedRun:
    """The evaluations of one run; ``begun`` is the budget it was begun with, None if an old store does not say it."""

    def __init__(self, store: RunStore, number: int) -> None:
        self.path, self._store, self._db, self._run = store.path, store, store.db, number
        query = "SELECT key, seed, about, json_extract(about, '$.maxfev') FROM runs WHERE id = ?"
        self._key, seed, self._about, self.begun = self._db.execute(query, (number,)).fetchone()
        self._seed = int(seed)
        query = "SELECT number, x, value FROM evaluations WHERE run = ?"
        self._known = {i: (x, value) for i, x, value in self._db.execute(query, (number,))}

    def __len__(self) -> int:
        return len(self._known)

    def fill(
        self, first: int, x: Array, values: Array, there: np.ndarray, rows: dict[int, Array] | None = None
    ) -> None:  # fmt: skip
        """Put in the values that are known of evaluations first, first + 1, ..., and all that is stored with them."""
        for i, row in enumerate(x):
            known = self._known.get(first + i)
            if known is None:
                continue
            if known[0] != row.tobytes():
                raise OtherPointError(
                    f"{self.path}: evaluation {first + i + 1} of the stored run was at another point; the algorithm or "
                    "a library is another one, or it does not repeat itself: use another file"
                )
            row = np.frombuffer(known[1])
            values[i], there[i] = row[0], True
            if rows is not None:
                rows[i] = row

    def evaluations(self, dim: int) -> Evaluations:
        """All that there are, in their order."""
        rows = [self._known[i] for i in sorted(self._known)]
        x, f = np.frombuffer(b"".join(row[0] for row in rows)), np.frombuffer(b"".join(row[1][:8] for row in rows))
        if x.size != f.size * dim:
            raise FileError(f"{self.path}: the points of a run do not have {dim} variables")
        return Evaluations(x.reshape(-1, dim), f.copy())

    def family(self) -> list[SavedRun]:
        """This run, and those that went on from it."""
        query = "SELECT id FROM runs WHERE seed = ? AND (key = ? OR substr(key, 1, ?) = ?) ORDER BY id"
        prefix = f"{self._key}:"
        found = self._db.execute(query, (str(self._seed), self._key, len(prefix), prefix)).fetchall()
        return [SavedRun(self._store, number) for (number,) in found]

    def longer(self, maxfev: int, begin: bool = False) -> SavedRun | None:
        """The run that continues this one to this number of evaluations; None if there is none and none is to begin."""
        key = _longer(self._key, maxfev)
        if not begin:
            number = self._store._number(key, self._seed)
            return None if number is None else SavedRun(self._store, number)
        about = {name: value for name, value in json.loads(self._about).items() if name != "cold"}
        return self._store.open(key, self._seed, about | {"maxfev": maxfev})

    def add(self, number: int, x: Array, value: Told) -> None:
        """Write one evaluation."""
        self._write([(self._run, number, x.tobytes(), np.asarray(value, dtype=np.float64).tobytes())])

    def add_all(self, first: int, x: Array, values: Array, which: np.ndarray) -> None:
        """Write those evaluations of a batch together."""
        rows = np.flatnonzero(which)
        self._write([(self._run, first + int(i), x[i].tobytes(), values[i].tobytes()) for i in rows])

    def _write(self, records: list[tuple[int, int, bytes, bytes]]) -> None:
        with writing(self._db, self.path):
            self._db.executemany("INSERT OR IGNORE INTO evaluations VALUES (?, ?, ?, ?)", records)

    def add_arrival(self, place: int, number: int, asked: int, x: Array, value: Told) -> None:
        """Write one evaluation: its place in the order of arrival, its number in the order of asking, points asked."""
        with writing(self._db, self.path):
            record = (self._run, number, x.tobytes(), np.asarray(value, dtype=np.float64).tobytes())
            self._db.execute("INSERT OR IGNORE INTO evaluations VALUES (?, ?, ?, ?)", record)
            self._db.execute("INSERT OR IGNORE INTO arrivals VALUES (?, ?, ?, ?)", (self._run, place, number, asked))

    def arrivals(self, dim: int) -> list[tuple[int, int, Array, Array]]:
        """Number, points asked by then, point and value, in the order of arrival."""
        query = "SELECT number, asked FROM arrivals WHERE run = ? ORDER BY place"
        found = []
        for number, asked in self._db.execute(query, (self._run,)):
            x, value = (np.frombuffer(data) for data in self._known.get(number, (b"", b"")))
            if x.shape != (dim,) or not len(value):
                raise FileError(f"{self.path}: evaluation {number + 1} of a run is missing or has another size")
            found.append((number, asked, x.copy(), value.copy()))
        return found

    def frozen(self, name: str, make: Callable[[], bytes]) -> bytes:
        """What was made when the run began; it is made and written where it is not there."""
        query, key = "SELECT data FROM frozen WHERE run = ? AND name = ?", (self._run, name)
        try:
            found = self._db.execute(query, key).fetchone()
            if found is None:
                data = make()
                with writing(self._db, self.path):
                    self._db.execute("INSERT OR IGNORE INTO frozen VALUES (?, ?, ?)", (*key, data))
                found = self._db.execute(query, key).fetchone()  # of another process that was sooner, perhaps
        except sqlite3.Error as error:
            raise FileError(f"{self.path}: cannot be used as a store of runs: {error}") from None
        if not isinstance(found[0], bytes):
            raise FileError(f"{self.path}: {name} of run {self._run} cannot be read")
        return found[0]

    def finish(self, maxfev: int = 0, leader: str = "") -> None:
        """Note the end of the run, its number of evaluations if it began with fewer, and the member that led it."""
        with writing(self._db, self.path):
            self._db.execute("UPDATE runs SET finished = 1 WHERE id = ?", (self._run,))
            if leader:
                change = "UPDATE runs SET about = json_set(about, '$.leader', ?) WHERE id = ?"
                self._db.execute(change, (leader, self._run))
            if self.begun is not None and maxfev > self.begun:
                change = "UPDATE runs SET about = json_set(about, '$.maxfev', ?) WHERE id = ?"
                self._db.execute(change, (maxfev, self._run))
