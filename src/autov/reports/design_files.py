"""The files of a design: the optimiser, how its search went, and one HTML page."""

from __future__ import annotations

import csv
import io
import os
import warnings
from collections.abc import Sequence
from pathlib import Path

from autov.core.atomic_files import write_text
from autov.designer import Design
from autov.designer.search import HISTORY
from autov.designer.space import operator_of
from autov.experiments.design_comparison import DesignComparison
from autov.experiments.explanation import Explanation
from autov.experiments.generalisation import Generalisation
from autov.invariance import AlgorithmReport, check_algorithm
from autov.reports.canvas import svg
from autov.reports.design_page import comparison_table, design_page
from autov.reports.design_plots import history_plot

CERTIFIED_DIMS, CERTIFIED_RUNS = (2, 10), 40


def history_csv(design: Design) -> str:
    """One line a generation."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HISTORY)
    for row in design.history:
        writer.writerow([int(row[0]), int(row[1]), *(repr(float(v)) for v in row[2:])])
    return out.getvalue()


def write_design(
    design: Design, folder: str | os.PathLike[str], compared: Sequence[DesignComparison] = (), command: str = "",
    insight: Sequence[Generalisation | Explanation] = (),
    *, certificate: AlgorithmReport | None = None,
) -> dict[str, Path]:  # fmt: skip
    """Write optimizer.json, operator.json where an operator was designed, history.csv, convergence.svg and report.html.

    Args:
        design: the finished design.
        folder: made if it is not there.
        compared: runs of `compare_design`, for curves.
        command: how to repeat it.
        insight: how good it is elsewhere, and which of its parts matter.
        certificate: what it is invariant to, for the page and optimizer.json.
    """
    target = Path(folder)
    names = ["optimizer.json", "history.csv", "convergence.svg", "report.html"]
    if design.settings["space"] == "operator" and operator_of(design.algorithm) is not None:  # a peer has none
        names.append("operator.json")
    paths = {name: target / name for name in names}
    design.save(paths["optimizer.json"], certificate)
    if "operator.json" in paths:
        design.operator.save(paths["operator.json"])
    write_text(paths["history.csv"], history_csv(design))
    write_text(paths["convergence.svg"], svg(history_plot(design)))
    page = design_page(design, compared, command, target, insight, certificate=certificate)
    write_text(paths["report.html"], page)
    return paths


def certify_design(design: Design) -> AlgorithmReport | None:
    """What the designed optimiser is invariant to: a smaller check than `check_algorithm` makes, some seconds.

    None, with a warning, if it cannot be run: members of users may not take every problem.
    """
    try:
        return check_algorithm(design.algorithm, dim=CERTIFIED_DIMS, runs=CERTIFIED_RUNS, rng=design.settings["seed"])
    except Exception as error:  # a design must not be lost by it
        warnings.warn(f"certificate: the check of the optimiser failed: {error}", stacklevel=2)
        return None


__all__ = ["certify_design", "comparison_table", "design_page", "history_csv", "write_design"]
