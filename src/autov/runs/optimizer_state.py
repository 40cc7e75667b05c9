"""A whole `Optimizer` as a file: numbers and arrays, no code; functions of constraints are given again for reading.

What a file says is checked before anything is computed with it; the constraints that are given again must find the best
point as far from feasible as those before did.
"""

from __future__ import annotations

import dataclasses
import math
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from autov.algorithms.files import algorithm_from_dict, algorithm_to_dict
from autov.algorithms.state_arrays import check_sizes, state_from_arrays, state_to_arrays, try_out
from autov.core import Box, FileError, InputError, read_arrays, whole_number, write_arrays
from autov.problems.constraints import constraints_of
from autov.runs.budget import Evaluations, point_cache_for
from autov.runs.stopping import Stopping

if TYPE_CHECKING:
    from autov.runs.optimizer import Optimizer

FORMAT, VERSION = "autov-ask-tell", 2
Kind = TypeVar("Kind", bound="Optimizer")
Restored = TypeVar("Restored")


def save(optimizer: Optimizer, path: str | os.PathLike[str]) -> None:
    """Write all of it."""
    o, rules = optimizer, optimizer._rules
    numbers: dict[str, Any] = {
        "popsize": o.popsize, "maxfev": o.maxfev, "nfev": o._nfev, "nans": o._nans, "batches": o._batches,
        "rng": o._rng.bit_generator.state, "until_converged": o.until_converged,
    }  # fmt: skip
    arrays = {
        "lower": o.box.lower, "upper": o.box.upper, "asked": o._asked, "values": o._values,
        "best": np.array(o._best), "best_x": o._best_x, "trace": np.array(o._trace).reshape(-1, 2),
    }  # fmt: skip
    if o._restricted or o.stopping.active:
        numbers["rules"] = {
            "integrality": list(rules.integrality), "constraints": len(rules.constraints),
            "violation": _violation(optimizer), "restricted": o._restricted, "improved": o._improved,
            "stopping": dataclasses.asdict(o.stopping), "seconds": time.perf_counter() - o._started,
        }  # fmt: skip
    if o._known is not None:
        arrays["known_x"], arrays["known_f"] = o._known.arrays(o.box.dim)
    _write_saved(path, o.algorithm, o._state, numbers, arrays)


def load(kind: type[Kind], path: str | os.PathLike[str], constraints: Any) -> Kind:
    """The optimizer of a file, under the constraints that it had."""
    optimizer, rules = _read_saved(path, lambda *parts: _restore(kind, *parts))
    given, count = constraints_of(constraints, optimizer.box.dim), rules.get("constraints", 0)
    if len(given) != count:
        raise InputError(
            f"constraints: {path} was saved with {count} of them, which are functions and not in the file; "
            f"give the same to load, got {len(given)}"
        )
    optimizer._rules = dataclasses.replace(optimizer._rules, constraints=given)
    before, now = rules.get("violation", 0.0), _violation(optimizer)
    if not math.isclose(before, now, rel_tol=1e-9, abs_tol=1e-12):
        raise InputError(
            f"constraints: not those of {path}; the best point violates them by {now:.6g}, not by {before:.6g}"
        )
    return optimizer


def _violation(optimizer: Optimizer) -> float:
    """Of the constraints at the best point; what was told with points is not part of it."""
    rules = optimizer._rules
    if not rules.constraints or not len(optimizer._best_x):
        return 0.0
    found = rules.violation(rules.rounded(optimizer._best_x))
    return float(found.sum()) if np.isfinite(found).all() else 1e300


