"""What several algorithms do alike: first points, distinct partners, the few best, checked settings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autov.algorithms.evolution import initial_points
from autov.core import Array, Box, Generator, InputError

Index = NDArray[np.intp]


def first_points(box: Box, popsize: int, rng: Generator, x0: Array | None) -> Array:
    """Uniform points of the box, the first of them replaced by the rows of x0."""
    given = initial_points(box, popsize, x0)
    x = box.clip(box.sample(popsize, rng))
    x[: len(given)] = given
    return x


def distinct(taken: Index, size: int, rng: Generator) -> Index:
    """For each row of taken, shape (n, k), one uniform index below size that is none of the k (they are distinct)."""
    drawn = rng.integers(0, size - taken.shape[1], len(taken))
    for column in np.sort(taken, axis=1).T:  # step over what is taken, smallest first
        drawn += drawn >= column
    return drawn


def partners(n: int, count: int, rng: Generator) -> Index:
    """Shape (n, count): in row i, indices below n that differ from i and from each other."""
    taken = np.arange(n)[:, None]
    for _ in range(count):
        taken = np.column_stack([taken, distinct(taken, n, rng)])
    return taken[:, 1:]


def tournament(f: Array, count: int, rng: Generator) -> Index:
    """Indices of the winners of count binary tournaments with replacement."""
    pairs = rng.integers(0, len(f), (count, 2))
    return np.where(f[pairs[:, 0]] <= f[pairs[:, 1]], pairs[:, 0], pairs[:, 1])


def best(x: Array, f: Array, count: int) -> tuple[Array, Array]:
    """The count points of smallest value, best first; of equal values the earlier one."""
    order = np.argsort(f, kind="stable")[:count]
    return x[order], f[order]


def need(name: str, popsize: int, least: int) -> None:
    """Refuse a population that is too small for the algorithm."""
    if popsize < least:
        raise InputError(f"popsize: {name} needs at least {least}, got {popsize}")


def check_ranges(settings: Any, **ranges: tuple[float, float]) -> None:
    """Refuse a setting that is not a number in its range, ends included; None passes where it is allowed.

    The annotations of the settings are read as text (``from __future__ import annotations``).
    """
    for name, (low, high) in ranges.items():
        value: Any = getattr(settings, name)
        open_to_none = settings.__dataclass_fields__[name].type.endswith("None")
        kind = "a whole number" if settings.__dataclass_fields__[name].type == "int" else "a number"
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
