"""Libraries that need not be there: imported when used, and a clear message if they are missing."""

from __future__ import annotations

import importlib
from importlib import metadata
from typing import Any

from autov.core.errors import InputError


def release(package: str, argument: str, extra: str) -> str:
    """The installed version of a package: results belong to a version."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        raise _missing(package, argument, extra) from None


def library(module: str, argument: str, extra: str) -> Any:
    """The module, imported; if it is not there, an InputError of that argument names the extra to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        reason = "" if error.name in (None, package) else f" ({error})"
        raise _missing(package, argument, extra, reason) from None


def _missing(package: str, argument: str, extra: str, reason: str = "") -> InputError:
    told = f'{package} is not installed{reason}; in a copy of the repository: pip install ".[{extra}]"'
    return InputError(f"{argument}: {told}")
