"""States of algorithms that come from a file: shapes, types and ranges are checked, then a step is tried on a copy."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np

from autov.algorithms.matrix_adaptation import MatrixAdaptationState
from autov.algorithms.portfolio import Portfolio, PortfolioState
from autov.core import Array, Box, Generator
from autov.core.box import WIDEST
from autov.core.checks import MOST
from autov.kernels.matrix_adaptation.work import COUNTS, VALUES

# What values of a field may be, by its name in all algorithms; loops that draw until a number fits end for these.
RANGES = {
    "F": (0, 1), "CR": (0, 1), "memory_f": (0, 1), "memory_cr": (0, 1), "share": (0, 1), "operator": (0, 2),
    "eta": (0, WIDEST), "child_eta": (0, WIDEST), "sigma": (0, WIDEST), "scale": (0, WIDEST),
}  # fmt: skip
MAY_BE_INFINITE = ("f", "best_f")
IN_THE_BOX = ("x", "best_x", "archive", "given", "asked")
GROWS = ("archive", "x", "f", "y", "F", "CR", "operator", "losers", "best_f", "given", "asked")  # rows may differ
MISSING = (dataclasses.MISSING, dataclasses.MISSING)


def parts_of(name: str, value: Any) -> list[tuple[str, Any]]:
    """A value by its name, or those of a tuple by numbered names."""
    return [(f"{name}.{i}", part) for i, part in enumerate(value)] if isinstance(value, tuple) else [(name, value)]


def state_to_arrays(state: Any, prefix: str = "state") -> dict[str, np.ndarray]:
    """The fields of a state, apart from its box; those of states in it have longer names."""
    found: dict[str, np.ndarray] = {}
    for field in dataclasses.fields(state):
        value = getattr(state, field.name)
        for name, part in parts_of(f"{prefix}.{field.name}", value):
            if dataclasses.is_dataclass(part) and not isinstance(part, Box):
                found |= state_to_arrays(part, name)
            elif not isinstance(part, Box):
                array = np.asarray(part)
                fields = array.dtype.names  # of a record, whose fields are arrays of their own in a file
                found |= {f"{name}.{field}": array[field] for field in fields} if fields else {name: array}
    return found


def state_from_arrays(like: Any, arrays: dict[str, np.ndarray], prefix: str = "state") -> Any:
    """A state of the class of ``like``, a first state of the same settings, with the saved values."""
    values = {}
    for field in dataclasses.fields(like):
        model = getattr(like, field.name)
        if isinstance(model, Box):
            continue
        if not any(name.startswith(f"{prefix}.{field.name}") for name in arrays) and (
            (field.default, field.default_factory) != MISSING
        ):
            continue  # of a file that is older than the field
        found = [
            _restored(field.name, part, arrays, name, like) for name, part in parts_of(f"{prefix}.{field.name}", model)
        ]
        values[field.name] = tuple(found) if isinstance(model, tuple) else found[0]
    state = dataclasses.replace(like, **values)
    for name in ("popsize", "maxfev"):
        if getattr(state, name, None) != getattr(like, name, None):
            raise ValueError(f"{name} of the state is not that of the optimizer")
    if isinstance(state, MatrixAdaptationState):
        _check_scalars(state, like)
    elif hasattr(state, "f") and len(state.f) not in (0, len(state.x)):
        raise ValueError("the values of the state are not those of its points")
    if isinstance(state, PortfolioState):
        _check_members(state)
    return state


def _check_members(state: PortfolioState) -> None:
    """What a portfolio says of its members."""
    if not state.turn < len(state.states):
        raise ValueError(f"turn of the state must be one of {len(state.states)} members")
    if not state.box.holds(state.best_x[state.used > 0]):
        raise ValueError("best_x of the state lies outside the bounds")
    for own, asked in zip(state.states, state.asked, strict=True):
        if isinstance(own, MatrixAdaptationState) and len(asked) not in (0, own.scalars[0].batch):
            raise ValueError("a batch of the state does not fit the member that asked for it")


def _restored(field: str, model: Any, arrays: dict[str, np.ndarray], name: str, like: Any) -> Any:
    """One value of a field; states in states have longer names."""
    if dataclasses.is_dataclass(model):
        return state_from_arrays(model, arrays, name)
    if isinstance(model, np.ndarray) and model.dtype.names:
        return _restored_record(model, arrays, name)
    saved = arrays[name]
    _check(field, saved, np.asarray(model), like)
    return saved if isinstance(model, np.ndarray) else type(model)(saved.item())


def _restored_record(model: np.ndarray, arrays: dict[str, np.ndarray], name: str) -> np.ndarray:
    """A record of the saved fields."""
    found = np.empty_like(model)
    for field in model.dtype.names or ():
        saved = arrays[f"{name}.{field}"]
        if saved.shape != model.shape or saved.dtype != model.dtype[field]:
            raise ValueError(f"{field} of the state has shape {saved.shape} and type {saved.dtype}")
        found[field] = saved
    return found


def _check(name: str, saved: np.ndarray, model: np.ndarray, like: Any) -> None:
    """One field against the first state's."""
    fits = saved.shape[1:] == model.shape[1:] if name in GROWS and model.ndim else saved.shape == model.shape
    if name == "basis":  # of nothing, or of all axes
        full = like.matrix.shape if isinstance(like, MatrixAdaptationState) else (like.box.dim, like.box.dim)
        fits = saved.shape in ((0, 0), full)
    if not fits or saved.dtype != model.dtype:
        raise ValueError(f"{name} of the state has shape {saved.shape} and type {saved.dtype}")
    most = max(len(getattr(like, "x", ())), 1000) + 100 * getattr(like, "popsize", 0)
    if name in GROWS and model.ndim and name != "asked" and len(saved) > most:
        raise ValueError(f"{name} of the state has {len(saved)} rows")
    infinite = name in MAY_BE_INFINITE or (name == "best" and isinstance(like, PortfolioState))
    if saved.dtype.kind == "f" and (np.isnan(saved).any() or (np.isinf(saved).any() and not infinite)):
        raise ValueError(f"{name} of the state has values that are no numbers")
    low, high = RANGES.get(name, (-np.inf, np.inf) if infinite else (-WIDEST, WIDEST))
    if saved.dtype.kind == "i":
        low, high = max(low, 0), min(high, MOST)
    if saved.dtype.kind in "if" and saved.size and (saved.min() < low or saved.max() > high):
        raise ValueError(f"{name} of the state must lie between {low:g} and {high:g}")
    unmade = name == "best_x" and isinstance(like, PortfolioState)  # rows of members that have told nothing
    if name in IN_THE_BOX and not unmade and saved.size and not like.box.holds(saved):
        raise ValueError(f"{name} of the state lies outside the bounds")


