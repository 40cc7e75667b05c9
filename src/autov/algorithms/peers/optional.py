"""Finding other people's libraries: imported when a peer runs, and a clear message if they are not there."""

from __future__ import annotations

import importlib
from importlib import metadata
from typing import Any

from autov.core import Array, Box, Generator, InputError
from autov.core.streams import generator


def release(package: str) -> str:
    """The installed version of a package: part of a peer's settings, for results belong to a version."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        raise _missing(package) from None


def library(module: str) -> Any:
    """The module, imported."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        reason = "" if error.name in (None, package) else f" ({error})"
        raise _missing(package, reason) from None


def _missing(package: str, reason: str = "") -> InputError:
    return InputError(f"algorithm: {package} is not installed{reason}; pip install 'autov[peers]'")


def start(box: Box, count: int, seed: int, given: Array) -> tuple[Array, Generator]:
    """Count uniform points of the box, the first of them replaced by the given ones, and the rest of the stream."""
    rng = generator(seed)
    points = box.clip(box.sample(count, rng))
    points[: len(given)] = given
    return points, rng
