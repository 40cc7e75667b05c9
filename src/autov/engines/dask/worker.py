"""The inside of a Dask worker."""

from __future__ import annotations

import importlib
import pickle
import threading
from collections.abc import Callable
from typing import Any

from autov.core.blas import one_blas_thread
from autov.engines.pickled import one_line, pack_error
from autov.version import versions as core_versions

DONE, RAISED, UNKNOWN, LATE, OTHER = "done", "raised", "unknown", "late", "other versions"
_functions: dict[str, Any] = {}  # digest -> function, unpickled once


def versions() -> dict[str, str]:
    """What must be the same on client and workers for identical results."""
    return core_versions("numpy", "numba")


def difference(worker: str, theirs: dict[str, str], ours: dict[str, str]) -> str | None:
    """What to say of a worker that has another version than the client."""
    for name, version in ours.items():
        if theirs.get(name) != version:
            has = f"the Dask worker {worker} has {name} {theirs.get(name)}"
            return f"{has}, the client has {version}; results would differ"
    return None


def same_bytes(sent: bytes) -> bytes:
    """A task whose result is the function, so that Dask moves it."""
    return sent


def work(sent: bytes, digest: str, items: list[Any], timeout: float | None) -> tuple[str, Any]:
    """Results of some items, or what went wrong; a worker may have joined after the client looked at versions."""
    function = _functions.get(digest)  # other threads of this worker may forget it meanwhile
    if function is None:
        try:
            ours, pickled = pickle.loads(sent)
            if (other := difference(_address(), versions(), ours)) is not None:
                return OTHER, other
            function = _functions[digest] = importlib.import_module("cloudpickle").loads(pickled)
        except Exception as error:
            return UNKNOWN, one_line(error)
        while len(_functions) > 8:
            _functions.pop(next(iter(_functions)))
    if timeout is None:
        return _results(function, items)
    found: list[tuple[str, Any]] = []
    thread = threading.Thread(target=lambda: found.append(_results(function, items)), daemon=True)
    thread.start()
    thread.join(timeout)
    return found[0] if found else (LATE, _address())


def _address() -> str:
    return importlib.import_module("distributed").get_worker().address


def _results(function: Callable[[Any], Any], items: list[Any]) -> tuple[str, Any]:
    try:
        with one_blas_thread():
            return DONE, [function(item) for item in items]
    except BaseException as error:
        return RAISED, pack_error(error)
