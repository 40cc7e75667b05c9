"""Genes: one designed number or choice each, as a part of the unit interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from autov.core import InputError

Scale = Literal["linear", "log", "zero-log", "integer", "choice"]
OFF = 0.2  # the part of the unit interval where a gene of scale zero-log is zero


@dataclass(frozen=True)
class Gene:
    """A name, bounds and a scale; or a name and choices.

    Attributes:
        name: the owner of the setting and its name there, such as ``ma-es.sigma``.
        low: smallest value.
        high: largest value.
        scale: "linear"; "log"; "zero-log", where the lowest part of the interval is zero and the rest logarithmic;
            "integer", logarithmic and rounded; "choice".
        choices: the values of a choice, each with the same part of the interval.
        when: another gene and the values of it for which this one counts, such as ``("restarts", ("ipop", "bipop"))``;
            for others the algorithm is made without it. None for always.
    """

    name: str
    low: float = 0.0
    high: float = 1.0
    scale: Scale = "linear"
    choices: tuple[Any, ...] = ()
    when: tuple[str, tuple[Any, ...]] | None = None

    def __post_init__(self) -> None:
        if self.scale not in get_args(Scale):
            raise InputError(
                f"gene: scale of {self.name} must be one of {', '.join(get_args(Scale))}, got {self.scale!r}"
            )
        if self.scale == "choice":
            if not self.choices:
                raise InputError(f"gene: {self.name} needs choices")
        elif not -math.inf < self.low < self.high < math.inf or (self.scale != "linear" and self.low <= 0):
            rule = "low < high" if self.scale == "linear" else "0 < low < high"
            raise InputError(f"gene: {self.name} needs {rule}, got {self.low!r} and {self.high!r}")

    def counts(self, values: Mapping[str, Any]) -> bool:
        """Whether it counts next to these values of other genes."""
        return self.when is None or (self.when[0] in values and values[self.when[0]] in self.when[1])

    def value(self, unit: float) -> Any:
        """What a number of the unit interval represents."""
        if self.scale == "choice":
            return self.choices[min(int(unit * len(self.choices)), len(self.choices) - 1)]
        if self.scale == "linear":
            return self.low + unit * (self.high - self.low)
        if self.scale == "zero-log":
            if unit < OFF:
                return 0.0
            unit = (unit - OFF) / (1 - OFF)
        found = min(max(self.low * (self.high / self.low) ** unit, self.low), self.high)
        return round(found) if self.scale == "integer" else found

    def unit(self, value: Any) -> float:
        """The number that represents a value; for values outside the bounds, that of the nearest one."""
        if self.scale == "choice":
            return (self.choices.index(value) + 0.5) / len(self.choices)
        if self.scale == "zero-log" and value <= 0:
            return OFF / 2
        value = min(max(value, self.low), self.high)
        if self.scale == "linear":
            return (value - self.low) / (self.high - self.low)
        place = math.log(value / self.low) / math.log(self.high / self.low)
        return OFF + place * (1 - OFF) if self.scale == "zero-log" else place

    def checked(self, value: Any) -> Any:
        """A value that a user fixes it at."""
        if self.scale == "choice":
            if value not in self.choices:
                raise InputError(f"fix: {self.name} must be one of {', '.join(map(str, self.choices))}, got {value!r}")
            return value
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float, np.integer, np.floating))
            or not math.isfinite(value)
        ):
            raise InputError(f"fix: {self.name} must be a number, got {value!r}")
        off = self.scale == "zero-log" and value == 0
        if not off and not self.low <= value <= self.high:
            raise InputError(f"fix: {self.name} must lie between {self.low:g} and {self.high:g}, got {value!r}")
        return round(value) if self.scale == "integer" else float(value)

    def described(self) -> dict[str, Any]:
        """As JSON."""
        if self.scale == "choice":
            found = {"name": self.name, "scale": self.scale, "choices": list(self.choices)}
        else:
            found = {"name": self.name, "scale": self.scale, "low": self.low, "high": self.high}
        return found if self.when is None else found | {"when": [self.when[0], list(self.when[1])]}
