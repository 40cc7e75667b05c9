"""One theme for all plots and pages: colours, line styles, and the style sheet, in light and dark.

The first six colours are those of M. Okabe and K. Ito, Color Universal Design, 2008, which people with any kind of
colour vision can tell apart; the others differ from them in lightness, too. Lines have a style and a marker of their
own, so that they can be told apart without colours and where one lies upon another.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5c1a00", "#555555", "#0a0a0a", "#54278f")
ON_DARK = ("#4ba3dd", "#ff8a3d", "#2fc69b", "#e29cc4", "#f5b93f", "#86cdf7", "#b5651d", "#6f6f6f", "#ffffff", "#8a5be0")
INK, SOFT, PAPER = "#22262b", "#6b7280", "#ffffff"
STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
FAINT, STRONG = 0.03, 0.6  # opacity of the first colour for few and for many; ink upon it can be read in light and dark

STYLE: Any = {
    "font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "autov", "axes.spines.top": False,
    "axes.spines.right": False, "axes.titlesize": 9, "axes.titleweight": "bold",
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.titlecolor": INK, "legend.frameon": False, "figure.facecolor": PAPER, "axes.facecolor": "none",
    "lines.markersize": 4,
}  # fmt: skip


class LineStyle(NamedTuple):
    """How the line of one thing among several looks."""

    color: str
    linestyle: str
    marker: str


def line_style(place: int) -> LineStyle:
    """The style of line number ``place``; thousands differ in one of the three."""
    return LineStyle(COLOURS[place % len(COLOURS)], STYLES[place % len(STYLES)], MARKERS[place % len(MARKERS)])


OWN = {  # algorithms with a place of their own -> the names under which they are shown
    "designed": ("designed", "mine"), "general": ("general", "general (default)"), "ma-es": ("ma-es",),
    "paper-h3": ("paper-h3", "autov", "paper's operator"), "ga": ("ga",), "shade": ("shade",),
    "de": ("scipy:de", "de (scipy)", "de"), "cma-es": ("cma:default", "cma-es", "cma-es (pycma)"),
}  # fmt: skip
WON = " (won)"  # ends the name of a baseline that won
PLACES = {name: place for place, names in enumerate(OWN.values()) for name in names}


def styles_of(labels: Sequence[str]) -> dict[str, LineStyle]:
    """A style for each label: well-known algorithms have the same one on all pages, others take what is left."""
    found: dict[str, int] = {}
    for label in labels:
        place = 0 if label.endswith(WON) else PLACES.get(label.lower())
        if place is not None and place not in found.values():
            found[label] = place
    spare = [*range(len(OWN), len(COLOURS)), *range(len(OWN))]  # colours of others come last
    free = (place for place in itertools.chain(spare, itertools.count(len(COLOURS))) if place not in found.values())
    others = {label: next(free) for label in labels if label not in found}
    return {label: line_style({**found, **others}[label]) for label in labels}


def themed(svg: str) -> str:
    """An SVG that follows the colours of the page around it: no background, ink and lines by the style sheet."""
    svg = svg.replace(INK, "currentColor").replace(PAPER, "none").replace(SOFT, f"var(--soft, {SOFT})")
    for i, colour in enumerate(COLOURS):
        svg = svg.replace(colour, f"var(--c{i}, {colour})")
    return svg


_LIGHT = " ".join(f"--c{i}: {colour};" for i, colour in enumerate(COLOURS))
_DARK = " ".join(f"--c{i}: {colour};" for i, colour in enumerate(ON_DARK))

CSS = f"""
:root {{ color-scheme: light dark; --paper: #ffffff; --ink: {INK}; --line: #d5d9e0; --soft: {SOFT}; --best: #fdeeb5;
  --differs: #d55e00; --code: #f2f4f7; {_LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ --paper: #16191d; --ink: #e4e7eb; --line: #3b424c; --soft: #9aa4b2;
  --best: #57490e; --differs: #ff8a3d; --code: #20252b; {_DARK} }} }}
* {{ box-sizing: border-box; }}
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem; max-width: 76rem;
  color: var(--ink); background: var(--paper); }}
h1 {{ font-size: 1.5rem; line-height: 1.25; }} h2 {{ font-size: 1.15rem; margin-top: 2.2rem; }}
.scroll {{ overflow-x: auto; margin: .6rem 0; }}
table {{ border-collapse: separate; border-spacing: 0; font-size: .85rem; font-variant-numeric: tabular-nums; }}
caption {{ text-align: left; padding: .3rem 0; color: var(--soft); }}
th, td {{ padding: .25rem .55rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap;
  vertical-align: top; }}
