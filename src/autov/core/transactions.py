"""Writing to an SQLite file: all or nothing."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from autov.core.errors import FileError


@contextlib.contextmanager
def writing(db: sqlite3.Connection, path: Path | None) -> Iterator[None]:
    """What is done in this block is done as a whole or not at all, also when Ctrl-C comes in between.

    Args:
        db: opened with ``isolation_level=None``.
        path: of its file, for the error.
    """
    try:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("COMMIT")
    except BaseException as error:
        if db.in_transaction:
            with contextlib.suppress(sqlite3.Error):  # what was raised says it better
                db.execute("ROLLBACK")
        if isinstance(error, sqlite3.Error):
            raise FileError(f"{path}: cannot be written: {error}") from None
        raise
