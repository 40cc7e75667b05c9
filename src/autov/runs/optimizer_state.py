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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from autov.algorithms.files import OWN, algorithm_from_dict, algorithm_to_dict
from autov.core import (
    Box,
    FileError,
    InputError,
    read_arrays,
    read_json,
    to_json,
    whole_number,
    write_arrays,
    write_text,
)
from autov.core.atomic_files import number
from autov.core.locks import locked
from autov.problems import Function, is_returned, space_from, space_of_bounds
from autov.problems.constraints import constraints_of
from autov.problems.feasibility import LEVEL, violation_of
from autov.problems.value_function import value_constraints
from autov.runs.budget import Evaluations, point_cache_for
from autov.runs.stopping import Stopping

if TYPE_CHECKING:
    from autov.runs.optimizer import Optimizer

FORMAT, VERSION = "autov-ask-tell", 4
TOLD: tuple[str, ...] = ("seen_x", "seen_f", "seen_n")
COUNTED = ("events", "out", "seen_n", "widths")  # arrays of integers
TABLES = ("asked", "best_x", "trace", "x0", "events", "told_x", "known_x", "extra", "seen_x")
MOST_MEMORY = 10**8  # numbers that popsize and variables of a file may ask for
Kind = TypeVar("Kind", bound="Optimizer")


def save(optimizer: Optimizer, path: str | os.PathLike[str]) -> None:
    """Write all of it."""
    o, rules, run, batch, told = optimizer, optimizer._rules, optimizer._run, optimizer._batch, optimizer._told
    numbers: dict[str, Any] = {
        "popsize": o.popsize, "maxfev": o.maxfev, "nfev": o._nfev, "nans": o._nans, "seed": run.seed,
        "planned": run.planned, "drawn": o._drawn,
        "until_converged": o.until_converged,
        **({} if o.space is None else {"space": o.space.to_dict()}),
    }  # fmt: skip
    arrays = {
        "lower": o.box.lower, "upper": o.box.upper, "asked": batch.asked, "values": batch.values,
        "best": np.array(told.best), "best_x": told.best_x, "trace": np.array(told.trace).reshape(-1, 2), "x0": run.x0,
        "events": np.array([(event, len(f)) for event, _, f, _ in run.history], np.int64).reshape(-1, 2),
        "told_x": np.concatenate([np.empty((0, run.box.dim)), *(x for _, x, _, _ in run.history)]),
        "told_f": np.concatenate([np.empty(0), *(f for _, _, f, _ in run.history)]),
        "out": batch.out.astype(np.int64), "extra": batch.further,
    }  # fmt: skip
    if run.models_constraints:
        arrays["widths"] = np.array([rows.shape[1] for *_, rows in run.history], np.int64)
        arrays["told_rows"] = np.concatenate([np.empty(0), *(rows.ravel() for *_, rows in run.history)])
    if o._rows.width:
        arrays["seen_rows"] = o._rows.of(told.arrays()[0])
    if o._restricted or o.stopping.active:
        numbers["rules"] = {
            "integrality": list(rules.integrality), "constraints": len(rules.constraints),
            "returned": rules.returned, "violation": _violation(optimizer), "restricted": o._restricted,
            "improved": told.improved, "stopping": dataclasses.asdict(o.stopping),
            "seconds": time.perf_counter() - o._started,
        }  # fmt: skip
    if batch.known is not None:
        arrays["known_x"], arrays["known_f"] = batch.known.arrays(o.box.dim)
    described = algorithm_to_dict(o.algorithm)
    if OWN in described:
        raise InputError(f"algorithm: {o.algorithm.name} is not one of autov's own and cannot be written to a file")
    head = {"format": FORMAT, "version": VERSION, "algorithm": described, **numbers}
    experiments: dict[str, np.ndarray] = dict(zip(TOLD, told.arrays(), strict=True))
    if str(path).lower().endswith(".json"):
        write_text(path, _readable(o, head, arrays, experiments))
    else:
        write_arrays(path, head, arrays | experiments)


