"""One process at a time in a place, by a file that names the process."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from filelock import SoftFileLock, Timeout

from autov.core.errors import FileError

BRIEF, REPAIR = 0.1, 4.0  # seconds: to take over from a process that has ended, and from one that left half a file


@contextlib.contextmanager
def locked(path: Path, what: str, wait: float = BRIEF) -> Iterator[None]:
    """Hold the lock file ``path`` in this block; FileError if another process that may be running holds it.

    A process of this machine that has ended holds nothing. Of another machine nobody can tell.

    Args:
        path: of the lock file.
        what: for the error, such as "a search".
        wait: seconds to wait for another process.
    """
    lock = SoftFileLock(path, poll_interval=0.02)
    try:
        try:
            lock.acquire(timeout=wait)
        except Timeout:
            if lock.pid is not None:
                raise
            lock.acquire(timeout=REPAIR)
    except Timeout:
        raise FileError(
            f"{path.parent}: {what} is running here ({_holder(path)}); wait for it, or delete {path.name} if you know "
            "that it has ended"
        ) from None
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror or error}") from None
    try:
        yield
    finally:
        lock.release()


def _holder(path: Path) -> str:
    """Who wrote a lock file: the number of the process and the name of its machine are its first lines."""
    with contextlib.suppress(OSError):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        if len(lines) > 1:
            return f"process {lines[0]} on {lines[1]}"
    return "an unknown process"
