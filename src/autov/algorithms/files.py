"""Algorithms and their states as data: settings as JSON, the arrays of a state in an NPZ without pickle."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from autov.algorithms.resolve import ALGORITHMS, make_algorithm
from autov.algorithms.restoring import state_from_arrays
from autov.core import Box, FileError, InputError, read_arrays, write_arrays
from autov.operators import AffineOperator, from_dict, to_dict

FORMAT, VERSION = "autov-ask-tell", 1
Restored = TypeVar("Restored")


def algorithm_to_dict(algorithm: Any) -> dict[str, Any]:
    """Name and settings of one of autov's own algorithms."""
    name = algorithm.name
    if type(algorithm) is not ALGORITHMS.get(name):
        raise InputError(f"algorithm: {name} is not one of autov's own and cannot be written to a file")
    settings = {}
    for field in dataclasses.fields(algorithm):
        value = getattr(algorithm, field.name)
        if isinstance(value, AffineOperator):
            value = to_dict(value)
        elif not isinstance(value, (bool, int, float, str, type(None))):
            raise InputError(f"algorithm: {field.name} of {name} cannot be written to a file, got {value!r}")
        settings[field.name] = value
    return {"name": name, "settings": settings}


def algorithm_from_dict(data: Any, where: str) -> Any:
    """The algorithm of its JSON form."""
    settings = dict(data["settings"])
    if "operator" in settings:
        settings["operator"] = from_dict(settings["operator"], where)
    return make_algorithm(data["name"], **settings)


def _state_to_arrays(state: Any) -> dict[str, np.ndarray]:
    """The fields of a state, apart from its box."""
    fields = {field.name: getattr(state, field.name) for field in dataclasses.fields(state)}
    return {f"state.{name}": np.asarray(value) for name, value in fields.items() if not isinstance(value, Box)}


def write_saved(
    path: str | os.PathLike[str], algorithm: Any, state: Any, numbers: dict[str, Any], arrays: dict[str, np.ndarray]
) -> None:
    """Write an algorithm in the middle of a run."""
    head = {"format": FORMAT, "version": VERSION, "algorithm": algorithm_to_dict(algorithm), **numbers}
    write_arrays(path, head, {**arrays, **_state_to_arrays(state)})


def read_saved(path: str | os.PathLike[str], make: Callable[..., Restored]) -> Restored:
    """Read it back: ``make(algorithm, numbers, arrays, restore state)`` puts it together."""
    try:
        head, arrays = read_arrays(path, FORMAT, VERSION)
        algorithm = algorithm_from_dict(head["algorithm"], str(path))
        return make(algorithm, head, arrays, lambda like: state_from_arrays(like, arrays))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, MemoryError) as error:
        missing = " is missing" if isinstance(error, KeyError) else ""
        raise FileError(f"{path}: not a saved optimizer: {' '.join(str(error).split())[:300]}{missing}") from None
