"""Measurements as tables: single figures first, then one table for every group of figures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from autov.experiments import Cell, Table

UNITS = {"us": "µs", "ns": "ns", "ms": "ms"}


def words(key: str) -> str:
    """A key as a person would say it."""
    return " ".join(UNITS.get(part, part) for part in str(key).split("_"))


def figure(value: Any) -> str:
    """A number with as many digits as say something; other things as they are."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        if isinstance(value, (list, tuple)):
            return ", ".join(figure(item) for item in value)
        return "-" if value is None else str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if not math.isfinite(value) or (value and not 1e-4 <= abs(value) < 1e9):
        return f"{value:.3g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _flat(group: Mapping[str, Any]) -> bool:
    return not any(isinstance(value, Mapping) for value in group.values())


def tables_of(result: Mapping[str, Any], title: str = "") -> list[Table]:
    """Tables of nested figures; the caption tells what is measured, where the result says so."""
    alone = {key: value for key, value in result.items() if not isinstance(value, Mapping) and key != "what"}
    found = {key: value for key, value in result.items() if isinstance(value, Mapping) and value}
    groups = dict(sorted(found.items(), key=lambda item: item[0] == "machine"))  # the machine comes last
    caption = str(result.get("what", title))
    tables = []
    if alone:
        rows = tuple((words(key), (Cell(figure(value)),)) for key, value in alone.items())
        tables.append(Table(caption, ("figure", "value"), rows))
    for key, group in groups.items():
        name = f"{title}, {words(key)}" if title else words(key)
        inner = [each for each in group.values() if isinstance(each, Mapping)]
        if _flat(group):
            rows = tuple((words(head), (Cell(figure(value)),)) for head, value in group.items())
            tables.append(Table(name, ("figure", "value"), rows))
        elif len(inner) == len(group) and all(_flat(each) for each in inner):
            heads = list(dict.fromkeys(head for each in inner for head in each))
            rows = tuple(
                (words(row), tuple(Cell(figure(each.get(head))) for head in heads)) for row, each in group.items()
            )
            tables.append(Table(name, ("", *map(words, heads)), rows))
        else:
            tables += tables_of(group, name)
    return tables
