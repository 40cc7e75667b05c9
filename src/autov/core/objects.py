"""Objects of users by name: ``module:name`` or ``file.py:name``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from autov.core.errors import InputError

_executed: dict[str, tuple[int, int]] = {}  # files that were executed -> their time and size then


def import_object(source: str) -> Any:
    """The object named by ``module:name`` or ``file.py:name``."""
    place, _, name = source.rpartition(":")
    if not place or not name:
        raise InputError(f"function: expected module:function or file.py:function, got {source!r}")
    if place.endswith(".py"):
        path = Path(place).resolve()
        if not path.is_file():
            raise InputError(f"function: no file {place!r}")
        # Registered under its own name, so that worker processes can unpickle what it defines.
        known = sys.modules.get(path.stem)
        taken = known is not None and getattr(known, "__file__", None) != str(path)
        stamp = (path.stat().st_mtime_ns, path.stat().st_size)
        if known is not None and not taken and _executed.setdefault(str(path), stamp) == stamp:
            return _attribute(known, place, name)  # a second copy would be another function for pickle
        _executed[str(path)] = stamp
        called = f"autov_user_{path.stem}" if taken else path.stem
        spec = importlib.util.spec_from_file_location(called, path)
        if spec is None or spec.loader is None:
            raise InputError(f"function: cannot import {place!r}")
        if str(path.parent) not in sys.path:
            sys.path.append(str(path.parent))  # last: a file of the user's must not hide a library
        module = importlib.util.module_from_spec(spec)
        sys.modules[called] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[called], _executed[str(path)]  # half a module: who asks again gets the same error
            raise InputError(f"function: {place} fails to import: {type(error).__name__}: {error}") from error
    else:
        if "" not in sys.path and str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))
        try:
            module = importlib.import_module(place)
        except (Exception, SystemExit) as error:
            raise InputError(f"function: module {place!r} fails to import: {type(error).__name__}: {error}") from error
    return _attribute(module, place, name)


def executed_modules() -> list[Any]:
    """Modules that were made of files by name: other processes may not find them."""
    return [m for m in list(sys.modules.values()) if getattr(m, "__file__", None) in _executed]


def _attribute(module: Any, place: str, name: str) -> Any:
    if not hasattr(module, name):
        raise InputError(f"function: {place} has no {name!r}")
    return getattr(module, name)
