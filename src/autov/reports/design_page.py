"""The page of a design: on its first screen what was designed, how good it is, and what to type next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from autov.algorithms.files import DEFAULT
from autov.algorithms.text import explain, short_name
from autov.core import Array, InputError
from autov.designer import Design
from autov.designer.cases import few
from autov.designer.space import operator_of
from autov.experiments import Cell, Comparison, Table
from autov.experiments.design_comparison import DesignComparison
from autov.problems import instance_of, resolve_problem
from autov.reports.design_plots import history_plot, use_plot
from autov.reports.html import beside_html, code_html, figure_html, lead_html, page, table_html, text_html
from autov.reports.operator_plots import offspring_plot
from autov.reports.plots import BANDS, convergence_panels
from autov.runs.evaluation import sentence
from autov.stats import average_ranks, least_p, mark, rank_sum

COLUMNS = ("mean (std)", "median", "best", "worst")
KINDS = {"translate": "moved", "rotate": "turned", "scale": "zoomed"}  # what is done to instances of a family
MOST = 3  # training problems with a sentence of their own
KNOWN = {  # what begins the names of known designs -> what they are
    DEFAULT: f"{DEFAULT} is the default algorithm of autov.",
    "paper-h3": "paper-h3 is the operator that the paper prints.",
    "ma-es": "ma-es is a matrix adaptation evolution strategy, a relative of CMA-ES.",
    "exchange": "An exchange takes every variable from one of two parents, as a GA does.",
    "hand-made": "A hand-made portfolio shares the budget between a small exchange and ma-es.",
}


def _row(name: str, values: Array, best: bool = False, mark: str = "") -> tuple[str, tuple[Cell, ...]]:
    with np.errstate(invalid="ignore"):  # of infinite values, where all evaluations failed
        spread = values.std(ddof=1)
    first = Cell(f"{values.mean():.5g}", detail=f"{spread:.3g}", best=best, mark=mark)
    return name, (first, *(Cell(f"{v:.5g}") for v in (np.median(values), values.min(), values.max())))


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
        notes=("+ significantly better than the result, - worse, = neither (rank-sum test, 5 %).", *few,
               *_names(values)),
    )  # fmt: skip


def summary_table(design: Design) -> Table:
    """On how many training problems the result is better than each of the others, and average ranks."""
    places = range(len(design.retested))
    least = least_p(len(design.retested[0]), len(design.retested[0]))
    own = "designed" if design.known is None else f"{design.known} (known)"
    means = np.array([[values[p].mean() for values in (design.retested, *design.beside.values())] for p in places])
    ranks = average_ranks(np.where(np.isnan(means), np.inf, means))
    first = Cell(f"{ranks[0]:.2f}", best=ranks[0] == ranks.min())
    rows: list[tuple[str, tuple[Cell, ...]]] = [(own, (Cell(""), Cell(""), Cell(""), first))]
    for (label, each), rank in zip(design.beside.items(), ranks[1:], strict=True):
        signs = [mark(*rank_sum(each[p], design.retested[p]), least=least) for p in places]
        counts = [str(signs.count("-")), str(signs.count("+")), str(len(signs) - signs.count("-") - signs.count("+"))]
        rows.append((label, (*map(Cell, counts), Cell(f"{rank:.2f}", best=rank == ranks.min()))))
    return Table(
        f"{len(places)} training problems, {len(design.retested[0])} runs each on seeds and instances that the search "
        "never saw: on how many the result is",
        ("", "better than", "worse than", "neither", "average rank"), tuple(rows),
        notes=("Rank-sum test, 5 %; ranks of the mean best values.",),
    )  # fmt: skip


def _names(labels: Iterable[str]) -> list[str]:
    """What known designs are, for those who meet their names for the first time."""
    return [" ".join(text for name, text in KNOWN.items() if any(name in label for label in labels))]


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


AHEAD = {
    "+": "significantly better", "-": "significantly worse", "=": "not significantly different",
    "?": "not told apart, the runs are too few",
}  # fmt: skip


def in_short(design: Design, compared: Sequence[DesignComparison] = ()) -> list[str]:
    """What was found and how it does beside others, in a few sentences."""
    names = design.settings["problems"]
    said = [_sentence(design, place) for place in range(min(len(names), MOST))]
    if design.known is not None:
        said[0] = f"The known design {design.known} won: nothing better was found. {said[0]}"
    if len(names) > MOST:
        first = sum(
            all(design.retested[p].mean() <= each[p].mean() for each in design.beside.values())
            for p in range(len(names))
        )
        said.append(f"On {first} of all {len(names)} training problems its mean is the smallest; tables are below.")
    for each in compared[:1]:
        made = each.comparison
        lead = design.best_known(design.settings["problems"].index(made.problems[0]))
        means = {label: made.values(made.problems[0], label) for label in made.algorithms if label != lead}
        own = means.pop("designed")
        if means:
            others = ", ".join(f"{label} {values.mean():.3g}" for label, values in means.items())
            runs = f"Beside algorithms that you may know, mean best values of {len(own)} further runs of each"
            cells = made.scores().cells
            ahead = [
                f"{label} ({AHEAD[cells[made.problems[0], label].mark]})"
                for label, values in means.items()
                if values.mean() < own.mean()
            ]
            smaller = f" Smaller means than the design's: {', '.join(ahead)}; rank-sum test, 5 %." if ahead else ""
            said.append(f"{runs}: designed {own.mean():.3g}, {others}.{smaller}")
    return said


def _sentence(design: Design, place: int) -> str:
    """The result on one training problem, and the best of the others there."""
    own, problem = design.retested[place], design.judged[place]
    text = (
        f"On {design.settings['problems'][place]} ({problem.box.dim} variables, {design.budgets[place]:,} evaluations) "
        f"its mean best value is {own.mean():.4g}, in {len(own)} runs that the search never saw"
    )
    kinds = [
        word for kind, word in KINDS.items() if kind in design.settings["problems"][place].partition("+family=")[2]
    ]
    text += f", each on an instance of its own, {' and '.join(kinds)}" if kinds else ""
    others = {label: each[place] for label, each in design.beside.items()}
    if not others:
        return f"{text}. Smaller is better."
    lead = min(others, key=lambda label: others[label].mean())
    ratio = others[lead].mean() / own.mean() if instance_of(problem, 0).minimum == 0 and own.mean() > 0 else 0.0
    times = f", {ratio:.3g} times as much" if ratio >= 1.5 and np.isfinite(ratio) else ""
    text += f"; the best of the others, {lead}, has {others[lead].mean():.4g}{times} ({_told(others[lead], own)})"
    if DEFAULT in others and lead != DEFAULT:
        text += f"; the default, {DEFAULT}, has {others[DEFAULT].mean():.4g} ({_told(others[DEFAULT], own)})"
    return f"{text}. Smaller is better."


def _told(other: Array, own: Array) -> str:
    """Whether another algorithm's values differ significantly from the result's."""
    sign = mark(*rank_sum(other, own), least=least_p(len(own), len(own)))
    return {"+": "which is significantly better", "-": "which is significantly worse",
            "=": "no significant difference", "?": "too few runs to tell them apart"}[sign]  # fmt: skip


def next_commands(design: Design, folder: Path) -> str:
    """What to type next, with the names and files of this design."""
    file, name = folder / "optimizer.json", _typed(design)
    return "\n".join([
        "# what it does, in words", f"autov show {file}",
        "# use it", f"autov minimize {name} --algorithm {file}",
        "# see it beside others", f"autov compare --algorithms mine={file},ga,shade,ma-es,scipy:de \\",
        f"    --reference mine --problems {name} \\", f"    --out {folder / 'compared'}",
        "# the same for a function of yours",
        "autov design file.py:function --dim 10 --lower -5 --upper 5 --time 5m --out runs/mine",
    ])  # fmt: skip


def _typed(design: Design) -> str:
    """The first training problem as a command takes it, with what is not the default."""
    name, dim, budget = design.settings["problems"][0], design.judged[0].box.dim, design.budgets[0]
    try:
        plain = resolve_problem(name).box.dim == dim if ":" not in name else False
        resolve_problem(name, dim=None if plain else dim)
    except InputError:  # a function, or a label of several dimensions
        return "PROBLEM"
    options = [] if plain else [f"--dim {dim}"]
    return " ".join([name, *options, *([] if budget == 10_000 else [f"--maxfev {budget}"])])


def design_page(design: Design, compared: Sequence[DesignComparison], command: str, folder: Path = Path()) -> str:
    """One screen that tells what was found, then tables, the design in words, curves, and how to repeat it.

    Args:
        design: what was found.
        compared: runs of `compare_design`, for curves.
        command: how to repeat it.
        folder: where its files are, for the commands to type next.
    """
    named = design.settings["problems"]
    lead, *rest = in_short(design, compared)
    first = "".join([
        lead_html(lead), text_html(*rest, *_faults(design), _what(design, compared), "What to type next:"),
        code_html(next_commands(design, folder), wrap=True),
    ])  # fmt: skip
    shown = {name: figure for each in compared for name, figure in _panels(each.comparison).items()}
    figure = next(iter(shown.values()), "")
    sections = [("", beside_html(first, figure) if figure else first)]
    tables = table_html(summary_table(design)) if len(design.retested) > 1 and design.beside else ""
    tables += "".join(table_html(comparison_table(design, p)) for p in range(len(design.retested)))
    moved = _moved(design)
    sections += [
        ("Beside known designs", tables + (table_html(moved) if moved else "") + text_html(_flattering(design))),
        ("What was designed", code_html(explain(design.algorithm), wrap=True)),
    ]
    sections += [(f"The same on {name}", figure) for name, figure in list(shown.items())[1:]]
    for each in compared:
        if each.use:
            members = [*(short_name(member) for member in design.algorithm.members), "polish"]
            name = each.comparison.problems[0]
            told = "Every line is one run; the colour tells whose candidates were evaluated."
            figure = figure_html(use_plot(members, each.use), f"members over evaluations on {name}", told)
            sections.append((f"Who worked when{f' on {name}' if len(compared) > 1 else ''}", figure))
    sections.append(("How the search went", figure_html(
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
    made = ", ".join(f"{what} {count:,}" for what, count in design.spent.items())
    effort = f"{design.evaluations:,} evaluations ({made}) in {design.seconds:.0f} seconds."
    settings = "\n".join(f"{name}: {value}" for name, value in design.settings.items())
    sections += [("Repeat it", code_html(command) + text_html(effort)), ("Settings", code_html(settings, wrap=True))]
    return page(f"An optimiser designed for {few(named)}", sections)


def _faults(design: Design) -> list[str]:
    """How many evaluations failed, if any."""
    return [sentence(design.failed, design.first_failure)] if design.failed else []


def _panels(made: Comparison) -> dict[str, str]:
    """Problem -> its curves."""
    runs = len(made.runs(made.problems[0], "designed"))
    told = f"Best value over evaluations, {runs} runs of each on fresh instances. {BANDS}"
    return {
        name: figure_html(panel, f"best value over evaluations on {name}", told)
        for name, panel in convergence_panels(made).items()
    }


def _what(design: Design, compared: Sequence[DesignComparison]) -> str:
    """What the result is, in a sentence, and which of its parts did the work."""
    said = explain(design.algorithm).splitlines()[0]
    use = compared[0].use if compared else ()
    if use:
        names = [*(short_name(member) for member in design.algorithm.members), "polish"]
        shares = np.bincount(np.concatenate(use), minlength=len(names)) / sum(map(len, use))
        worked = [f"{name}: {share:.0%}" for name, share in zip(names, shares, strict=True) if share >= 0.005]
        said += f" Who made the evaluations of {len(use)} runs: {', '.join(worked)}."
    return said
