"""A whole `Optimizer` as a file: settings, seed and what was told; functions of constraints are given again.

Reading repeats the run: the algorithm asks for its batches again and is told the values of the file, which costs what
the algorithm itself costs, without any evaluation. A file therefore knows nothing of the inside of an algorithm. A
batch that is not asked for again as it was says that another version of autov wrote the file.
"""

from __future__ import annotations

import dataclasses
import math
import os
import time
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from autov.algorithms.files import algorithm_from_dict, algorithm_to_dict
from autov.core import Box, FileError, InputError, read_arrays, whole_number, write_arrays
from autov.problems.constraints import constraints_of
from autov.runs.budget import Evaluations, point_cache_for
from autov.runs.stopping import Stopping

if TYPE_CHECKING:
    from autov.runs.optimizer import Optimizer

FORMAT, VERSION = "autov-ask-tell", 3
MOST_MEMORY = 10**8  # numbers that popsize and variables of a file may ask for
Kind = TypeVar("Kind", bound="Optimizer")


def save(optimizer: Optimizer, path: str | os.PathLike[str]) -> None:
    """Write all of it."""
    o, rules = optimizer, optimizer._rules
    numbers: dict[str, Any] = {
        "popsize": o.popsize, "maxfev": o.maxfev, "nfev": o._nfev, "nans": o._nans, "seed": o._seed,
        "planned": o._planned,
        "until_converged": o.until_converged,
    }  # fmt: skip
    arrays = {
        "lower": o.box.lower, "upper": o.box.upper, "asked": o._asked, "values": o._values,
        "best": np.array(o._best), "best_x": o._best_x, "trace": np.array(o._trace).reshape(-1, 2), "x0": o._x0,
        "events": np.array([(event, len(f)) for event, _, f in o._history], np.int64).reshape(-1, 2),
        "told_x": np.concatenate([np.empty((0, o._inner.dim)), *(x for _, x, _ in o._history)]),
        "told_f": np.concatenate([np.empty(0), *(f for _, _, f in o._history)]),
    }  # fmt: skip
    if o._restricted or o.stopping.active:
        numbers["rules"] = {
            "integrality": list(rules.integrality), "constraints": len(rules.constraints),
            "violation": _violation(optimizer), "restricted": o._restricted, "improved": o._improved,
            "stopping": dataclasses.asdict(o.stopping), "seconds": time.perf_counter() - o._started,
        }  # fmt: skip
    if o._known is not None:
        arrays["known_x"], arrays["known_f"] = o._known.arrays(o.box.dim)
    head = {"format": FORMAT, "version": VERSION, "algorithm": algorithm_to_dict(o.algorithm), **numbers}
    write_arrays(path, head, arrays)


def load(kind: type[Kind], path: str | os.PathLike[str], constraints: Any) -> Kind:
    """The optimizer of a file, under the constraints that it had."""
    try:
        head, arrays = read_arrays(path, FORMAT, VERSION)
        with np.errstate(all="ignore"):
            optimizer, rules = _restore(kind, algorithm_from_dict(head["algorithm"], str(path)), head, arrays)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, MemoryError) as error:
        missing = " is missing" if isinstance(error, KeyError) else ""
        raise FileError(f"{path}: not a saved optimizer: {' '.join(str(error).split())[:300]}{missing}") from None
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
    kind: type[Kind], algorithm: Any, numbers: dict[str, Any], arrays: dict[str, np.ndarray]
) -> tuple[Kind, dict[str, Any]]:  # fmt: skip
    rules, dim = _checked_rules(numbers.get("rules", {}), arrays["lower"].size), arrays["lower"].size
    popsize = whole_number("popsize", numbers["popsize"], 2)
    if max(popsize, dim) * dim > MOST_MEMORY:
        raise ValueError("popsize and the number of variables are too large")
    o = kind(
        Box(arrays["lower"], arrays["upper"]), rng=0, algorithm=algorithm,
        popsize=popsize if getattr(algorithm, "uses_popsize", True) else None,
        maxfev=numbers["maxfev"], integrality=rules.get("integrality") or None,
        stop=Stopping(**rules.get("stopping", {})),
    )  # fmt: skip
    o.popsize = popsize
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
    if not o.box.holds(best_x):
        raise ValueError("points of the saved arrays lie outside the bounds")
    o._nfev, o._nans = whole_number("nfev", numbers["nfev"], 0), whole_number("nans", numbers["nans"], 0)
    if o._nfev and not len(best_x):
        raise ValueError("there is no best point although something was told")
    o._planned = whole_number("planned", numbers.get("planned", o.maxfev), o.maxfev)
    if o._planned > o.maxfev + len(arrays["x0"]):
        raise ValueError("more first points are known than there are")
    _repeat(o, numbers["seed"], arrays)
    o._given = o._x0[: len(o._x0) - (o._planned - o.maxfev)]
    if len(values):
        o._next_batch()
        if not np.array_equal(o._asked, asked):
            raise ValueError("this version of the algorithm asks for another batch")
    o._values, o._best_x, o._best = values, best_x, float(best)
    trace, o.until_converged = arrays["trace"], bool(numbers["until_converged"])
    if trace.dtype != np.float64 or trace.shape[1:] != (2,) or np.isnan(trace).any():
        raise ValueError("the saved trace does not fit")
    o._trace = [(int(nfev), float(value)) for nfev, value in trace]
    if o._known is not None or "known_x" in arrays:
        _learn(o, arrays["known_x"], arrays["known_f"])
    o._begun = bool(len(o._history) or len(asked))
    if rules:
        o._restricted = rules["restricted"]
        o._improved = whole_number("improved", rules["improved"], 0)
        o._started = time.perf_counter() - rules["seconds"]
    return o, rules


def _repeat(o: Optimizer, seed: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Make the algorithm's state of what it was told."""
    x0, events, x, f = (arrays[name] for name in ("x0", "events", "told_x", "told_f"))
    if any(array.dtype != np.float64 for array in (x0, x, f)) or f.ndim != 1 or x.shape != (len(f), o._inner.dim):
        raise ValueError("the points and values that were told do not fit")
    if events.dtype != np.int64 or events.shape[1:] != (2,) or (events < 0).any() or events[:, 1].sum() != len(f):
        raise ValueError("the events of the file do not fit what was told")
    if x0.shape[1:] != (o._inner.dim,) or not o._inner.holds(x) or np.isnan(f).any():
        raise ValueError("points lie outside the bounds, or have no values")
    o._rng.bit_generator.state = o._seed = seed
    o._x0 = x0
    o._begin(x0 if len(x0) else None)
    done = 0
    for event, count in events.tolist():
        part = slice(done, done + count)
        o.repeat_event(event, x[part], f[part])
        done += count


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
