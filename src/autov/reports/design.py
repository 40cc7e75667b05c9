"""The report of a design: files and one HTML page."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from autov.core import Array, generator
from autov.core.files import write_text
from autov.designer import Design
from autov.designer.search import HISTORY
from autov.experiments import Entry, Table
from autov.operators import AffineOperator
from autov.reports.html import code_html, figure_html, page, table_html, text_html
from autov.reports.plots import Axes, Figure, drawing, svg


def history_plot(design: Design) -> Figure:
    """Best, median and worst fitness of the population over the generations."""
    with drawing(6.4, 3.6) as figure:
        draw_history(design, figure.subplots())
        return figure


def draw_history(design: Design, ax: Axes) -> Axes:
    """The same on axes."""
    generation = design.history[:, 0]
    for name, colour in (("worst", "#999999"), ("median", "#d55e00"), ("best", "#0072b2")):
        ax.plot(generation, design.history[:, HISTORY.index(name)], label=name, color=colour, linewidth=1.2)
    if len(design.settings["problems"]) == 1:
        ax.axhline(design.retested_fitness, color="black", linestyle=":", label="re-tested mean of the result")
        if design.history[:, 2:].min() > 0:
            ax.set_yscale("log")
    ax.set_xlabel("generation")
    ax.set_ylabel("fitness")
    ax.legend(frameon=False)
    return ax


def offspring_plot(operator: AffineOperator) -> Figure:
    """Offspring of two parents in a square box; best and mean, where used, lie at fixed places."""
    with drawing(4.6, 4.4) as figure:
        draw_offspring(operator, figure.subplots())
        return figure


def draw_offspring(operator: AffineOperator, ax: Axes) -> Axes:
    """The same on axes."""
    lower, upper = np.zeros(2), np.ones(2)
    first, second = np.array([0.3, 0.35]), np.array([0.7, 0.6])
    n = 1500
    rest = [np.broadcast_to(second, (n, 2))] * (operator.n_parents - 1)
    parents = np.stack([np.broadcast_to(first, (n, 2)), *rest])
    points = operator(parents, lower, upper, generator(1), best=np.array([0.5, 0.8]), mean=np.array([0.5, 0.5]))
    shown = np.clip(points, lower, upper)
    ax.scatter(shown[:, 0], shown[:, 1], s=2, alpha=0.25, color="#0072b2", linewidths=0)
    ax.plot(*first, "o", color="#d55e00", label="x1")
    ax.plot(*second, "s", color="#009e73", label="other parents")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel="variable 1", ylabel="variable 2")
    ax.legend(frameon=False, loc="lower right")
    return ax


def history_csv(design: Design) -> str:
    """One line a generation."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HISTORY)
    for row in design.history:
        writer.writerow([int(row[0]), int(row[1]), *(repr(float(v)) for v in row[2:])])
    return out.getvalue()


COLUMNS = ("mean (std)", "median", "best", "worst")


def _row(name: str, values: Array, best: bool = False) -> tuple[str, tuple[Entry, ...]]:
    first = Entry(f"{values.mean():.5g}", detail=f"{values.std(ddof=1):.3g}", best=best)
    return name, (first, *(Entry(f"{v:.5g}") for v in (np.median(values), values.min(), values.max())))


def _comparison(values: Mapping[str, Array]) -> Table:
    lead = min(v.mean() for v in values.values())
    rows = tuple(_row(label, v, best=v.mean() == lead) for label, v in values.items())
    runs = len(next(iter(values.values())))
    return Table(f"Best values of {runs} runs each, on seeds the search never saw", ("", *COLUMNS), rows)


def _retest(design: Design) -> Table:
    names = design.settings["problems"]
    rows = [_row(name, v) for name, v in zip(names, design.retested, strict=True)]
    if design.moved is not None:
        rows += [_row(f"{name}, its optimum elsewhere", v) for name, v in zip(names, design.moved, strict=True)]
    caption = f"Best values of {design.retested.shape[1]} runs on seeds and instances that the search never saw"
    return Table(caption, ("training problem", *COLUMNS), tuple(rows))


def _flattering(design: Design) -> str:
    """What the search's own figure is, and why not to believe it."""
    if len(design.settings["problems"]) == 1:
        own = f"The search's own figure for this operator is {design.fitness:.5g}"
    else:
        what = "mean rank among the last candidates" if design.settings["aggregate"] == "rank" else "mean log-gap"
        own = f"The search's own figure for this operator is a {what} of {design.fitness:.5g}"
    return f"{own}; it flatters, because the luckiest candidates survive. The re-test does not."


def design_page(design: Design, known: Mapping[str, Mapping[str, Array]], command: str) -> str:
    """Settings, convergence, the operator, its re-test and comparison, and how to repeat it."""
    settings = "\n".join(f"{name}: {value}" for name, value in design.settings.items())
    made = ", ".join(f"{what} {count:,}" for what, count in design.spent.items())
    effort = f"{design.evaluations:,} evaluations ({made}) in {design.seconds:.0f} seconds."
    sections = [
        ("Result", table_html(_retest(design)) + text_html(_flattering(design), effort)),
        ("Convergence of the search", figure_html(history_plot(design), "fitness over generations")),
        ("The operator", code_html(str(design.operator))),
        (
            "The operator as a formula (LaTeX; the second argument of N is the variance)",
            code_html(design.operator.latex()),
        ),
        ("Offspring of two parents", figure_html(offspring_plot(design.operator), "offspring of two parents")),
    ]
    sections += [(f"Beside known designs on {name}", table_html(_comparison(v))) for name, v in known.items()]
    sections += [("Settings", code_html(settings)), ("Repeat it", code_html(command))]
    return page(f"Operator designed on {', '.join(design.settings['problems'])}", sections)


def write_design(
    design: Design, folder: str | os.PathLike[str], known: Mapping[str, Mapping[str, Array]] | None = None,
    command: str = "",
) -> dict[str, Path]:  # fmt: skip
    """Write operator.json, history.csv, convergence.svg and report.html.

    Args:
        design: what was found.
        folder: made if it is not there.
        known: problem -> label -> best values of runs on it, the designed operator first.
        command: how to repeat it.
    """
    target = Path(folder)
    paths = {name: target / name for name in ("operator.json", "history.csv", "convergence.svg", "report.html")}
    design.operator.save(paths["operator.json"])
    write_text(paths["history.csv"], history_csv(design))
    write_text(paths["convergence.svg"], svg(history_plot(design)))
    write_text(paths["report.html"], design_page(design, known or {}, command))
    return paths
