"""Draw the picture of the README and of the home page, in docs/images, from results/picture.json."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from autov.core import write_text
from autov.reports import save_plot, svg
from autov.reports.axes import End, count_axis, name_lines, value_axis
from autov.reports.canvas import Figure, drawing
from autov.reports.theme import COLOURS, INK, ON_DARK, PAPER, SOFT, line_style

DOCS = Path(__file__).parent
STORED = DOCS.parent / "results" / "picture.json"
NAMES = {
    "designed": "designed", "general": "general (default)", "cma:default": "CMA-ES (pycma)",
    "paper-h3": "paper's operator", "ga": "GA",
}  # fmt: skip


def picture() -> Figure:
    """Median and quartiles of the best value over evaluations."""
    curves = json.loads(STORED.read_text(encoding="utf-8"))["curves"]
    with drawing(5.6, 3.6) as figure:
        ax = figure.subplots()
        ends, top = [], 0.0
        for place, (label, curve) in enumerate(curves.items()):
            x, (low, middle, high) = np.array(curve["nfev"]), np.array(curve["quartiles"])
            style = line_style(place)
            ax.fill_between(x, low, high, color=style.color, alpha=0.15, linewidth=0)
            ax.plot(x, middle, **style._asdict(), linewidth=1.6, markevery=(3 * place % 9, 9), markersize=3.5)
            ends.append(End(NAMES.get(label, label), float(middle[-1]), style))
            top = max(top, float(high.max()))
        count_axis(ax, float(x.min()), float(x.max()))
        value_axis(ax, "log", 1.0, top)
        ax.set_xlabel("evaluations")
        ax.set_ylabel("best value")
        name_lines(ax, ends, 3.0)
        return figure


def dark(text: str) -> str:
    """An SVG in the colours of dark pages, without a background."""
    changes = {INK: "#e4e7eb", SOFT: "#9aa4b2", PAPER: "none", **dict(zip(COLOURS, ON_DARK, strict=True))}
    for light, other in changes.items():
        text = text.replace(light, other)
    return text


if __name__ == "__main__":
    figure = picture()
    save_plot(figure, DOCS / "images" / "convergence.png")
    save_plot(figure, DOCS / "images" / "convergence.svg")
    write_text(DOCS / "images" / "convergence-dark.svg", dark(svg(figure)))
