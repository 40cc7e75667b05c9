"""What the trust-region search works on: its plan, its record and its arrays."""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from autov.kernels.models.search_batch import Searched, record, searched

FIRST, TRIAL, GEOMETRY = 1, 2, 3  # phase
NONE = -1  # no point of the model
COUNTS = ("points", "fresh", "opt", "target", "recent", "doubts", "taken", "refreshed", "block", "passes")
VALUES = ("rho", "delta", "smallest", "radius", "predicted", "length", "least", "error_a", "error_b", "error_c")
STATE = record(COUNTS, VALUES)


class Plan(NamedTuple):
    """What the settings say."""

    points: float  # of a model, at most; a first model has two for each variable and one more in any case
    variables: float  # of a model, at most
    smallest: float  # last rho of a search


# The arrays of `Searched`, then those of a model of n variables and at most m points, then scratch.
Work = namedtuple(
    "Work",
    (
        *Searched._fields,
        "whole",  # (d,) the start of the model in the unit box
        "order",  # (2, d) int64: variables in the order in which models take them; then scratch
        "free",  # (n,) int64: those of this model
        "base",  # (n,) in the unit box
        "low",  # (n,) bounds relative to the base
        "high",  # (n,)
        "points",  # (m, n) relative to the base
        "values",  # (m,)
        "centre",  # (n,) the best of the points
        "gradient",  # (n,) of the model, at the centre
        "hessian",  # (n, n) its explicit part
        "curvatures",  # (m,) its other part
        "z",  # (m - n - 1, m) see `autov.kernels.models.interpolation`
        "b",  # (n, m + n)
        "step",  # (n,) from the centre to the point that is evaluated
        "columns",  # scratch from here on, (n + 1, m)
        "q",  # (m, m)
        "a",  # (m, m)
        "product",  # (n + 1, m)
        "triangle",  # (m - n - 1, m - n - 1)
        "vectors",  # (3, m + n)
        "short",  # (6, n)
        "at_bound",  # (n,) int64
    ),
)


def model_size(plan: Plan, d: int) -> tuple[int, int]:
    """Variables and most points of a model."""
    n = min(d, int(plan.variables))
    return n, max(2 * n + 1, min(int(plan.points), (n + 1) * (n + 2) // 2))


def workspace(plan: Plan, key: np.ndarray, d: int, maxfev: int, given: np.ndarray, given_f: np.ndarray) -> Work:
    """All arrays, with nothing evaluated."""
    n, m = model_size(plan, d)
    rest = m - n - 1
    common = searched(key, STATE, d, maxfev, max(m, len(given)), given, given_f)
    shapes = {
        "whole": (d,), "base": (n,), "low": (n,), "high": (n,), "points": (m, n), "values": (m,), "centre": (n,),
        "gradient": (n,), "hessian": (n, n), "curvatures": (m,), "z": (rest, m), "b": (n, m + n), "step": (n,),
        "columns": (n + 1, m), "q": (m, m), "a": (m, m), "product": (n + 1, m), "triangle": (rest, rest),
        "vectors": (3, m + n), "short": (6, n),
    }  # fmt: skip
    integers = {"order": (2, d), "free": (n,), "at_bound": (n,)}
    arrays = {name: np.zeros(shape) for name, shape in shapes.items()}
    arrays |= {name: np.zeros(shape, np.int64) for name, shape in integers.items()}
    return Work(**common._asdict(), **arrays)
