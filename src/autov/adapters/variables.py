"""Parameters of other libraries as coordinates of the unit box: one coordinate each, every value an interval of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from autov.core import InputError

LAST = math.nextafter(1.0, 0.0)


class Parameter(Protocol):
    """A parameter; the middle of a value's interval stands for it on the way back."""

    def value(self, u: float) -> Any:
        """The value at a coordinate in [0, 1]."""
        ...

    def coordinate(self, value: Any) -> float:
        """A coordinate of the value."""
        ...


@dataclass(frozen=True)
class Real:
    """Numbers from low to high, on a logarithmic scale if ``log``; with a step, its multiples above low."""

    low: float
    high: float
    log: bool = False
    step: float | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputError(f"space: needs finite low < high, got {self.low} and {self.high}")
        if self.log and self.low <= 0:
            raise InputError(f"space: a logarithmic scale needs low > 0, got {self.low}")

    def value(self, u: float) -> float:
        """The number at u."""
        if self.step is not None:
            count = int((self.high - self.low) / self.step + 1e-9) + 1
            return min(self.low + self.step * int(min(u, LAST) * count), self.high)
        if self.log:
            a, b = math.log(self.low), math.log(self.high)
            return min(max(math.exp(a + u * (b - a)), self.low), self.high)
        return min(max(self.low + u * (self.high - self.low), self.low), self.high)

    def coordinate(self, value: float) -> float:
        """Its place."""
        if self.step is not None:
            count = int((self.high - self.low) / self.step + 1e-9) + 1
            return _within((round((value - self.low) / self.step) + 0.5) / count)
        if self.log:
            a, b = math.log(self.low), math.log(self.high)
            return _within((math.log(value) - a) / (b - a))
        return _within((value - self.low) / (self.high - self.low))


@dataclass(frozen=True)
class Integer:
    """Whole numbers from low to high, both included; on a logarithmic scale if ``log``."""

    low: int
    high: int
    log: bool = False
    step: int = 1

    def __post_init__(self) -> None:
        if self.low > self.high or (self.log and self.low < 1):
            raise InputError(f"space: needs whole numbers low <= high, from 1 if log, got {self.low} and {self.high}")

    def value(self, u: float) -> int:
        """The number whose interval holds u."""
        if self.log:
            a, b = math.log(self.low - 0.5), math.log(self.high + 0.5)
            return min(max(round(math.exp(a + u * (b - a))), self.low), self.high)
        return self.low + self.step * int(min(u, LAST) * ((self.high - self.low) // self.step + 1))

    def coordinate(self, value: int) -> float:
        """The middle of its interval."""
        if self.log:
            a, b = math.log(self.low - 0.5), math.log(self.high + 0.5)
            return _within((math.log(value) - a) / (b - a))
        return _within(((value - self.low) // self.step + 0.5) / ((self.high - self.low) // self.step + 1))


@dataclass(frozen=True)
class Choice:
    """One of several values of any kind."""

    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise InputError("space: a choice needs at least one value")

    def value(self, u: float) -> Any:
        """The value whose interval holds u."""
        return self.values[int(min(u, LAST) * len(self.values))]

    def coordinate(self, value: Any) -> float:
        """The middle of its interval."""
        same = [i for i, one in enumerate(self.values) if one is value]  # arrays cannot be compared by ==
        index = same[0] if same else self.values.index(value)
        return (index + 0.5) / len(self.values)


@dataclass(frozen=True)
class Distribution:
    """A distribution of scipy.stats (frozen): its quantiles, so that the box is uniform in probability."""

    frozen: Any

    def value(self, u: float) -> Any:
        """The quantile at u, kept away from ends that are infinite."""
        found = self.frozen.ppf(min(max(u, 1e-12), 1 - 1e-12))
        return int(found) if hasattr(self.frozen, "pmf") else float(found)

    def coordinate(self, value: Any) -> float:
        """The share of what is not above it."""
        return _within(float(self.frozen.cdf(value)))


def parameter_of(name: str, given: Any) -> Parameter:
    """From what people write: a list, (low, high), (low, high, "log"), or a distribution of scipy.stats."""
    if isinstance(given, (Real, Integer, Choice, Distribution)):
        return given
    if hasattr(given, "ppf") and hasattr(given, "cdf"):
        return Distribution(given)
    if isinstance(given, tuple) and len(given) in (2, 3) and all(_is_number(v) for v in given[:2]):
        if len(given) == 3 and given[2] not in ("log", "linear"):
            raise InputError(f"{name}: expected (low, high) or (low, high, 'log'), got {given!r}")
        log = len(given) == 3 and given[2] == "log"
        low, high = given[:2]
        if all(isinstance(v, (int, np.integer)) for v in (low, high)):
            return _named(name, Integer, int(low), int(high), log)
        return _named(name, Real, float(low), float(high), log)
    if isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, (str, bytes, tuple)):
        return _named(name, Choice, tuple(given))
    raise InputError(
        f"{name}: expected a list of values, a tuple (low, high) or (low, high, 'log'), or a distribution of "
        f"scipy.stats, got {given!r}"
    )


def _named(name: str, kind: Callable[..., Parameter], *settings: Any) -> Parameter:
    """The parameter; what is wrong with it is said with its name."""
    try:
        return kind(*settings)
    except InputError as error:
        raise InputError(f"{name}: {str(error).removeprefix('space: ')}") from None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _within(u: float) -> float:
    return min(max(u, 0.0), 1.0)
