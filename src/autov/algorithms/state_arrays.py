"""The state of a matrix adaptation strategy as arrays of a file; what comes from one is checked."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from autov.algorithms.matrix_adaptation import MatrixAdaptationState
from autov.core import Box
from autov.core.box import WIDEST
from autov.core.checks import MOST
from autov.kernels.matrix_adaptation.work import COUNTS, VALUES

GROWS = ("x", "f", "given")  # rows may differ
IN_THE_BOX = ("x", "given")


def state_to_arrays(state: MatrixAdaptationState) -> dict[str, np.ndarray]:
    """The fields of a state, apart from its box; those of its record have longer names."""
    found: dict[str, np.ndarray] = {}
    for field in fields(state):
        value = getattr(state, field.name)
        if isinstance(value, Box):
            continue
        array, name = np.asarray(value), f"state.{field.name}"
        names = array.dtype.names
        found |= {f"{name}.{one}": array[one] for one in names} if names else {name: array}
    return found


def state_from_arrays(like: MatrixAdaptationState, arrays: dict[str, np.ndarray]) -> MatrixAdaptationState:
    """A state with the saved values; ``like`` is a first state of the same settings."""
    values = {}
    for field in fields(like):
        model = getattr(like, field.name)
        if isinstance(model, Box):
            continue
        if isinstance(model, np.ndarray) and model.dtype.names:
            values[field.name] = _record(model, arrays, f"state.{field.name}")
            continue
        saved = arrays[f"state.{field.name}"]
        _check(field.name, saved, np.asarray(model), like)
        values[field.name] = saved if isinstance(model, np.ndarray) else type(model)(saved.item())
    state = replace(like, **values)
    _check_scalars(state, like)
    return state


def _record(model: np.ndarray, arrays: dict[str, np.ndarray], name: str) -> np.ndarray:
    """A record of the saved fields."""
    found = np.empty_like(model)
    for field in model.dtype.names or ():
        saved = arrays[f"{name}.{field}"]
        if saved.shape != model.shape or saved.dtype != model.dtype[field]:
            raise ValueError(f"{field} of the state has shape {saved.shape} and type {saved.dtype}")
        found[field] = saved
    return found


def _check(name: str, saved: np.ndarray, model: np.ndarray, like: MatrixAdaptationState) -> None:
    """One field against the first state's."""
    fits = saved.shape[1:] == model.shape[1:] if name in GROWS else saved.shape == model.shape
    if name == "basis":  # of nothing, or of all axes
        fits = saved.shape in ((0, 0), like.matrix.shape)
    if not fits or saved.dtype != model.dtype:
        raise ValueError(f"{name} of the state has shape {saved.shape} and type {saved.dtype}")
    infinite = name == "f"
    if saved.dtype.kind == "f" and (np.isnan(saved).any() or (np.isinf(saved).any() and not infinite)):
        raise ValueError(f"{name} of the state has values that are no numbers")
    low, high = (0, MOST) if saved.dtype.kind == "i" else (-np.inf, np.inf) if infinite else (-WIDEST, WIDEST)
    if saved.dtype.kind in "if" and saved.size and (saved.min() < low or saved.max() > high):
        raise ValueError(f"{name} of the state must lie between {low:g} and {high:g}")
    if name in IN_THE_BOX and saved.size and not like.box.holds(saved):
        raise ValueError(f"{name} of the state lies outside the bounds")


def _check_scalars(state: MatrixAdaptationState, like: MatrixAdaptationState) -> None:
    """Counts are sizes of the arrays that kernels write to; values may be infinite."""
    scalars, first = state.scalars[0], like.scalars[0]
    if any(scalars[name] < 0 for name in COUNTS) or any(np.isnan(scalars[name]) for name in VALUES):
        raise ValueError("scalars of the state are negative counts, or values that are no numbers")
    if scalars.capacity > 10 * first.capacity or scalars.popsize != first.popsize:
        raise ValueError("the populations of the state do not fit")
    if not scalars.popsize <= scalars.large <= max(scalars.capacity, scalars.popsize):
        raise ValueError("the largest population of the state does not fit")
    if not 2 <= scalars.batch <= scalars.capacity or len(state.given) > scalars.batch:
        raise ValueError("the batch of the state does not fit")
    if len(state.x) != scalars.told or len(state.f) != len(state.x) or len(state.x) > scalars.capacity:
        raise ValueError("the population of the state does not fit")
