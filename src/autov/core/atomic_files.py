"""Writing files whole or not at all, and JSON with one spelling of numbers that JSON does not have."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from autov.core.errors import FileError

LARGEST_JSON = 2**26  # bytes of a JSON file that is read; as Python objects it needs some ten times as many
_REFUSED = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EISDIR}
DEEPEST = 64  # levels of nesting


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], mode: Literal["wb", "w"] = "wb") -> Iterator[IO[Any]]:
    """A file to write that takes the place of ``path`` when the block ends; after any exception the old one stays.

    A crash at any moment leaves the old file or the new one. Folders above it are made.
    """
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    except OSError as error:
        raise FileError(f"{target}: cannot be written: {error.strerror or error}") from None
    partial = target.with_name(f".{target.name}.{secrets.token_hex(6)}.partial")
    try:
        opened = partial.open(mode, encoding=None if mode == "wb" else "utf-8")
    except OSError as error:
        raise FileError(f"{target}: cannot be written: {error.strerror}; what was there before is kept") from None
    try:
        with opened as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in _REFUSED:
            raise FileError(f"{target}: cannot be written: {error.strerror}; what was there before is kept") from None
        raise
    _sync_folder(target.parent)


def check_writable(path: str | os.PathLike[str], size: int = 2**20) -> None:
    """Say now, and not after hours of work, that a file of some size cannot be written at this place."""
    target = Path(path)
    if target.is_dir():
        raise FileError(f"{target}: cannot be written: it is a folder")
    probe = target.with_name(f".{target.name}.{secrets.token_hex(6)}.probe")
    try:
        with replacing(probe) as file:
            file.write(bytes(size))
    except FileError as error:
        raise FileError(str(error).replace(str(probe), str(target))) from None
    finally:
        with contextlib.suppress(OSError):
            probe.unlink(missing_ok=True)


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """Make a folder; if the block raises and nothing is in the folder, it is removed again."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):  # one that is not empty stays, and all above it
            for each in missing:
                each.rmdir()
        raise


def check_new(path: Path) -> None:
    """Say of a file that is not there that it cannot be made; SQLite would not say why."""
    if not path.exists() and not os.access(path.parent, os.W_OK | os.X_OK):
        raise FileError(f"{path}: cannot be written: {os.strerror(errno.EACCES)}")


def _sync_folder(folder: Path) -> None:
    """The new name of a file survives a loss of power only when its folder is written, too."""
    with contextlib.suppress(OSError):  # Windows and some network drives cannot
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file, all or nothing."""
    with replacing(path) as file:
        file.write(data)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file in UTF-8, all or nothing."""
    write_bytes(path, text.encode())


def plain(value: Any) -> Any:
    """What JSON has a form for: arrays become lists, NaN None, infinities the texts "inf" and "-inf"."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(float(value) if isinstance(value, np.floating) else value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def number(value: Any) -> float:
    """The way back from `plain`: None is NaN, "inf" and "-inf" are infinite."""
    return math.nan if value is None else float(value)


def to_json(value: Any, indent: int | None = None) -> str:
    """Strict JSON of what `plain` gives, without a newline at the end."""
    return json.dumps(plain(value), indent=indent, allow_nan=False)


def check_depth(value: Any) -> None:
    """Refuse data nested so deeply that functions which follow it would run out of stack."""
    level = [value]
    for _ in range(DEEPEST):
        level = [item for part in level if isinstance(part, (dict, list))
                 for item in (part.values() if isinstance(part, dict) else part)]  # fmt: skip
        if not level:
            return
    raise ValueError(f"nested more than {DEEPEST} levels deep")


def read_json(path: str | os.PathLike[str], what: str) -> Any:
    """The content of a JSON file; ``what`` says in errors what it should be, such as "an operator"."""
    try:
        size = Path(path).stat().st_size
        if size > LARGEST_JSON:
            raise FileError(f"{os.fspath(path)}: it has {size:,} bytes, at most {LARGEST_JSON:,} are read as {what}")
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        check_depth(data)
        return data
    except FileError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
    except UnicodeDecodeError:
        reason = "not text in UTF-8"
    except (ValueError, RecursionError, MemoryError) as error:
        reason = f"not valid JSON (truncated?): {error}"
    raise FileError(f"{os.fspath(path)}: cannot be read as {what}: {reason}")
