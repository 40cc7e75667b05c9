"""The version of autov, and those of the libraries that results depend on."""

from __future__ import annotations

import importlib
import platform

VERSION = "0.2.0.dev0"


def versions(*libraries: str) -> dict[str, str]:
    """Versions of autov, of Python and of some libraries, which need not be installed packages (a source tree)."""
    found = {name: str(importlib.import_module(name).__version__) for name in libraries}
    return {"autov": VERSION, **found, "python": platform.python_version()}
