"""The page of a design: the factor, all held-out runs, curves and commands; details are folded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from autov.algorithms.files import DEFAULT
from autov.algorithms.text import explain, short_name
from autov.designer import Design
from autov.designer.cases import few
from autov.designer.design_run import COLD
from autov.designer.space import operator_of
from autov.experiments import Comparison
from autov.experiments.design_comparison import DESIGNED, DesignComparison, shown_result
from autov.experiments.explanation import Explanation
from autov.experiments.generalisation import Generalisation
from autov.invariance import AlgorithmReport
from autov.reports.certificates import certificate_table
from autov.reports.design_plots import history_plot, use_plot
from autov.reports.design_tables import comparison_table, own_name, shown_name, summary_table, translated_table
from autov.reports.design_text import factor, in_short, next_commands, next_steps, spent_in_words, training_fitness
from autov.reports.html import (
    CLICK,
    code_html,
    command_html,
    factor_html,
    figure_html,
    folded_html,
    lead_html,
    page,
    pair_html,
    table_html,
    text_html,
)
from autov.reports.insight import insight_sections
from autov.reports.operator_plots import offspring_plot
from autov.reports.plots import BANDS, convergence_panels
from autov.reports.strip_plots import strip_plot
from autov.reports.theme import styles_of
from autov.runs.evaluation import sentence

WELL_KNOWN = (DEFAULT, "ma-es", "paper-h3")  # baselines that are always shown; the others but the best are folded


def design_page(
    design: Design, compared: Sequence[DesignComparison], command: str, folder: Path = Path(),
    insight: Sequence[Generalisation | Explanation] = (),
    *, certificate: AlgorithmReport | None = None,
) -> str:  # fmt: skip
    """The factor and all held-out runs first, then commands, details, and the command that repeats the design.

    Args:
        design: the finished search.
        compared: runs of `compare_design`, for curves.
        command: the command that repeats it.
        folder: the folder of its files, for the commands.
        insight: how it generalises, and which of its parts matter.
        certificate: its invariances.
    """
    named = design.settings["problems"]
    lead, *rest = in_short(design, compared)
    curves = {name: figure for each in compared for name, figure in _panels(_renamed(design, each.comparison)).items()}
    drawn = [label for each in compared[:1] for label in _renamed(design, each.comparison).algorithms]
    strips = [_strip(design, place, drawn) for place in range(len(named))]
    first = [factor_html(*factor(design)), pair_html(strips[0], curves.pop(named[0], ""))]
    steps = "".join(command_html(*step) for step in next_steps(design, folder))
    sections = [
        ("", "".join([*first, lead_html(lead), text_html(*rest, *_faults(design), _what(design, compared))])),
        ("Commands", steps),
    ]
    if len(named) > 1:
        summary = table_html(summary_table(design)) if design.baselines else ""
        figures = [part for name, strip in zip(named[1:], strips[1:], strict=True)
                   for part in (strip, curves.pop(name, "")) if part]  # fmt: skip
        sections.append(("All problems", summary + pair_html(*figures)))
    tables = "".join(table_html(comparison_table(design, place)) for place in range(len(named)))
    translated = translated_table(design)
    details = folded_html("Table of all baselines: medians, means, best and worst runs", tables, printed=True)
    translated_html = table_html(translated) if translated else ""
    sections.append(("Baselines", translated_html + details + text_html(training_fitness(design))))
    sections += insight_sections(insight)
    searched = figure_html(history_plot(design), "fitness over generations",
                           "Best, median and worst candidate of each generation (training fitness).")  # fmt: skip
    sections.append(("Search, and budget share per member", pair_html(searched, *_use(design, compared))))
    words = folded_html("Description", code_html(explain(design.algorithm), wrap=True))
    sections.append(("The designed optimiser" if design.baseline is None else "The winner", words + _operator(design)))
    if certificate is not None:
        table = folded_html("Tests", table_html(certificate_table(certificate)))
        sections.append(("Invariance", text_html(_verdicts(certificate)) + table))
    effort = f"{spent_in_words(design)} in {design.seconds:.0f} seconds."
    settings = "\n".join(f"{name}: {value}" for name, value in design.settings.items())
    again = command_html("The same search", command) if command else ""
    sections.append(
        ("How to repeat it", again + text_html(effort) + folded_html("Settings", code_html(settings, wrap=True)))
    )
    won = None if design.baseline is None else shown_name(design.baseline)
    title = f"An optimiser designed for {few(named)}" if won is None else f"{won} won the design for {few(named)}"
    return page(title, sections)


def _verdicts(certificate: AlgorithmReport) -> str:
    """The verdicts in a sentence or two."""
    said = f"{certificate.in_short.removeprefix('invariance: ').capitalize()}."
    undecided = None in certificate.holds.values()
    open_ = " Open: paths of runs differ, and the tests find no difference of their distributions." if undecided else ""
    return f"{said}{open_}"


def _faults(design: Design) -> list[str]:
    """How many evaluations failed, if any."""
    return [sentence(design.failed, design.first_failure)] if design.failed else []


def _strip(design: Design, place: int, drawn: Sequence[str]) -> str:
    """All re-tested runs of the result, of well-known baselines and of the best one, in the colours of the curves."""
    shown = {*WELL_KNOWN, *design.settings["panel"], design.failure_measure(place)}
    values = {own_name(design): design.retested[place]}
    values |= {shown_name(label): each[place] for label, each in design.baselines.items() if label in shown}
    name, runs = design.settings["problems"][place], design.retested.shape[1]
    told = f"Best value of each of {runs} runs ({design.figures_of(place)}). Line: median. Smaller is better."
    styles = styles_of(list(dict.fromkeys([*drawn, *values])))
    return figure_html(strip_plot(values, styles), f"best values of all runs on {name}", told)


def _panels(made: Comparison) -> dict[str, str]:
    """Problem -> its curves."""
    runs = len(made.runs(made.problems[0], made.algorithms[0]))
    told = (f"Best value over evaluations in runs 1 to {runs} of the re-test, and in as many runs of well-known "
            f"algorithms on the same instances. {BANDS} {CLICK}")  # fmt: skip
    return {
        name: figure_html(panel, f"best value over evaluations on {name}", told)
        for name, panel in convergence_panels(made).items()
    }


def _renamed(design: Design, made: Comparison) -> Comparison:
    """The same runs under the names that are shown."""
    own = shown_name(COLD) if COLD in design.rivals else own_name(design)  # a memory has these very problems
    names = {label: own if label == DESIGNED else shown_name(label) for label in made.algorithms}
    rows = tuple(replace(row, label=names[row.label]) for row in made.rows)
    return replace(made, algorithms=tuple(names.values()), reference=names[made.reference], rows=rows)


def _use(design: Design, compared: Sequence[DesignComparison]) -> list[str]:
    """Which member of a portfolio made which evaluations, for each problem."""
    found = []
    for each in compared:
        if each.use:
            name = each.comparison.problems[0]
            told = f"Budget share per member on {name} in further runs: every bar is one, a colour is a member."
            figure = use_plot(
                [*(short_name(member) for member in shown_result(design).members), "local refinement"], each.use
            )
            found.append(figure_html(figure, f"members over evaluations on {name}", told))
    return found


def _operator(design: Design) -> str:
    """Where offspring land, and the formula, if an operator was designed."""
    operator = operator_of(design.algorithm)
    if operator is None:
        return ""
    told = ("Distribution of the offspring of two parents, before the bounds apply. The darkest region holds a quarter "
            "of them, the next ones a half, three quarters and 95 %.")  # fmt: skip
    return pair_html(figure_html(offspring_plot(operator), "offspring of two parents", told)) + folded_html(
        "The operator as a formula (LaTeX; the second argument of N is the variance)", code_html(operator.latex())
    )


def _what(design: Design, compared: Sequence[DesignComparison]) -> str:
    """The result in a sentence, and the budget share of each member."""
    said = explain(design.algorithm).splitlines()[0]
    use = compared[0].use if compared else ()
    if use:
        names = [*(short_name(member) for member in shown_result(design).members), "local refinement"]
        shares = np.bincount(np.concatenate(use), minlength=len(names)) / sum(map(len, use))
        worked = [f"{name} {share:.0%}" for name, share in zip(names, shares, strict=True) if share >= 0.005]
        said += f" Budget share per member in {len(use)} runs: {', '.join(worked)}."
    return said


__all__ = ["comparison_table", "design_page", "in_short", "next_commands", "summary_table"]
