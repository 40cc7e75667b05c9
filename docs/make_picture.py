"""Draw the picture of the README and of the home page, in docs/images, from results/families."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from autov.core import write_text
from autov.experiments import Comparison
from autov.experiments.compact import read_compact
from autov.reports import rank_plot, save_plot, svg
from autov.reports.theme import COLOURS, INK, ON_DARK, PAPER, SOFT

DOCS = Path(__file__).parent
FAMILIES = DOCS.parent / "results" / "families"
NAMES = {
    "paper-h3": "the paper's operator", "ga": "GA", "cma:default": "CMA-ES (pycma)", "minion:arrde": "ARRDE (minionpy)",
    "minion:lshade": "L-SHADE (minionpy)",
}  # fmt: skip


def together() -> Comparison:
    """The twelve comparisons as one: its "designed" is another design on every family."""
    found = [read_compact(path) for path in sorted(FAMILIES.glob("*/comparison.json"))]
    rows = tuple(replace(row, label=NAMES.get(row.label, row.label)) for one in found for row in one.rows)
    labels = tuple(NAMES.get(label, label) for label in found[0].algorithms)
    problems = tuple(p for one in found for p in one.problems)
    return replace(found[0], name="families", algorithms=labels, problems=problems, rows=rows)


def dark(text: str) -> str:
    """An SVG in the colours of dark pages, without a background."""
    changes = {INK: "#e4e7eb", SOFT: "#9aa4b2", PAPER: "none", **dict(zip(COLOURS, ON_DARK, strict=True))}
    for light, other in changes.items():
        text = text.replace(light, other)
    return text


if __name__ == "__main__":
    figure = rank_plot(together())
    save_plot(figure, DOCS / "images" / "families.png")
    save_plot(figure, DOCS / "images" / "families.svg")
    write_text(DOCS / "images" / "families-dark.svg", dark(svg(figure)))
