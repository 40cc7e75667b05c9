"""Plots of a design: how its search went, and who of a portfolio worked when."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from autov.designer import Design
from autov.designer.fitness import unit_of
from autov.designer.search import HISTORY
from autov.reports.axes import End, name_lines, short_count, value_axis
from autov.reports.canvas import Axes, Figure, drawing
from autov.reports.theme import COLOURS, INK, LineStyle

LINES = {"worst": LineStyle(COLOURS[7], ":", ""), "median": LineStyle(COLOURS[1], "--", ""),
         "best": LineStyle(COLOURS[0], "-", "")}  # fmt: skip
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++")


def history_plot(design: Design) -> Figure:
    """Best, median and worst fitness of the population over the generations."""
    with drawing(5.2, 3.2) as figure:
        draw_history(design, figure.subplots())
        return figure


def draw_history(design: Design, ax: Axes) -> Axes:
    """The same on axes."""
    generation, ends = design.history[:, 0], []
    for name, style in LINES.items():
        values = design.history[:, HISTORY.index(name)]
        ax.plot(generation, values, color=style.color, linestyle=style.linestyle, linewidth=1.4)
        ends.append(End(name, float(values[-1]), style))
    settings = design.settings
    if not unit_of(settings["aggregate"], settings.get("over_runs", "median"), len(design.problems)):
        trained = float(design.retested[0].mean())  # held-out problems come behind it
        again = LineStyle(INK, "-.", "")
        ax.axhline(trained, color=INK, linestyle="-.", linewidth=1)
        ends.append(End("result, re-tested", trained, again))
        finite = design.history[:, 2:][np.isfinite(design.history[:, 2:])]  # all may be infinite
        if finite.size and min(finite.min(), design.retested_fitness) > 0:
            value_axis(ax, "log", 1.0, float(finite.max()))
    ax.set_xlabel("generation")
    ax.set_ylabel("fitness (smaller is better)")
    ax.set_xlim(generation[0], max(generation[-1], generation[0] + 1))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if all(np.isfinite(end.y) for end in ends):
        name_lines(ax, ends, 2.7)
    return ax


def use_plot(names: Sequence[str], use: Sequence[np.ndarray]) -> Figure:
    """Which member made which part of the evaluations, run by run."""
    with drawing(5.2, 1.1 + 0.32 * len(use)) as figure:
        ax = figure.subplots()
        for row, members in enumerate(use):
            edges = np.flatnonzero(np.diff(members)) + 1
            for begin, end in itertools.pairwise([0, *edges, len(members)]):
                who = int(members[begin])
                ax.barh(row, end - begin, left=begin, color=COLOURS[who % len(COLOURS)], height=0.8, linewidth=0,
                        hatch=HATCHES[who % len(HATCHES)], edgecolor="#fefefe")  # fmt: skip
        worked = sorted({int(member) for members in use for member in np.unique(members)})
        handles = [
            Patch(facecolor=COLOURS[who % len(COLOURS)], label=names[who], hatch=HATCHES[who % len(HATCHES)],
                  edgecolor="#fefefe", linewidth=0) for who in worked
        ]  # fmt: skip
        ax.set(xlabel="evaluations", yticks=range(len(use)), xlim=(0, len(use[0])))
        ax.xaxis.set_major_formatter(lambda x, _: short_count(x))
        ax.set_yticklabels([f"run {row + 1}" for row in range(len(use))])
        ax.invert_yaxis()
        figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 4))
        return figure
