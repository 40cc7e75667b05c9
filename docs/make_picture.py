"""Draw docs/images/families.png, the picture of the README and of the home page, from results/families."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from autov.experiments import Comparison
from autov.experiments.compact import read_compact
from autov.reports import rank_plot, save_plot

DOCS = Path(__file__).parent
FAMILIES = DOCS.parent / "results" / "families"


def together() -> Comparison:
    """The twelve comparisons as one: its "designed" is another design on every family."""
    found = [read_compact(path) for path in sorted(FAMILIES.glob("*/comparison.json"))]
    rows = tuple(row for one in found for row in one.rows)
    return replace(found[0], name="families", problems=tuple(p for one in found for p in one.problems), rows=rows)


if __name__ == "__main__":
    save_plot(rank_plot(together()), DOCS / "images" / "families.png")
