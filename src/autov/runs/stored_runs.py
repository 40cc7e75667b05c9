"""Runs of a store, for those who only read it: what is in the file is checked, and never more than the best is kept.

Values are read first, eight bytes each, and points of the best ones only, so that a million evaluations need little
memory.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autov.core import Array, Box, FileError, InputError
from autov.core.atomic_files import check_depth
from autov.problems import Space, space_from
from autov.runs.budget import Evaluations
from autov.runs.run_store import BUSY, check_store

ABOUT = 10_000_000  # characters of what is said of a run
AT_ONCE = 500  # points asked for in one statement


@dataclass(frozen=True)
class StoredRun:
    """What a store says of a run."""

    number: int
    about: dict[str, Any]
    finished: bool

    @property
    def problem(self) -> str:
        """The name of the problem."""
        return str(self.about.get("problem", ""))

    @property
    def dim(self) -> int:
        """Variables."""
        return self.about["dim"]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables; none where they have none."""
        names = self.about.get("names")
        fits = isinstance(names, list) and len(names) == self.dim and all(isinstance(name, str) for name in names)
        return tuple(names) if fits and isinstance(names, list) else ()

    @property
    def space(self) -> Space | None:
        """What describes its variables; None for plain bounds."""
        try:
            return space_from(self.about["variables"]) if "variables" in self.about else None
        except InputError:
            return None

    @property
    def box(self) -> Box | None:
        """Where it searched; None where the store does not say so."""
        try:
            box = Box(np.array(self.about["lower"], dtype=np.float64), np.array(self.about["upper"], dtype=np.float64))
        except (KeyError, TypeError, ValueError, OverflowError, InputError):
            return None
        return box if box.dim == self.dim else None


class StoreReader:
    """An open store that is not written to."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path, self._db = path, db

    def runs(self) -> list[StoredRun]:
        """All runs, in the order in which they began."""
        query = f"SELECT id, substr(about, 1, {ABOUT}), finished FROM runs ORDER BY id"
        return [self._run(*row) for row in self._db.execute(query)]

    def _run(self, number: Any, about: Any, finished: Any) -> StoredRun:
        try:
            told = json.loads(about)
            check_depth(told)
            if not isinstance(told, dict) or type(told["dim"]) is not int or not 1 <= told["dim"] <= 10**7:
                raise ValueError("no number of variables")
            return StoredRun(int(number), told, bool(finished))
        except (KeyError, TypeError, ValueError, RecursionError, FileError):
            raise FileError(f"{self.path}: what it says of run {str(number)[:20]} cannot be read") from None

    def values(self, run: StoredRun) -> tuple[np.ndarray, Array]:
        """Numbers and values of all evaluations of a run; NaN counts as infinite."""
        rows = self._db.execute("SELECT number, value FROM evaluations WHERE run = ? ORDER BY number", (run.number,))
        numbers, parts = [], []
        while some := rows.fetchmany(100_000):
            ends, values = zip(*some, strict=True)
            if any(type(value) is not bytes or not value or len(value) % 8 for value in values) or any(
                type(end) is not int or end < 0 for end in ends
            ):
                raise FileError(f"{self.path}: a value of run {run.number} is not a number")
            numbers.append(np.array(ends, dtype=np.int64))
            parts.append(np.frombuffer(b"".join(value[:8] for value in values)))  # constraints may follow
        f = np.concatenate([np.empty(0), *parts])
        return np.concatenate([np.empty(0, np.int64), *numbers]), np.where(np.isnan(f), np.inf, f)

    def points(self, run: StoredRun, numbers: np.ndarray) -> Array:
        """The points (n, d) of these evaluations."""
        found: dict[int, bytes] = {}
        for first in range(0, len(numbers), AT_ONCE):
            some = [int(number) for number in numbers[first : first + AT_ONCE]]
            marks = ",".join("?" * len(some))
            query = f"SELECT number, x FROM evaluations WHERE run = ? AND number IN ({marks})"
            found.update(self._db.execute(query, (run.number, *some)))
        points = [found.get(int(number)) for number in numbers]
        if any(type(point) is not bytes or len(point) != 8 * run.dim for point in points):
            raise FileError(f"{self.path}: a point of run {run.number} does not have {run.dim} numbers")
        x = np.frombuffer(b"".join(points), dtype=np.float64).reshape(-1, run.dim)  # type: ignore[arg-type]
        if not np.isfinite(x).all():
            raise FileError(f"{self.path}: a point of run {run.number} is not finite")
        return x

    def best(self, runs: list[StoredRun], most: int) -> Evaluations:
        """The best evaluations of runs of one number of variables, at most this many, in the order they were made."""
        read = [(run, *self.values(run)) for run in runs]
        total = sum(len(f) for _, _, f in read)
        last = np.inf
        if total > most:
            last = float(np.partition(np.concatenate([f for _, _, f in read]), most - 1)[most - 1])
        x, values, left = [], [], most
        for run, numbers, f in read:
            which = np.flatnonzero(f <= last)[:left]
            left -= len(which)
            x.append(self.points(run, numbers[which]))
            values.append(f[which])
        dim = runs[0].dim if runs else 0
        return Evaluations(np.concatenate([np.empty((0, dim)), *x]), np.concatenate([np.empty(0), *values]))


def is_database(path: Path) -> bool:
    """Whether a file is one of SQLite.

    SQLite itself has to look: to open and close the file otherwise would drop the locks that this process has on it,
    and another process would then delete what is not yet in it.
    """
    if not path.stat().st_size:
        return False
    try:
        with closing(_connected(path)) as db:
            db.execute("PRAGMA schema_version").fetchone()
        return True
    except sqlite3.Error as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            return False
        raise FileError(f"{path}: cannot be read: {error}") from None


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", timeout=BUSY, uri=True)


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[StoreReader]:
    """The runs of a store; anything else is refused. Nothing in the file is run, and nothing is written."""
    place = Path(path)
    if not place.is_file():
        raise FileError(f"{place}: no such file")
    try:
        with closing(_connected(place)) as db:
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA cell_size_check = ON")
            check_store(db, place)
            kinds = dict(db.execute("SELECT name, type FROM sqlite_master WHERE name IN ('runs', 'evaluations')"))
            if kinds != {"runs": "table", "evaluations": "table"}:
                raise FileError(f"{place}: a store without tables of runs and evaluations")
            db.execute("BEGIN")  # one snapshot, also while others write
            yield StoreReader(place, db)
    except sqlite3.Error as error:
        raise FileError(f"{place}: cannot be read as a store of runs: {error}") from None
