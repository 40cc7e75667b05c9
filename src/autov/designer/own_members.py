"""Members of a portfolio that users write: classes whose attribute ``genes`` says what of them is designed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from autov.algorithms.base import Metaheuristic
from autov.core import InputError, import_object
from autov.designer.genes import Gene


def own_member(given: Any) -> Any:
    """A class of an algorithm that can be asked, also as ``file.py:Name``; names of autov's members as they are."""
    if isinstance(given, str) and ":" not in given:
        return given
    found = import_object(given) if isinstance(given, str) else given
    if not isinstance(found, type) or not isinstance(getattr(found, "name", None), str):
        raise InputError(f"members: user members are classes with a name, such as file.py:Name, got {given!r}")
    if not all(callable(getattr(found, method, None)) for method in ("init", "ask", "tell", "population")):
        raise InputError(f"members: {found.name} needs the methods init, ask, tell and population")
    genes = genes_of(found)
    if not all(isinstance(gene, Gene) for gene in genes):
        raise InputError(f"members: the genes of {found.name} must be autov.designer.Gene, got {genes!r}")
    return found


def name_of(kind: Any) -> str:
    """Of a member: what begins the names of its genes."""
    return kind if isinstance(kind, str) else kind.name


def genes_of(kind: type) -> tuple[Gene, ...]:
    """What of it is designed; nothing if it does not say."""
    return tuple(getattr(kind, "genes", ()))


def make_member(kind: type, values: Mapping[str, Any], prefix: str) -> Any:
    """The member from values by name; genes that do not count have their defaults."""
    named = {gene.name: f"{prefix}.{gene.name}" for gene in genes_of(kind)}
    settings = {name: values[path] for name, path in named.items() if path in values}
    try:
        made = kind(**settings)
    except TypeError as error:
        raise InputError(f"members: {name_of(kind)} cannot be made of {settings} ({error})") from None
    if not isinstance(made, Metaheuristic):
        raise InputError(f"members: {name_of(kind)} is no algorithm that can be asked")
    return made


def default_values(kind: type, prefix: str) -> dict[str, Any]:
    """Defaults of its genes, as far as it is a dataclass and has them."""
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    known = {field.name: field.default for field in fields if field.default is not dataclasses.MISSING}
    return {f"{prefix}.{gene.name}": known[gene.name] for gene in genes_of(kind) if gene.name in known}
