"""Algorithms and their states as data: settings as JSON, the arrays of a state in an NPZ without pickle."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from autov.algorithms.peers import PREFIXES, resolve_peer
from autov.algorithms.resolve import ALGORITHMS, ALIASES, make_algorithm, resolve_algorithm
from autov.algorithms.restoring import parts_of, state_from_arrays
from autov.algorithms.shipped import shipped_algorithm, shipped_data, shipped_names
from autov.core import Box, FileError, InputError, read_arrays, write_arrays
from autov.core.files import read_json, to_json, write_text
from autov.operators import AffineOperator, from_dict, to_dict

FORMAT, VERSION = "autov-ask-tell", 1
OPTIMIZER, OPTIMIZER_VERSION = "autov-optimizer", 1
Restored = TypeVar("Restored")


def algorithm_to_dict(algorithm: Any) -> dict[str, Any]:
    """Name and settings of one of autov's own algorithms."""
    name = algorithm.name
    if name.partition(":")[0] in PREFIXES:
        if resolve_algorithm(name) != algorithm:
            raise InputError(f"algorithm: settings of {name} cannot be written to a file, got {algorithm!r}")
        return {"peer": name}
    if type(algorithm) is not ALGORITHMS.get(name):
        raise InputError(f"algorithm: {name} is not one of autov's own and cannot be written to a file")
    settings = {}
    for field in dataclasses.fields(algorithm):
        value = getattr(algorithm, field.name)
        if isinstance(value, AffineOperator):
            value = to_dict(value)
        elif field.name == "members":
            value = [algorithm_to_dict(member) for member in value]
        elif isinstance(value, tuple) and all(isinstance(part, (int, float)) for part in value):
            value = list(value)
        elif not isinstance(value, (bool, int, float, str, type(None))):
            raise InputError(f"algorithm: {field.name} of {name} cannot be written to a file, got {value!r}")
        settings[field.name] = value
    return {"name": name, "settings": settings}


def algorithm_from_dict(data: Any, where: str) -> Any:
    """The algorithm of its JSON form."""
    if "peer" in data:
        prefix, _, name = data["peer"].partition(":")
        if prefix not in PREFIXES:  # a name such as file.py:object would run code
            raise InputError(f"a peer is one of {', '.join(PREFIXES)}, got {data['peer']!r}")
        return resolve_peer(prefix, name)
    settings = dict(data["settings"])
    if "operator" in settings:
        settings["operator"] = from_dict(settings["operator"], where)
    if "members" in settings:
        settings["members"] = tuple(algorithm_from_dict(member, where) for member in settings["members"])
    return make_algorithm(data["name"], **settings)


def save_algorithm(algorithm: Any, path: str | os.PathLike[str], provenance: Mapping[str, Any] | None = None) -> None:
    """Write one of autov's own algorithms as JSON, with what is known about where it comes from."""
    head = {"format": OPTIMIZER, "version": OPTIMIZER_VERSION, "algorithm": algorithm_to_dict(algorithm)}
    write_text(path, to_json({**head, "provenance": dict(provenance or {})}, indent=2) + "\n")


def read_algorithm(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """The algorithm of a file, and where it comes from."""
    data = read_json(path, "an optimizer")
    try:
        if not isinstance(data, dict) or data.get("format") != OPTIMIZER:
            raise FileError(f"{path}: not an optimizer; its format is not {OPTIMIZER}")
        if data["version"] != OPTIMIZER_VERSION:
            raise FileError(f"{path}: version {data['version']!r}, this autov reads {OPTIMIZER_VERSION}")
        return algorithm_from_dict(data["algorithm"], str(path)), dict(data.get("provenance", {}))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise FileError(f"{path}: not an optimizer: {' '.join(str(error).split())}") from None


def load_algorithm(path: str | os.PathLike[str]) -> Any:
    """The algorithm of a file that a design wrote."""
    return read_algorithm(path)[0]


def find_algorithm(name: str) -> tuple[Any, dict[str, Any]]:
    """The algorithm of a file or a name, and where it comes from; None for what is an operator."""
    if name.endswith(".json"):
        return read_algorithm(name) if is_optimizer(name) else (None, {})
    if name in shipped_names():
        return shipped_algorithm(name), dict(shipped_data(name).get("provenance", {}))
    if name in (*ALGORITHMS, *ALIASES) or any(mark in name for mark in ":+="):
        return resolve_algorithm(name), {}
    return None, {}


def is_optimizer(path: str) -> bool:
    """Whether a JSON file says that it holds an algorithm, and not an operator."""
    data = read_json(path, "an algorithm")
    return isinstance(data, dict) and data.get("format") == OPTIMIZER


def state_to_arrays(state: Any, prefix: str = "state") -> dict[str, np.ndarray]:
    """The fields of a state, apart from its box; those of states in it have longer names."""
    found: dict[str, np.ndarray] = {}
    for field in dataclasses.fields(state):
        value = getattr(state, field.name)
        for name, part in parts_of(f"{prefix}.{field.name}", value):
            if dataclasses.is_dataclass(part) and not isinstance(part, Box):
                found |= state_to_arrays(part, name)
            elif not isinstance(part, Box):
                found[name] = np.asarray(part)
    return found


def write_saved(
    path: str | os.PathLike[str], algorithm: Any, state: Any, numbers: dict[str, Any], arrays: dict[str, np.ndarray]
) -> None:
    """Write an algorithm in the middle of a run."""
    head = {"format": FORMAT, "version": VERSION, "algorithm": algorithm_to_dict(algorithm), **numbers}
    write_arrays(path, head, {**arrays, **state_to_arrays(state)})


def read_saved(path: str | os.PathLike[str], make: Callable[..., Restored]) -> Restored:
    """Read it back: ``make(algorithm, numbers, arrays, restore state)`` puts it together."""
    try:
        head, arrays = read_arrays(path, FORMAT, VERSION)
        algorithm = algorithm_from_dict(head["algorithm"], str(path))
        return make(algorithm, head, arrays, lambda like: state_from_arrays(like, arrays))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, MemoryError) as error:
        missing = " is missing" if isinstance(error, KeyError) else ""
        raise FileError(f"{path}: not a saved optimizer: {' '.join(str(error).split())[:300]}{missing}") from None
