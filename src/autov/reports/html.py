"""One HTML page that needs nothing else: no script, no link, style and plots inside."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from matplotlib.figure import Figure

from autov.experiments import Comparison, Table
from autov.reports.plots import convergence_plot, rank_plot, svg
from autov.reports.tables import plain
from autov.reports.target_plots import ecdf_plot

Section = tuple[str, str]  # a title and ready HTML

_CSS = """
:root { color-scheme: light dark; --line: #d0d4da; --soft: #667; --best: #fff2b8; }
@media (prefers-color-scheme: dark) { :root { --line: #444a55; --soft: #9aa; --best: #5a4a00; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem; max-width: 75rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .3rem 0; color: var(--soft); }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child { text-align: left; }
td.best { background: var(--best); font-weight: 600; }
td small { color: var(--soft); } tfoot td, tfoot th { border-top: 1px solid var(--soft); border-bottom: 0; }
.note { color: var(--soft); font-size: .85rem; margin: .3rem 0; }
figure { margin: 1rem 0; background: white; padding: .5rem; border-radius: 4px; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; }
pre { background: color-mix(in srgb, currentColor 7%, transparent); padding: .8rem; overflow-x: auto; }
"""


def page(title: str, sections: Sequence[Section]) -> str:
    """The whole page. Titles are plain text, bodies are HTML (see `table_html`, `figure_html`, `text_html`)."""
    body = "\n".join(f"<section>\n<h2>{html.escape(name)}</h2>\n{content}\n</section>" for name, content in sections)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{html.escape(title)}</title>\n'
        f"<style>{_CSS}</style>\n</head>\n<body>\n<h1>{html.escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def text_html(*paragraphs: str) -> str:
    """Plain text as paragraphs."""
    return "\n".join(f"<p>{html.escape(text)}</p>" for text in paragraphs)


def code_html(text: str) -> str:
    """Plain text as it is, in a fixed-width font."""
    return f"<pre>{html.escape(text)}</pre>"


def table_html(table: Table) -> str:
    """A table with its notes below."""
    head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in table.columns)
    rows = []
    for name, entries in table.rows:
        cells = []
        for entry in entries:
            detail = f" <small>({html.escape(entry.detail)})</small>" if entry.detail else ""
            mark = f" {html.escape(entry.mark)}" if entry.mark else ""
            kind = ' class="best"' if entry.best else ""
            cells.append(f"<td{kind} title={_quoted(plain(entry))}>{html.escape(entry.text)}{detail}{mark}</td>")
        rows.append(f'<tr><th scope="row">{html.escape(name)}</th>{"".join(cells)}</tr>')
    foot = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th>{"".join(f"<td>{html.escape(text)}</td>" for text in texts)}</tr>'
        for name, texts in table.footer
    )
    notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in table.notes)
    return (
        f'<div class="scroll"><table><caption>{html.escape(table.caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{chr(10).join(rows)}</tbody><tfoot>{foot}</tfoot></table></div>{notes}"
    )


def _quoted(text: str) -> str:
    return f'"{html.escape(text)}"'


def figure_html(figure: Figure, title: str, prefix: str = "") -> str:
    """A plot as inline SVG, without its prolog and metadata and with no names that two plots could share.

    Areas of the same place and size have the same names in all plots: a prefix tells them apart.
    """
    text = svg(figure)
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r' id="[A-Za-z.0-9]+_\d+"', "", text)
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}", text)
    return f"<figure role='img' aria-label={_quoted(title)}>{text}</figure>"


def setup_html(comparison: Comparison) -> str:
    """What was run, in a sentence, and with which versions."""
    rows = comparison.rows
    if not rows:
        return text_html("No run has finished.")
    first = rows[0]
    dims = sorted({row.dim for row in rows})
    versions = ", ".join(f"{name} {number}" for name, number in first.versions.items())
    text = (
        f"{len(comparison.algorithms)} algorithms on {len(comparison.problems)} problems: {len(rows)} runs of "
        f"{first.maxfev:,} evaluations, population size {first.popsize}, {'/'.join(map(str, dims))} variables, "
        f"seed {first.seed}; {sum(row.seconds for row in rows):.0f} seconds of computing."
    )
    return text_html(text, f"Made with {versions}.")


def plot_sections(comparison: Comparison) -> list[Section]:
    """Ranks and convergence, where there are any."""
    sections = []
    scores = comparison.scores()
    if scores.ranked and len(comparison.algorithms) > 1:
        sections.append(("Average ranks", figure_html(rank_plot(comparison), "average ranks")))
    if comparison.has_curves:
        sections.append(("Convergence", figure_html(convergence_plot(comparison), "convergence")))
    return sections


def target_sections(comparison: Comparison) -> list[Section]:
    """Targets reached, where minima are known."""
    found = comparison.targets()
    if not found.problems:
        return []
    content = table_html(comparison.measures())
    if found.timed:
        content += figure_html(ecdf_plot(comparison), "share of targets reached", "targets-")
    return [("Targets", content)]


def failure_sections(comparison: Comparison) -> list[Section]:
    """Runs that failed, if any."""
    lines = [f"{f.label} on {f.problem}, run {f.run}: {f.error}" for f in comparison.failures]
    return [("Failed runs", code_html("\n".join(lines)))] if lines else []


def comparison_page(comparison: Comparison, title: str | None = None, table: Table | None = None) -> str:
    """Set-up, table (that of the means unless another is given), ranks and convergence of a comparison."""
    sections = [("Set-up", setup_html(comparison)), ("Results", table_html(table or comparison.table()))]
    sections += [*plot_sections(comparison), *target_sections(comparison), *failure_sections(comparison)]
    return page(title or comparison.name, sections)
