"""Variables as people describe them: each is a coordinate of the search, and gives the value at a coordinate.

Numbers, and their logarithms on a logarithmic scale, are coordinates themselves. Steps, ordered levels and categories
are counted: their coordinate is an integer from 0 on. Integers are their own coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from autov.core import InputError

WITHIN = 1e-9  # of a step: a value as near as this to a multiple of it is one
DIGITS = 12  # of values between steps


class Variable(Protocol):
    """A variable, and its coordinate from ``lower`` to ``upper``."""

    @property
    def lower(self) -> float:
        """The smallest coordinate."""
        ...

    @property
    def upper(self) -> float:
        """The largest coordinate."""
        ...

    @property
    def whole(self) -> bool:
        """Whether the coordinate is an integer."""
        ...

    @property
    def categories(self) -> int:
        """How many categories without an order; 0 where there is an order."""
        ...

    @property
    def numeric(self) -> bool:
        """Whether all values are numbers."""
        ...

    def value(self, coordinate: float) -> Any:
        """The value at a coordinate."""
        ...

    def coordinate(self, value: Any) -> float:
        """The coordinate of a value; InputError says why there is none."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """What `variable_from` reads."""
        ...


@dataclass(frozen=True)
class Real:
    """Numbers from low to high, on a logarithmic scale if ``log``; with a step, its multiples above low."""

    low: float
    high: float
    log: bool = False
    step: float | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise InputError(f"needs finite low <= high, got {self.low:g} and {self.high:g}")
        if self.log and self.low <= 0:
            raise InputError(f"a logarithmic scale needs low > 0, got {self.low:g}")
        if self.step is not None and (self.log or not 0 < self.step < math.inf):
            raise InputError(f"a step must be a positive number on a linear scale, got {self.step!r}")

    @property
    def lower(self) -> float:
        """See `Variable`."""
        return 0.0 if self.step is not None else math.log(self.low) if self.log else self.low

    @property
    def upper(self) -> float:
        """See `Variable`."""
        if self.step is not None:
            return float(int((self.high - self.low) / self.step + WITHIN))
        return math.log(self.high) if self.log else self.high

    @property
    def whole(self) -> bool:
        """See `Variable`."""
        return self.step is not None

    categories = 0
    numeric = True

    def value(self, coordinate: float) -> float:
        """See `Variable`."""
        if self.step is not None:
            found = float(f"{self.low + self.step * round(coordinate):.{DIGITS}g}")
        else:
            found = math.exp(coordinate) if self.log else float(coordinate)
        return min(max(found, self.low), self.high)

    def coordinate(self, value: Any) -> float:
        """See `Variable`."""
        number = _number_between(value, self.low, self.high)
        if self.step is not None:
            count = (number - self.low) / self.step
            if abs(count - round(count)) > WITHIN * max(1.0, abs(count)):
                raise InputError(f"is {number:g}, not a multiple of {self.step:g} above {self.low:g}")
            return min(float(round(count)), self.upper)
        return min(max(math.log(number), self.lower), self.upper) if self.log else number

    def to_dict(self) -> dict[str, Any]:
        """See `Variable`."""
        more = {"scale": "log"} if self.log else {} if self.step is None else {"step": self.step}
        return {"low": self.low, "high": self.high, **more}


@dataclass(frozen=True)
class Integer:
    """Integers from low to high, both included; with a step, its multiples above low.

    On a logarithmic scale the coordinate is a number, of which every integer has an interval.
    """

    low: int
    high: int
    log: bool = False
    step: int = 1

    def __post_init__(self) -> None:
        if self.low > self.high or (self.log and (self.low < 1 or self.step != 1)) or self.step < 1:
            raise InputError(
                f"needs integers low <= high, from 1 and without step if log, got {self.low} and {self.high}"
            )
        if max(abs(self.low), abs(self.high)) > 2**53:
            raise InputError("integers must not be beyond 2^53")

    @property
    def lower(self) -> float:
        """See `Variable`."""
        return math.log(self.low - 0.5) if self.log else 0.0 if self.step > 1 else float(self.low)

    @property
    def upper(self) -> float:
        """See `Variable`."""
        if self.log:
            return math.log(self.high + 0.5)
        return float((self.high - self.low) // self.step) if self.step > 1 else float(self.high)

    @property
    def whole(self) -> bool:
        """See `Variable`."""
        return not self.log

    categories = 0
    numeric = True

    def value(self, coordinate: float) -> int:
        """See `Variable`."""
        if self.log:
            return min(max(round(math.exp(coordinate)), self.low), self.high)
        found = round(coordinate)
        return self.low + self.step * found if self.step > 1 else min(max(found, self.low), self.high)

    def coordinate(self, value: Any) -> float:
        """See `Variable`."""
        number = _number_between(value, self.low, self.high)
        if number != int(number) or (int(number) - self.low) % self.step:
            step = "an integer" if self.step == 1 else f"a multiple of {self.step} above {self.low}"
            raise InputError(f"is {number:g}, not {step}")
        if self.log:
            return math.log(number)
        return (number - self.low) / self.step if self.step > 1 else number

    def to_dict(self) -> dict[str, Any]:
        """See `Variable`."""
        more = {"scale": "log"} if self.log else {} if self.step == 1 else {"step": self.step}
        return {"low": self.low, "high": self.high, "type": "int", **more}


class Listed:
    """What categories and ordered levels share."""

    values: tuple[Any, ...]
    lower = 0.0
    whole = True

    def __post_init__(self) -> None:
        if not self.values:
            raise InputError("needs at least one value")
        kept: list[Any] = []
        for value in self.values:
            if _same(kept, value) is not None:
                raise InputError(f"{value!r} occurs twice")
            kept.append(value)

    @property
    def upper(self) -> float:
        """See `Variable`."""
        return float(len(self.values) - 1)

    @property
    def numeric(self) -> bool:
        """See `Variable`."""
        return all(is_number(value) for value in self.values)

    def value(self, coordinate: float) -> Any:
        """See `Variable`."""
        return self.values[min(max(round(coordinate), 0), len(self.values) - 1)]

    def coordinate(self, value: Any) -> float:
        """See `Variable`."""
        found = _place(self.values, value)
        if found is None:
            raise InputError(f"is {value!r}, not one of {', '.join(str(one) for one in self.values[:20])}")
        return float(found)


@dataclass(frozen=True)
class Choice(Listed):
    """One of several values of any kind, without an order."""

    values: tuple[Any, ...]

    @property
    def categories(self) -> int:
        """See `Variable`."""
        return len(self.values)

    def to_dict(self) -> dict[str, Any]:
        """See `Variable`."""
        return {"categories": _as_data(self.values)}


@dataclass(frozen=True)
class Levels(Listed):
    """One of several values of any kind in an order: neighbours are expected to be alike."""

    values: tuple[Any, ...]
    categories = 0

    def to_dict(self) -> dict[str, Any]:
        """See `Variable`."""
        return {"levels": _as_data(self.values)}


@dataclass(frozen=True)
class Distribution:
    """A distribution of scipy.stats (frozen): its coordinate is the probability, from 0 to 1."""

    frozen: Any
    lower = 0.0
    upper = 1.0
    whole = False
    categories = 0
    numeric = True

    def value(self, coordinate: float) -> Any:
        """The quantile, kept away from ends that are infinite."""
        found = self.frozen.ppf(min(max(coordinate, 1e-12), 1 - 1e-12))
        return int(found) if hasattr(self.frozen, "pmf") else float(found)

    def coordinate(self, value: Any) -> float:
        """The probability of what is not above it."""
        return min(max(float(self.frozen.cdf(value)), 0.0), 1.0)

    def to_dict(self) -> dict[str, Any]:
        """Distributions are objects of another library."""
        raise InputError("a distribution of scipy.stats cannot be written to a file")


def is_number(value: Any) -> bool:
    """Whether it is a real number; truth values are not."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _number_between(value: Any, low: float, high: float) -> float:
    if not is_number(value):
        raise InputError(f"is {value!r}, not a number")
    number, room = float(value), WITHIN * (high - low)
    if not low - room <= number <= high + room:
        raise InputError(f"is {number:g}, not in [{low:g}, {high:g}]")
    return min(max(number, low), high)


def _same(values: Sequence[Any], value: Any) -> int | None:
    """Where a value of its type is."""
    return next(
        (i for i, one in enumerate(values) if one is value or (type(one) is type(value) and _equal(one, value))), None
    )


def _place(values: Sequence[Any], value: Any) -> int | None:
    """Where a value is; of equal ones of several types (1, True, 1.0) the one of its type."""
    found = _same(values, value)
    if found is None and is_number(value):  # 2 for 2.0, and NumPy's numbers
        found = next((i for i, one in enumerate(values) if is_number(one) and one == value), None)
    return found


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except ValueError:  # arrays
        return False


def _as_data(values: Sequence[Any]) -> list[Any]:
    found = [value.item() if isinstance(value, np.generic) else value for value in values]
    for value in found:
        if value is not None and not isinstance(value, (bool, int, float, str)):
            raise InputError(f"{value!r} cannot be written to a file; categories and levels there are texts or numbers")
    return found
