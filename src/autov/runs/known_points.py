"""Evaluations of the same problem that were made before: how people give them, and what a run makes of them.

They are not evaluated again and do not count. The best of them are the first population, as many as the algorithm
takes, so that nothing but `init` of an algorithm has to know of them.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autov.algorithms.base import Algorithm
from autov.algorithms.population import initial_points, room_of
from autov.core import Array, Box, FileError, InputError, real_numbers
from autov.core.box import check_inside
from autov.problems import Constrained, Problem, Space, instance_of, penalized, space_of, to_base, unpenalized
from autov.runs.budget import ConstrainedEvaluations, Evaluations
from autov.runs.stored_runs import StoredRun, is_database, reading

MOST = 100_000  # evaluations that are taken of a store: the best ones
VALUES = ("f", "value", "fun")  # names of the column of values; the last column where there is none of them
FORMS = "(x, f), a result with its history, a table, an optuna study, or the name of a CSV file or of a store"


def known_points(known: Any, problem: Problem, decides: str = "") -> Evaluations | None:
    """Known evaluations, checked, in the values that the driver compares; None for none.

    Args:
        known: in one of the forms of `minimize`.
        problem: of which they are known.
        decides: digest of what decides the values of the problem: which runs of a store are its own.
    """
    if known is None:
        return None
    x, f = read_known(known, problem, decides=decides)
    instance = instance_of(problem, 0)
    base, at = to_base(instance, x)
    outer = instance.problem.box if isinstance(instance, Constrained) else instance.box
    lower, upper = np.minimum(outer.lower, instance.box.lower), np.maximum(outer.upper, instance.box.upper)
    check_inside("known", x, lower, upper)
    if isinstance(base, Constrained) and not base.returned:  # a history or a store has what orders the points of others
        f = penalized(unpenalized(f), base.violation(base.rounded(at)))
    if not len(f):
        return None
    return distinct(instance.box.clip(x), f)


def distinct(x: Array, f: Array) -> Evaluations:
    """Without points that are there twice; of these the last value counts."""
    last = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(x + 0.0))}
    rows = list(last.values())
    return Evaluations(np.ascontiguousarray(x[rows]), np.array(f[rows], dtype=np.float64))


def first_points_of(
    known: Evaluations, algorithm: Algorithm, box: Box, popsize: int, maxfev: int, x0: Array | None
) -> tuple[Array, int]:  # fmt: skip
    """First points: those of x0, then known ones, as many as the algorithm takes; and how many of them are known."""
    given = initial_points(box, popsize, x0)
    count = max(room_of(algorithm, box, popsize, maxfev) - len(given), 0)
    rows = leading(known.fun, popsize)[:count]
    return np.concatenate([given, known.x[rows]]), len(rows)


def leading(f: Array, count: int) -> np.ndarray:
    """Places of this many values, smallest first: the best ones, and for half of them others from best to worst.

    The best points of an earlier run often lie close together; a population of nothing else could not leave its place.
    """
    order = np.argsort(f, kind="stable")
    if len(order) <= count:
        return order
    half = (count + 1) // 2
    rest = np.linspace(half, len(order) - 1, count - half).astype(np.int64)
    return np.concatenate([order[:half], order[rest]])


def to_bytes(known: Evaluations | None, dim: int) -> bytes:
    """Points and values as they are kept in a store."""
    return b"" if known is None else np.column_stack([known.x.reshape(-1, dim), known.fun]).tobytes()


def from_bytes(data: bytes, box: Box) -> Evaluations | None:
    """What `to_bytes` made; it is checked, because a store may come from anywhere."""
    if len(data) % (8 * (box.dim + 1)):
        raise FileError(f"known: the store has points that do not have {box.dim} variables")
    rows = np.frombuffer(data).reshape(-1, box.dim + 1)
    if not len(rows):
        return None
    known = Evaluations(np.ascontiguousarray(rows[:, :-1]), rows[:, -1].copy())
    if not box.holds(known.x) or np.isnan(known.fun).any():
        raise FileError("known: the store has points outside the bounds, or without a value")
    return known


def read_known(known: Any, problem: Problem, name: str = "known", decides: str = "") -> tuple[Array, Array]:
    """Points (n, d) and values (n,) in any of the forms; ``name`` is the argument that messages name."""
    dim, names, space = problem.box.dim, variable_names(problem), space_of(problem)
    if isinstance(known, (str, os.PathLike)):
        path = Path(known)
        if not path.is_file():
            raise FileError(f"{name}: {path}: no such file")
        if not is_database(path):
            return _of_table(name, *_read_csv(name, path, space is not None), names, dim, space)
        return _of_store(path, problem, decides)
    if isinstance(known, Evaluations):
        f = penalized(known.fun, known.violation) if isinstance(known, ConstrainedEvaluations) else known.fun
        f = np.where(np.isnan(f), np.inf, f)
        return _checked(name, known.x, f, dim, space)
    if hasattr(known, "trials"):
        return _of_study(name, known, names, dim, space)
    if hasattr(known, "columns") and hasattr(known, "to_numpy"):
        return _of_table(name, [str(column) for column in known.columns], known.to_numpy(), names, dim, space)
    if isinstance(known, Mapping):  # a result of minimize
        if not isinstance(made := known.get("history"), Evaluations):
            raise InputError(f"{name}: this result has no history; minimize(..., history=True) keeps it")
        return read_known(made, problem, name, decides)
    if isinstance(known, (tuple, list)) and len(known) == 2:
        return _checked(name, known[0], known[1], dim, space)
    raise InputError(f"{name}: expected {FORMS}, got {type(known).__name__}")


def _checked(name: str, x: Any, f: Any, dim: int, space: Space | None = None) -> tuple[Array, Array]:
    try:
        x = x if space is None else space.several(name, x)
        points, values = np.asarray(x, dtype=np.float64), np.asarray(real_numbers(f), dtype=np.float64)
    except InputError:
        raise
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}: points and values must be numbers") from None
    if points.ndim != 2 or values.shape != (len(points),) or points.shape[1] != dim:
        raise InputError(
            f"{name}: expected points (n, {dim}) and values (n,), got shapes {points.shape} and {values.shape}"
        )
    if np.isnan(values).any():
        raise InputError(f"{name}: the value of point {int(np.argmax(np.isnan(values)))} is NaN; leave it out")
    return points, values


def variable_names(problem: Problem) -> tuple[str, ...]:
    """Names of the variables, if the problem has any."""
    space = space_of(problem)
    return tuple(getattr(problem, "names", ())) if space is None else space.names


def _of_table(
    name: str, columns: Sequence[str], rows: Any, names: Sequence[str], dim: int, space: Space | None
) -> tuple[Array, Array]:  # fmt: skip
    """Points and values of a table; columns by name where the variables have names, else in their order."""
    try:
        data = np.asarray(rows, dtype=np.float64 if space is None else object)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}: all columns of the table must be numbers") from None
    if data.ndim != 2 or data.shape[1] < 2 or (columns and data.shape[1] != len(columns)):
        raise InputError(f"{name}: expected a table with a column for each variable and one of values")
    at = next((i for i, column in enumerate(columns) if column.strip().lower() in VALUES), data.shape[1] - 1)
    if names:
        missing = [variable for variable in names if variable not in columns]
        if missing:
            raise InputError(f"{name}: the table has no column {missing[0]!r}; columns are {', '.join(columns)}")
        places = [list(columns).index(variable) for variable in names]
    else:
        places = [i for i in range(data.shape[1]) if i != at]
    if space is None:
        return _checked(name, data[:, places], data[:, at], dim)
    if len(places) != dim:
        raise InputError(f"{name}: the table has {len(places)} columns of variables, there are {dim}")
    try:
        values = data[:, at].astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: values must be numbers") from None
    return _checked(name, space.table(name, data[:, places].tolist()), values, dim)


def _read_csv(name: str, path: Path, texts: bool = False) -> tuple[list[str], Array]:
    """Names of columns, none where the first line has numbers, and the numbers."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = [line for line in csv.reader(file) if line and not line[0].lstrip().startswith("#")]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{name}: {path}: cannot be read: {error}") from None
    columns: list[str] = []
    rows: list[list[Any]] = []
    if texts:  # what they mean is known by the variables; the first line has names
        columns, rows = [cell.strip() for cell in lines[0]] if lines else [], [list(line) for line in lines[1:]]
        lines = []
    for i, line in enumerate(lines):
        try:
            rows.append([float(cell) for cell in line])
        except ValueError:
            if i > 0:
                raise FileError(f"{name}: {path}: expected numbers, got {','.join(line)[:80]!r}") from None
            columns = [cell.strip() for cell in line]
    if not rows or len({len(row) for row in rows} | ({len(columns)} if columns else set())) != 1:
        raise FileError(f"{name}: {path}: expected lines of as many numbers each, the last one the value")
    return columns, np.array(rows, dtype=object if texts else np.float64)


