"""A search on disk as one file, which is written whole or not at all and refused if broken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from autov.core import Array, FileError, read_arrays, write_arrays
from autov.core.checks import MOST
from autov.designer.cost import FITTED
from autov.designer.search import HISTORY, SearchState
from autov.runs.evaluation import KINDS, FaultCount

FORMAT, VERSION = "autov-search", 3
MEASURED = "measured"  # among the sizes of a search: evaluations that told what it may cost
RETIRED = ("early_stop",)  # settings of earlier versions that never changed a result
_ARRAYS = ("vectors", "ids", "values", "fitness", "reference", "panel")
_PROPOSER = "proposer:"  # before the names of what the proposer remembers
_NOT_STARTED = -1  # the generation of a search before its first population


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """All that a search needs to go on.

    Attributes:
        settings: what decides its results, the seed included.
        plan: the sizes that were made to fit when it began, and the evaluations that this took.
        state: None before the first population.
        seconds: spent so far.
        faults: evaluations that failed so far.
    """

    settings: Mapping[str, Any]
    plan: Mapping[str, int]
    state: SearchState | None = None
    seconds: float = 0.0
    faults: FaultCount = field(default_factory=FaultCount)

    @property
    def generation(self) -> int:
        """Of the state; -1 before the first population."""
        return _NOT_STARTED if self.state is None else self.state.generation

    def write(self, path: Path) -> None:
        """Write it atomically; after a crash the old file or the new one is there."""
        state, arrays, head = self.state, {}, {
            "format": FORMAT, "version": VERSION, "settings": dict(self.settings), "seconds": self.seconds,
            "plan": dict(self.plan), "failed": {"counts": self.faults.counts, "first": self.faults.first},
            "generation": self.generation,
        }  # fmt: skip
        if state is not None:
            head |= {"next_id": state.next_id, "evaluations": state.evaluations}
            arrays = {name: getattr(state, name) for name in _ARRAYS}
            arrays |= {f"{_PROPOSER}{name}": value for name, value in state.proposer.items()}
            arrays["history"] = np.array(state.history, dtype=np.float64)
        write_arrays(path, head, arrays)

    @classmethod
    def read(cls, path: Path) -> Checkpoint:
        """The checkpoint in a file; whether its state is sound, only a search can tell (`check_state`)."""
        try:
            head, arrays = read_arrays(path, FORMAT, VERSION)
            state = None if head.get("generation") == _NOT_STARTED else _state_of(head, arrays)
            settings = _present(head["settings"])
            plan, seconds = head.get("plan", {}), float(head["seconds"])
            _check_head(settings, plan, seconds)
            return cls(settings, plan, state, seconds, _faults_of(head.get("failed", {})))
        except (FileError, KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
            raise broken(path, error) from None


def _state_of(head: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> SearchState:
    history = [tuple(row) for row in arrays["history"].reshape(-1, len(HISTORY)).tolist()]
    found: dict[str, Any] = {name: arrays[name] for name in _ARRAYS}
    return SearchState(
        generation=head["generation"], next_id=head["next_id"], evaluations=head["evaluations"], history=history,
        proposer={n[len(_PROPOSER) :]: a for n, a in arrays.items() if n.startswith(_PROPOSER)},
        **found,
    )  # fmt: skip


def _present(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a file, under their present names and without those that are gone."""
    found = {name: value for name, value in dict(settings).items() if name not in RETIRED}
    return found | {"searcher": "best-operator"} if found.get("searcher") == "autov" else found


def _check_head(settings: Mapping[str, Any], plan: Any, seconds: float) -> None:
    seed, names = settings.get("seed"), {*FITTED, MEASURED}
    if type(seed) is not int or seed < 0:
        raise FileError("it has no seed")
    if not isinstance(plan, dict) or not all(name in names and type(size) is int for name, size in plan.items()):
        raise FileError("its sizes are none")
    if not 0 <= seconds < np.inf:
        raise FileError(f"seconds is {seconds}")


def _faults_of(failed: Mapping[str, Any]) -> FaultCount:
    counts, first, found = failed.get("counts", {}), failed.get("first", ""), FaultCount()
    if not isinstance(first, str) or not all(
        what in KINDS and type(n) is int and n >= 0 for what, n in counts.items()
    ):  # fmt: skip
        raise FileError("its counts of failed evaluations")
    found.add(counts, first)
    return found


def broken(path: Path, error: Exception) -> FileError:
    """The error for a file that cannot be used, in one line."""
    return FileError(
        f"{path}: broken checkpoint ({' '.join(str(error).split())}); move it to another folder to start anew"
    )


def check_state(state: SearchState, search: Any) -> None:
    """Refuse a state that this search cannot have written; kernels would read beyond the ends of its arrays."""
    n, problems, box = search.settings.search.population, len(search.trials), search.genome.box
    for name in ("generation", "next_id", "evaluations"):
        value = getattr(state, name)
        if type(value) is not int or not 0 <= value <= MOST * MOST:
            raise FileError(f"{name} is {value!r:.40}")
    shapes = {
        "vectors": (n, box.dim), "values": (problems, n, search.memory), "fitness": (n,), "reference": (problems,),
    }  # fmt: skip
    runs = search.settings.fitness.panel_runs * len(search.panel.algorithms)
    shapes["panel"] = (problems, runs) if search.settings.fitness.aggregate == "panel" else (0, 0)
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
