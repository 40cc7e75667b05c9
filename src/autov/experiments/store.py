"""Results in one SQLite file: one row for each finished task, written as soon as it is there.

The file may be open in several processes at once, and a process may be killed at any time: SQLite's write-ahead log
keeps what was written. A file that is not a store of this version is refused before anything is changed in it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from autov.core import Array, FileError, InputError, check_writable, digest
from autov.core.atomic_files import check_new
from autov.core.transactions import writing
from autov.experiments.row import Failure, Row, columns, decode, encode, schema
from autov.experiments.task import Task
from autov.experiments.trace import Trace, decode_trace, encode_trace

MAGIC, VERSION = 0x61757456, 1  # application_id ("autV") and user_version of the file
BUSY = 30.0  # seconds to wait for another process
_HEADER = b"SQLite format 3\x00"
_CHECKED = "CREATE TABLE IF NOT EXISTS checked (key TEXT PRIMARY KEY, digest TEXT NOT NULL, failed TEXT NOT NULL)"
_TABLES = {"results", "failures", "checked", "traces"}
LONGEST = 2**24  # bytes of one value in the file
_SCHEMA = (
    f"CREATE TABLE results ({schema(Row)})",
    f"CREATE TABLE failures ({schema(Failure)})",
    _CHECKED,
    f"PRAGMA application_id = {MAGIC}",
    f"PRAGMA user_version = {VERSION}",
)
# Made with the first trace: versions of autov that know nothing of traces read and write the same file.
_TRACES = "CREATE TABLE IF NOT EXISTS traces (key TEXT PRIMARY KEY, counts BLOB NOT NULL, bests BLOB NOT NULL)"


class _Undone(Exception):  # noqa: N818
    """Ends a transaction that was only tried."""


class Store:
    """An open file of results; with None, results are kept in memory only."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        try:
            self.path = None if path is None else Path(path)
        except TypeError:
            raise InputError(f"store: must be a file, a Store or None, got {path!r}") from None
        if self.path is not None:
            _check_place(self.path)
        try:
            self._db = sqlite3.connect(self.path or ":memory:", timeout=BUSY, isolation_level=None)
        except sqlite3.Error as error:
            raise FileError(f"{self.path}: cannot be opened: {error}") from None
        try:
            self._prepare()
        except BaseException as error:
            self._db.close()
            if isinstance(error, FileError) or not isinstance(error, (sqlite3.Error, ValueError, OverflowError)):
                raise
            reason = " ".join(str(error).split())[:300]
            raise FileError(f"{self.path}: cannot be read as a results store: {reason}") from None

    def _prepare(self) -> None:
        self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        self._db.execute("PRAGMA trusted_schema = OFF")
        if self._is_new():
            self._db.execute("BEGIN IMMEDIATE")  # another process may be creating it, too
            if self._is_new():
                for statement in _SCHEMA:
                    self._db.execute(statement)
            self._db.execute("COMMIT")
        magic, version = self._pragma("application_id"), self._pragma("user_version")
        if magic != MAGIC:
            raise FileError(f"{self.path}: an SQLite file, but not a results store of autov")
        if version != VERSION:
            raise FileError(f"{self.path}: a results store of version {version}, this autov reads version {VERSION}")
        self._check_tables()
        if (damage := self._pragma("quick_check(1)")) != "ok":
            raise FileError(f"{self.path}: the results store is damaged: {str(damage).splitlines()[-1]}")
        if self._pragma("journal_mode") != "wal":
            # If it is busy in another process, that one will do it; the old mode is safe, only slower.
            with contextlib.suppress(sqlite3.OperationalError):
                self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _check_tables(self) -> None:
        """Nothing but the tables of a store: views and triggers of a foreign file would run what they say."""
        found = self._db.execute("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
        tables = {name for kind, name, sql in found if kind == "table" and str(sql).startswith("CREATE TABLE ")}
        if len(tables) != len(found) or not {"results", "failures"} <= tables <= _TABLES:
            raise FileError(f"{self.path}: not a results store of autov (other tables, views or triggers are in it)")
        for name, kind in (("results", Row), ("failures", Failure)):
            names = [record[1] for record in self._db.execute(f"PRAGMA table_info({name})")]
            if names != list(columns(kind)):
                raise FileError(f"{self.path}: the table {name} of the results store has other columns")
        self._checked = "checked" in tables  # stores of older versions have no checksums until a row is added

    def _pragma(self, name: str) -> object:
        return self._db.execute(f"PRAGMA {name}").fetchone()[0]

    def _is_new(self) -> bool:
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        return tables == 0 and self._pragma("application_id") == 0 and self._pragma("user_version") == 0

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def has(self, task: Task) -> bool:
        """Whether the task is finished."""
        with self._reading():
            return self._db.execute("SELECT 1 FROM results WHERE key = ?", (task.key,)).fetchone() is not None

    def missing(self, tasks: Iterable[Task]) -> list[Task]:
        """Tasks that are not finished, each once."""
        with self._reading():
            present = {key for (key,) in self._db.execute("SELECT key FROM results")}
        return [task for key, task in {task.key: task for task in tasks}.items() if key not in present]

    def add(
        self, task: Task, best: float, samples: Sequence[float] | Array, seconds: float, trace: Trace | None = None,
        failed: Mapping[str, int] | None = None,
    ) -> None:  # fmt: skip
        """Keep a result; if the task is already there, that result stays.

        Args:
            task: what was run.
            best: its best value.
            samples: best values so far.
            seconds: it took.
            trace: improvements of the best value.
            failed: how many evaluations failed and counted as worst, by what happened.
        """
        values = encode(Row.of(task, task.key, best=best, seconds=seconds, samples=samples))
        with writing(self._db, self.path):
            cursor = self._db.execute(
                f"INSERT INTO results VALUES ({_marks(len(values))}) ON CONFLICT DO NOTHING", values
            )
            if cursor.rowcount:
                course = () if trace is None else encode_trace(trace)
                if course:
                    self._db.execute(_TRACES)
                    self._db.execute("INSERT OR REPLACE INTO traces VALUES (?, ?, ?)", (task.key, *course))
                if not self._checked:
                    self._db.execute(_CHECKED)
                note = json.dumps({name: count for name, count in (failed or {}).items() if count})
                stored = self._db.execute("SELECT * FROM results WHERE key = ?", (task.key,)).fetchone()
                self._db.execute("INSERT OR REPLACE INTO checked VALUES (?, ?, ?)",
                                 (task.key, _digest(stored, note, course), note))  # fmt: skip
            self._checked = True if cursor.rowcount else self._checked
            self._db.execute("DELETE FROM failures WHERE key = ?", (task.key,))

    def fail(self, task: Task, error: str, traceback: str) -> None:
        """Keep what a task raised."""
        values = encode(Failure.of(task, task.key, error=error, traceback=traceback))
        with writing(self._db, self.path):
            self._db.execute(f"INSERT OR REPLACE INTO failures VALUES ({_marks(len(values))})", values)

    def check_writable(self) -> None:
        """Say now, and not after the first result, that the file or its disk takes nothing more."""
        if self.path is not None:
            check_writable(self.path)
        with contextlib.suppress(_Undone), writing(self._db, self.path):
            self._db.execute("DELETE FROM failures WHERE key IS NULL")
            raise _Undone

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except FileError:
            raise
        except (
            sqlite3.Error,
            ValueError,
            TypeError,
            AttributeError,
            OverflowError,
            RecursionError,
            MemoryError,
        ) as error:
            reason = " ".join(str(error).split())[:300]
            raise FileError(f"{self.path}: the results store is damaged: {reason}") from None

    def rows(self, tasks: Iterable[Task] | None = None) -> list[Row]:
        """Results of the tasks that are finished, in their order and with their labels; of all without tasks."""
        with self._reading():
            notes = self._notes()
            if tasks is None:
                records = self._db.execute("SELECT * FROM results ORDER BY rowid").fetchall()
                traces = self._traces([str(record[0]) for record in records])
                return [self._row(record, notes, traces) for record in records]
            wanted = list(tasks)
            found: dict[str, tuple[object, ...]] = {}
            for i in range(0, len(wanted), 500):
                keys = [task.key for task in wanted[i : i + 500]]
                query = f"SELECT * FROM results WHERE key IN ({_marks(len(keys))})"
                found.update({str(record[0]): record for record in self._db.execute(query, keys)})
            traces = self._traces(list(found))
            return [self._row(found[task.key], notes, traces, label=task.label) for task in wanted if task.key in found]

    def _traces(self, keys: Sequence[str]) -> dict[str, tuple[bytes, bytes]]:
        """Traces of the keys that have one, as they are kept."""
        if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'traces'").fetchone():
            return {}
        found: dict[str, tuple[bytes, bytes]] = {}
        for i in range(0, len(keys), 500):
            part = keys[i : i + 500]
            query = f"SELECT key, counts, bests FROM traces WHERE key IN ({_marks(len(part))})"
            found |= {str(key): (counts, bests) for key, counts, bests in self._db.execute(query, part)}
        return found

    def _notes(self) -> dict[str, tuple[str, str]]:
        """Key -> checksum and failed evaluations; rows that older versions wrote have none."""
        if not self._checked:
            return {}
        return {key: (digest, note) for key, digest, note in self._db.execute("SELECT * FROM checked")}

    def _row(
        self, record: Sequence[object], notes: Mapping[str, tuple[str, str]],
        traces: Mapping[str, tuple[bytes, bytes]], **changes: str,
    ) -> Row:  # fmt: skip
        """The row of a record whose checksum is right."""
        key = str(record[0])
        expected, note = notes.get(key, (None, "{}"))
        course = traces.get(key, ())
        if expected is not None and _digest(record, note, course) != expected:
            raise FileError(
                f"{self.path}: the results store is damaged: the row with key {key[:80]!r} has another checksum; "
                f"delete the row to have it run again"
            )
        failed = json.loads(note)
        if not isinstance(failed, dict) or not all(type(count) is int for count in failed.values()):
            raise ValueError("a note of failed evaluations is none")
        return decode(Row, record, failed=failed, trace=decode_trace(*course) if course else None, **changes)

    def failures(self, tasks: Iterable[Task] | None = None) -> list[Failure]:
        """What tasks raised that have not been finished since."""
        labels = None if tasks is None else {task.key: task.label for task in tasks}
        with self._reading():
            found = [decode(Failure, record) for record in self._db.execute("SELECT * FROM failures ORDER BY rowid")]
        return found if labels is None else [failure for failure in found if failure.key in labels]


def _digest(record: Sequence[object], note: str, course: Sequence[bytes]) -> str:
    """The checksum of a row, and of its trace, as they are kept."""
    return digest(json.dumps([*record, note, *(part.hex() for part in course)]))


def _marks(count: int) -> str:
    return ",".join("?" * count)


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise FileError(f"{path}: is a folder, not a results store")
    if not path.parent.is_dir():
        raise FileError(f"{path}: the folder {path.parent} does not exist")
    try:
        with path.open("rb") as file:
            head = file.read(len(_HEADER))
    except FileNotFoundError:
        return check_new(path)
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from None
    if head and head != _HEADER:
        raise FileError(f"{path}: not a results store (not an SQLite file)")