def _of_study(
    name: str, study: Any, names: Sequence[str], dim: int, space: Space | None = None
) -> tuple[Array, Array]:  # fmt: skip
    """Points and values of the finished trials of an optuna study that minimises one value."""
    directions = [
        getattr(direction, "name", str(direction)) for direction in getattr(study, "directions", ["MINIMIZE"])
    ]
    if len(directions) != 1:
        raise InputError(f"{name}: the study has {len(directions)} objectives, expected one")
    sign = -1.0 if directions[0].upper().endswith("MAXIMIZE") else 1.0
    finished = [t for t in study.trials if getattr(t.state, "name", str(t.state)) == "COMPLETE" and t.value is not None]
    if not finished:
        return np.empty((0, dim)), np.empty(0)
    order = list(names) or list(finished[0].params)
    try:
        x = [[trial.params[variable] for variable in order] for trial in finished]
        x = np.array(x, dtype=np.float64) if space is None else space.several(name, x)
    except KeyError as error:
        raise InputError(f"{name}: a trial of the study has no parameter {error}") from None
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{name}: parameters of the study must be numbers; describe categories by autov.space"
        ) from None
    return _checked(name, x, [sign * float(trial.value) for trial in finished], dim)


def _of_store(path: Path, problem: Problem, decides: str) -> tuple[Array, Array]:
    """The best evaluations of the runs of this problem."""
    with reading(path) as store:
        runs = store.runs()
        own = [run for run in runs if _is_same(run, problem, decides)]
        if runs and not own:
            there = sorted({f"{run.problem[:40]} ({run.dim} variables)" for run in runs})
            shown = ", ".join(there[:5]) + (", ..." if len(there) > 5 else "")
            raise InputError(f"known: {path} has no run of this problem, {problem.name}; it has {shown}")
        return store.best(own, MOST) if own else Evaluations(np.empty((0, problem.box.dim)), np.empty(0))


def _is_same(run: StoredRun, problem: Problem, decides: str) -> bool:
    """Whether a run is one of this problem; older stores know its name only."""
    if run.dim != problem.box.dim:
        return False
    told = run.about.get("identity")
    return run.problem == problem.name if told is None else told == decides
