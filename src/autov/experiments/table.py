"""A table as data: what reports print as text, Markdown, LaTeX, HTML, CSV or JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from autov.core.display import views


@dataclass(frozen=True)
class Cell:
    """``text (detail) mark effect``, set off if it is best or not what was expected, and the numbers behind it."""

    text: str
    detail: str = ""
    mark: str = ""
    best: bool = False
    data: dict[str, Any] = field(default_factory=dict)
    differs: bool = False  # from what it is compared with
    effect: str = ""  # how large the difference is that the mark tells


@dataclass(frozen=True)
class Table:
    """Rows under columns; the first column holds the heads of the rows.

    Attributes:
        caption: its title.
        columns: their names, that of the heads first.
        rows: a head and a cell for each other column.
        footer: the same below a line, as text.
        notes: sentences below the table.
        footer_best: for rows of the footer, which cells are the best.
        reference: the column that every part of a split table has.
        detail_notes: those of the notes that explain details and effects of cells.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    footer: tuple[tuple[str, tuple[str, ...]], ...] = ()
    notes: tuple[str, ...] = ()
    footer_best: tuple[tuple[bool, ...], ...] = ()
    reference: str = ""
    detail_notes: tuple[str, ...] = ()

    def footer_entries(self) -> list[tuple[str, tuple[Cell, ...]]]:
        """The footer as cells."""
        flagged = [*self.footer_best, *([(False,) * len(self.columns)] * len(self.footer))]
        return [
            (head, tuple(Cell(text, best=best) for text, best in zip(texts, flags, strict=False)))
            for (head, texts), flags in zip(self.footer, flagged, strict=False)
        ]

    def __str__(self) -> str:
        return views().text_of(self)

    def _repr_html_(self) -> str:
        return views().html_of(self)


def scientific(value: float | None, digits: int = 4) -> str:
    """The number as the paper prints it, like ``1.0965e-49``."""
    if value is None or math.isnan(value):
        return "n/a"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent):+d}"


def significant(value: float | None, digits: int = 4) -> str:
    """The number with this many significant digits, such as 12.55; with an exponent if it is very small or large."""
    if value is None or math.isnan(value):
        return "n/a"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value != 0 and not 1e-3 <= abs(value) < 10 ** (digits + 1):
        return scientific(value, digits - 1)
    places = digits if value == 0 else digits - 1 - math.floor(math.log10(abs(value)))
    return f"{value:.{max(places, 0)}f}" if value else "0"
