"""Where local solvers of other libraries start, again and again, and the unit box in which they work."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from autov.algorithms.base import Batch
from autov.algorithms.population import initial_points
from autov.core import Array, Box
from autov.core.streams import generator

LARGEST = 1e100  # instead of infinity: solvers take differences and squares of values
NOISE = 1e-3  # of the width: the very centre lies on a symmetry of some functions, where difference quotients vanish


def unit_starts(box: Box, popsize: int, seed: int, x0: Array | None) -> Iterator[Array]:
    """Points of the unit box, without end: the rows of x0, or else one near the centre; then uniform ones."""
    rng = generator(seed)
    given = (initial_points(box, popsize, x0) - box.lower) / box.width
    yield from given if len(given) else [np.clip(0.5 + NOISE * rng.standard_normal(box.dim), 0.0, 1.0)]
    while True:
        yield rng.random(box.dim)


def unit_call(objective: Batch, box: Box) -> Callable[[Array], float]:
    """The objective as a function of one point of the unit box, its values bounded."""
    return lambda u: min(float(objective((box.lower + np.asarray(u) * box.width)[None])[0]), LARGEST)