th {{ font-weight: 600; }}
th:first-child {{ text-align: left; position: sticky; left: 0; background: var(--paper); z-index: 1; }}
td.best {{ background: var(--best); font-weight: 600; }}
td.differs {{ outline: 2px dashed var(--differs); outline-offset: -2px; }}
td small {{ display: block; color: var(--soft); font-weight: 400; }}
tfoot td, tfoot th {{ border-top: 1px solid var(--soft); border-bottom: 0; }}
.note, figcaption {{ color: var(--soft); font-size: .85rem; margin: .3rem 0; max-width: 60rem; }}
.key {{ display: inline-block; padding: 0 .4em; }}
.key.best {{ background: var(--best); }} .key.differs {{ outline: 2px dashed var(--differs); outline-offset: -2px; }}
figure {{ margin: 1rem 0; overflow-x: auto; }}
figure svg {{ max-width: 100%; height: auto; color: var(--ink); }}
.panels {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: .5rem 1.2rem; }}
.panels figure {{ margin: 0; }} .panels svg {{ width: 100%; }}
pre {{ background: var(--code); padding: .8rem; overflow-x: auto; border-radius: 4px; font-size: .85rem; }}
h1, h2, p {{ overflow-wrap: anywhere; }} pre.words {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
.lead {{ font-size: 1.1rem; }}
.factor {{ display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem 1rem; margin: .8rem 0 1.2rem;
  font-size: 1.15rem; }}
.factor strong {{ font-size: 3.6rem; line-height: 1; color: var(--c0); white-space: nowrap; }}
.factor span {{ flex: 1 1 18rem; }}
.pair {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: .5rem 2rem; }}
.pair > div {{ min-width: 0; }} .pair svg {{ width: 100%; }} .pair figure {{ margin: .4rem 0; }}
.command {{ position: relative; margin: .6rem 0; }} .command p {{ margin: 0; color: var(--soft); font-size: .85rem; }}
.command pre {{ margin: .2rem 0; white-space: pre-wrap; padding-right: 4.4rem; }} .word {{ white-space: nowrap; }}
button.copy {{ position: absolute; right: .4rem; top: 1.75rem; font: inherit; font-size: .78rem; cursor: pointer;
  color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 4px;
  padding: .1rem .5rem; }}
.verdicts {{ display: flex; flex-wrap: wrap; gap: .5rem; }}
.verdict {{ padding: .3rem .7rem; border-left: 4px solid var(--soft); background: var(--code); font-size: .9rem; }}
.verdict strong {{ display: block; }} .verdict.better {{ border-color: var(--c2); }}
.verdict.worse {{ border-color: var(--c1); }}
details {{ margin: .8rem 0; }} summary {{ cursor: pointer; font-weight: 600; }}
.series {{ cursor: pointer; }} svg[data-kind=points] .series {{ cursor: default; }}
.series.off {{ opacity: .12; }}
.values {{ position: fixed; z-index: 9; pointer-events: none; white-space: pre; font-size: .8rem; line-height: 1.35;
  padding: .35rem .55rem; border: 1px solid var(--line); border-radius: 4px; background: var(--paper);
  color: var(--ink);  font-variant-numeric: tabular-nums; }}
.values[hidden] {{ display: none; }}
@media (max-width: 40rem) {{ body {{ margin: 1rem auto; padding: 0 .7rem; }} th, td {{ padding: .25rem .4rem; }}
  th {{ white-space: normal; }} }}
@media print {{ html {{ font-size: 10pt; }} .screen {{ display: none; }}
  :root {{ color-scheme: light; --paper: #ffffff; --ink: #000000; --line: #999999; --soft: #444444;
  --best: #eeeeee; --code: #f4f4f4; {_LIGHT} }}
  body {{ max-width: none; margin: 0; font-size: 10pt; }} .scroll, figure, pre {{ overflow: visible; }}
  pre {{ white-space: pre-wrap; }} table {{ font-size: 6.5pt; }} th, td {{ padding: .1rem .22rem; }}
  th:first-child {{ position: static; white-space: normal; }} tr, figure, .scroll {{ break-inside: avoid; }}
  h2, caption {{ break-after: avoid; }} .panels {{ grid-template-columns: 1fr 1fr; }}
  section > figure svg {{ max-width: 70%; }}
  button.copy {{ display: none; }} .pair {{ grid-template-columns: 1fr 1fr; }} .factor strong {{ font-size: 30pt; }} }}
"""
