"""The report of a design: files and one HTML page."""

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
from autov.algorithms.text import explain, short_name
from autov.core import Array
from autov.core.files import write_text
from autov.designer import Design
from autov.designer.cases import few
from autov.designer.search import HISTORY
from autov.designer.space import operator_of
from autov.experiments import Comparison, Entry, Table, compare
from autov.problems import instance_of
from autov.reports.design_plots import history_plot, use_plot
from autov.reports.drawing import svg
from autov.reports.html import code_html, figure_html, page, table_html, text_html
from autov.reports.operator_plots import offspring_plot
from autov.reports.plots import BANDS, convergence_panels
from autov.stats import average_ranks, least_p, mark, rank_sum


def history_csv(design: Design) -> str:
    """One line a generation."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HISTORY)
    for row in design.history:
        writer.writerow([int(row[0]), int(row[1]), *(repr(float(v)) for v in row[2:])])
    return out.getvalue()


COLUMNS = ("mean (std)", "median", "best", "worst")
CURVE_RUNS, USE_RUNS, LEAST_RUNS = 9, 5, 3
PART = 0.1  # of the evaluations of a design that its curves may take where evaluations are not cheap
SEED_SHIFT = 1_000_003  # seeds of the curves are not those of the search


@dataclass(frozen=True, eq=False)
class Curves:
    """Runs of a designed algorithm and of known ones on fresh instances of one training problem."""

    comparison: Comparison
    use: tuple[np.ndarray, ...] = ()  # for each run of a portfolio, who made each of its evaluations


def report(design: Design, workers: Any = None, safe: bool = True) -> list[Curves]:
    """Runs for the curves of the page, on each training problem; those of a Python function are few beside the design.

    They are left out where not even three of each fit into a tenth of the evaluations that the design took, or where
    evaluations failed or may fail (not safe).
    """
    found = []
    shown = {"designed": design.algorithm, **_known_algorithms(design)}
    popsize = design.settings["trial"]["popsize"]
    spare = (
        0 if design.failed or not safe else int(PART * design.evaluations) // ((len(shown) + 1) * sum(design.budgets))
    )
    for name, problem, maxfev in zip(design.settings["problems"], design.judged, design.budgets, strict=True):
        runs = CURVE_RUNS
        if instance_of(problem, 0).objective() is None:
            runs = min(CURVE_RUNS, spare)
        if runs < LEAST_RUNS:
            continue
        seed = design.settings["seed"] + SEED_SHIFT
        made = compare(shown, {name: problem}, runs=runs, maxfev=maxfev, popsize=popsize, rng=seed, store=None,
                       workers=workers)  # fmt: skip
        use = ()
        if isinstance(design.algorithm, Portfolio):
            use = tuple(who_worked(design.algorithm, problem, maxfev, popsize, seed, run)
                        for run in range(min(USE_RUNS, runs)))  # fmt: skip
        found.append(Curves(made, use))
    return found


def _known_algorithms(design: Design) -> dict[str, Any]:
    """The known designs that it was compared with; peers are slow and have their place in the table."""
    peers = design.settings["panel"]
    return {label: design.rivals[label] for label in design.beside if label not in peers}


def _row(name: str, values: Array, best: bool = False, mark: str = "") -> tuple[str, tuple[Entry, ...]]:
    with np.errstate(invalid="ignore"):  # of infinite values, where all evaluations failed
        spread = values.std(ddof=1)
    first = Entry(f"{values.mean():.5g}", detail=f"{spread:.3g}", best=best, mark=mark)
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


def summary_table(design: Design) -> Table:
    """On how many training problems the result is better than each of the others, and average ranks."""
    places = range(len(design.retested))
    least = least_p(len(design.retested[0]), len(design.retested[0]))
    own = "designed" if design.known is None else f"{design.known} (known)"
    means = np.array([[values[p].mean() for values in (design.retested, *design.beside.values())] for p in places])
    ranks = average_ranks(np.where(np.isnan(means), np.inf, means))
    rows: list[tuple[str, tuple[Entry, ...]]] = [
        (own, (Entry(""), Entry(""), Entry(""), Entry(f"{ranks[0]:.2f}", best=ranks[0] == ranks.min())))
    ]
    for (label, each), rank in zip(design.beside.items(), ranks[1:], strict=True):
        signs = [mark(*rank_sum(each[p], design.retested[p]), least=least) for p in places]
        counts = [str(signs.count("-")), str(signs.count("+")), str(len(signs) - signs.count("-") - signs.count("+"))]
        rows.append((label, (*map(Entry, counts), Entry(f"{rank:.2f}", best=rank == ranks.min()))))
    return Table(
        f"{len(places)} training problems, {len(design.retested[0])} runs each on seeds and instances that the search "
        "never saw: on how many the result is better or worse than each of the others",
        ("", "better", "worse", "neither", "rank"), tuple(rows),
        notes=("Rank-sum test, 5 %; average ranks of the mean best values.",),
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


def in_short(design: Design) -> list[str]:
    """What was found and how it does beside the best of the others, a sentence for each training problem."""
    first = f"The known design {design.known} won: nothing better was found. " if design.known is not None else ""
    said = []
    for place, name in enumerate(design.settings["problems"]):
        own = design.retested[place]
        text = f"On {name} its mean best value is {own.mean():.4g} ({len(own)} runs that the search never saw)"
        others = {label: float(each[place].mean()) for label, each in design.beside.items()}
        if others:
            lead = min(others, key=lambda label: others[label])
            text += f"; the best of the others, {lead}, has {others[lead]:.4g}"
        said.append(f"{text}. Smaller is better.")
    return [first + said[0], *said[1:]]


NEXT = """autov show optimizer.json                                  # what it does, in words
autov minimize PROBLEM --algorithm optimizer.json          # use it
autov compare --algorithms mine=optimizer.json,ga,ma-es --problems PROBLEM --out compared"""


def design_page(design: Design, curves: Sequence[Curves], command: str) -> str:
    """Settings, convergence, the result, its re-test and comparison, and how to repeat it."""
    settings = "\n".join(f"{name}: {value}" for name, value in design.settings.items())
    made = ", ".join(f"{what} {count:,}" for what, count in design.spent.items())
    effort = f"{design.evaluations:,} evaluations ({made}) in {design.seconds:.0f} seconds."
    tables = table_html(summary_table(design)) if len(design.retested) > 1 and design.beside else ""
    tables += "".join(table_html(comparison_table(design, p)) for p in range(len(design.retested)))
    moved = _moved(design)
    sections = [
        ("In short", text_html(*in_short(design)) + text_html("What to type next, in this folder:") + code_html(NEXT)),
        ("Result", tables + (table_html(moved) if moved else "") + text_html(_flattering(design), effort)),
        ("What was designed", code_html(explain(design.algorithm))),
    ]
    for each in curves:
        name = each.comparison.problems[0]
        panel = convergence_panels(each.comparison)[name]
        sections.append((f"Beside known designs on fresh instances of {name}",
                         figure_html(panel, f"best value over evaluations on {name}", BANDS)))  # fmt: skip
        if each.use:
            members = [*(short_name(member) for member in design.algorithm.members), "polish"]
            shown = figure_html(use_plot(members, each.use), f"members over evaluations on {name}",
                                "Every line is one run; the colour tells whose candidates were evaluated.")  # fmt: skip
            sections.append(("Who worked when", shown))
    sections.append(("Convergence of the search", figure_html(
        history_plot(design), "fitness over generations",
        "Best, median and worst candidate of each generation; the search's own figures flatter.")))  # fmt: skip
    operator = operator_of(design.algorithm)
    if operator is not None:
        sections += [
            ("Offspring of two parents", figure_html(
                offspring_plot(operator), "offspring of two parents",
                "Where offspring land before they are put back into the box: the darkest region holds a quarter of "
                "them, the next ones a half, three quarters and 95 %.")),
            ("The operator as a formula (LaTeX; the second argument of N is the variance)",
             code_html(operator.latex())),
        ]  # fmt: skip
    sections += [("Settings", code_html(settings)), ("Repeat it", code_html(command))]
    return page(f"Designed on {few(design.settings['problems'])}", sections)


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
    write_text(paths["report.html"], design_page(design, curves, command))
    return paths
