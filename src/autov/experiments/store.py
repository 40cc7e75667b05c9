"""Results in one SQLite file: one row for each finished task, written as soon as it is there.

The file may be open in several processes at once, and a process may be killed at any time: SQLite's write-ahead log
keeps what was written. A file that is not a store of this version is refused before anything is changed in it.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

from autov.core import Array, FileError, InputError
from autov.experiments.row import Failure, Row, decode, encode, schema
from autov.experiments.task import Task
from autov.experiments.trace import Trace, decode_trace, encode_trace

MAGIC, VERSION = 0x61757456, 1  # application_id ("autV") and user_version of the file
BUSY = 30.0  # seconds to wait for another process
_HEADER = b"SQLite format 3\x00"
_SCHEMA = (
    f"CREATE TABLE results ({schema(Row)})",
    f"CREATE TABLE failures ({schema(Failure)})",
    f"PRAGMA application_id = {MAGIC}",
    f"PRAGMA user_version = {VERSION}",
)
# Made with the first trace: versions of autov that know nothing of traces read and write the same file.
_TRACES = "CREATE TABLE IF NOT EXISTS traces (key TEXT PRIMARY KEY, counts BLOB NOT NULL, bests BLOB NOT NULL)"


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
        except sqlite3.Error as error:
            self._db.close()
            raise FileError(f"{self.path}: cannot be read as a results store: {error}") from None
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
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
        if (damage := self._pragma("quick_check(1)")) != "ok":
            raise FileError(f"{self.path}: the results store is damaged: {str(damage).splitlines()[-1]}")
        if self._pragma("journal_mode") != "wal":
            # If it is busy in another process, that one will do it; the old mode is safe, only slower.
            with contextlib.suppress(sqlite3.OperationalError):
                self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")

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
        self, task: Task, best: float, samples: Sequence[float] | Array, seconds: float, trace: Trace | None = None
    ) -> None:  # fmt: skip
        """Keep a result; if the task is already there, that result stays."""
        values = encode(Row.of(task, task.key, best=best, seconds=seconds, samples=samples))
        with self._writing():
            self._db.execute(f"INSERT INTO results VALUES ({_marks(len(values))}) ON CONFLICT DO NOTHING", values)
            if trace is not None:
                self._db.execute(_TRACES)
                made = (task.key, *encode_trace(trace))
                self._db.execute("INSERT INTO traces VALUES (?, ?, ?) ON CONFLICT DO NOTHING", made)
            self._db.execute("DELETE FROM failures WHERE key = ?", (task.key,))

    def fail(self, task: Task, error: str, traceback: str) -> None:
        """Keep what a task raised."""
        values = encode(Failure.of(task, task.key, error=error, traceback=traceback))
        with self._writing():
            self._db.execute(f"INSERT OR REPLACE INTO failures VALUES ({_marks(len(values))})", values)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise FileError(f"{self.path}: the results store is damaged: {error}") from None

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """All or nothing, also when Ctrl-C comes in between."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
        except BaseException as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise FileError(f"{self.path}: cannot be written: {error}") from None
            raise

    def rows(self, tasks: Iterable[Task] | None = None) -> list[Row]:
        """Results of the tasks that are finished, in their order and with their labels; of all without tasks."""
        with self._reading():
            if tasks is None:
                records = self._db.execute("SELECT * FROM results ORDER BY rowid").fetchall()
                traces = self._traces([str(record[0]) for record in records])
                return [decode(Row, record, trace=traces.get(str(record[0]))) for record in records]
            wanted = list(tasks)
            found: dict[str, tuple[object, ...]] = {}
            for i in range(0, len(wanted), 500):
                keys = [task.key for task in wanted[i : i + 500]]
                query = f"SELECT * FROM results WHERE key IN ({_marks(len(keys))})"
                found.update({str(record[0]): record for record in self._db.execute(query, keys)})
            traces = self._traces(list(found))
            return [
                decode(Row, found[task.key], label=task.label, trace=traces.get(task.key))
                for task in wanted
                if task.key in found
            ]

    def _traces(self, keys: Sequence[str]) -> dict[str, Trace]:
        """Traces of the keys that have one."""
        if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'traces'").fetchone():
            return {}
        found: dict[str, Trace] = {}
        for i in range(0, len(keys), 500):
            part = keys[i : i + 500]
            query = f"SELECT key, counts, bests FROM traces WHERE key IN ({_marks(len(part))})"
            found |= {str(key): decode_trace(counts, bests) for key, counts, bests in self._db.execute(query, part)}
        return found

    def failures(self, tasks: Iterable[Task] | None = None) -> list[Failure]:
        """What tasks raised that have not been finished since."""
        labels = None if tasks is None else {task.key: task.label for task in tasks}
        with self._reading():
            found = [decode(Failure, record) for record in self._db.execute("SELECT * FROM failures ORDER BY rowid")]
        return found if labels is None else [failure for failure in found if failure.key in labels]


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
        return
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from None
    if head and head != _HEADER:
        raise FileError(f"{path}: not a results store (not an SQLite file)")
