"""Tables that are too wide, split by columns: each part has the first column, and as many others as fit."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from autov.experiments import Cell, Table
from autov.experiments.table import significant

BORDERS = 3  # characters between two columns
NARROW = 1  # the same in a compact table
SHORTEST = 16  # characters that names of rows keep where they are folded
SHOWN = ("mean", "median")  # of the numbers behind a cell
STAR = "*"


def plain(entry: Cell) -> str:
    """``text (detail) mark effect``."""
    parts = (entry.text, f"({entry.detail})" if entry.detail else "", entry.mark, entry.effect)
    return " ".join(part for part in parts if part)


def starred(entry: Cell) -> str:
    """The same, with a star before the best: colours are not seen by all, nor kept in files."""
    return f"{STAR}{plain(entry)}" if entry.best else plain(entry)


def column_widths(table: Table) -> list[int]:
    """Characters of the widest cell of each column."""
    lines = [[name, *map(starred, entries)] for name, entries in table.rows]
    lines += [[name, *map(starred, entries)] for name, entries in table.footer_entries()]
    return [max(len(cell) for cell in cells) for cells in zip(table.columns, *lines, strict=True)]


def columns_of(table: Table, places: Sequence[int], last: bool) -> Table:
    """The first column and those at the places; notes stay with the last part."""
    return replace(
        table,
        caption=table.caption if 1 in places else "",
        columns=(table.columns[0], *(table.columns[i] for i in places)),
        rows=tuple((name, tuple(entries[i - 1] for i in places)) for name, entries in table.rows),
        footer=tuple((name, tuple(texts[i - 1] for i in places)) for name, texts in table.footer),
        notes=table.notes if last else (),
        footer_best=tuple(tuple(flags[i - 1] for i in places) for flags in table.footer_best),
    )


def compact(table: Table, width: int) -> Table:
    """A table of a comparison for narrow terminals: three significant digits and the sign, the rest left out.

    Tables without numbers behind their cells stay as they are, and those that fit.
    """
    numbers = [entry.data for _, entries in table.rows for entry in entries]
    fits = sum(column_widths(table)) + BORDERS * len(table.columns) + 1 <= width
    if fits or not numbers or not all("mean" in data and "median" in data for data in numbers):
        return table
    which = "median" if table.caption.partition(": ")[2].startswith("median") else "mean"

    def short(entry: Cell) -> Cell:
        return replace(entry, text=significant(entry.data[which], 3), detail="", effect="")

    rows = tuple((name, tuple(map(short, entries))) for name, entries in table.rows)
    notes = [note for note in table.notes if note not in table.detail_notes]
    left = "Spreads and effect sizes: in a wider terminal, or with --format csv."
    caption = table.caption.replace(f"{which} (standard deviation)", which).replace(
        f"{which} (interquartile range)", which
    )
    return replace(table, caption=caption, rows=rows, notes=(*notes, left), detail_notes=())


def shortened(table: Table) -> Table:
    """Names of problems without what all of them share, the folder of files or transformations; a note has it."""
    names = [name for name, _ in table.rows]
    if len(names) < 2 or table.columns[0] != "problem":
        return table
    folders = {name.partition(".py:")[0].rpartition("/")[0] if ".py:" in name else "" for name in names}
    folder = f"{folders.pop()}/" if len(folders) == 1 and "" not in folders else ""
    changes = [name.split("+")[1:] for name in names]
    first = _shared(changes)
    last = _shared([each[len(first) :][::-1] for each in changes])[::-1]
    left_out = (folder, "before them"), (_joined(first), "behind the function"), (_joined(last), "at the end")
    told = ", ".join(f"{text} {where}" for text, where in left_out if text)
    if not told:
        return table
    rows = tuple(
        (name.partition("+")[0][len(folder) :] + _joined(each[len(first) : len(each) - len(last)]), entries)
        for (name, entries), each in zip(table.rows, changes, strict=True)
    )
    return replace(table, rows=rows, notes=(f"Left out of the names of all problems: {told}.", *table.notes))


def _shared(lists: Sequence[Sequence[str]]) -> list[str]:
    """What all lists begin with."""
    same = itertools.takewhile(lambda parts: len(set(parts)) == 1, zip(*lists, strict=False))
    return [parts[0] for parts in same]


def _joined(changes: Sequence[str]) -> str:
    return "".join(f"+{change}" for change in changes)


def folded_name(name: str) -> str:
    """A name of a problem with its parts below each other, such as those of rastrigin+family=translate-rotate."""
    return re.sub(r"(?<=\w)\+|(?<==)", lambda found: f"\n{found[0]}", name) if len(name) > SHORTEST else name


def split(table: Table, width: int, borders: int = BORDERS) -> list[Table]:
    """Parts that are no wider than so many characters, with about as many columns each."""
    sizes = column_widths(table)
    if borders == NARROW:
        sizes[0] = min(sizes[0], max(SHORTEST, width - 1 - sum(size + borders for size in sizes[1:]) - borders))
    return parted(table, [size + borders for size in sizes], width - 1)


def parted(table: Table, sizes: Sequence[float], width: float) -> list[Table]:
    """The same for columns of any sizes; a single column may be wider. Every part has the column of the reference."""
    held = [table.columns.index(table.reference, 1)] if table.reference in table.columns[1:] else []
    others = [i for i in range(1, len(sizes)) if i not in held]
    room, count = width - sizes[0] - sum(sizes[i] for i in held), len(others)
    if sum(sizes[i] for i in others) <= room or count < 2:
        return [table]
    for parts in range(2, count + 1):
        edges = [-(-count * i // parts) for i in range(parts + 1)]  # larger parts come first
        if all(sum(sizes[i] for i in others[a:b]) <= room for a, b in itertools.pairwise(edges)):
            break
    else:
        edges = list(range(count + 1))
    return [columns_of(table, sorted([*others[a:b], *held]), b == count) for a, b in itertools.pairwise(edges)]
