"""Runs that go on after a crash: points and values in one SQLite file, written as they come.

An algorithm asks for the same points again when it is started again with the same seed. So nothing of it has to be
saved: the values of points that are in the file are taken from there, and the run goes on with the same bits. That
holds for every algorithm that repeats itself, those of other libraries included; another point than the one in the file
is found out and refused.
"""

from __future__ import annotations

import datetime
import os
import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from autov.core import Array, FileError, InputError, to_json
from autov.core.files import check_new
from autov.core.transactions import writing

MAGIC, VERSION = 0x61757452, 1  # application_id ("autR") and user_version of the file
BUSY = 30.0  # seconds to wait for another process
_SCHEMA = (
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, key TEXT NOT NULL, seed TEXT NOT NULL, about TEXT NOT NULL, "
    "created TEXT NOT NULL, finished INTEGER NOT NULL DEFAULT 0, UNIQUE (key, seed))",
    "CREATE TABLE evaluations (run INTEGER NOT NULL, number INTEGER NOT NULL, x BLOB NOT NULL, value BLOB NOT NULL, "
    "PRIMARY KEY (run, number)) WITHOUT ROWID",
    f"PRAGMA application_id = {MAGIC}",
    f"PRAGMA user_version = {VERSION}",
)


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
        magic, version = (
            self.db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if magic != MAGIC:
            raise FileError(f"{self.path}: an SQLite file, but not a store of minimize (compare has its own)")
        if version != VERSION:
            raise FileError(f"{self.path}: a store of version {version}, this autov reads version {VERSION}")
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = NORMAL")

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
            query = "SELECT json_extract(about, '$.maxfev') FROM runs WHERE id = ?"
            (begun,) = self.db.execute(query, (number,)).fetchone()
            self.db.execute("COMMIT")
            return SavedRun(self, number, _other_budget(begun, about))
        except sqlite3.Error as error:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            raise FileError(f"{self.path}: cannot be written: {error}") from None

    def _number(self, key: str | None, seed: int) -> Any:
        found = self.db.execute("SELECT id FROM runs WHERE key = ? AND seed = ?", (key, str(seed))).fetchone()
        return None if found is None else found[0]


def _other_budget(begun: int | None, about: dict[str, Any]) -> str:
    """Why points may be others, where a run was begun with another maxfev than it is to go on with."""
    if begun in (None, about["maxfev"]):
        return ""
    return (
        f"the algorithm plans with its budget, and the run was begun with maxfev = {begun}, not "
        f"{about['maxfev']}: give that one, another seed or another file"
    )


class SavedRun:
    """The evaluations of one run; ``why`` says why its points may be others now, if that is known."""

    def __init__(self, store: RunStore, number: int, why: str = "") -> None:
        self.path, self._db, self._run, self._why = store.path, store.db, number, why
        query = "SELECT number, x, value FROM evaluations WHERE run = ?"
        self._known = {i: (x, value) for i, x, value in self._db.execute(query, (number,))}

    def __len__(self) -> int:
        return len(self._known)

    def fill(self, first: int, x: Array, values: Array, there: np.ndarray) -> None:
        """Put in the values that are known of evaluations first, first + 1, ..."""
        for i, row in enumerate(x):
            known = self._known.get(first + i)
            if known is None:
                continue
            if known[0] != row.tobytes():
                why = self._why or (
                    "the algorithm or a library is another one, or it does not repeat itself: use another file"
                )
                raise FileError(
                    f"{self.path}: evaluation {first + i + 1} of the stored run was at another point; {why}"
                )
            values[i], there[i] = np.frombuffer(known[1])[0], True

    def add(self, number: int, x: Array, value: float) -> None:
        """Write one evaluation."""
        self._write([(self._run, number, x.tobytes(), np.float64(value).tobytes())])

    def add_all(self, first: int, x: Array, values: Array, which: np.ndarray) -> None:
        """Write those evaluations of a batch together."""
        rows = np.flatnonzero(which)
        self._write([(self._run, first + int(i), x[i].tobytes(), values[i].tobytes()) for i in rows])

    def _write(self, records: list[tuple[int, int, bytes, bytes]]) -> None:
        with writing(self._db, self.path):
            self._db.executemany("INSERT OR IGNORE INTO evaluations VALUES (?, ?, ?, ?)", records)

    def finish(self) -> None:
        """Note that the run came to its end."""
        with writing(self._db, self.path):
            self._db.execute("UPDATE runs SET finished = 1 WHERE id = ?", (self._run,))
