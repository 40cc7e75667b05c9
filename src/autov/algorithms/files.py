"""Algorithms as data: their settings as JSON, in files of people and in the library of the package."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from autov.algorithms.evolution import Evolution
from autov.algorithms.registry import ALGORITHMS, FORMER, changed, make_algorithm
from autov.core import FileError, InputError
from autov.core.atomic_files import read_json, to_json, write_text
from autov.operators import AffineOperator, from_dict, to_dict
from autov.peers import PREFIXES, resolve_peer

OPTIMIZER, OPTIMIZER_VERSION = "autov-optimizer", 1
SEVERAL = ("members", "local_searches")  # settings that are algorithms
DEFAULT = "general"  # the algorithm of `minimize` and `Optimizer` unless another one is named


def algorithm_to_dict(algorithm: Any) -> dict[str, Any]:
    """Name and settings of one of autov's own algorithms."""
    name = algorithm.name
    if name.partition(":")[0] in PREFIXES:
        if resolve_peer(*name.split(":", 1)) != algorithm:
            raise InputError(f"algorithm: settings of {name} cannot be written to a file, got {algorithm!r}")
        return {"peer": name}
    if type(algorithm) is not ALGORITHMS.get(name):
        raise InputError(f"algorithm: {name} is not one of autov's own and cannot be written to a file")
    settings = {}
    for field in dataclasses.fields(algorithm):
        value = getattr(algorithm, field.name)
        if isinstance(value, AffineOperator):
            value = to_dict(value)
        elif field.name in SEVERAL:
            value = [algorithm_to_dict(member) for member in value]
        elif field.name == "global_search":
            value = algorithm_to_dict(value)
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
    if "global_search" in settings:
        settings["global_search"] = algorithm_from_dict(settings["global_search"], where)
    for several in SEVERAL:
        if several in settings:
            settings[several] = tuple(algorithm_from_dict(member, where) for member in settings[several])
    name = Evolution.name if data["name"] == FORMER else data["name"]
    return make_algorithm(name, **settings)


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


def is_optimizer(path: str) -> bool:
    """Whether a JSON file says that it holds an algorithm, and not an operator."""
    data = read_json(path, "an algorithm")
    return isinstance(data, dict) and data.get("format") == OPTIMIZER


@cache
def shipped_names() -> tuple[str, ...]:
    """Names of the optimisers in the package."""
    folder = resources.files("autov.algorithms") / "library"
    return tuple(sorted(item.name.removesuffix(".json") for item in folder.iterdir() if item.name.endswith(".json")))


@cache
def shipped_data(name: str) -> dict[str, Any]:
    """The file of one of them."""
    return json.loads((resources.files("autov.algorithms") / "library" / f"{name}.json").read_text(encoding="utf-8"))


def shipped_algorithm(name: str, **settings: Any) -> Any:
    """One of them, with some of its settings changed."""
    return changed(name, algorithm_from_dict(shipped_data(name)["algorithm"], name), settings)
