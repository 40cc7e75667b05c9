"""What several algorithms do alike: first points, distinct partners, the few best, checked settings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autov.algorithms.evolution import initial_points
from autov.core import Array, Box, Generator, InputError
from autov.core.checks import check_choice, check_ranges

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


__all__ = [
    "Index",
    "best",
    "check_choice",
    "check_ranges",
    "distinct",
    "first_points",
    "need",
    "partners",
    "tournament",
]
