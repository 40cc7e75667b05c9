"""Algorithms as people name them: ``shade``, ``de+F=0.7``, ``evolution:operator.json``, ``cma:default``, objects."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from autov.algorithms.base import Algorithm, External, Metaheuristic
from autov.algorithms.components import with_settings
from autov.algorithms.evolution import Evolution
from autov.algorithms.files import (
    DEFAULT,
    OWN,
    is_optimizer,
    read_algorithm,
    shipped_algorithm,
    shipped_data,
    shipped_names,
)
from autov.algorithms.registry import ALGORITHMS, NAMES, PAPER, make_algorithm, refuse_former
from autov.algorithms.warm_start import WarmStart
from autov.core import InputError, import_object, unknown
from autov.peers import PREFIXES, resolve_peer

COLD = "cold"  # behind a file: without its memory

Algorithms = str | Sequence[str] | Mapping[str, str | Algorithm]


def named_algorithm(name: str, **settings: Any) -> Any:
    """The algorithm of that name, of this package's classes or of its library, with some of its settings changed."""
    if name in shipped_names():
        return with_settings(name, shipped_algorithm(name), settings)
    refuse_former(name)
    names = [*shipped_names(), *NAMES]
    if name not in names:
        allowed = (
            f"one of {', '.join(names)}, {Evolution.name}:OPERATOR, "
            f"{', '.join(f'{prefix}:...' for prefix in PREFIXES)}, file.py:name, or label=one of these"
        )
        raise InputError(f"algorithm: {unknown(name, names, allowed)}")
    if isinstance(members := settings.get("members"), str):
        settings["members"] = tuple(resolve_algorithm(member) for member in members.split("/"))
    kind = Evolution if name == PAPER else ALGORITHMS[name]
    own = {key: value for key, value in settings.items() if key in (field.name for field in fields(kind))}
    made, rest = make_algorithm(name, **own), {key: value for key, value in settings.items() if key not in own}
    return with_settings(name, made, rest) if rest else made


def resolve_algorithm(spec: Any = None) -> Any:
    """The algorithm that is meant.

    Args:
        spec: ``shade``, ``de+F=0.7+CR=0.5`` (settings), ``paper-h3`` (the paper's), ``evolution:NAME_OR_FILE`` (the
            paper's metaheuristic with another operator), ``cma:default`` (another library's), ``file.py:name``
            (your own), ``optimizer.json`` (what a design wrote), ``optimizer.json+cold`` (without its memory),
            ``optimizer.json+polish=0`` and ``optimizer.json+without=ma-es`` (variants of it; see
            `autov.algorithms.components`), any of them behind ``label=``, an algorithm itself, an operator, which then
            runs in the paper's metaheuristic, or a design. A file with members of your own needs
            ``optimizer.json+own=file.py:Name``. ``general`` and others come with the package (`autov list
            algorithms`). None is ``general``.
    """
    spec = DEFAULT if spec is None else spec
    if not isinstance(spec, str):
        return _of_object(getattr(spec, "algorithm", spec))  # of a design
    _, text = split_label(spec)
    path, pairs = split_file(text)
    if path is not None:
        return _variant(path, pairs)[0]
    prefix, colon, rest = text.partition(":")
    if "+" in prefix and prefix.partition("+")[0] in NAMES:
        colon = ""  # it is in a setting, such as file.py:name of an operator
    if colon:
        refuse_former(prefix)
    if colon and prefix == Evolution.name:
        return Evolution(rest)  # type: ignore[arg-type]
    if colon and prefix in PREFIXES:
        return resolve_peer(prefix, rest)
    if colon:
        if not prefix.endswith(".py"):
            known = ", ".join(f"{name}:" for name in (Evolution.name, *PREFIXES))
            raise InputError(f"algorithm: unknown prefix in {spec!r}; known are {known} and file.py:")
        found = import_object(text)
        try:
            return resolve_algorithm(found() if isinstance(found, type) else found)
        except TypeError as error:
            raise InputError(f"algorithm: {text} cannot be made without arguments ({error}); name an object") from None
    name, *pairs = text.split("+")
    settings = dict(_setting(spec, pair) for pair in pairs)
    return named_algorithm(name, **settings)


