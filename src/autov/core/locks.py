"""One process at a time in a place: a file that names who is there, and is recognised when nobody is any more."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autov.core.errors import FileError


@contextlib.contextmanager
def held(path: Path, what: str) -> Iterator[None]:
    """Hold the lock file ``path`` in this block; FileError if another process that lives holds it.

    Args:
        path: of the lock file; its folder must be there.
        what: for the error, such as "a search".
    """
    mine = json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "began": _began(os.getpid())})
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        draft.write_text(mine, encoding="utf-8")
        try:
            while not _linked(draft, path):
                _remove_stale(path, what)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror or error}") from None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if path.read_text(encoding="utf-8") == mine:
                path.unlink()


def _linked(draft: Path, path: Path) -> bool:
    """Whether the draft became the lock: a link is made whole or not at all, and never replaces another."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(draft.read_text(encoding="utf-8"))
        except FileExistsError:
            return False
    return True


def _remove_stale(path: Path, what: str) -> None:
    """Remove the lock of a process that is gone; FileError if it may live."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return
    holder = _holder(text)
    if holder is not None and _lives(holder):
        raise FileError(
            f"{path.parent}: {what} is running here (process {holder['pid']} on {holder['host']}); wait for it, or "
            f"delete {path.name} if you know that it has ended"
        )
    aside = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    with contextlib.suppress(FileNotFoundError):
        os.rename(path, aside)  # only one of several that see it succeeds
        if aside.read_text(encoding="utf-8", errors="replace") != text:  # another was faster, and this is its lock
            _linked(aside, path)
        aside.unlink()


def _holder(text: str) -> dict[str, Any] | None:
    """Who wrote a lock; None if nobody can have."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or type(found.get("pid")) is not int or not isinstance(found.get("host"), str):
        return None
    return found


def _lives(holder: dict[str, Any]) -> bool:
    """Whether it may live: on another host nobody can tell; here, a number may be that of another process by now."""
    if holder["host"] != socket.gethostname():
        return True
    try:
        os.kill(holder["pid"], 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    began = _began(holder["pid"])
    return began is None or holder.get("began") in (None, began)


def _began(number: int) -> str | None:
    """When a process began, in the system's own words; None where they are not known."""
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    return None