def _restore(
    kind: type[Kind], algorithm: Any, numbers: dict[str, Any], arrays: dict[str, np.ndarray], restore: Any
) -> tuple[Kind, dict[str, Any]]:
    check_sizes(algorithm, numbers, arrays)
    rules = _checked_rules(numbers.get("rules", {}), arrays["lower"].size)
    o = kind(
        Box(arrays["lower"], arrays["upper"]), rng=0, algorithm=algorithm,
        popsize=numbers["popsize"] if getattr(algorithm, "uses_popsize", True) else None,
        maxfev=numbers["maxfev"], integrality=rules.get("integrality") or None,
        stop=Stopping(**rules.get("stopping", {})),
    )  # fmt: skip
    o.popsize = whole_number("popsize", numbers["popsize"], 2)
    dim, inner = o.box.dim, o._rules.box
    asked, values, best_x, best = arrays["asked"], arrays["values"], arrays["best_x"], arrays["best"]
    if (
        values.ndim != 1
        or asked.shape != (len(values), dim)
        or best_x.shape not in ((0, dim), (1, dim))
        or best.shape != ()
    ):
        raise ValueError("shapes of the saved arrays do not fit")
    if any(array.dtype != np.float64 for array in (asked, values, best_x, best)) or np.isnan(best):
        raise ValueError("types of the saved arrays do not fit")
    if not inner.holds(asked) or not o.box.holds(best_x):
        raise ValueError("points of the saved arrays lie outside the bounds")
    o._nfev, o._nans = whole_number("nfev", numbers["nfev"], 0), whole_number("nans", numbers["nans"], 0)
    o._batches = whole_number("batches", numbers["batches"], 0)
    if o._nfev and not len(best_x):
        raise ValueError("there is no best point although something was told")
    o._rng.bit_generator.state = numbers["rng"]
    o._state = restore(o._state)
    points, told = algorithm.population(o._state) if o._batches else (o._reduced(asked), np.zeros(len(asked)))
    if o._known is not None and not len(told):  # it has begun anew
        points = points[:0]
    if points.shape != (len(told), o._inner.dim) or np.isnan(told).any() or not o._inner.holds(points):
        raise ValueError("the population of the saved state is not one")
    try_out(algorithm, o._state, o._reduced(asked), o._rng)
    o._asked, o._values, o._best_x, o._best = asked, values, best_x, float(best)
    trace, o.until_converged = arrays["trace"], bool(numbers["until_converged"])
    if trace.dtype != np.float64 or trace.shape[1:] != (2,) or np.isnan(trace).any():
        raise ValueError("the saved trace does not fit")
    o._trace = [(int(nfev), float(value)) for nfev, value in trace]
    if o._known is not None or "known_x" in arrays:
        _learn(o, arrays["known_x"], arrays["known_f"])
    o._begun, o._seeded = bool(o._batches or len(asked)), numbers["rng"]
    if rules:
        o._restricted = rules["restricted"]
        o._improved = whole_number("improved", rules["improved"], 0)
        o._started = time.perf_counter() - rules["seconds"]
    return o, rules


def _learn(o: Optimizer, x: np.ndarray, f: np.ndarray) -> None:
    """Values of points that were known, or of whole-numbered ones that were evaluated."""
    if f.ndim != 1 or x.shape != (len(f), o.box.dim) or x.dtype != np.float64 or f.dtype != np.float64:
        raise ValueError("known points of the saved arrays do not fit")
    if not o.box.holds(x) or np.isnan(f).any():
        raise ValueError("known points of the saved arrays lie outside the bounds, or have no values")
    if o._known is None:
        o._known = point_cache_for(o._rules, 1, Evaluations(x, f))
    else:
        o._known.learn(x, f)


def _checked_rules(rules: Any, dim: int) -> dict[str, Any]:
    """What a file says of constraints, whole numbers and stopping."""
    if not isinstance(rules, dict):
        raise ValueError("rules must be a dictionary")
    if not rules:
        return {}
    whole_number("constraints", rules["constraints"], 0)
    flags, numbers = rules["integrality"], (rules["violation"], rules["seconds"])
    if len(flags) not in (0, dim) or any(not isinstance(flag, bool) for flag in (*flags, rules["restricted"])):
        raise ValueError("integrality must hold a truth value for each variable")
    if any(isinstance(n, bool) or not isinstance(n, (int, float)) or not 0 <= n <= 1e300 for n in numbers):
        raise ValueError("violation and seconds must be numbers of at least 0")
    return rules


def _write_saved(
    path: str | os.PathLike[str], algorithm: Any, state: Any, numbers: dict[str, Any], arrays: dict[str, np.ndarray]
) -> None:
    """Write an algorithm in the middle of a run."""
    head = {"format": FORMAT, "version": VERSION, "algorithm": algorithm_to_dict(algorithm), **numbers}
    write_arrays(path, head, {**arrays, **state_to_arrays(state)})


def _read_saved(path: str | os.PathLike[str], make: Callable[..., Restored]) -> Restored:
    """Read it back: ``make(algorithm, numbers, arrays, restore state)`` puts it together."""
    try:
        head, arrays = read_arrays(path, FORMAT, VERSION)
        algorithm = algorithm_from_dict(head["algorithm"], str(path))
        return make(algorithm, head, arrays, lambda like: state_from_arrays(like, arrays))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, MemoryError) as error:
        missing = " is missing" if isinstance(error, KeyError) else ""
        raise FileError(f"{path}: not a saved optimizer: {' '.join(str(error).split())[:300]}{missing}") from None
