"""What the quasi-Newton search works on: its plan, its record and its arrays."""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from autov.kernels.models.search_batch import Searched, record, searched

CELLS = 2**20  # most numbers in a batch


class Plan(NamedTuple):
    """What the settings say."""

    difference: float
    decrease: float
    exactness: float
    growth: float
    tries: float
    first_curvature: float
    line_points: float


COUNTS = ("kind", "first", "updates", "tried", "unknown", "explored")
VALUES = ("f", "slope", "length", "line_length", "line_f", "width", "highest", "rest")
STATE = record(COUNTS, VALUES)


# The arrays of `Searched`, and those of one search, whose points are in the unit box.
Work = namedtuple(
    "Work",
    (
        *Searched._fields,
        "u",  # (d,) where the search is
        "g",  # (d,) gradient there
        "p",  # (d,) direction of the line
        "point",  # (d,) point of the line
        "line_u",  # (d,) best point of the line
        "old_u",  # (d,) where the last gradient was taken
        "old_g",  # (d,)
        "second",  # (d,) second differences
        "scratch",  # (d,)
        "fixed",  # (d,) int64, variables at the border
        "matrix",  # (d, d) approximate second derivatives, positive definite
        "secant",  # (d, d) the same by symmetric rank-one updates: exact after d steps on a quadratic
        "factor",  # (d, d) scratch
        "explored",  # (d, d) the first rows are an orthonormal basis of the steps made
    ),
)


def workspace(plan, key, d, maxfev, given, given_f):
    """Arrays for d variables."""
    capacity = max(2, int(plan.line_points), given.shape[0], min(2 * d + 1, CELLS // d))
    base = searched(key, STATE, d, maxfev, capacity, given, given_f)
    own = {name: np.zeros(d) for name in ("u", "g", "p", "point", "line_u", "old_u", "old_g", "second", "scratch")}
    return Work(
        **base._asdict(),
        **own,
        fixed=np.zeros(d, np.int64),
        matrix=np.zeros((d, d)),
        secant=np.zeros((d, d)),
        factor=np.zeros((d, d)),
        explored=np.zeros((d, d)),
    )
