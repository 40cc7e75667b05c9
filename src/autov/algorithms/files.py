"""Algorithms as data: their settings as JSON, in files of people and in the library of the package."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from autov.algorithms.evolution import Evolution
from autov.algorithms.registry import ALGORITHMS, FORMER, make_algorithm
from autov.algorithms.warm_start import WarmStart
from autov.core import FileError, InputError
from autov.core.atomic_files import read_json, to_json, write_text
from autov.operators import AffineOperator, CallableOperator, from_dict, to_dict
from autov.operators.invariant_weights import InvariantWeights
from autov.peers import PREFIXES, resolve_peer

OPTIMIZER, OPTIMIZER_VERSION = "autov-optimizer", 1
OWN = "own"  # before the name of a class of the user's
SEVERAL = ("members", "local_searches")  # settings that are algorithms
DEFAULT = "general"  # the algorithm of `minimize` and `Optimizer` unless another one is named


def algorithm_to_dict(algorithm: Any) -> dict[str, Any]:
    """Name and settings of one of autov's own algorithms."""
    if isinstance(algorithm, WarmStart):
        return algorithm_to_dict(algorithm.cold) | {
            "start": {"points": [list(point) for point in algorithm.points], "spread": list(algorithm.spread)}
        }
    name = algorithm.name
    if name.partition(":")[0] in PREFIXES:
        if resolve_peer(*name.split(":", 1)) != algorithm:
            raise InputError(f"algorithm: settings of {name} cannot be written to a file, got {algorithm!r}")
        return {"peer": name}
    is_own = type(algorithm) is not ALGORITHMS.get(name)
    if is_own and not dataclasses.is_dataclass(algorithm):
        raise InputError(
            f"algorithm: {name} is not one of autov's own, nor a dataclass, and cannot be written to a file"
        )
    settings = {}
    for field in dataclasses.fields(algorithm):
        value = getattr(algorithm, field.name)
        if isinstance(value, AffineOperator):
            value = to_dict(value)
        elif field.name in SEVERAL:
            value = [algorithm_to_dict(member) for member in value]
        elif field.name == "global_search":
            value = algorithm_to_dict(value)
        elif isinstance(value, CallableOperator) and isinstance(value.function, InvariantWeights):
            value = {"format": InvariantWeights.name, **dataclasses.asdict(value.function)}
        elif isinstance(value, tuple) and all(isinstance(part, (int, float)) for part in value):
            value = list(value)
        elif not isinstance(value, (bool, int, float, str, type(None))):
            raise InputError(f"algorithm: {field.name} of {name} cannot be written to a file, got {value!r}")
        settings[field.name] = value
    return {OWN if is_own else "name": name, "settings": settings}


def algorithm_from_dict(data: Any, where: str, own: Mapping[str, type] | None = None) -> Any:
    """The algorithm of its JSON form; ``own`` are classes of the user's by name, since a file must not run code."""
    if "start" in data:
        cold = algorithm_from_dict({name: value for name, value in data.items() if name != "start"}, where, own)
        return WarmStart(cold, data["start"]["points"], data["start"]["spread"])
    if OWN in data:
        return dict(own or {})[data[OWN]](**data["settings"])
    if "peer" in data:
        prefix, _, name = data["peer"].partition(":")
        if prefix not in PREFIXES:  # a name such as file.py:object would run code
            raise InputError(f"a peer is one of {', '.join(PREFIXES)}, got {data['peer']!r}")
        return resolve_peer(prefix, name)
    settings = dict(data["settings"])
    if "operator" in settings:
        settings["operator"] = _operator(settings["operator"], where)
    if "global_search" in settings:
        settings["global_search"] = algorithm_from_dict(settings["global_search"], where, own)
    for several in SEVERAL:
        if several in settings:
            settings[several] = tuple(algorithm_from_dict(member, where, own) for member in settings[several])
    name = Evolution.name if data["name"] == FORMER else data["name"]
    return make_algorithm(name, **settings)


def _operator(data: Any, where: str) -> Any:
    if isinstance(data, dict) and data.get("format") == InvariantWeights.name:
        return InvariantWeights(**{name: value for name, value in data.items() if name != "format"})
    return from_dict(data, where)


def own_names(data: Any) -> set[str]:
    """Names of the classes of users that the JSON form of an algorithm needs."""
    if isinstance(data, list):
        return set().union(*map(own_names, data))
    if not isinstance(data, dict):
        return set()
    found = {data[OWN]} if isinstance(data.get(OWN), str) else set()
    return found.union(*map(own_names, data.values()))


def save_algorithm(algorithm: Any, path: str | os.PathLike[str], provenance: Mapping[str, Any] | None = None) -> None:
    """Write one of autov's own algorithms as JSON, with its provenance."""
    head = {"format": OPTIMIZER, "version": OPTIMIZER_VERSION, "algorithm": algorithm_to_dict(algorithm)}
    write_text(path, to_json({**head, "provenance": dict(provenance or {})}, indent=2) + "\n")


def read_algorithm(path: str | os.PathLike[str], own: Sequence[type] = ()) -> tuple[Any, dict[str, Any]]:
    """The algorithm of a file, and where it comes from; ``own`` are the classes of its members that users wrote."""
    known = {str(getattr(kind, "name", kind)): kind for kind in own}
    data = read_json(path, "an optimizer")
    try:
        if not isinstance(data, dict) or data.get("format") != OPTIMIZER:
            raise FileError(f"{path}: not an optimizer; its format is not {OPTIMIZER}")
        if data["version"] != OPTIMIZER_VERSION:
            raise FileError(f"{path}: version {data['version']!r}, this autov reads {OPTIMIZER_VERSION}")
        missing = sorted(own_names(data["algorithm"]) - set(known))
        found = None if missing else algorithm_from_dict(data["algorithm"], str(path), known)
        provenance = dict(data.get("provenance", {}))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise FileError(f"{path}: not an optimizer: {' '.join(str(error).split())}") from None
    if missing:
        where = f"{path}+{OWN}=file.py:Name, or load_algorithm(path, own=[...])"
        raise InputError(f"algorithm: {path} has the member {missing[0]}, a class of a user; say where it is: {where}")
    return found, provenance


def load_algorithm(path: str | os.PathLike[str], own: Sequence[type] = ()) -> Any:
    """The algorithm of a file that a design wrote; ``own`` are the classes of its members that users wrote."""
    return read_algorithm(path, own)[0]


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


def shipped_algorithm(name: str) -> Any:
    """One of them."""
    return algorithm_from_dict(shipped_data(name)["algorithm"], name)
