"""How results draw themselves, and what notebooks show of them.

What `plot` draws and `html_of` writes is chosen by the type of the result; `autov.core.display.Displayable` calls them.
"""

from __future__ import annotations

import html
import os
from functools import singledispatch
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from autov.algorithms.text import explain
from autov.core import InputError, write_text
from autov.designer import Design
from autov.designer.space import operator_of
from autov.experiments import Cell, Comparison, Table
from autov.experiments.explanation import Explanation
from autov.experiments.generalisation import Generalisation
from autov.invariance import AlgorithmReport, BiasReport, Certificate
from autov.operators import AffineOperator
from autov.operators.formulas import by_probability, row_formula
from autov.reports.axes import value_axis
from autov.reports.bias_plots import draw_bias
from autov.reports.canvas import asked_for, drawing_on, series
from autov.reports.certificates import bias_table, certificate_table
from autov.reports.design_plots import draw_history
from autov.reports.html import table_html
from autov.reports.insight import draw_changes, insight_sections
from autov.reports.operator_plots import draw_offspring
from autov.reports.plots import convergence_plot, value_label, vertical_scale
from autov.reports.tables import terminal_width, to_text
from autov.reports.theme import COLOURS
from autov.runs.result import Result


def plot(thing: Any, **options: Any) -> Any:
    """Draw a result; axes, or an array of them."""
    with asked_for():
        return drawn(thing, **options)


@singledispatch
def drawn(thing: Any, **options: Any) -> Any:
    """See `plot`."""
    raise InputError(f"plot: nothing is known of {type(thing).__name__}, got options {options}")


@drawn.register
def _(result: Result, ax: Axes | None = None) -> Axes:
    """The best value over the evaluations."""
    if "trace_best" not in result:
        raise InputError("plot: only results of minimize know how they came about")
    with drawing_on(ax, 5.6, 3.4) as axes:
        best = np.where(np.isfinite(result.trace_best), result.trace_best, np.nan)
        offset, scale, threshold = vertical_scale([best])
        (line,) = axes.step(result.trace_nfev, best - offset, where="post", color=COLOURS[0], linewidth=1.4)
        series(line, "best value")
        if np.isfinite(best).any():
            value_axis(axes, scale, threshold, float(np.nanmax(best - offset)))
        axes.set_xlabel("evaluations")
        axes.set_ylabel(value_label(offset))
        return axes


@drawn.register
def _(design: Design, ax: Axes | None = None) -> Axes:
    """Fitness over the generations of the search."""
    with drawing_on(ax, 6.4, 3.6) as axes:
        return draw_history(design, axes)


@drawn.register
def _(comparison: Comparison, **options: Any) -> Any:
    """Best values over evaluations, an array of axes, one for each problem."""
    figure = convergence_plot(comparison, **options)
    count = len(options.get("problems") or comparison.problems)
    return np.array(figure.axes[:count])


@drawn.register
def _(report: BiasReport, ax: Axes | None = None) -> Axes:
    """Where final points are in the box."""
    with drawing_on(ax, 5.6, 3.4) as axes:
        return draw_bias(report, axes)


@drawn.register
def _(explanation: Explanation, ax: Axes | None = None) -> Axes:
    """What changes of parts do."""
    with drawing_on(ax, 5.6, 1.0 + 0.2 * max(len(explanation.shown()), 4)) as axes:
        return draw_changes(explanation, axes)


@drawn.register
def _(operator: AffineOperator, ax: Axes | None = None) -> Axes:
    """Offspring of two parents."""
    with drawing_on(ax, 4.8, 4.8) as axes:
        return draw_offspring(operator, axes)


def text_of(table: Table) -> str:
    """A table as text, in the width of the terminal if it is printed there."""
    return to_text(table, terminal_width())


@singledispatch
def html_of(thing: Any) -> str:
    """What a notebook shows."""
    return f"<pre>{html.escape(str(thing))}</pre>"


def _pairs(title: str, pairs: list[tuple[str, str]]) -> str:
    rows = tuple((name, (Cell(text),)) for name, text in pairs)
    return table_html(Table(title, ("", ""), rows))


@html_of.register
def _(result: Result) -> str:
    return _pairs(str(result.get("message", "result")), [line for line in result.lines() if line[0] != "message"])


@html_of.register
def _(design: Design) -> str:
    means = [(f"re-tested mean on {name}", f"{mean:.6g}") for name, mean in design.retested_means.items()]
    made = ", ".join(f"{what} {count:,}" for what, count in design.spent.items())
    fitness = "-" if np.isnan(design.fitness) else f"{design.fitness:.6g}"
    pairs = [*means, ("search's own figure", fitness), ("evaluations", made)]
    found = operator_of(design.algorithm)
    described = f"<pre>{html.escape(explain(design.algorithm))}</pre>" if found is None else html_of(found)
    return _pairs(f"Design, {design.seconds:.0f} s", pairs) + described


@html_of.register
def _(comparison: Comparison) -> str:
    return table_html(comparison.table())


@html_of.register
def _(table: Table) -> str:
    return table_html(table)


@html_of.register
def _(explanation: Explanation) -> str:
    return insight_sections([explanation])[0][1]


@html_of.register
def _(generalisation: Generalisation) -> str:
    return insight_sections([generalisation])[0][1]


@html_of.register
def _(certificate: Certificate) -> str:
    return table_html(certificate_table(certificate))


@html_of.register
def _(report: BiasReport) -> str:
    return table_html(bias_table([report.to_dict(points=False)]))


@html_of.register
def _(report: AlgorithmReport) -> str:
    return table_html(certificate_table(report))


@html_of.register
def _(operator: AffineOperator) -> str:
    total = operator.probability.sum()
    rows = tuple(
        (f"{operator.probability[j] / total:.3f}", (Cell(row_formula(operator, j)),)) for j in by_probability(operator)
    )
    title = f"Affine operator of {', '.join(operator.inputs)}; one draw for each {operator.draw}"
    return table_html(Table(title, ("probability", "offspring"), rows))


def write_run_page(result: Result, path: str | os.PathLike[str], title: str = "") -> None:
    """Write the page of one run."""
    from autov.reports.run_page import run_page  # it draws with this module

    write_text(path, run_page(result, title))
