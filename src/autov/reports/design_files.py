"""The files of a design: the optimiser, how its search went, and one HTML page."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path

from autov.core.atomic_files import write_text
from autov.designer import Design
from autov.designer.search import HISTORY
from autov.designer.space import operator_of
from autov.experiments.design_comparison import DesignComparison
from autov.reports.canvas import svg
from autov.reports.design_page import comparison_table, design_page
from autov.reports.design_plots import history_plot


def history_csv(design: Design) -> str:
    """One line a generation."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HISTORY)
    for row in design.history:
        writer.writerow([int(row[0]), int(row[1]), *(repr(float(v)) for v in row[2:])])
    return out.getvalue()


def write_design(
    design: Design, folder: str | os.PathLike[str], compared: Sequence[DesignComparison] = (), command: str = ""
) -> dict[str, Path]:
    """Write optimizer.json, operator.json where an operator was designed, history.csv, convergence.svg and report.html.

    Args:
        design: what was found.
        folder: made if it is not there.
        compared: runs of `compare_design`, for curves.
        command: how to repeat it.
    """
    target = Path(folder)
    names = ["optimizer.json", "history.csv", "convergence.svg", "report.html"]
    if design.settings["space"] == "operator" and operator_of(design.algorithm) is not None:  # a peer has none
        names.append("operator.json")
    paths = {name: target / name for name in names}
    design.save(paths["optimizer.json"])
    if "operator.json" in paths:
        design.operator.save(paths["operator.json"])
    write_text(paths["history.csv"], history_csv(design))
    write_text(paths["convergence.svg"], svg(history_plot(design)))
    write_text(paths["report.html"], design_page(design, compared, command, target))
    return paths


__all__ = ["comparison_table", "design_page", "history_csv", "write_design"]
