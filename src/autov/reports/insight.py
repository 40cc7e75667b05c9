"""How a design generalises, and which of its parts matter: sections of a page, and the plots."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from matplotlib.figure import Figure as MplFigure

from autov.experiments.explanation import Explanation
from autov.experiments.generalisation import Generalisation
from autov.reports.canvas import Axes, Figure, drawing, typed
from autov.reports.html import (
    Section,
    code_html,
    figure_html,
    folded_html,
    page,
    pair_html,
    table_html,
    text_html,
    verdicts_html,
)
from autov.reports.theme import COLOURS, SOFT

MOST_GENES = 12
COLOUR = {"-": COLOURS[1], "+": COLOURS[2], "=": SOFT, "?": SOFT}
IN_WORDS = {"-": "worse (5 %)", "+": "better (5 %)", "=": "no significant difference"}
CAPTION = "Bars to the left of the middle: the design is worse with the change."
GENES = "Share of the variance between candidates of the search that each gene explains in a random forest."


def draw_changes(found: Explanation, ax: Axes) -> Axes:
    """How often runs with each change are better than as it is; a half is no difference."""
    shown = found.leading()
    for mark, words in IN_WORDS.items():
        places = [i for i, change in enumerate(shown) if change.mark == mark or (mark == "=" and change.mark == "?")]
        if places:
            widths = [shown[i].smaller - 0.5 for i in places]
            ax.barh(places, widths, left=0.5, color=COLOUR[mark], height=0.7, label=words)
            ax.plot([0.5 + w for w in widths], places, "o", color=COLOUR[mark], markersize=3)
    ax.axvline(0.5, linewidth=0.8, color=SOFT)
    ax.set(xlim=(-0.02, 1.02), yticks=range(len(shown)), xlabel="share of runs that the change improves")
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
    return [_generalises(one) if isinstance(one, Generalisation) else _parts(one) for one in found]


def explanation_page(found: Explanation, command: str) -> str:
    """A page of its own."""
    return page(f"Which parts of {found.label} matter", [_parts(found), ("How to repeat it", code_html(command))])


def _generalises(found: Generalisation) -> Section:
    several = len({one.problem for one in found.conditions}) > 1
    verdicts = [(f"{one.problem}: {one.what}" if several else one.what, one.verdict) for one in found.conditions]
    table = folded_html("Figures", table_html(found.table()), printed=True) if found.conditions else ""
    return "Does it generalise?", verdicts_html(verdicts) + text_html(*found.sentences()) + table


def _parts(found: Explanation) -> Section:
    body = text_html(*found.sentences())
    figures = []
    if found.changes:
        figures.append(figure_html(_one(draw_changes, found, len(found.leading())), "effects of changes", CAPTION))
    if genes := _genes(found):
        figures.append(figure_html(_one(_draw_genes, genes, len(genes)), "importance of genes", GENES))
    body += pair_html(*figures)
    if found.changes:
        body += folded_html("Figures", table_html(found.table()), printed=True)
    return "Which parts matter", body


def _one(draw: Callable[[Any, Axes], Any], found: Any, rows: int) -> MplFigure:
    """A figure of one panel, whose letters a phone shows in a readable size."""
    with drawing(5.4, 1.0 + 0.2 * max(rows, 4)) as figure:
        draw(found, figure.subplots())
        return figure
