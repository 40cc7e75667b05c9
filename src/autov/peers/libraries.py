"""Finding other people's libraries: imported when a peer runs, and a clear message if they are not there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from autov.algorithms.population import initial_points
from autov.core import Array, Box, Generator, InputError, optional
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


class Peer:
    """What optimisers with a choice of methods share; each is a frozen dataclass of settings."""

    prefix: ClassVar[str]  # the library in the names
    methods: ClassVar[tuple[str, ...]]
    method: str

    @classmethod
    def of(cls, method: str) -> Self:
        """With its usual settings."""
        if method not in cls.methods:
            known = ", ".join(f"{cls.prefix}:{one}" for one in cls.methods)
            raise InputError(f"algorithm: unknown '{cls.prefix}:{method}'; one of {known}")
        return cls(method)  # type: ignore[call-arg]

    @property
    def name(self) -> str:
        """As `autov.compare` knows it."""
        return f"{self.prefix}:{self.method}"

    def check_fit(self, box: Box, popsize: int, maxfev: int, x0: Array | None = None) -> None:  # noqa: ARG002
        """Say what does not fit."""
        initial_points(box, popsize, x0)
