"""Searches on disk: written whole or not at all, refused if broken or of other settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autov.core import Array, FileError, read_arrays, to_json, write_arrays
from autov.core.checks import MOST
from autov.designer.journal import renamed
from autov.designer.search import HISTORY, Search, SearchState
from autov.designer.settings import FITTED
from autov.runs.faults import KINDS, FaultCount

FORMAT, VERSION = "autov-search", 3
_ARRAYS = ("vectors", "ids", "values", "fitness", "reference", "panel")
_PROPOSER = "proposer:"  # before the names of what the proposer remembers
MEASURED = "measured"  # among the sizes of a search: evaluations that told what it may cost


def write_checkpoint(
    path: Path, state: SearchState, settings: Mapping[str, Any], seconds: float,
    plan: Mapping[str, int] | None = None, faults: FaultCount | None = None,
) -> None:  # fmt: skip
    """Write a checkpoint atomically; after a crash the old one or the new one is there."""
    head = {
        "format": FORMAT, "version": VERSION, "settings": dict(settings), "seconds": seconds,
        "plan": dict(plan or {}), "failed": {"counts": faults.counts, "first": faults.first} if faults else {},
        "generation": state.generation, "next_id": state.next_id, "evaluations": state.evaluations,
    }  # fmt: skip
    arrays = {name: getattr(state, name) for name in _ARRAYS}
    arrays |= {f"{_PROPOSER}{name}": value for name, value in state.proposer.items()}
    write_arrays(path, head, {**arrays, "history": np.array(state.history, dtype=np.float64)})


def saved_seed(path: Path) -> int:
    """The seed of the search that a checkpoint belongs to."""
    head, _ = _read(path)
    settings = head.get("settings")
    seed = settings.get("seed") if isinstance(settings, dict) else None
    if type(seed) is not int or seed < 0:
        raise FileError(f"{path}: broken checkpoint (it has no seed); move it away to start anew")
    return seed


def saved_plan(path: Path) -> dict[str, int] | None:
    """The sizes that the search was given when it began; None if there is no checkpoint."""
    if not path.exists():
        return None
    head, _ = _read(path)
    plan = head.get("plan", {})
    if not is_plan(plan):
        raise FileError(f"{path}: broken checkpoint (its sizes are none); move it away to start anew")
    return plan


def saved_faults(path: Path) -> FaultCount:
    """The evaluations that had failed when a checkpoint was written; none if there is no checkpoint."""
    found = FaultCount()
    if not path.exists():
        return found
    failed = _read(path)[0].get("failed", {})
    try:
        counts, first = failed.get("counts", {}), failed.get("first", "")
        sound = isinstance(first, str) and all(
            what in KINDS and type(n) is int and n >= 0 for what, n in counts.items()
        )
    except AttributeError:
        sound, counts, first = False, {}, ""
    if not sound:
        raise FileError(f"{path}: broken checkpoint (its counts of failed evaluations); move it away to start anew")
    found.add(counts, first)
    return found


def is_plan(plan: Any) -> bool:
    """Whether these are sizes of a search, by their names, perhaps with what was spent to find them."""
    names = {*FITTED, MEASURED}
    return isinstance(plan, dict) and all(name in names and type(size) is int for name, size in plan.items())


def read_checkpoint(path: Path, settings: Mapping[str, Any], search: Search) -> tuple[SearchState, float]:
    """The state and the seconds spent so far; the settings must be those it was written with, the state sound."""
    head, arrays = _read(path)
    try:
        history = [tuple(row) for row in arrays["history"].reshape(-1, len(HISTORY)).tolist()]
        state = SearchState(
            generation=head["generation"], next_id=head["next_id"], evaluations=head["evaluations"], history=history,
            proposer={n[len(_PROPOSER) :]: a for n, a in arrays.items() if n.startswith(_PROPOSER)},
            **{name: arrays[name] for name in _ARRAYS},
        )  # fmt: skip
        seconds, saved = float(head["seconds"]), renamed(dict(head["settings"]))
        if not 0 <= seconds < np.inf:
            raise FileError(f"seconds is {seconds}")
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise _broken(path, error) from None
    wanted = json.loads(to_json(dict(settings)))
    if saved != wanted:
        names = [name for name in {**saved, **wanted} if saved.get(name) != wanted.get(name)]
        changes = ", ".join(f"{name} was {saved.get(name)!r:.200}, is {wanted.get(name)!r:.200}" for name in names[:9])
        raise FileError(f"{path}: belongs to other settings ({' '.join(changes.split())})")
    try:
        check_state(state, search)
    except FileError as error:
        raise _broken(path, error) from None
    return state, seconds


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    try:
        return read_arrays(path, FORMAT, VERSION)
    except FileError as error:
        raise _broken(path, error) from None


def _broken(path: Path, error: Exception) -> FileError:
    return FileError(f"{path}: broken checkpoint ({' '.join(str(error).split())}); move it away to start anew")


def check_state(state: SearchState, search: Any) -> None:
    """Refuse a state that this search cannot have written; kernels would read beyond the ends of its arrays."""
    n, problems, box = search.settings.population, len(search.trials), search.genome.box
    for name in ("generation", "next_id", "evaluations"):
        value = getattr(state, name)
        if type(value) is not int or not 0 <= value <= MOST * MOST:
            raise FileError(f"{name} is {value!r:.40}")
    shapes = {
        "vectors": (n, box.dim), "values": (problems, n, search.memory), "fitness": (n,), "reference": (problems,),
    }  # fmt: skip
    runs = search.settings.panel_runs * len(search.panel.algorithms)
    shapes["panel"] = (problems, runs) if search.settings.aggregate == "panel" else (0, 0)
    for name, shape in shapes.items():
        _check_array(name, getattr(state, name), shape, np.dtype(np.float64))
    _check_array("ids", state.ids, (n,), np.dtype(np.int64))
    if not box.holds(state.vectors):
        raise FileError("vectors lie outside their box")
    if state.next_id != n * (state.generation + 1):
        raise FileError(f"next_id is {state.next_id} after {state.generation} generations of {n}")
    if (state.ids < 0).any() or (state.ids >= state.next_id).any() or len(set(state.ids.tolist())) != n:
        raise FileError("ids are not those of candidates")
    made = ~np.isnan(state.values)
    if (
        not made[:, :, : search.runs].all()
        or (np.diff(made.astype(np.int8), axis=2) > 0).any()
        or (made != made[0]).any()
    ):
        raise FileError("values have gaps")
    if np.isnan(state.panel).any():
        raise FileError("panel has values that are NaN")
    if np.isnan(state.fitness).any():
        raise FileError("fitness is NaN")
    if len(state.history) != state.generation + 1 or any(len(row) != len(HISTORY) for row in state.history):
        raise FileError(f"history has {len(state.history)} rows after {state.generation} generations")
    _check_proposer(state, search)


def _check_proposer(state: SearchState, search: Any) -> None:
    """What a proposer remembers is checked by itself where it uses it: it is tried on a copy."""
    memory = {name: array.copy() for name, array in state.proposer.items()}
    try:
        _, offspring = search.proposer.propose(memory, state.generation + 1, state.vectors, state.fitness)
    except (KeyError, ValueError, TypeError, IndexError, ArithmeticError) as error:
        raise FileError(f"memory of the proposer: {error}") from None
    if not search.genome.box.holds(offspring):
        raise FileError("memory of the proposer: it proposes vectors outside their box")


def _check_array(name: str, array: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if array.shape != shape or array.dtype != dtype:
        raise FileError(f"{name} has shape {array.shape} and type {array.dtype}, not {shape} and {dtype}")
