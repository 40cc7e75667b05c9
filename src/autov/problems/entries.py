"""What a table of compiled functions says of each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from autov.core import Array


def zero(d: int) -> float:  # noqa: ARG001
    """The minimum of most functions."""
    return 0.0


class Entry(NamedTuple):
    """One function; the box is [lower, bound]^d."""

    number: int | None  # n of the name f<n>, if it has one
    bound: float
    at: float | Callable[[int], Array]  # every coordinate of the optimum, or the optimum of d variables
    value: Callable[[int], float]  # the minimum for d variables
    compiled: Callable[..., None]
    lower: float | None = None  # None is -bound
    least: int = 1  # the smallest number of variables
    is_global: bool = True  # no value outside the box is smaller
    noisy: bool = False  # values are random
