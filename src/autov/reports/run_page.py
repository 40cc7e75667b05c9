"""The page of one run of `minimize`: convergence, best point by name, violations of constraints, members."""

from __future__ import annotations

from collections.abc import Sequence

from autov.experiments import Cell, Table
from autov.reports.axes import count_axis
from autov.reports.canvas import drawing
from autov.reports.html import Section, code_html, figure_html, lead_html, page, pair_html, table_html, text_html
from autov.reports.views import drawn
from autov.runs.result import Result

SHOWN = {"points": "points that cover the box"}  # of members
LEFT_OUT = ("x", "message", "names", "constr", "failed", "members")  # in other parts of the page


def run_page(result: Result, title: str = "") -> str:
    """The whole page, without external resources."""
    sections: list[Section] = [("", lead_html(_lead(result)) + text_html(str(result.get("message", ""))))]
    point = table_html(_point(result))
    if len(result.get("trace_best", ())):
        with drawing(6.2, 3.4) as figure:
            axes = drawn(result, ax=figure.subplots())
            first, last = float(result.trace_nfev[0]), float(result.trace_nfev[-1])
            if 0 < first < last:
                count_axis(axes, first, last)
        plot = figure_html(figure, "best value over evaluations")
        sections.append(("Best value over evaluations, and best point", pair_html(plot, point)))
    else:
        sections.append(("Best point", point))
    if "constr" in result:
        sections.append(("Constraints at the best point", table_html(_constraints(result))))
    if len(result.get("members", ())) > 1:
        sections.append(("Evaluations of each member", table_html(_members(result))))
    rest = "\n".join(f"{name}: {text}" for name, text in result.lines() if name not in LEFT_OUT)
    sections.append(("All fields", code_html(rest, wrap=True)))
    return page(title or "A run of autov", sections)


def _lead(result: Result) -> str:
    return f"Best value {result.fun:.8g} after {result.nfev:,} evaluations."


def named_values(result: Result, names: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Each variable of the best point with its value, as text."""
    if isinstance(result.x, (dict, list)):  # of described variables: as they were given
        pairs = result.x.items() if isinstance(result.x, dict) else ((f"x{i}", v) for i, v in enumerate(result.x, 1))
        return [(str(name), f"{v:.8g}" if isinstance(v, float) else str(v)) for name, v in pairs]
    names = tuple(result.get("names", ())) or tuple(names) or tuple(f"x{i + 1}" for i in range(len(result.x)))
    return [(name, f"{value:.8g}") for name, value in zip(names, result.x, strict=True)]


def _point(result: Result) -> Table:
    return Table("", ("variable", "value"), tuple((name, (Cell(text),)) for name, text in named_values(result)))


def _members(result: Result) -> Table:
    """How many evaluations each algorithm made that takes part."""
    made: dict[str, int] = dict(result.members)
    total = sum(made.values())
    rows = ((SHOWN.get(name, name), (Cell(f"{n:,}"), Cell(f"{n / total:.0%}"))) for name, n in made.items())
    return Table("", ("member", "evaluations", "share"), tuple(rows))


def _constraints(result: Result) -> Table:
    """How much each constraint is exceeded."""
    rows = []
    for number, part in enumerate(result.constr, 1):
        worst = float(part.max(initial=0.0))
        rows.append((f"constraint {number}", (Cell(f"{worst:.6g}"), Cell("yes" if worst <= 0 else "no"))))
    return Table("", ("", "exceeded by", "met"), tuple(rows))