def _check_scalars(state: MatrixAdaptationState, like: MatrixAdaptationState) -> None:
    """Counts of ma-es are sizes of the arrays that its kernels write to; its values may be infinite."""
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


def check_sizes(algorithm: Any, numbers: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Refuse a head that would need far more memory than the arrays that came with it."""
    dim, held = int((arrays["lower"] < arrays["upper"]).sum()), sum(array.size for array in arrays.values())
    squared = _squared(algorithm)
    if numbers["popsize"] * dim > 4 * held + 10**6 or (squared and dim * dim > held):
        raise ValueError("popsize or the number of variables does not fit the saved arrays")


def _squared(algorithm: Any) -> bool:
    """Whether it keeps a matrix of as many rows and columns as there are variables."""
    if isinstance(algorithm, Portfolio):
        return any(_squared(runner) for runner in algorithm.runners)
    return algorithm.name in ("cma-es", "ma-es")


def try_out(algorithm: Any, state: Any, asked: Array, rng: Generator) -> None:
    """Take the step that comes next, on copies: what does not fit is raised here and not in the middle of a run.

    Args:
        algorithm: the settings.
        state: that was restored.
        asked: the points that are being evaluated; none if none are.
        rng: of the optimizer.
    """
    rng, state = copy.deepcopy(rng), copy.deepcopy(state)
    with np.errstate(all="ignore"):
        for points in (asked, asked[:0])[not len(asked) :]:
            if not len(points):
                points, state = algorithm.ask(state, rng)
            if points.ndim != 2 or not len(points) or not state.box.holds(points):
                raise ValueError("the state asks for points outside the bounds")
            state = algorithm.tell(state, points.copy(), np.arange(float(len(points))), rng)
