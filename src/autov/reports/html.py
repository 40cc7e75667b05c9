"""One HTML page that needs nothing else: no link, style, plots and a small script inside."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Sequence
from typing import Literal

from matplotlib.figure import Figure

from autov.designer.cases import few
from autov.experiments import Cell, Comparison, Table
from autov.reports.canvas import svg
from autov.reports.interactive import SCRIPT, with_values
from autov.reports.plots import BANDS, convergence_panels
from autov.reports.rank_plots import rank_plot, win_plot
from autov.reports.table_layout import parted, plain, shortened
from autov.reports.target_plots import ecdf_plot
from autov.reports.theme import CSS, themed

WORDS = ' class="words"'
Section = tuple[str, str]  # a title and ready HTML

CLICK = "Click a name to hide it."  # in captions; not on paper
CHARACTER, PADDING, WIDEST = 8.8, 18, 1150  # pixels of a character, around a cell, and of a table on a wide screen


def page(title: str, sections: Sequence[Section], again: int = 0) -> str:
    """The whole page. Titles are plain text or empty, bodies HTML (see `table_html`, `figure_html`, `text_html`).

    With ``again``, a browser loads the page anew after this many seconds.
    """
    refresh = f'<meta http-equiv="refresh" content="{again}">\n' if again else ""
    heads = [f"<h2>{html.escape(name)}</h2>\n" if name else "" for name, _ in sections]
    body = "\n".join(
        f"<section>\n{head}{content}\n</section>" for head, (_, content) in zip(heads, sections, strict=True)
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{html.escape(title)}</title>\n'
        f"{refresh}<style>{CSS}</style>\n</head>\n<body>\n<h1>{_broken(title)}</h1>\n{body}\n"
        f"<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )


def text_html(*paragraphs: str) -> str:
    """Plain text as paragraphs."""
    return "\n".join(f"<p>{html.escape(text)}</p>" for text in paragraphs)


def lead_html(text: str) -> str:
    """Plain text as what is read first."""
    return f'<p class="lead">{html.escape(text)}</p>'


def code_html(text: str, wrap: bool = False) -> str:
    """Plain text as it is, in a fixed-width font; long lines are scrolled, or wrapped."""
    return f"<pre{WORDS if wrap else ''}>{html.escape(text)}</pre>"


def factor_html(number: str, text: str) -> str:
    """A number in large type, and what it says."""
    return f'<p class="factor"><strong>{html.escape(number)}</strong> <span>{_broken(text)}</span></p>'


def folded_html(title: str, content: str, printed: bool = False) -> str:
    """Ready HTML that a click on its title unfolds; with ``printed`` it is unfolded on paper."""
    kind = ' class="printed"' if printed else ""
    return f"<details{kind}><summary>{html.escape(title)}</summary>\n{content}\n</details>"


def command_html(title: str, command: str) -> str:
    """A command with a button that copies it; lines are broken between words, and behind commas."""
    # An option and its value stay together unless the value is long.
    parts = re.sub(r"(--[\w-]+) (?=-\d|[^-\s]\S{,19}(?:\s|$))", "\\1\0", command).split(" ")
    words = " ".join(_unbroken(part.replace("\0", " ")) for part in parts)
    return (
        f'<div class="command"><p>{html.escape(title)}</p><button class="copy" type="button">Copy</button>'
        f"<pre>{words}</pre></div>"
    )


def _unbroken(word: str) -> str:
    """A word of a command that is broken behind commas only."""
    return "<wbr>".join(f'<span class="word">{html.escape(part)}</span>' for part in re.findall(r"[^,]+,*|,+", word))


def verdicts_html(verdicts: Sequence[tuple[str, str]]) -> str:
    """A strip of conditions, each with its verdict: better, level or worse."""
    cells = [
        f'<span class="verdict {word.partition(" ")[0]}">{html.escape(what)} <strong>{word}</strong></span>'
        for what, word in verdicts
    ]
    return f'<p class="verdicts">{"".join(cells)}</p>' if cells else ""


def pair_html(*parts: str) -> str:
    """Ready HTML in columns of the same width where the screen is wide, else below each other."""
    return f'<div class="pair">{"".join(f"<div>{part}</div>" for part in parts if part)}</div>'


def table_html(table: Table) -> str:
    """A table with its notes below, in parts where it has many columns."""
    table = shortened(table)
    shown = "".join(_part_html(part) for part in parted(table, _pixels(table), WIDEST))
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


def _pixels(table: Table) -> list[float]:
    """How wide the columns will be, about; details stand below the values, in smaller type."""
    lines = [[len(name), *(_length(entry) for entry in entries)] for name, entries in table.rows]
    lines += [[len(name), *map(len, texts)] for name, texts in table.footer]
    return [max(cells) * CHARACTER + PADDING for cells in zip(map(len, table.columns), *lines, strict=True)]


def _length(entry: Cell) -> float:
    return max(len(f"{entry.text} {entry.mark}".strip()), 0.85 * (len(entry.detail) + 2), 0.85 * len(entry.effect))


def _broken(name: str) -> str:
    """A name that may be broken behind its signs, where a screen is narrow; an arrow stays one sign."""
    text = html.escape(name.replace(" -> ", " \u2192 "))
    return re.sub(r"([+=_/,:](?=\w)|\.(?=[a-z])|(?<=\w)-(?=\w))", r"\1<wbr>", text)


def _part_html(table: Table) -> str:
    head = "".join(f'<th scope="col">{_broken(column)}</th>' for column in table.columns)
    rows = []
    for name, entries in table.rows:
        cells = []
        for entry in entries:
            below = [f"({entry.detail})" if entry.detail else "", entry.effect]
            small = "".join(f"<small>{html.escape(part)}</small>" for part in below if part)
            value = html.escape(f"{entry.text} {entry.mark}".strip())
            kind = ' class="best"' if entry.best else ' class="differs"' if entry.differs else ""
            cells.append(f"<td{kind} title={_quoted(plain(entry))}>{value}{small}</td>")
        rows.append(f'<tr><th scope="row">{_broken(name)}</th>{"".join(cells)}</tr>')
    foot = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th>{"".join(map(_foot, entries))}</tr>'
        for name, entries in table.footer_entries()
    )
    caption = f"<caption>{html.escape(table.caption)}</caption>" if table.caption else ""
    return (
        f'<div class="scroll"><table>{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{chr(10).join(rows)}</tbody><tfoot>{foot}</tfoot></table></div>"
    )


def _foot(entry: Cell) -> str:
    kind = ' class="best"' if entry.best else ""
    return f"<td{kind}>{html.escape(entry.text)}</td>"


def _quoted(text: str) -> str:
    return f'"{html.escape(text)}"'


def figure_html(figure: Figure, title: str, caption: str = "") -> str:
    """A plot as inline SVG, without its prolog and metadata, in the colours of the page.

    Areas of the same place and size have the same names in all plots: a prefix made of the plot tells them apart.
    """
    text = with_values(svg(figure), figure)
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r' id="[A-Za-z.0-9]+_\d+"', "", text)
    prefix = f"p{hashlib.sha256((title + text).encode()).hexdigest()[:8]}-"
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}", text)
    said = html.escape(caption).replace(CLICK, f'<span class="screen">{CLICK}</span>')
    below = f"<figcaption>{said}</figcaption>" if caption else ""
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
    plots = []
    scores = comparison.scores(show=show)
    if scores.ranked > 1 and len(comparison.algorithms) > 1:
        told = (
            "Bars connect algorithms that do not differ significantly (Nemenyi, 5 %). "
            f"Diamond: the reference, {comparison.reference}."
        )
        plots.append(figure_html(rank_plot(comparison, show=show), "average ranks", told))
    if scores.ranked and len(comparison.algorithms) > 2:
        told = "Counted by the tests of the table at 5 %, without a correction; the most wins less losses come first."
        plots.append(figure_html(win_plot(comparison), "wins", told))
    sections = [("Ranks and wins", pair_html(*plots))] if plots else []
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
    plot = ""
    if found.timed:
        told = "Share of all targets, on all problems and in all runs, that were reached within this many evaluations."
        plot = figure_html(ecdf_plot(comparison), "share of targets reached", told)
    return [("Targets", pair_html(table_html(comparison.measures()), plot))]


def failure_sections(comparison: Comparison) -> list[Section]:
    """Runs that failed, if any."""
    lines = [f"{f.label} on {f.problem}, run {f.run}: {f.error}" for f in comparison.failures]
    return [("Failed runs", code_html("\n".join(lines)))] if lines else []


def comparison_page(
    comparison: Comparison, title: str | None = None, table: Table | None = None,
    show: Literal["mean", "median"] = "mean",
) -> str:  # fmt: skip
    """A summary, a table (of means or medians unless another is given), ranks, wins and convergence."""
    sections = [("", lead_html(comparison_in_short(comparison, show)) + setup_html(comparison))]
    sections += [("Results", table_html(table or comparison.table(show))), *plot_sections(comparison, show)]
    sections += [*target_sections(comparison), *failure_sections(comparison)]
    named = comparison.name if comparison.name != "comparison" else f"Comparison on {few(comparison.problems)}"
    return page(title or named, sections)


def comparison_in_short(comparison: Comparison, show: Literal["mean", "median"] = "mean") -> str:
    """Who leads, and how the others do against the reference, in a sentence or two."""
    scores, reference = comparison.scores(show=show), comparison.reference
    if not scores.ranked or len(scores.ranks) < 2:
        return "There is nothing to compare yet: no problem that two algorithms have finished."
    order = sorted(scores.ranks, key=lambda label: scores.ranks[label])
    ranks = ", ".join(f"{label} {scores.ranks[label]:.2f}" for label in order[:3])
    problems = f"{scores.ranked} problem{'s' if scores.ranked > 1 else ''}"
    more = f", {len(order) - 3} more" if len(order) > 3 else ""
    said = f"Average ranks of the {show}s on {problems}, smaller is better: {ranks}{more}."
    if scores.too_few:
        return f"{said} There are too few runs for a significant difference."
    lead = order[0] if order[0] != reference else order[1]
    better, worse, _ = scores.counts[lead]
    return f"{said} {lead} is significantly better than {reference} on {better}, worse on {worse} (5 %, corrected)."
