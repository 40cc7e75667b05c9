"""The page of work in progress."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from autov.core import Array
from autov.designer.search import HISTORY
from autov.reports.canvas import Figure, drawing
from autov.reports.design_plots import LINES
from autov.reports.html import Section, code_html, figure_html, lead_html, page, pair_html, text_html


def live_page(
    title: str, facts: Sequence[str], lines: Sequence[str], history: Any, running: bool, every: int
) -> str:  # fmt: skip
    """Facts, the course of a search, and what is best so far; a browser loads it anew while the work continues.

    Args:
        title: the task.
        facts: how far it is.
        lines: what is best so far.
        history: of a search, one row a generation; None for other work.
        running: whether it continues.
        every: seconds after which a browser loads the page again.
    """
    course = np.array([] if history is None else history, dtype=np.float64)
    state = f"Running; this page reloads every {every} seconds." if running else "Interrupted; this is the last state."
    sections: list[Section] = [("", lead_html("; ".join(facts)) + text_html(state))]
    if len(course) > 1:
        told = "Best (solid), median (dashed) and worst (dotted) candidate of each generation (training fitness)."
        sections.append(("How the search goes", pair_html(figure_html(_course(course), "fitness so far", told))))
    if lines:
        sections.append(("Best so far", code_html("\n".join(lines), wrap=True)))
    return page(title[:1].upper() + title[1:], sections, every if running else 0)


def _course(history: Array) -> Figure:
    with drawing(4.6, 3.0) as figure:
        ax = figure.subplots()
        for name, style in LINES.items():
            ax.plot(history[:, 0], history[:, HISTORY.index(name)], color=style.color, linestyle=style.linestyle)
        ax.set_xlabel("generation")
        ax.set_ylabel("fitness (smaller is better)")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        return figure