def _readable(o: Optimizer, head: dict[str, Any], arrays: dict[str, Any], told: dict[str, Any]) -> str:
    """JSON with what people look for first, a line for each experiment; ``state`` is for the algorithm.

    Described points are there by name, too; reading takes their coordinates.
    """
    space = o.space
    experiments = [
        ({} if space is None else {"point": space.point(x)}) | {"x": x, "value": f, "times": n} | _outside(o, x, f)
        for x, f, n in zip(*told.values(), strict=True)
    ]
    names = ("format", "version", "nfev", "maxfev")
    parts = {name: to_json(head[name]) for name in names}
    parts |= {"best": to_json(arrays["best"]), "best_x": to_json(arrays["best_x"])}
    if space is not None and len(best := arrays["best_x"]):
        parts["best_point"] = to_json(space.point(best[0]))
    parts |= {"experiments": _lines(experiments), "pending": _lines(o.pending)}
    parts |= {name: to_json(value) for name, value in head.items() if name not in names}
    parts |= {"state": to_json({name: value for name, value in arrays.items() if name not in ("best", "best_x")})}
    return "{\n" + ",\n".join(f' "{name}": {text}' for name, text in parts.items()) + "\n}\n"


def _outside(o: Optimizer, x: np.ndarray, f: float) -> dict[str, Any]:
    """What people see of the constraints at a point."""
    shown: dict[str, Any] = {"violation": violation_of(np.array(f)).item()} if o._restricted and f > LEVEL else {}
    return shown | ({"constraints": o._rows.of(x[None])[0, 1:]} if o._rows.width > 1 else {})


def _lines(rows: Any) -> str:
    return "[" + ",".join(f"\n  {to_json(row)}" for row in rows) + ("\n ]" if len(rows) else "]")


