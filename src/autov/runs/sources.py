"""Earlier runs on other problems of a kind, as sources of experience: how people give them, and whether they fit."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from autov.core import Array, Box, FileError, InputError, digest
from autov.problems import Problem, Space, space_of, unpenalized
from autov.runs.budget import Evaluations
from autov.runs.known_points import read_known, variable_names
from autov.runs.stored_runs import StoredRun, StoreReader, is_database, reading

KEPT = 10  # good points of a source
MOST = 1000  # sources of a store: the last ones


@dataclass(frozen=True, eq=False)
class Source:
    """The good points of one earlier run, best first."""

    label: str
    x: Array  # (k, d), at least one
    context: Array = field(default_factory=lambda: np.empty(0))


def sources_of(given: Any, problem: Problem) -> list[Source]:
    """All sources, in the box of the problem.

    Args:
        given: a store, a CSV file, a result, (x, f), a table, a study, or several of them.
        problem: for which they are wanted.
    """
    found: list[Source] = []
    for label, item, is_store in named_sources(given):
        if is_store:
            found += _of_store(Path(item), problem)
            continue
        if isinstance(item, Mapping) and not isinstance(item.get("history"), Evaluations):
            item = _of_result(item, space_of(problem))
        x, f = read_known(item, problem, "learn_from")
        if len(f) and np.isfinite(f).any():
            context = item.get("context") if isinstance(item, Mapping) else None
            found.append(_source(label, x, f, context_of(context), problem.box))
    return found


def described(given: Any, learned: bytes) -> Any:
    """What tells runs that learn from these sources from others: names of files, or a digest of what is learnt."""
    paths = [str(Path(item).resolve()) for item in each_source(given) if isinstance(item, (str, os.PathLike))]
    return paths or digest(learned)


def has_files(given: Any) -> bool:
    """Whether some of the sources are files, which may grow."""
    return any(isinstance(item, (str, os.PathLike)) for item in each_source(given))


def context_of(context: Any) -> Array:
    """Numbers that describe an instance; empty for none."""
    if context is None:
        return np.empty(0)
    try:
        numbers = np.atleast_1d(np.asarray(context, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        numbers = np.array([np.nan])
    if numbers.ndim != 1 or not np.isfinite(numbers).all() or not 1 <= len(numbers) <= 1000:
        raise InputError(f"context: must be finite numbers that describe the problem, got {context!r}")
    return numbers


def named_sources(given: Any) -> Iterator[tuple[str, Any, bool]]:
    """The sources one by one, each with a name to show, and whether it is a store."""
    for i, item in enumerate(each_source(given), start=1):
        if not isinstance(item, (str, os.PathLike)):
            yield f"source {i}", item, False
            continue
        path = Path(item)
        if not path.is_file():
            raise FileError(f"learn_from: {item}: no such file")
        yield path.name, item, is_database(path)


def each_source(given: Any) -> list[Any]:
    """The sources one by one; (x, f) is one of them."""
    if isinstance(given, (list, tuple)) and not isinstance(given, Evaluations):
        pair = len(given) == 2 and isinstance(given[0], (np.ndarray, list)) and not isinstance(given[1], Mapping)
        return [given] if pair else list(given)
    return [given]


def _of_result(result: Mapping[str, Any], space: Space | None) -> tuple[Any, Array]:
    """A result without a history: its best point, and its last population."""
    try:
        if space is not None and len(result.get("population", ())):
            return result["population"], np.asarray(result["population_energies"], dtype=np.float64)
        if space is not None:
            return [result["x"]], np.array([float(result["fun"])])
        x, f = np.atleast_2d(result["x"]), np.atleast_1d(float(result["fun"]))
        points = np.asarray(result.get("population", x[:0]), dtype=np.float64).reshape(-1, x.shape[1])
        values = np.asarray(result.get("population_energies", f[:0]), dtype=np.float64)
        return np.concatenate([x, points]), np.concatenate([f, values])
    except (KeyError, TypeError, ValueError):
        raise InputError("learn_from: expected a result with x and fun") from None


def _source(label: str, x: Array, f: Array, context: Array, box: Box) -> Source:
    order = np.argsort(f, kind="stable")
    order = order[np.isfinite(f[order])][:KEPT]
    inside = (x[order] >= box.lower) & (x[order] <= box.upper)
    if not inside.all():
        raise InputError(f"learn_from: points of {label} lie outside the bounds of this problem")
    return Source(label, x[order], context)


def _of_store(path: Path, problem: Problem) -> list[Source]:
    """The last runs of a store that fit; if there are runs and none fits, that is said."""
    found, reason = [], ""
    with reading(path) as store:
        for run in reversed(store.runs()):
            places, why = matching_variables(run, problem)
            reason = reason or why
            source = None if why else _of_run(store, run, places, problem.box)
            if source is not None:
                found.append(source)
            if len(found) == MOST:
                break
    if reason and not found:
        raise InputError(f"learn_from: no run of {path} fits this problem; {reason}")
    return found[::-1]


def matching_variables(run: StoredRun, problem: Problem) -> tuple[np.ndarray, str]:
    """Which variable of a run each variable of the problem is, -1 for none; and why it does not fit, if so."""
    names, box = variable_names(problem), problem.box
    if names and run.names:
        known = dict(zip(names, _meanings(problem), strict=True))
        told = run.about.get("variables")
        told = told if isinstance(told, dict) else {}
        places = np.array([
            run.names.index(name) if name in run.names and _meaning(told.get(name)) == known[name] else -1
            for name in names
        ])  # fmt: skip
        return places, "" if (places >= 0).any() else "none of its variables has a name of this one"
    if run.dim != box.dim:
        return np.empty(0, np.int64), f"it has {run.dim} variables, this one {box.dim}"
    if _meanings(problem) != _told_meanings(run):
        return np.empty(0, np.int64), "its variables are described in another way"
    if run.box is not None and run.box != box:
        return np.empty(0, np.int64), "its bounds differ, and variables without names cannot be matched"
    return np.arange(box.dim), ""


def _meaning(described: Any) -> Any:
    """What a coordinate of a variable means: equal where coordinates can be taken over."""
    if not isinstance(described, dict):
        return "linear"
    if "low" not in described:
        return described
    if "step" in described:
        return described["low"], described["step"]
    return described.get("scale", "linear")


def _meanings(problem: Problem) -> list[Any]:
    if (space := space_of(problem)) is None:
        return ["linear"] * problem.box.dim
    found = []
    for one in space.variables:
        try:
            found.append(_meaning(one.to_dict()))
        except InputError:  # cannot be written to a store, so that nothing there is equal to it
            found.append(one)
    return found


def _told_meanings(run: StoredRun) -> list[Any]:
    told = run.about.get("variables")
    parts = list(told.values()) if isinstance(told, dict) else told if isinstance(told, list) else [None] * run.dim
    return [_meaning(part) for part in parts]


def _of_run(store: StoreReader, run: StoredRun, places: np.ndarray, box: Box) -> Source | None:
    numbers, f = store.values(run)
    f = unpenalized(f)
    order = np.argsort(f, kind="stable")
    order = order[np.isfinite(f[order])][:KEPT]
    if not len(order):
        return None
    points = store.points(run, numbers[order])
    x = np.tile((box.lower + box.upper) / 2, (len(points), 1))
    x[:, places >= 0] = points[:, places[places >= 0]]
    told = run.about.get("context")
    try:
        context = context_of(told)
    except InputError:
        context = np.empty(0)
    return Source(f"{run.problem[:60]}, run {run.number}", box.clip(x), context)
