"""Names that have moved and still work for one version, with a warning."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def moved(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A ``__getattr__`` for a module whose names have moved.

    Args:
        module: its name, as in ``__name__``.
        names: what was here -> where it is now, as ``"package.name"``. It is imported when asked for.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807 - this is what it becomes in the module
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        now = names[name]
        warnings.warn(f"{module}.{name} is now {now}", DeprecationWarning, stacklevel=2)
        package, _, new_name = now.rpartition(".")
        return getattr(importlib.import_module(package), new_name)

    return __getattr__