def _read_json(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Head and arrays of a readable file."""
    head = read_json(path, "a saved optimizer")
    if not isinstance(head, dict) or (head.get("format"), head.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"this autov reads {FORMAT!r}, {VERSION}")
    told = head["experiments"]
    given = head["state"] | {name: head[name] for name in ("best", "best_x")}
    given |= dict(zip(TOLD, ([one[key] for one in told] for key in ("x", "value", "times")), strict=True))
    lower, upper = (_numbers(given[name]) for name in ("lower", "upper"))
    dims = {"x0": int((upper > lower).sum()), "told_x": int((upper > lower).sum()), "events": 2, "trace": 2}
    arrays = {}
    for name, values in given.items():
        found = _numbers(values)
        if name in COUNTED:
            if not (found == np.rint(found)).all():
                raise ValueError(f"{name} must hold integers")
            found = found.astype(np.int64)
        if name in TABLES:
            found = found.reshape(-1, dims.get(name, lower.size))
        arrays[name] = found
    return head, arrays


def _numbers(values: Any) -> np.ndarray:
    """An array of what JSON has for it."""
    if isinstance(values, list):
        return np.array([_numbers(value) for value in values], dtype=np.float64)
    return np.array(number(values))


def load(kind: type[Kind], path: str | os.PathLike[str], constraints: Any) -> Kind:
    """The optimizer of a file, under the constraints that it had."""
    try:
        readable = str(path).lower().endswith(".json")
        head, arrays = _read_json(path) if readable else read_arrays(path, FORMAT, VERSION)
        with np.errstate(all="ignore"):
            optimizer, rules = _restore(kind, algorithm_from_dict(head["algorithm"], str(path)), head, arrays)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, MemoryError) as error:
        missing = " is missing" if isinstance(error, KeyError) else ""
        raise FileError(f"{path}: not a saved optimizer: {' '.join(str(error).split())[:300]}{missing}") from None
    space = optimizer.space
    if is_returned(constraints):
        if not optimizer._rules.returned:
            raise InputError(f'constraints: {path} was saved without constraints="returned"')
        constraints = None
    given = constraints_of(constraints, optimizer.box.dim) if space is None else value_constraints(constraints, space)
    count = rules.get("constraints", 0)
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
    if not rules.constraints or not len(optimizer._told.best_x):
        return 0.0
    found = rules.violation(optimizer._told.best_x)
    return float(found.sum()) if np.isfinite(found).all() else 1e300


def _restore(
    kind: type[Kind], algorithm: Any, numbers: dict[str, Any], arrays: dict[str, np.ndarray]
) -> tuple[Kind, dict[str, Any]]:  # fmt: skip
    rules, dim = _checked_rules(numbers.get("rules", {}), arrays["lower"].size), arrays["lower"].size
    popsize = whole_number("popsize", numbers["popsize"], 2)
    space = space_from(numbers["space"], "space") if "space" in numbers else None
    if space is not None and not (
        np.array_equal(space.box.lower, arrays["lower"]) and np.array_equal(space.box.upper, arrays["upper"])
    ):
        raise ValueError("the bounds are not those of its variables")
    if max(popsize, dim) * dim > MOST_MEMORY:
        raise ValueError("popsize and the number of variables are too large")
    o = kind(
        space or Box(arrays["lower"], arrays["upper"]), rng=0, algorithm=algorithm,
        popsize=popsize if getattr(algorithm, "uses_popsize", True) else None,
        maxfev=numbers["maxfev"], integrality=None if space else rules.get("integrality") or None,
        stop=Stopping(**rules.get("stopping", {})),
        constraints="returned" if "told_rows" in arrays or rules.get("returned", False) else None,
    )  # fmt: skip
    if not rules.get("returned", False):  # constraints that are functions are given later
        known: Any = o._rules.problem
        o._rules = dataclasses.replace(o._rules, problem=Function(known.fun, known.box))
    o.popsize = o._run.popsize = popsize
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
        raise ValueError("no best point although points have values")
    planned = whole_number("planned", numbers.get("planned", o.maxfev), o.maxfev)
    if planned > o.maxfev + len(arrays["x0"]):
        raise ValueError("more first points are known than there are")
    _repeat(o, numbers["seed"], planned, arrays)
    if o._batch.known is not None or "known_x" in arrays:
        _learn(o, arrays["known_x"], arrays["known_f"])
    _restore_told(o, numbers, arrays)
    o.until_converged = bool(numbers["until_converged"])
    o._begun = bool(len(o._run.history) or len(asked))
    if rules:
        o._restricted = rules["restricted"]
        o._told.improved = whole_number("improved", rules["improved"], 0)
        o._started = time.perf_counter() - rules["seconds"]
    return o, rules


def _restore_told(o: Optimizer, numbers: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """What was told, what is the best of it, and what is pending."""
    x, f, counts = (arrays[name] for name in TOLD)
    values, out, extra, trace = (arrays[name] for name in ("values", "out", "extra", "trace"))
    if f.ndim != 1 or x.shape != (len(f), o.box.dim) or counts.shape != f.shape or out.shape != values.shape:
        raise ValueError("shapes of points and values do not fit")
    if any(a.dtype != np.float64 for a in (x, f, extra)) or any(a.dtype != np.int64 for a in (counts, out)):
        raise ValueError("types of points and values do not fit")
    if np.isnan(f).any() or (counts < 1).any() or extra.shape[1:] != (o.box.dim,) or not o.box.holds(extra):
        raise ValueError("points and values do not fit")
    if trace.dtype != np.float64 or trace.shape[1:] != (2,) or np.isnan(trace).any():
        raise ValueError("the saved trace does not fit")
    o._told.restore(x, f, counts)
    if "seen_rows" in arrays:
        rows = arrays["seen_rows"]
        if rows.ndim != 2 or len(rows) != len(x) or rows.dtype != np.float64:
            raise ValueError("what is known of constraints does not fit the points")
        o._rows.restore(x, rows)
    o._told.best, o._told.best_x = float(arrays["best"]), arrays["best_x"]
    o._told.trace = [(int(nfev), float(value)) for nfev, value in trace]
    if len(values):
        asked = o._run.ask()
        if not np.array_equal(asked, arrays["asked"]):
            raise ValueError("this version of the algorithm asks for another batch")
        o._batch.take(asked, values, out > 0)
    o._batch.further, o._drawn = extra, whole_number("drawn", numbers["drawn"], 0)
    o._handed(np.concatenate([x, o._batch.handed_out]))


def _repeat(o: Optimizer, seed: dict[str, Any], planned: int, arrays: dict[str, np.ndarray]) -> None:
    """Make the algorithm's state of what it was told."""
    x0, events, x, f = (arrays[name] for name in ("x0", "events", "told_x", "told_f"))
    box = o._run.box
    if any(array.dtype != np.float64 for array in (x0, x, f)) or f.ndim != 1 or x.shape != (len(f), box.dim):
        raise ValueError("the points and values do not fit")
    if events.dtype != np.int64 or events.shape[1:] != (2,) or (events < 0).any() or events[:, 1].sum() != len(f):
        raise ValueError("the events of the file do not fit its points and values")
    if x0.shape[1:] != (box.dim,) or not box.holds(x) or np.isnan(f).any():
        raise ValueError("points lie outside the bounds, or have no values")
    widths, known = arrays.get("widths", np.zeros(len(events), np.int64)), arrays.get("told_rows", np.empty(0))
    if widths.shape != (len(events),) or known.shape != ((events[:, 1] * widths).sum(),) or (widths < 0).any():
        raise ValueError("what is known of constraints does not fit")
    ends, own = np.cumsum(events[:, 1])[:-1], np.cumsum(events[:, 1] * widths)[:-1]
    rows = [part.reshape(-1, max(width, 1)) for part, width in zip(np.split(known, own), widths, strict=False)]
    parts = zip(events[:, 0].tolist(), np.split(x, ends), np.split(f, ends), rows, strict=len(events) > 0)
    o._run.repeat(seed, planned, x0, parts if len(events) else ())


def _learn(o: Optimizer, x: np.ndarray, f: np.ndarray) -> None:
    """Values of known points, or of integer points that were evaluated."""
    if f.ndim != 1 or x.shape != (len(f), o.box.dim) or x.dtype != np.float64 or f.dtype != np.float64:
        raise ValueError("known points of the saved arrays do not fit")
    if not o.box.holds(x) or np.isnan(f).any():
        raise ValueError("known points of the saved arrays lie outside the bounds, or have no values")
    if o._batch.known is None:
        o._batch.known = point_cache_for(o._rules, 1, Evaluations(x, f))
    else:
        o._batch.known.learn(x, f)


@contextmanager
def shared(
    kind: type[Kind], path: str | os.PathLike[str], bounds: Any, constraints: Any, wait: float,
    settings: dict[str, Any],
) -> Iterator[Kind]:  # fmt: skip
    """The optimizer of a file that several people use, as `Optimizer.open` says."""
    place = Path(path)
    with locked(place.with_name(f"{place.name}.lock"), f"another use of {place.name}", wait):
        if place.exists():
            optimizer = load(kind, place, constraints)
            if bounds is not None and not _has_bounds(optimizer, bounds):
                raise InputError(f"bounds: not those of {place}; leave them out, or name another file")
        elif bounds is None:
            raise FileError(f"{place}: no such file; give bounds to begin one")
        else:
            optimizer = kind(bounds, constraints=constraints, **settings)
        yield optimizer
        save(optimizer, place)


def _has_bounds(optimizer: Optimizer, bounds: Any) -> bool:
    space = space_of_bounds(bounds)
    if space is None or optimizer.space is None:
        return space is optimizer.space and Box.of(bounds) == optimizer.box
    return space.to_dict() == optimizer.space.to_dict()


def _checked_rules(rules: Any, dim: int) -> dict[str, Any]:
    """What a file says of constraints, integers and stopping."""
    if not isinstance(rules, dict):
        raise ValueError("rules must be a dictionary")
    if not rules:
        return {}
    whole_number("constraints", rules["constraints"], 0)
    flags, numbers = rules["integrality"], (rules["violation"], rules["seconds"])
    if len(flags) not in (0, dim) or any(
        not isinstance(flag, bool) for flag in (*flags, rules["restricted"], rules.get("returned", False))
    ):
        raise ValueError("integrality must hold a truth value for each variable")
    if any(isinstance(n, bool) or not isinstance(n, (int, float)) or not 0 <= n <= 1e300 for n in numbers):
        raise ValueError("violation and seconds must be numbers of at least 0")
    return rules
