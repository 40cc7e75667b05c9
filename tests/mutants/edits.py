"""Edits of the source that some test must notice."""

from __future__ import annotations

from typing import NamedTuple


class Edit(NamedTuple):
    """In a file below src/autov, ``old`` becomes ``new``; one of the tests must fail then."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


EDITS: tuple[Edit, ...] = ()
