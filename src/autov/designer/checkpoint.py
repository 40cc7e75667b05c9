"""Searches on disk: written whole or not at all, refused if broken or of other settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autov.algorithms.faults import KINDS, FaultCount
from autov.core import FileError, read_arrays, to_json, write_arrays
from autov.designer.cost import FITTED
from autov.designer.search import HISTORY, Search, SearchState
from autov.designer.soundness import check_state

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
        seconds, saved = float(head["seconds"]), dict(head["settings"])
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
