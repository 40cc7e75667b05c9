"""Tables for the terminal, Markdown, LaTeX, CSV and JSON, from the plain structure of `autov.experiments.table`."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rich.box import HEAVY_HEAD, SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from autov.core import InputError
from autov.experiments import Cell, Table
from autov.reports.table_layout import (
    BORDERS,
    NARROW,
    SHORTEST,
    STAR,
    column_widths,
    compact,
    folded_name,
    parted,
    plain,
    shortened,
    split,
    starred,
)

_TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}",
    "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip
_TEX_MARK = {"+": "$+$", "-": "$-$", "=": "$=$"}
TEX_CHARACTER, TEX_PADDING, TEX_WIDTH = 4.3, 12.0, 460.0  # points, in footnotesize, of the width of two text columns
TEX_SMALLEST = 0.7  # to which a table is scaled down; wider ones are split
TEX_ROWS = 24  # problems, of two lines each, that fit a page


def to_rich(table: Table, narrow: bool = False) -> RichTable:
    """For a rich console; the best are bold and have a star. Where it is narrow, only names of rows may be folded."""
    title, caption = Text(table.caption), Text("\n".join(table.notes))
    lines = SIMPLE_HEAD if narrow else HEAVY_HEAD
    out = RichTable(title=title, caption=caption, title_justify="left", caption_justify="left", box=lines,
                    show_edge=not narrow, padding=(0, 1 if not narrow else 0))  # fmt: skip
    for i, column in enumerate(table.columns):
        out.add_column(Text(column), justify="right" if i else "left", no_wrap=(i == 0) != narrow, overflow="fold")
    fold = narrow and max((len(head) for head, _ in table.rows), default=0) > SHORTEST
    for head, entries in table.rows:
        out.add_row(
            Text(folded_name(head) if fold else head), *(Text(starred(entry), style=_style(entry)) for entry in entries)
        )
    if table.footer:
        out.add_section()
    for head, entries in table.footer_entries():
        out.add_row(Text(head), *(Text(starred(entry), style=_style(entry)) for entry in entries))
    return out


def _style(entry: Cell) -> str:
    return "bold green" if entry.best else "bold yellow" if entry.differs else ""


def print_table(table: Table, console: Console) -> None:
    """Print in the width of the console, in parts where it is wider."""
    whole = shortened(table)
    table = compact(whole, console.width)
    narrow = table is not whole
    if any(entry.best for _, entries in table.rows for entry in entries):
        table = replace(table, notes=(*table.notes, f"{STAR} : the best."))
    if table.caption:
        console.print(Text(table.caption), soft_wrap=False)
    for part in split(table, console.width, NARROW if narrow else BORDERS):
        console.print(to_rich(replace(part, caption="", notes=()), narrow), soft_wrap=False)
    for note in table.notes:
        console.print(Text(note), soft_wrap=False)


def to_text(table: Table, width: int | None = None) -> str:
    """What the terminal shows, without colours; as wide as it needs to be unless a width is given."""
    table = shortened(table)
    needed = sum(column_widths(table)) + BORDERS * len(table.columns) + 1
    longest = max(needed, 100, *(len(note) for note in (table.caption, *table.notes)))
    console = Console(
        file=io.StringIO(), width=width or longest, color_system=None, force_terminal=False, force_jupyter=False
    )
    with console.capture() as capture:
        print_table(table, console)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def terminal_width() -> int | None:
    """Characters of a line, of the terminal or as COLUMNS says; None where there is neither."""
    known = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal()
    return shutil.get_terminal_size().columns if known else None


def to_markdown(table: Table) -> str:
    """A pipe table; the best are bold, as are cells that differ from what they are compared with."""

    def line(head: str, cells: list[str]) -> str:
        return "| " + " | ".join(cell.replace("|", r"\|") for cell in (head, *cells)) + " |"

    table = shortened(table)
    lines = [f"**{table.caption}**", "", line(table.columns[0], list(table.columns[1:]))]
    lines.append("| --- |" + " ---: |" * (len(table.columns) - 1))
    for head, entries in table.rows:
        lines.append(
            line(head, [f"**{plain(entry)}**" if entry.best or entry.differs else plain(entry) for entry in entries])
        )
    for head, entries in table.footer_entries():
        lines.append(line(head, [f"**{entry.text}**" if entry.best else entry.text for entry in entries]))
    if table.notes:
        lines += ["", *(f"{note}  " for note in table.notes)]
    return "\n".join(line.rstrip() if not line.endswith(".  ") else line for line in lines) + "\n"


def tex(text: str) -> str:
    """Plain text for LaTeX."""
    return "".join(_TEX.get(character, character) for character in text)


def to_latex(table: Table) -> str:
    r"""The form of the paper: values above their standard deviations, the best in ``\\hl``.

    A table that is too wide for a page is scaled down; where letters would get too small, or rows are too many, it is
    split into several floats.
    """
    table = shortened(table)
    parts = [part for wide in parted(table, _points(table), TEX_WIDTH / TEX_SMALLEST) for part in _pages(wide)]
    lines = [r"% needs \usepackage{booktabs,multirow,color,soul,graphicx}"]
    for i, part in enumerate(parts):
        caption = tex(table.caption) + (f" (part {i + 1} of {len(parts)})" if len(parts) > 1 else "")
        lines += [r"\begin{table*}[!t]", r"\centering", r"\footnotesize", rf"\caption{{{caption}}}"]
        wide = sum(_points(part)) > TEX_WIDTH
        lines += [r"\resizebox{\textwidth}{!}{%", *_tabular(part), "}"] if wide else _tabular(part)
        if i == len(parts) - 1:
            lines += [rf"\par {_tex_note(note)}" for note in table.notes] + _tex_key(table)
        lines.append(r"\end{table*}")
    return "\n".join(lines) + "\n"


def _points(table: Table) -> list[float]:
    """How wide the columns are in LaTeX, about."""
    lines = [[len(name), *(_longer(entry) for entry in entries)] for name, entries in table.rows]
    lines += [[len(name), *map(len, texts)] for name, texts in table.footer]
    return [max(cells) * TEX_CHARACTER + TEX_PADDING for cells in zip(map(len, table.columns), *lines, strict=True)]


def _longer(entry: Cell) -> int:
    return max(len(f"{entry.text} {entry.mark} {entry.effect}".strip()), len(entry.detail) + 2)


def _pages(table: Table) -> list[Table]:
    """Parts with as many rows as fit a page; the footer stays with the last."""
    count = max(1, -(-len(table.rows) // TEX_ROWS))
    edges = [len(table.rows) * i // count for i in range(count + 1)]
    parts = [replace(table, rows=table.rows[a:b], footer=()) for a, b in itertools.pairwise(edges)]
    return [*parts[:-1], replace(parts[-1], footer=table.footer)]


def _tex_key(table: Table) -> list[str]:
    """What highlighted and underlined cells mean."""
    entries = [entry for _, row in table.rows for entry in row]
    keys = [r"\hl{highlighted}: the best"] if any(entry.best for entry in entries) else []
    keys += [r"\underline{underlined}: another sign"] if any(entry.differs for entry in entries) else []
    return [rf"\par {', '.join(keys)}."] if keys else []


def _tex_effect(effect: str) -> str:
    """Effect sizes, the ratio with a sign of multiplication."""
    return tex(effect).replace(" x", r" $\times$")


def _tex_note(note: str) -> str:
    """Signs in the notes look as they do in the cells."""
    signs, colon, rest = note.partition(" : ")
    if not colon or set(signs) - set("+-=?*, and"):
        return tex(note)
    return "".join(_TEX_MARK.get(character, character) for character in signs) + f": {tex(rest)}"


def _tabular(table: Table) -> list[str]:
    def mark(entry: Cell) -> str:
        sign = "".join(_TEX_MARK.get(sign, tex(sign)) for sign in entry.mark)
        return " ".join(part for part in (tex(entry.text), sign, _tex_effect(entry.effect)) if part)

    def hl(text: str, entry: Cell) -> str:
        if not text:
            return text
        return rf"\hl{{{text}}}" if entry.best else rf"\underline{{{text}}}" if entry.differs else text

    lines = [
        rf"\begin{{tabular}}{{{'c' * len(table.columns)}}}", r"\toprule",
        "&".join(tex(column) for column in table.columns) + r"\\", r"\midrule",
    ]  # fmt: skip
    for head, entries in table.rows:
        details = [f"({tex(entry.detail)})" if entry.detail else "" for entry in entries]
        double = any(details)
        first = rf"\multirow{{2}}{{*}}{{{tex(head)}}}" if double else tex(head)
        lines.append("&".join([first, *(hl(mark(entry), entry) for entry in entries)]) + r"\\")
        if double:
            second = (hl(detail, entry) for detail, entry in zip(details, entries, strict=True))
            lines.append("&".join(["", *second]) + r"\\[1mm]")
    if table.footer:
        lines.append(r"\midrule")
    for head, entries in table.footer_entries():
        title = "$+/-/=$" if head == "+/-/=" else tex(head)
        lines.append("&".join([title, *(hl(tex(entry.text), entry) for entry in entries)]) + r"\\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def to_csv(table: Table) -> str:
    """One line for each cell with its numbers in full, ready for a data frame."""
    keys = list(dict.fromkeys(key for _, entries in table.rows for entry in entries for key in entry.data))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([table.columns[0], "column", *(keys or ["text"])])
    for head, entries in table.rows:
        for column, entry in zip(table.columns[1:], entries, strict=True):
            cells = [entry.data.get(key) for key in keys] if keys else [plain(entry)]
            writer.writerow([head, column, *("" if cell is None else cell for cell in cells)])
    return out.getvalue()


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else repr(value)
    return value


def as_dict(table: Table) -> dict[str, Any]:
    """A JSON value: infinite numbers become text, missing ones null."""
    rows = [
        {
            table.columns[0]: head,
            "cells": {
                column: {key: _finite(value) for key, value in entry.data.items()} or {"text": plain(entry)}
                for column, entry in zip(table.columns[1:], entries, strict=True)
            },
        }
        for head, entries in table.rows
    ]
    footer = {head: dict(zip(table.columns[1:], texts, strict=True)) for head, texts in table.footer}
    return {"caption": table.caption, "columns": list(table.columns[1:]), "rows": rows, "footer": footer,
            "notes": list(table.notes)}  # fmt: skip


def to_json(table: Table) -> str:
    """For machines."""
    return json.dumps(as_dict(table), indent=2, allow_nan=False) + "\n"


RENDERERS: dict[str, Callable[[Table], str]] = {
    "text": to_text, "markdown": to_markdown, "latex": to_latex, "csv": to_csv, "json": to_json,
}  # fmt: skip


def render(table: Table, form: str) -> str:
    """The table as text, in the form "text", "markdown", "latex", "csv" or "json"."""
    if form not in RENDERERS:
        raise InputError(f"format: unknown {form!r}; one of {', '.join(RENDERERS)}")
    return RENDERERS[form](table)
