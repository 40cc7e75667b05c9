"""One HTML page that needs nothing else: no script, no link, style and plots inside."""

from __future__ import annotations

import hashlib
import html
import itertools
import re
from collections.abc import Sequence
from typing import Literal

from matplotlib.figure import Figure

from autov.experiments import Comparison, Table
from autov.reports.drawing import svg
from autov.reports.fitting import columns_of, plain
from autov.reports.look import CSS, themed
from autov.reports.plots import BANDS, convergence_panels
from autov.reports.rank_plots import rank_plot, win_plot
from autov.reports.target_plots import ecdf_plot

Section = tuple[str, str]  # a title and ready HTML

COLUMNS = 10  # of values in a table; those with more are split


def page(title: str, sections: Sequence[Section]) -> str:
    """The whole page. Titles are plain text, bodies are HTML (see `table_html`, `figure_html`, `text_html`)."""
    body = "\n".join(f"<section>\n<h2>{html.escape(name)}</h2>\n{content}\n</section>" for name, content in sections)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{html.escape(title)}</title>\n'
        f"<style>{CSS}</style>\n</head>\n<body>\n<h1>{html.escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def text_html(*paragraphs: str) -> str:
    """Plain text as paragraphs."""
    return "\n".join(f"<p>{html.escape(text)}</p>" for text in paragraphs)


def code_html(text: str) -> str:
    """Plain text as it is, in a fixed-width font."""
    return f"<pre>{html.escape(text)}</pre>"


def table_html(table: Table) -> str:
    """A table with its notes below, in parts where it has many columns."""
    count = len(table.columns) - 1
    parts = max(1, -(-count // COLUMNS))
    edges = [1 + count * i // parts for i in range(parts + 1)]
    shown = "".join(_part_html(columns_of(table, a, b)) for a, b in itertools.pairwise(edges))
    entries = [entry for _, row in table.rows for entry in row]
    keys = [
        f'<span class="key {name}">{words}</span>'
        for name, words, used in (
            ("best", "the best", any(entry.best for entry in entries)),
            ("differs", "another sign", any(entry.differs for entry in entries)),
        )
        if used
    ]
    notes = [html.escape(note) for note in table.notes] + ([" ".join(keys)] if keys else [])
    return shown + "".join(f'<p class="note">{note}</p>' for note in notes)


def _part_html(table: Table) -> str:
    head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in table.columns)
    rows = []
    for name, entries in table.rows:
        cells = []
        for entry in entries:
            detail = f"<small>({html.escape(entry.detail)})</small>" if entry.detail else ""
            mark = f" {html.escape(entry.mark)}" if entry.mark else ""
            kind = ' class="best"' if entry.best else ' class="differs"' if entry.differs else ""
            cells.append(f"<td{kind} title={_quoted(plain(entry))}>{html.escape(entry.text)}{mark}{detail}</td>")
        rows.append(f'<tr><th scope="row">{html.escape(name)}</th>{"".join(cells)}</tr>')
    foot = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th>{"".join(f"<td>{html.escape(text)}</td>" for text in texts)}</tr>'
        for name, texts in table.footer
    )
    caption = f"<caption>{html.escape(table.caption)}</caption>" if table.caption else ""
    return (
        f'<div class="scroll"><table>{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{chr(10).join(rows)}</tbody><tfoot>{foot}</tfoot></table></div>"
    )


def _quoted(text: str) -> str:
    return f'"{html.escape(text)}"'


def figure_html(figure: Figure, title: str, caption: str = "") -> str:
    """A plot as inline SVG, without its prolog and metadata, in the colours of the page.

    Areas of the same place and size have the same names in all plots: a prefix made of the plot tells them apart.
    """
    text = svg(figure)
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r' id="[A-Za-z.0-9]+_\d+"', "", text)
    prefix = f"p{hashlib.sha256((title + text).encode()).hexdigest()[:8]}-"
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}", text)
    below = f"<figcaption>{html.escape(caption)}</figcaption>" if caption else ""
    return f"<figure role='img' aria-label={_quoted(title)}>{themed(text)}{below}</figure>"


def setup_html(comparison: Comparison) -> str:
    """What was run, in a sentence, and with which versions."""
    rows = comparison.rows
    if not rows:
        return text_html("No run has finished.")
    first = rows[0]
    dims = sorted({row.dim for row in rows})
    versions = ", ".join(f"{name} {number}" for name, number in first.versions.items())
    seconds = sum(row.seconds for row in rows)
    text = (
        f"{len(comparison.algorithms)} algorithms on {len(comparison.problems)} problems: {len(rows)} runs of "
        f"{first.maxfev:,} evaluations, population size {first.popsize}, {'/'.join(map(str, dims))} variables, "
        f"seed {first.seed}" + (f"; {seconds:,.0f} seconds of computing." if seconds >= 0.5 else ".")
    )
    return text_html(text, f"Made with {versions}.")


def plot_sections(comparison: Comparison, show: Literal["mean", "median"] = "mean") -> list[Section]:
    """Ranks, wins and convergence, where there are any."""
    sections = []
    scores = comparison.scores(show=show)
    if scores.ranked > 1 and len(comparison.algorithms) > 1:
        told = "Algorithms whose ranks differ by less than the critical difference are not told apart (Nemenyi, 5 %)."
        sections.append(("Average ranks", figure_html(rank_plot(comparison, show=show), "average ranks", told)))
    if scores.ranked and len(comparison.algorithms) > 2:
        told = "Counted by the rank sum test at 5 %; the algorithms with the most wins less losses come first."
        sections.append(("Who is better than whom", figure_html(win_plot(comparison), "wins", told)))
    if comparison.has_curves:
        panels = "".join(
            figure_html(panel, f"convergence on {problem}") for problem, panel in convergence_panels(comparison).items()
        )
        sections.append(("Convergence", f'<p class="note">{BANDS}</p><div class="panels">{panels}</div>'))
    return sections


def target_sections(comparison: Comparison) -> list[Section]:
    """Targets reached, where minima are known."""
    found = comparison.targets()
    if not found.problems:
        return []
    content = table_html(comparison.measures())
    if found.timed:
        told = "Share of all targets, on all problems and in all runs, that were reached within so many evaluations."
        content += figure_html(ecdf_plot(comparison), "share of targets reached", told)
    return [("Targets", content)]


def failure_sections(comparison: Comparison) -> list[Section]:
    """Runs that failed, if any."""
    lines = [f"{f.label} on {f.problem}, run {f.run}: {f.error}" for f in comparison.failures]
    return [("Failed runs", code_html("\n".join(lines)))] if lines else []


def comparison_page(
    comparison: Comparison, title: str | None = None, table: Table | None = None,
    show: Literal["mean", "median"] = "mean",
) -> str:  # fmt: skip
    """Set-up, table (that of the means or medians unless another is given), ranks, wins and convergence."""
    sections = [("Set-up", setup_html(comparison)), ("Results", table_html(table or comparison.table(show)))]
    sections += [*plot_sections(comparison, show), *target_sections(comparison), *failure_sections(comparison)]
    return page(title or comparison.name, sections)
