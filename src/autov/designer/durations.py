"""Counts and times as people read and write them."""

from __future__ import annotations

import re

from autov.core import InputError


def seconds_of(text: str | float) -> float:
    """``90``, ``"90s"``, ``"10m"``, ``"1.5h"`` or ``"2d"`` in seconds."""
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(s|m|h|d|)\s*", str(text))
    if match is None or not float(match[1]) > 0:
        raise InputError(f"time: expected seconds, or a number with s, m, h or d, got {text!r}")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[match[2]]


def counted(number: float) -> str:
    """A count that can be read at a glance: 950, 12,300, 58.5 million."""
    for size, name in ((1e9, "billion"), (1e6, "million")):
        if number >= 0.9995 * size:
            return f"{number / size:.3g} {name}"
    return f"{number:,.0f}"


def evaluations(number: float) -> str:
    """The same with its unit."""
    return f"{counted(number)} evaluations"


def moment(seconds: float) -> str:
    """The time of one evaluation, in the unit that fits."""
    for size, name in ((1.0, "seconds"), (1e-3, "milliseconds"), (1e-6, "microseconds")):
        if seconds >= 0.995 * size:
            return f"{seconds / size:.2g} {name}" if seconds < 99.5 * size else f"{seconds / size:.0f} {name}"
    return f"{seconds / 1e-9:.0f} nanoseconds"


def duration(seconds: float) -> str:
    """In the unit that a person would use."""
    for unit, size in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} second{'' if round(seconds) == 1 else 's'}"
