"""The cache of compiled kernels on disk, in a folder that belongs to the exact text of all of them.

Numba's own cache watches the file of a function, not the files of what it calls, and would go on with old machine code
after an upgrade. Here the name of the folder holds a digest of all files of kernels and compiler and of the package's
version, so a change of any of them compiles anew. Only autov's functions are cached so; Numba's settings for others
stay untouched.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import stat
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.misc.appdirs import AppDirs

from autov.compiler.backend import backend_name

PACKAGE = Path(__file__).resolve().parents[1]


def _digest(*parts: bytes) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "little") + part)
    return found.hexdigest()[:16]


def _key() -> str:
    """A name for the version and the text of all kernels."""
    files = [PACKAGE / "version.py", *(p for name in ("compiler", "kernels") for p in (PACKAGE / name).rglob("*.py"))]
    names = {path.relative_to(PACKAGE).as_posix(): path for path in files}
    return _digest(*(part for name in sorted(names) for part in (name.encode(), names[name].read_bytes())))


def _bases() -> Iterator[Path]:
    """Folders to try that outlast this process, in order: the user's setting, the package, the user's cache folder."""
    chosen = getattr(config, "CACHE_DIR", "")  # NUMBA_CACHE_DIR
    if chosen:
        yield Path(chosen)
    yield PACKAGE / "kernels" / "__pycache__"
    home = Path(AppDirs("autov", appauthor=False).user_cache_dir)
    if home.is_absolute():  # without a home, "~" would become a folder in the current one
        yield home


def _temporary() -> Path:
    """A folder of this user's own: what is kept is code, so nobody else may be able to write it."""
    if not hasattr(os, "getuid"):
        return Path(tempfile.gettempdir()) / "autov"
    folder = Path(tempfile.gettempdir()) / f"autov-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise PermissionError(f"{folder}: belongs to somebody else")
    return folder


def _prepared(base: Path, name: str) -> Path:
    """The folder of that name, made and tried; what other texts of the same package left beside it is removed."""
    folder = base / name
    fresh = not folder.is_dir()
    folder.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()
    if fresh:
        for old in base.glob(f"{name.rpartition('-')[0]}-*"):
            if old != folder:
                shutil.rmtree(old, ignore_errors=True)
    return folder


@functools.cache
def cache_folder() -> Path | None:
    """Where compiled kernels are kept, or None if there is no such place."""
    try:
        name = f"autov-{_digest(str(PACKAGE).encode())[:8]}-{_key()}"
        for base in _bases():
            with contextlib.suppress(OSError):
                return _prepared(base, name)
        folder = _prepared(_temporary(), name)
        message = f"compiled code is kept in a temporary folder ({folder})"
    except OSError:
        folder = None
        message = "compiled code cannot be kept, every process compiles anew"
    warnings.warn(
        f"autov: {message}: neither the package nor the user's cache folder can be written; set NUMBA_CACHE_DIR to a "
        "folder that can",
        RuntimeWarning,
        stacklevel=2,
    )
    return folder


@functools.cache
def _stamp(path: str) -> str:
    return _digest(Path(path).read_bytes())


class _Locator(_CacheLocator):
    """Says where one function is kept, and stamps it with its own file, which need not be one of the kernels'."""

    def __init__(self, function: Any, path: str, folder: Path) -> None:
        self._py_file = path
        self._line = function.__code__.co_firstlineno
        self._folder = str(folder / backend_name() / Path(path).parent.name)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator | None:
        folder = cache_folder()
        return None if folder is None else cls(py_func, py_file, folder)

    def get_cache_path(self) -> Any:
        return self._folder

    def get_source_stamp(self) -> Any:
        return _stamp(self._py_file)

    def get_disambiguator(self) -> Any:
        return str(self._line)


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012


class _Files(IndexDataCacheFile):
    """Files named by what they are for.

    Numba numbers them, and two processes that compile a kernel for different arguments at the same time may take the
    same number: then one would run the code of the other.
    """

    def save(self, key: Any, data: Any) -> None:
        """The code first, so that the index names nothing that is not there."""
        name = f"{self._index_name.removesuffix('.nbi')}.{_digest(repr(key).encode())}.nbc"
        self._save_data(name, data)
        known = self._load_index()
        if known.get(key) != name:
            self._save_index(known | {key: name})


class _Cache(FunctionCache):
    _impl_class = _Implementation

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp())

    def save_overload(self, sig: Any, data: Any) -> None:
        """A disk that is full, or a folder that is gone, costs time but no run."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


def enable_cache(compiled: Any, function: Callable[..., Any]) -> None:
    """Let Numba store what it compiles for a dispatcher or C function, and look for it there."""
    if cache_folder() is not None:
        compiled._cache = _Cache(function)


def is_empty() -> bool:
    """Whether this is the first time that anything is compiled."""
    folder = cache_folder()
    return folder is not None and next((folder / backend_name()).rglob("*.nbi"), None) is None


def is_cached(compiled: Any, signature: Any) -> bool | None:
    """Whether machine code for arguments of these types is on disk; None if none can be, or nobody can say now."""
    cache = compiled._cache
    if not isinstance(cache, _Cache):
        return None
    with contextlib.suppress(OSError):  # on Windows, while another process replaces the file
        return cache._index_key(signature, compiled.targetctx.codegen()) in cache._cache_file._load_index()
    return None
