"""Tables that are too wide, split by columns: each part has the first column, and as many others as fit."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from autov.experiments import Cell, Table

BORDERS = 3  # characters between two columns
STAR = "*"


def plain(entry: Cell) -> str:
    """``text (detail) mark``."""
    return " ".join(part for part in (entry.text, f"({entry.detail})" if entry.detail else "", entry.mark) if part)


def starred(entry: Cell) -> str:
    """The same, with a star before the best: colours are not seen by all, nor kept in files."""
    return f"{STAR}{plain(entry)}" if entry.best else plain(entry)


def column_widths(table: Table) -> list[int]:
    """Characters of the widest cell of each column."""
    lines = [[name, *map(starred, entries)] for name, entries in table.rows]
    lines += [[name, *map(starred, entries)] for name, entries in table.footer_entries()]
    return [max(len(cell) for cell in cells) for cells in zip(table.columns, *lines, strict=True)]


def columns_of(table: Table, first: int, last: int) -> Table:
    """The first column and those from first to last - 1; the caption stays with the first part, notes with the last."""
    end = last >= len(table.columns)
    return replace(
        table,
        caption=table.caption if first == 1 else "",
        columns=(table.columns[0], *table.columns[first:last]),
        rows=tuple((name, entries[first - 1 : last - 1]) for name, entries in table.rows),
        footer=tuple((name, texts[first - 1 : last - 1]) for name, texts in table.footer),
        notes=table.notes if end else (),
        footer_best=tuple(flags[first - 1 : last - 1] for flags in table.footer_best),
    )


def split(table: Table, width: int) -> list[Table]:
    """Parts that are no wider than so many characters, with about as many columns each."""
    return parted(table, [size + BORDERS for size in column_widths(table)], width - 1)


def parted(table: Table, sizes: Sequence[float], width: float) -> list[Table]:
    """The same for columns of any sizes; a single column may be wider."""
    room, count = width - sizes[0], len(sizes) - 1
    if sum(sizes[1:]) <= room or count < 2:
        return [table]
    for parts in range(2, count + 1):
        edges = [1 - (-count * i // parts) for i in range(parts + 1)]  # larger parts come first
        if all(sum(sizes[a:b]) <= room for a, b in itertools.pairwise(edges)):
            break
    else:
        edges = list(range(1, count + 2))
    return [columns_of(table, a, b) for a, b in itertools.pairwise(edges)]
