"""Finding other people's libraries: imported when a peer runs, and a clear message if they are not there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from autov.core import Array, Box, Generator, optional
from autov.core.streams import generator


def release(package: str, extra: str = "peers") -> str:
    """The installed version of a package: part of a peer's settings, for results belong to a version."""
    return optional.release(package, "algorithm", extra)


def library(module: str, extra: str = "peers") -> Any:
    """The module, imported."""
    return optional.library(module, "algorithm", extra)


def start(box: Box, count: int, seed: int, given: Array) -> tuple[Array, Generator]:
    """Count uniform points of the box, the first of them replaced by the given ones, and the rest of the stream."""
    rng = generator(seed)
    points = box.clip(box.sample(count, rng))
    points[: len(given)] = given
    return points, rng


@contextlib.contextmanager
def global_stream(seed: int) -> Iterator[None]:
    """Seed NumPy's global stream for libraries that draw from it, and put it back: one process runs one at a time."""
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002
