"""How good a design is elsewhere, and which of its parts matter: sections of a page, and the picture."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.figure import Figure as MplFigure

from autov.experiments.explanation import Explanation
from autov.experiments.generalisation import Generalisation
from autov.reports.canvas import Axes, Figure, drawing, typed
from autov.reports.html import Section, code_html, figure_html, page, table_html, text_html
from autov.reports.theme import COLOURS, SOFT

MOST_GENES = 12
COLOUR = {"-": COLOURS[1], "+": COLOURS[2], "=": SOFT, "?": SOFT}
IN_WORDS = {"-": "significantly worse", "+": "significantly better", "=": "no difference shown"}
CAPTION = ("Bars to the left of the middle: runs with the change are worse than as it is. Genes: shares of the "
           "variance between candidates of the search that single genes explain in a random forest.")  # fmt: skip


def explanation_plot(found: Explanation) -> MplFigure:
    """Changes, and genes where the candidates of a search are known."""
    changes, genes = len(found.shown()), _genes(found)
    height = 1.0 + 0.2 * max(changes, len(genes), 4)
    with drawing(5.2 + 4.2 * bool(changes and genes), height) as figure:
        axes = figure.subplots(1, 2, squeeze=False)[0] if changes and genes else [figure.subplots()]
        if changes:
            draw_changes(found, axes[0])
        if genes:
            _draw_genes(genes, axes[-1])
        return figure


def draw_changes(found: Explanation, ax: Axes) -> Axes:
    """How often runs with each change are better than as it is; a half is no difference."""
    shown = found.shown()
    for mark, words in IN_WORDS.items():
        places = [i for i, change in enumerate(shown) if change.mark == mark or (mark == "=" and change.mark == "?")]
        if places:
            widths = [shown[i].smaller - 0.5 for i in places]
            ax.barh(places, widths, left=0.5, color=COLOUR[mark], height=0.7, label=words)
            ax.plot([0.5 + w for w in widths], places, "o", color=COLOUR[mark], markersize=3)
    ax.axvline(0.5, linewidth=0.8, color=SOFT)
    ax.set(xlim=(-0.02, 1.02), yticks=range(len(shown)), xlabel="share of runs that are better with the change")
    ax.set_yticklabels([typed(change.what, 44) for change in shown])
    ax.invert_yaxis()
    figure = ax.figure
    assert isinstance(figure, Figure)
    figure.legend(loc="outside upper center", ncols=3)
    return ax


def _genes(found: Explanation) -> list[tuple[str, float]]:
    return list(found.importance.items())[:MOST_GENES] if found.is_ranked else []


def _draw_genes(genes: list[tuple[str, float]], ax: Axes) -> None:
    ax.barh(range(len(genes)), [100 * share for _, share in genes], color=COLOURS[0], height=0.7)
    ax.set(yticks=range(len(genes)), xlabel="variance explained, %")
    ax.set_yticklabels([typed(name, 44) for name, _ in genes])
    ax.invert_yaxis()


def insight_sections(found: Iterable[Generalisation | Explanation]) -> list[Section]:
    """A section for each of them."""
    return [_elsewhere(one) if isinstance(one, Generalisation) else _parts(one) for one in found]


def explanation_page(found: Explanation, command: str) -> str:
    """A page of its own."""
    return page(f"Which part of {found.label} matters", [_parts(found), ("Repeat it", code_html(command))])


def _elsewhere(found: Generalisation) -> Section:
    table = table_html(found.table()) if found.conditions else ""
    return "Elsewhere", text_html(*found.sentences()) + table


def _parts(found: Explanation) -> Section:
    body = text_html(*found.sentences())
    if found.changes or _genes(found):
        body += figure_html(explanation_plot(found), "effects of parts and genes", CAPTION)
    if found.changes:
        body += table_html(found.table())
    return "Which part matters", body
