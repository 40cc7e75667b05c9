"""Checks of what people pass: each gives back a clean value or raises an error that names it."""

from __future__ import annotations

from typing import Any

import numpy as np

from autov.core.errors import InputError
from autov.core.types import Array

MOST = 2**40  # more evaluations, points or runs than any machine makes


def whole_number(name: str, value: Any, least: int, most: int = MOST) -> int:
    """An integer from ``least`` to ``most``; floats such as 1e4 are fine."""
    integral = isinstance(value, (int, np.integer)) or (
        isinstance(value, (float, np.floating)) and float(value).is_integer()
    )
    if isinstance(value, bool) or not integral or value < least:
        raise InputError(f"{name}: must be an integer of at least {least}, got {value!r}")
    if value > most:
        raise InputError(f"{name}: must be at most {most:,}, got {value}")
    return int(value)


def check_ranges(settings: Any, **ranges: tuple[float, float]) -> None:
    """Refuse a setting that is not a number in its range, ends included; None passes where it is allowed.

    The annotations of the settings are read as text (``from __future__ import annotations``).
    """
    for name, (low, high) in ranges.items():
        value: Any = getattr(settings, name)
        open_to_none = settings.__dataclass_fields__[name].type.endswith("None")
        kind = "an integer" if settings.__dataclass_fields__[name].type == "int" else "a number"
        fits = _lies_in(value, low, high) and (kind == "a number" or float(value).is_integer())
        if not fits and not (value is None and open_to_none):
            raise InputError(f"{name}: must be {kind} from {low:g} to {high:g}, got {value!r}")


def _lies_in(value: Any, low: float, high: float) -> bool:
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return number and bool(low <= value <= high)  # NaN lies nowhere


def check_choice(settings: Any, **choices: tuple[str | bool, ...]) -> None:
    """Refuse a setting that is none of the allowed ones."""
    for name, allowed in choices.items():
        value = getattr(settings, name)
        if value not in allowed:
            raise InputError(f"{name}: must be one of {', '.join(map(str, allowed))}, got {value!r}")


def real_numbers(values: Any) -> Array:
    """An array of what an objective gave; imaginary parts are refused, not dropped."""
    given: Any = np.asarray(values)
    if given.dtype.kind == "c" and given.imag.any():
        raise InputError(f"objective: must give real numbers, got {given[given.imag != 0][0]}")
    return np.asarray(given.real if given.dtype.kind == "c" else given, dtype=np.float64)


def values_of(values: Any, count: int) -> tuple[Array, int]:
    """One value for each of ``count`` points, NaN replaced by infinity, and how many were NaN."""
    try:
        f = real_numbers(values)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"objective: must give numbers, got {type(values).__name__}") from None
    if f.shape != (count,):
        raise InputError(f"objective: must give one value for each of {count} points, got shape {f.shape}")
    missing = np.isnan(f)
    nans = int(missing.sum())
    return (np.where(missing, np.inf, f) if nans else f), nans
