"""The report of a design: files and one HTML page."""

from __future__ import annotations

import csv
import io
import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.patches import Patch

from autov.algorithms.portfolio import Portfolio, who_worked
from autov.algorithms.text import explain, short_name
from autov.core import Array, generator
from autov.core.files import write_text
from autov.designer import Design
from autov.designer.search import HISTORY
from autov.designer.space import operator_of
from autov.experiments import Comparison, Entry, Table, compare
from autov.operators import AffineOperator
from autov.problems import instance_of
from autov.reports.html import code_html, figure_html, page, table_html, text_html
from autov.reports.plots import COLOURS, Axes, Figure, convergence_plot, drawing, svg
from autov.stats import least_p, mark, rank_sum


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
    rng = generator(1)
    points = operator(
        parents, lower, upper, rng, best=np.array([0.5, 0.8]), mean=np.array([0.5, 0.5]),
        difference=rng.normal(0.0, SPREAD, (n, 2)), spread=np.full(2, SPREAD),
    )  # fmt: skip
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
CURVE_RUNS, USE_RUNS = 9, 5
SPREAD = 0.15  # of the population that is drawn
SEED_SHIFT = 1_000_003  # seeds of the curves are not those of the search


@dataclass(frozen=True, eq=False)
class Curves:
    """Runs of a designed algorithm and of known ones on fresh instances of one training problem."""

    comparison: Comparison
    use: tuple[np.ndarray, ...] = ()  # for each run of a portfolio, who made each of its evaluations


def report(design: Design, workers: Any = None) -> list[Curves]:
    """Runs for the curves of the page, on each training problem that is compiled."""
    found = []
    shown = {"designed": design.algorithm, **_known_algorithms(design)}
    popsize = design.settings["trial"]["popsize"]
    for name, problem, maxfev in zip(design.settings["problems"], design.judged, design.budgets, strict=True):
        if instance_of(problem, 0).objective() is None:
            continue
        seed = design.settings["seed"] + SEED_SHIFT
        made = compare(shown, {name: problem}, runs=CURVE_RUNS, maxfev=maxfev, popsize=popsize, rng=seed, store=None,
                       workers=workers)  # fmt: skip
        use = ()
        if isinstance(design.algorithm, Portfolio):
            use = tuple(who_worked(design.algorithm, problem, maxfev, popsize, seed, run) for run in range(USE_RUNS))
        found.append(Curves(made, use))
    return found


def _known_algorithms(design: Design) -> dict[str, Any]:
    """The known designs that it was compared with; peers are slow and have their place in the table."""
    peers = design.settings["panel"]
    return {label: design.rivals[label] for label in design.beside if label not in peers}


def use_plot(design: Design, curves: Curves) -> Figure:
    """Which member made which part of the evaluations, run by run."""
    algorithm = design.algorithm
    names = [*(short_name(member) for member in algorithm.members), "polish"]
    with drawing(6.4, 0.5 + 0.32 * len(curves.use) + 0.6) as figure:
        ax = figure.subplots()
        for row, members in enumerate(curves.use):
            edges = np.flatnonzero(np.diff(members)) + 1
            for begin, end in itertools.pairwise([0, *edges, len(members)]):
                ax.barh(row, end - begin, left=begin, color=COLOURS[members[begin]], height=0.8)
        worked = sorted({int(member) for members in curves.use for member in np.unique(members)})
        handles = [Patch(color=COLOURS[member], label=names[member]) for member in worked]
        ax.set(xlabel="evaluations", yticks=range(len(curves.use)), xlim=(0, len(curves.use[0])))
        ax.set_yticklabels([f"run {row + 1}" for row in range(len(curves.use))])
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False)
        return figure


def _row(name: str, values: Array, best: bool = False, mark: str = "") -> tuple[str, tuple[Entry, ...]]:
    first = Entry(f"{values.mean():.5g}", detail=f"{values.std(ddof=1):.3g}", best=best, mark=mark)
    return name, (first, *(Entry(f"{v:.5g}") for v in (np.median(values), values.min(), values.max())))


