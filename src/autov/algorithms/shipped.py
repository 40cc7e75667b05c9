"""Optimisers that come with the package: designed ones, by name."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from functools import cache
from importlib import resources
from typing import Any

from autov.core import InputError

DEFAULT = "general"  # what `minimize` and `Optimizer` take where nothing is said


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
    from autov.algorithms.files import algorithm_from_dict

    found = algorithm_from_dict(shipped_data(name)["algorithm"], name)
    known = [field.name for field in fields(found)]
    for setting in settings:
        if setting not in known:
            raise InputError(f"algorithm: {name} has no setting {setting!r}; one of {', '.join(known)}")
    return replace(found, **settings) if settings else found