def split_file(text: str) -> tuple[str | None, list[str]]:
    """A file and the settings behind it, as in ``runs/mine/optimizer.json+polish=0``; None for what is no file."""
    if ".json+" in text and not Path(text).exists():
        path, _, rest = text.partition(".json+")
        if "=" not in path and ":" not in path:
            return f"{path}.json", rest.split("+")
    is_file = text.endswith(".json") and (Path(text).exists() or not {":", "="} & set(text))
    return (text, []) if is_file else (None, [])


def _of_object(given: Any) -> Any:
    """An algorithm as it is; an operator in the paper's metaheuristic."""
    # External ones first: an object may be both, and then it wants to be run.
    if not isinstance(given, type) and isinstance(given, (External, Metaheuristic)):
        return given
    if callable(given) and not isinstance(given, type):
        return Evolution(given)  # type: ignore[arg-type]
    raise InputError(
        f"algorithm: expected a name, operator, or object with name, init, ask, tell and population, got {given!r}"
    )


def _variant(path: str, pairs: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    """The algorithm of a file with some settings changed, and where it comes from.

    A file with an operator is the paper's metaheuristic around it.
    """
    settings = dict(_setting(path, pair) for pair in pairs if pair != COLD)
    given = import_object(str(settings.pop(OWN))) if OWN in settings else ()  # a class, or several
    own = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    found = read_algorithm(path, own) if is_optimizer(path) else (Evolution(path), {})  # type: ignore[arg-type]
    algorithm = found[0].cold if COLD in pairs and isinstance(found[0], WarmStart) else found[0]
    return with_settings(path, algorithm, settings), found[1]


def find_algorithm(name: str) -> tuple[Any, dict[str, Any]]:
    """The algorithm of a file or a name, and where it comes from; None for what is an operator."""
    refuse_former(name)
    path, pairs = split_file(name)
    if path is not None:
        return _variant(path, pairs) if pairs or is_optimizer(path) else (None, {})
    if name in shipped_names():
        return shipped_algorithm(name), dict(shipped_data(name).get("provenance", {}))
    if name in ALGORITHMS or any(mark in name for mark in ":+="):
        return resolve_algorithm(name), {}
    return None, {}


def resolve_algorithms(algorithms: Algorithms) -> dict[str, tuple[str | None, Algorithm]]:
    """Label -> (spec, algorithm), from specs, ``label=spec``, or a dict of label -> spec or algorithm."""
    if isinstance(algorithms, Mapping):
        pairs: list[tuple[str, Any]] = list(algorithms.items())
    else:
        if not isinstance(algorithms, (str, Sequence)):
            raise InputError(f"algorithms: expected names or a dict of label -> algorithm, got {algorithms!r}")
        specs = algorithms.split(",") if isinstance(algorithms, str) else list(algorithms)
        for spec in specs:
            if not isinstance(spec, str):
                raise InputError(f"algorithms: give objects a name, as in {{'mine': {type(spec).__name__}(...)}}")
        pairs = [split_label(spec) for spec in specs]
    found: dict[str, tuple[str | None, Algorithm]] = {}
    for label, spec in pairs:
        if not isinstance(label, str) or not label:
            raise InputError(f"algorithms: labels must be texts, got {label!r}")
        if label in found:
            raise InputError(f"algorithms: {label!r} occurs twice; give each a label: mine={spec},other={spec}")
        found[label] = (spec if isinstance(spec, str) else None, resolve_algorithm(spec))
    if not found:
        raise InputError("algorithms: none given")
    return found


def split_label(spec: str) -> tuple[str, str]:
    """Label and rest of ``label=spec``; a spec without a label is its own. The label has no ``= : +``."""
    match = re.fullmatch(r"([^=:+]+)=(.+)", spec.strip())
    return (match[1].strip(), match[2].strip()) if match else (spec.strip(), spec.strip())


def _setting(spec: str, pair: str) -> tuple[str, Any]:
    key, equals, text = pair.partition("=")
    if not equals or not re.fullmatch(r"[A-Za-z_][\w.-]*", key):
        raise InputError(f"algorithm: expected +setting=value in {spec!r}, got {pair!r}")
    try:
        return key, ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return key, text
