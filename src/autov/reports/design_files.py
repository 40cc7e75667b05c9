"""The files of a design: the optimiser, how its search went, and one HTML page."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autov.algorithms.portfolio import Portfolio, who_worked
from autov.core.files import write_text
from autov.designer import Design
from autov.designer.search import HISTORY
from autov.designer.space import operator_of
from autov.experiments import Comparison, compare
from autov.problems import instance_of
from autov.reports.canvas import svg
from autov.reports.design_page import best_other, comparison_table, design_page
from autov.reports.design_plots import history_plot

CURVE_RUNS, USE_RUNS, LEAST_RUNS, MOST_CURVES = 15, 5, 3, 6
PART = 0.1  # of the evaluations of a design that its curves may take where evaluations are not cheap
# In the forms in which people use them; `de` and `cma-es` have the settings of the paper, which are not the best.
WELL_KNOWN = {"GA": "ga", "DE (SciPy)": "scipy:de", "SHADE": "shade", "ma-es": "ma-es", "general": "general"}
QUICK = 100, 50_000  # variables and evaluations up to which these, most of them in Python, take seconds
LEAST_POPSIZE = 5  # of which all of these are capable
SEED_SHIFT = 1_000_003  # seeds of the curves are not those of the search


@dataclass(frozen=True, eq=False)
class Curves:
    """Runs of a designed algorithm and of others on fresh instances of one training problem."""

    comparison: Comparison
    use: tuple[np.ndarray, ...] = ()  # for each run of a portfolio, who made each of its evaluations


def history_csv(design: Design) -> str:
    """One line a generation."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HISTORY)
    for row in design.history:
        writer.writerow([int(row[0]), int(row[1]), *(repr(float(v)) for v in row[2:])])
    return out.getvalue()


def report(design: Design, workers: Any = None, safe: bool = True) -> list[Curves]:
    """Runs for the curves of the page: the design, the best of the known ones, and algorithms that most people know.

    On the first training problems. On a function in Python, which may be slow, most people's algorithms are left out,
    and all curves where not even three runs of each fit into a tenth of the evaluations that the design took, or where
    evaluations failed or may fail (not safe).
    """
    found = []
    popsize = design.settings["trial"]["popsize"]
    seed = design.settings["seed"] + SEED_SHIFT
    spare = 0 if design.failed or not safe else int(PART * design.evaluations)
    cases = zip(design.settings["problems"], design.judged, design.budgets, strict=True)
    for place, (name, problem, maxfev) in enumerate(cases):
        if len(found) == MOST_CURVES:
            break
        shown: dict[str, Any] = {"designed": design.algorithm}
        if (other := best_other(design, place)) is not None:
            shown[other] = design.rivals[other]
        runs = CURVE_RUNS
        if instance_of(problem, 0).objective() is None:
            runs = min(runs, spare // ((len(shown) + 1) * sum(design.budgets)))  # one more tells who worked when
        elif problem.box.dim <= QUICK[0] and maxfev <= QUICK[1] and popsize >= LEAST_POPSIZE:
            shown |= {label: value for label, value in WELL_KNOWN.items() if label not in shown}
        if runs < LEAST_RUNS:
            continue
        made = compare(shown, {name: problem}, runs=runs, maxfev=maxfev, popsize=popsize, rng=seed, store=None,
                       workers=workers, reference="designed")  # fmt: skip
        use = ()
        if isinstance(design.algorithm, Portfolio):
            use = tuple(
                who_worked(design.algorithm, problem, maxfev, popsize, seed, run) for run in range(min(USE_RUNS, runs))
            )
        found.append(Curves(made, use))
    return found


def write_design(
    design: Design, folder: str | os.PathLike[str], curves: Sequence[Curves] = (), command: str = ""
) -> dict[str, Path]:
    """Write optimizer.json, operator.json where an operator was designed, history.csv, convergence.svg and report.html.

    Args:
        design: what was found.
        folder: made if it is not there.
        curves: what `report` made.
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
    write_text(paths["report.html"], design_page(design, curves, command, target))
    return paths


__all__ = ["Curves", "comparison_table", "design_page", "history_csv", "report", "write_design"]
