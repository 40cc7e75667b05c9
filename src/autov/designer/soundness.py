"""A search state that comes from a file: every shape, type and range is checked before anything computes with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from autov.core import Array, FileError
from autov.core.checks import MOST
from autov.designer.search import HISTORY, SearchState


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
