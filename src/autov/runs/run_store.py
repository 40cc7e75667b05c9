"""Evaluations of a run as they arrive, in memory or in a file, so that a run can go on."""

from __future__ import annotations

import datetime
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

    def finish(self) -> None:
        """Note that the run came to its end."""
        with writing(self._db, self.path):
            self._db.execute("UPDATE runs SET finished = 1 WHERE id = ?", (self._run,))


KEPT = 10_000_000  # numbers that are kept unasked, for an exception to carry
Arrived = Callable[[int, float], None]  # the row of a batch and its value
ArrivingBatch = Callable[[Array, Arrived], Array]  # values (n,) of points (n, d), each reported when it is there


class Journal:
    """A function of batches around another one: it keeps what comes, and takes what was saved instead of calling."""

    def __init__(
        self, call: ArrivingBatch | None, dim: int, keep: bool = True, saved: SavedRun | None = None
    ) -> None:  # fmt: skip
        self.call, self.keep, self.saved = call, keep, saved
        self.count = 0
        self._dim = dim
        self._batches: list[tuple[Array, Array, np.ndarray]] = []  # points, values, which are there

    def __call__(self, x: Array) -> Array:
        """Values (n,) of points (n, d)."""
        first = self.count
        values, there = np.full(len(x), np.nan), np.zeros(len(x), dtype=bool)
        if self.keep:
            self._batches.append((x.copy(), values, there))
        if self.saved is not None:
            self.saved.fill(first, x, values, there)
        missing = np.flatnonzero(~there)

        def arrived(row: int, value: float) -> None:
            i = int(missing[row])
            values[i], there[i] = value, True
            if self.saved is not None:
                self.saved.add(first + i, x[i], value)

        if len(missing):
            assert self.call is not None
            values[missing] = self.call(x[missing], arrived)
            if self.saved is not None and not there.all():  # a batch that comes as a whole
                self.saved.add_all(first, x, values, ~there)
            there[:] = True
        self.count += len(x)
        return values

    def observe(self, x: Array, f: Array) -> None:
        """Take evaluations that were made elsewhere."""
        if self.saved is not None:
            self.saved.add_all(self.count, x, f, np.ones(len(x), dtype=bool))
        if self.keep:
            self._batches.append((np.array(x), np.array(f), np.ones(len(x), dtype=bool)))
        self.count += len(x)

    def evaluations(self) -> Evaluations:
        """What was kept."""
        x = [points[there] for points, _, there in self._batches]
        f = [values[there] for _, values, there in self._batches]
        return Evaluations(np.concatenate([np.empty((0, self._dim)), *x]), np.concatenate([np.empty(0), *f]))
