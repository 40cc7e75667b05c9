"""What tells two problems apart: everything that decides their values, as one short text."""

from __future__ import annotations

import hashlib
import inspect
from typing import Any

import numpy as np

from autov.problems.transforms import Rotated, Scaled, Translated
from autov.problems.user import Function, NumbaFunction


def _source(fun: Any) -> str:
    fun = getattr(fun, "py_func", fun)
    try:
        return inspect.getsource(fun)
    except (OSError, TypeError):
        return repr(getattr(fun, "__code__", type(fun)).__class__)


def _parts(problem: Any) -> list[str]:
    box = problem.box
    parts = [type(problem).__name__, problem.name, box.lower.tobytes().hex(), box.upper.tobytes().hex()]
    if isinstance(problem, Translated):
        parts.append(np.asarray(problem.b, dtype=np.float64).tobytes().hex())
    elif isinstance(problem, Scaled):
        parts.append(float(problem.a).hex())
    elif isinstance(problem, Rotated):
        parts.append(problem.matrix.tobytes().hex())
    elif isinstance(problem, Function):
        parts += [_source(problem.fun), str(problem.vectorized), repr(problem.args)]
    elif isinstance(problem, NumbaFunction):
        parts.append(_source(problem.fun))
    inner = getattr(problem, "problem", None)
    return parts if inner is None else [*parts, *_parts(inner)]


def fingerprint(problem: Any) -> str:
    """The same for the same problem, another for another box, parameter or source of a function."""
    return hashlib.sha256("\0".join(_parts(problem)).encode()).hexdigest()[:16]
