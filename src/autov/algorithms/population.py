"""What several algorithms do alike: first points, distinct partners, the few best."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autov.core import Array, Box, Generator, InputError, check_inside

Index = NDArray[np.intp]


def initial_points(box: Box, popsize: int, x0: Array | None) -> Array:
    """The rows of x0, checked: one point or up to popsize of them."""
    if x0 is None:
        return np.empty((0, box.dim))
    try:
        points = np.atleast_2d(np.asarray(x0, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        raise InputError("x0: must be an array of numbers") from None
    if points.ndim != 2 or points.shape[1] != box.dim:
        raise InputError(
            f"x0: must be a point of {box.dim} variables or a population of them, got shape {points.shape}"
        )
    if len(points) > popsize:
        raise InputError(f"x0: has {len(points)} points, the population only {popsize}")
    check_inside("x0", points, box.lower, box.upper)
    return points


def first_points(box: Box, popsize: int, rng: Generator, x0: Array | None) -> Array:
    """Uniform points of the box, the first of them replaced by the rows of x0."""
    given = initial_points(box, popsize, x0)
    x = box.clip(box.sample(popsize, rng))
    x[: len(given)] = given
    return x


def room_of(algorithm: Any, box: Box, popsize: int, maxfev: int) -> int:
    """How many known points an algorithm takes as its first ones: a population, unless ``room`` says otherwise."""
    room: Any = getattr(algorithm, "room", None)
    if room is not None:
        return min(int(room(box, popsize, maxfev)), popsize)
    return min(getattr(algorithm, "popsize", None) or popsize, popsize)


def rows_for(algorithm: Any, box: Box, popsize: int, maxfev: int, given: Array) -> Array:
    """The first of given points, as many as a member takes; twice its ``room`` is not worth choosing from."""
    room = room_of(algorithm, box, popsize, maxfev)
    return given if hasattr(algorithm, "room") and len(given) <= 2 * room else given[:room]


def spread(box: Box, x: Array, least: float, most: float) -> float:
    """Standard deviation of points, as a part of the box: the root of the mean square over variables, within limits."""
    variance = (((x - x.mean(axis=0)) / box.width) ** 2).mean()
    return float(min(max(np.sqrt(variance), least), most))


def relative_spreads(box: Box, x: Array, sure: float = 5.0, most: float = 5.0) -> Array:
    """Standard deviations (d,) of points next to the mean one, as parts of the box.

    Args:
        box: of the points.
        x: points (n, d).
        sure: as many points more, of equal spread in all variables, are counted in: few points say little.
        most: largest ratio to the mean one, and of the mean one to the smallest.
    """
    variance = (((x - x.mean(axis=0)) / box.width) ** 2).mean(axis=0)
    mean = float(variance.mean())
    if not mean > 0:
        return np.ones(box.dim)
    shrunk = (len(x) * variance + sure * mean) / (len(x) + sure)
    return np.clip(np.sqrt(shrunk / mean), 1 / most, most)


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


def require_popsize(name: str, popsize: int, least: int) -> None:
    """Refuse a population that is too small for the algorithm."""
    if popsize < least:
        raise InputError(f"popsize: {name} needs at least {least}, got {popsize}")
