"""What the trust-region search works on: its plan, its record and its arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from autov.kernels.models.local_search import record, searched

GIVEN, FIRST, TRIAL, GEOMETRY = range(4)  # what the batch is
COUNTS = ("phase", "points", "fresh", "opt", "target", "recent", "doubts", "taken", "refreshed", "block", "passes")
VALUES = ("rho", "delta", "smallest", "radius", "predicted", "length", "least", "error_a", "error_b", "error_c")
STATE = record(COUNTS, VALUES)


class Plan(NamedTuple):
    """What the settings say."""

    points: float  # of a model, at most; a first model has two for each variable and one more in any case
    variables: float  # of a model, at most
    smallest: float  # last rho of a search


class Work(NamedTuple):
    """The arrays of `Searched`, then those of a model of n variables and at most m points, then scratch."""

    key: np.ndarray
    scalars: np.ndarray
    best: np.ndarray
    given: np.ndarray
    given_f: np.ndarray
    ends: np.ndarray
    tried: np.ndarray
    x: np.ndarray
    f: np.ndarray
    told_x: np.ndarray
    told_f: np.ndarray
    whole: np.ndarray  # (d,) the start of the model in the unit box
    order: np.ndarray  # (2, max(d, k)) int64: variables in the order in which models take them
    free: np.ndarray  # (n,) int64: those of this model
    base: np.ndarray  # (n,) in the unit box
    low: np.ndarray  # (n,) bounds relative to the base
    high: np.ndarray  # (n,)
    points: np.ndarray  # (m, n) relative to the base
    values: np.ndarray  # (m,)
    centre: np.ndarray  # (n,) the best of the points
    gradient: np.ndarray  # (n,) of the model, at the centre
    hessian: np.ndarray  # (n, n) its explicit part
    curvatures: np.ndarray  # (m,) its other part
    z: np.ndarray  # (m - n - 1, m) see `autov.kernels.models.interpolation`
    b: np.ndarray  # (n, m + n)
    step: np.ndarray  # (n,) from the centre to the point that is evaluated
    columns: np.ndarray  # scratch from here on, (n + 1, m)
    q: np.ndarray  # (m, m)
    a: np.ndarray  # (m, m)
    product: np.ndarray  # (n + 1, m)
    triangle: np.ndarray  # (m - n - 1, m - n - 1)
    vectors: np.ndarray  # (3, m + n)
    short: np.ndarray  # (6, n)
    held: np.ndarray  # (n,) int64


def model_size(plan: Plan, d: int) -> tuple[int, int]:
    """Variables and most points of a model."""
    n = min(d, int(plan.variables))
    return n, max(2 * n + 1, min(int(plan.points), (n + 1) * (n + 2) // 2))


def workspace(plan: Plan, key: np.ndarray, d: int, maxfev: int, given: np.ndarray, given_f: np.ndarray) -> Work:  # noqa: ARG001
    """All arrays, with nothing evaluated."""
    n, m = model_size(plan, d)
    rest = m - n - 1
    common = searched(key, STATE, d, max(m, len(given)), given, given_f)
    shapes = {
        "whole": (d,), "base": (n,), "low": (n,), "high": (n,), "points": (m, n), "values": (m,), "centre": (n,),
        "gradient": (n,), "hessian": (n, n), "curvatures": (m,), "z": (rest, m), "b": (n, m + n), "step": (n,),
        "columns": (n + 1, m), "q": (m, m), "a": (m, m), "product": (n + 1, m), "triangle": (rest, rest),
        "vectors": (3, m + n), "short": (6, n),
    }  # fmt: skip
    whole_numbers = {"order": (2, max(d, len(given))), "free": (n,), "held": (n,)}
    arrays = {name: np.zeros(shape) for name, shape in shapes.items()}
    arrays |= {name: np.zeros(shape, np.int64) for name, shape in whole_numbers.items()}
    return Work(**common._asdict(), **arrays)