def comparison_table(design: Design, place: int) -> Table:
    """The result beside known designs and peers on one training problem, with rank-sum marks."""
    name = design.settings["problems"][place]
    own = design.retested[place]
    title = "designed" if design.known is None else f"{design.known} (known)"
    values = {title: own, **{label: each[place] for label, each in design.beside.items()}}
    lead = min(v.mean() for v in values.values())
    least = least_p(len(own), len(own))
    few = ("? : too few runs to tell; whatever they find, no difference can be significant.",) if least >= 0.05 else ()
    rows = tuple(
        _row(label, v, v.mean() == lead, "" if label == title else mark(*rank_sum(v, own), least=least))
        for label, v in values.items()
    )
    return Table(
        f"{name}: best values of {len(own)} runs, on seeds and instances that the search never saw",
        ("", *COLUMNS), rows,
        notes=("+ significantly better than the result, - worse, = neither (rank-sum test, 5 %).", *few),
    )  # fmt: skip


def _moved(design: Design) -> Table | None:
    if design.moved is None:
        return None
    names = design.settings["problems"]
    rows = [_row(f"{name}, its optimum elsewhere", v) for name, v in zip(names, design.moved, strict=True)]
    return Table("The same with the optimum moved", ("training problem", *COLUMNS), tuple(rows))


def _flattering(design: Design) -> str:
    """What the search's own figure is, and why not to believe it."""
    if design.known is not None:
        return f"The known design {design.known} won the final race: nothing better was found."
    several = len(design.settings["problems"]) > 1
    kinds = {"rank": "mean rank among the last candidates", "log-gap": "mean log-gap",
             "panel": "share of the panel's results that are better"}  # fmt: skip
    panel = design.settings["aggregate"] == "panel"
    what = f"a {kinds[design.settings['aggregate']]} of " if several or panel else ""
    own = f"The search's own figure for this result is {what}{design.fitness:.5g}"
    return f"{own}; it flatters, because the luckiest candidates survive. The re-test does not."


def design_page(design: Design, curves: Sequence[Curves], command: str) -> str:
    """Settings, convergence, the result, its re-test and comparison, and how to repeat it."""
    settings = "\n".join(f"{name}: {value}" for name, value in design.settings.items())
    made = ", ".join(f"{what} {count:,}" for what, count in design.spent.items())
    effort = f"{design.evaluations:,} evaluations ({made}) in {design.seconds:.0f} seconds."
    tables = "".join(table_html(comparison_table(design, p)) for p in range(len(design.retested)))
    moved = _moved(design)
    sections = [
        ("Result", tables + (table_html(moved) if moved else "") + text_html(_flattering(design), effort)),
        ("What was designed", code_html(explain(design.algorithm))),
    ]
    for each in curves:
        name = each.comparison.problems[0]
        sections.append((f"Beside known designs on fresh instances of {name}",
                         figure_html(convergence_plot(each.comparison), "best value over evaluations")))  # fmt: skip
        if each.use:
            sections.append(("Who worked when", figure_html(use_plot(design, each), "member over evaluations")))
    sections.append(("Convergence of the search", figure_html(history_plot(design), "fitness over generations")))
    operator = operator_of(design.algorithm)
    if operator is not None:
        sections += [
            ("Offspring of two parents", figure_html(offspring_plot(operator), "offspring of two parents")),
            ("The operator as a formula (LaTeX; the second argument of N is the variance)",
             code_html(operator.latex())),
        ]  # fmt: skip
    sections += [("Settings", code_html(settings)), ("Repeat it", code_html(command))]
    return page(f"Designed on {', '.join(design.settings['problems'])}", sections)


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
    if design.settings["space"] == "operator":
        names.append("operator.json")
    paths = {name: target / name for name in names}
    design.save(paths["optimizer.json"])
    if "operator.json" in paths:
        design.operator.save(paths["operator.json"])
    write_text(paths["history.csv"], history_csv(design))
    write_text(paths["convergence.svg"], svg(history_plot(design)))
    write_text(paths["report.html"], design_page(design, curves, command))
    return paths
