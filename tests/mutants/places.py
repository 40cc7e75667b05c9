"""Edits are found by their place in the syntax tree: formatting and whatever stands before or after do not matter."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Edit(NamedTuple):
    """In one definition of a file, ``old`` becomes ``new``; one of the tests must fail then.

    Attributes:
        name: what is wrong then.
        file: below src/autov.
        place: qualified name of the function or class that holds it; empty for the whole file.
        old: an expression, or one or more statements.
        new: what replaces it.
        tests: as pytest takes them.
        nth: which one, from 0 in the order of the source; without it ``old`` must be there exactly once.
    """

    name: str
    file: str
    place: str
    old: str
    new: str
    tests: tuple[str, ...]
    nth: int | None = None


def edited(edit: Edit, text: str) -> str:
    """The source with the edit; ValueError if its place is missing or ambiguous."""
    tree = ast.parse(text)
    old, new = _pattern(edit)
    found = list(_matches(_scope(edit, tree), old))
    if not (len(found) == 1 if edit.nth is None else edit.nth < len(found)):
        raise ValueError(f"{edit.name}: {edit.old!r} is {len(found)} times in {edit.file} {edit.place}")
    holder, name, i = found[edit.nth or 0]
    if i is None:
        setattr(holder, name, new[0])
    else:
        getattr(holder, name)[i : i + len(old)] = new
    return ast.unparse(ast.fix_missing_locations(tree))


def _pattern(edit: Edit) -> tuple[list[Any], list[Any]]:
    old, new = ast.parse(edit.old).body, ast.parse(edit.new).body
    if len(old) == len(new) == 1 and isinstance(old[0], ast.Expr) and isinstance(new[0], ast.Expr):
        return [old[0].value], [new[0].value]
    return old, new


def _scope(edit: Edit, tree: ast.AST) -> ast.AST:
    for name in filter(None, edit.place.split(".")):
        found = [node for node in _definitions(tree) if node.name == name]
        if len(found) != 1:
            raise ValueError(f"{edit.name}: {name} of {edit.place} is {len(found)} times in {edit.file}")
        tree = found[0]
    return tree


def _definitions(node: ast.AST) -> Iterator[Any]:
    """Functions and classes right in a node, not those within another of them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, DEFINITIONS):
            yield child
        else:
            yield from _definitions(child)


def _matches(node: ast.AST, old: list[ast.AST]) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Where the nodes ``old`` stand, as (holder, field, index in it), in the order of the source."""
    for name, value in ast.iter_fields(node):
        for i, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST):
                continue
            here = value[i : i + len(old)] if isinstance(value, list) else [value]
            if len(here) == len(old) and all(map(_equal, here, old)):
                yield node, name, i if isinstance(value, list) else None
            yield from _matches(child, old)


def _equal(a: ast.AST, b: ast.AST) -> bool:
    return type(a) is type(b) and ast.dump(a) == ast.dump(b)
