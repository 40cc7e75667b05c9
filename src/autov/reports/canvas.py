"""Figures without a display; the same data give the same bytes of SVG.

They do without pyplot, too, apart from plots that people ask for: those are pyplot's where it is in use.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure

from autov.core import Array, InputError, replacing, write_text
from autov.reports.theme import STYLE

_asked_for: ContextVar[bool] = ContextVar("asked_for", default=False)


@contextmanager
def asked_for() -> Iterator[None]:
    """Figures made inside are shown by notebooks and by ``pyplot.show``, if pyplot is in use."""
    in_use = "matplotlib.pyplot" in sys.modules or "ipykernel" in sys.modules
    if in_use:
        import matplotlib.pyplot as plt

        plt.draw_if_interactive()  # chooses the backend now: the settings that this changes must outlast a style
    token = _asked_for.set(in_use)
    try:
        yield
    finally:
        _asked_for.reset(token)


def new_figure(width: float, height: float) -> Figure:
    """A figure of that size in inches that draws itself without a display."""
    if _asked_for.get():  # not for files: pyplot keeps every figure until it is closed
        import matplotlib.pyplot as plt

        return plt.figure(figsize=(width, height), layout="constrained")
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


@contextmanager
def drawing(width: float, height: float) -> Iterator[Figure]:
    """A new figure of that size in inches; what is drawn inside the block has the style of all plots."""
    with mpl.rc_context(STYLE):
        yield new_figure(width, height)


@contextmanager
def drawing_on(ax: Axes | None, width: float, height: float) -> Iterator[Axes]:
    """The axes that are given, or those of a new figure, in the style of all plots."""
    with mpl.rc_context(STYLE):
        yield new_figure(width, height).subplots() if ax is None else ax


SERIES = "series:"  # begins the names of artists that pages show and hide


def series(artist: Any, label: str) -> None:
    """Say that an artist belongs to the line, or points, of that name."""
    artist.set_gid(f"{SERIES}{label}")


def typed(label: str, longest: int = 48) -> str:
    """A label as it is typed (a dollar sign would start a formula), shortened in the middle if it is long."""
    if len(label) > longest:
        label = f"{label[: longest // 2]}...{label[-longest // 2 + 3 :]}"
    return label.replace("$", r"\$")


def shades(count: int) -> Array:
    """Colours for one thing after another, light to dark, shape (count, 4)."""
    return mpl.colormaps["viridis"](np.linspace(0.9, 0.0, count))


def shade_key(figure: Figure, axes: Any, count: int, label: str) -> None:
    """A key that tells which of the shades is which, next to the axes."""
    norm = BoundaryNorm(np.arange(count + 1) - 0.5, count)
    bar = figure.colorbar(ScalarMappable(norm, ListedColormap(shades(count))), ax=axes, label=label, shrink=0.6)
    bar.set_ticks([i for i in range(count) if i % max(1, count // 5) == 0 or i == count - 1])
    bar.minorticks_off()


def svg(figure: Figure) -> str:
    """The figure as SVG text; no date, no random names."""
    out = io.StringIO()
    with mpl.rc_context(STYLE):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return out.getvalue()


def save_plot(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write SVG, PDF or PNG, by the ending of the name; the same data give the same bytes of SVG and PDF."""
    target = Path(path)
    if target.suffix == ".svg":
        write_text(target, svg(figure))
    elif target.suffix == ".png":
        with replacing(target) as file:
            figure.savefig(file, format="png", dpi=150)
    elif target.suffix == ".pdf":
        with mpl.rc_context({**STYLE, "pdf.fonttype": 42}), replacing(target) as file:
            figure.savefig(file, format="pdf", metadata={"CreationDate": None})
    else:
        raise InputError(f"plot: the name must end in .svg, .pdf or .png, got {target.name!r}")


__all__ = [
    "Axes",
    "Figure",
    "asked_for",
    "drawing",
    "drawing_on",
    "new_figure",
    "save_plot",
    "series",
    "shade_key",
    "shades",
    "svg",
    "typed",
]
