"""Plots without pyplot and without a display; the same data give the same bytes of SVG.

The rank plot follows J. Demsar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine
Learning Research 7, 2006.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from autov.core import Array, InputError, replacing, write_text
from autov.experiments import Comparison

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c564b", "#7f7f7f", "#b5a300")
STYLES = ("-", "--", "-.", ":")
STYLE: Any = {"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "autov", "axes.spines.top": False,
          "axes.spines.right": False}  # fmt: skip


def convergence_plot(
    comparison: Comparison, problems: Sequence[str] | None = None, algorithms: Sequence[str] | None = None
) -> Figure:
    """Median (line) and quartiles (band) of the best value so far, one panel for each problem."""
    chosen = _some("problems", problems, comparison.problems)
    labels = _some("algorithms", algorithms, comparison.algorithms)
    columns = min(3, len(chosen))
    rows = -(-len(chosen) // columns)
    with drawing(4.2 * columns, 3.2 * rows + 0.5) as figure:
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax, problem in zip(axes, chosen, strict=False):
            _panel(ax, comparison, problem, labels)
        for ax in axes[len(chosen) :]:
            ax.set_axis_off()
        _legend(figure, comparison, labels, 4.2 * columns)
        return figure


def _legend(figure: Figure, comparison: Comparison, labels: Sequence[str], width: float) -> None:
    """Below the panels, in as many columns as the longest label leaves room for."""
    handles = [Line2D([], [], color=c, linestyle=s) for c, s in (_look(comparison, label) for label in labels)]
    room = 0.7 + 0.075 * max(len(label) for label in labels)  # inches
    count = max(1, min(len(labels), int(width / room)))
    figure.legend(handles, [_text(x) for x in labels], loc="outside lower center", ncols=count, frameon=False)


def _look(comparison: Comparison, label: str) -> tuple[str, Any]:
    i = comparison.algorithms.index(label)
    return COLOURS[i % len(COLOURS)], STYLES[i // len(COLOURS) % len(STYLES)]


def _text(label: str, longest: int = 48) -> str:
    """A label as it is typed (a dollar sign would start a formula), shortened in the middle if it is long."""
    if len(label) > longest:
        label = f"{label[: longest // 2]}...{label[-longest // 2 + 3 :]}"
    return label.replace("$", r"\$")


def parameter_plot(comparison: Comparison) -> Figure:
    """Median and quartiles of the best values over the columns, which are the values of a parameter."""
    columns = min(4, len(comparison.problems))
    rows = -(-len(comparison.problems) // columns)
    at = np.arange(len(comparison.algorithms))
    with drawing(2.9 * columns, 2.5 * rows) as figure:
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax, problem in zip(axes, comparison.problems, strict=False):
            runs = [comparison.values(problem, label) for label in comparison.algorithms]
            low, middle, high = np.array([quartiles(values[:, None])[:, 0] for values in runs]).T
            ax.errorbar(at, middle, yerr=(middle - low, high - middle), color=COLOURS[0], marker="o", capsize=3)
            if low.min() > 0:
                ax.set_yscale("log")
            ax.set_xticks(at, [_text(label, 16) for label in comparison.algorithms], rotation=30 if at.size > 4 else 0)
            ax.set_title(_text(problem), fontsize=9)
        for ax in axes[len(comparison.problems) :]:
            ax.set_axis_off()
        axes[0].set_ylabel("best value")
        return figure


def _panel(ax: Axes, comparison: Comparison, problem: str, labels: Sequence[str]) -> None:
    curves = {label: comparison.curves(problem, label) for label in labels}
    bands = {label: (x, quartiles(y)) for label, (x, y) in curves.items()}
    offset, scale, threshold = vertical_scale([y for _, y in bands.values()])
    ax.set_title(_text(problem), fontsize=9)
    ax.set_xlabel("evaluations")
    ax.set_ylabel(f"best value minus ({offset:.6g})" if offset else "best value")
    if not any(np.isfinite(y).any() for _, y in bands.values()):
        ax.text(0.5, 0.5, "no finite value", ha="center", va="center", transform=ax.transAxes)
        return
    for label, (x, y) in bands.items():
        if x.size:
            colour, style = _look(comparison, label)
            ax.fill_between(x, y[0] - offset, y[2] - offset, color=colour, alpha=0.18, linewidth=0)
            ax.plot(x, y[1] - offset, color=colour, linestyle=style, linewidth=1.4)
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    if scale == "symlog":
        ax.set_yscale("symlog", linthresh=threshold)
        ax.set_ylim(bottom=0)
    else:
        ax.set_yscale(scale)


def quartiles(y: Array) -> Array:
    """First quartile, median, third quartile over runs, shape (3, points); not a number where a run has no value."""
    if not y.size:
        return np.empty((3, 0))
    y = np.where(np.isfinite(y), y, np.nan)
    return np.quantile(y, (0.25, 0.5, 0.75), axis=0)


def vertical_scale(bands: Sequence[Array]) -> tuple[float, str, float]:
    """What to subtract, the kind of axis, and where it turns linear.

    Positive values need a plain logarithm; zeros an axis that is linear below the smallest positive value; with
    negative values the smallest one is subtracted first.
    """
    y = np.concatenate([np.ravel(band) for band in bands]) if bands else np.empty(0)
    y = y[np.isfinite(y)]
    if not y.size:
        return 0.0, "linear", 1.0
    offset = float(y.min()) if y.min() < 0 else 0.0
    y = y - offset
    positive = y[y > 0]
    if not positive.size:
        return offset, "linear", 1.0
    if positive.size == y.size:
        return offset, "log", 1.0
    return offset, "symlog", float(max(positive.min(), positive.max() * 1e-16))


def rank_plot(comparison: Comparison, level: float = 0.05) -> Figure:
    """Average ranks on a line, the best on the left; a bar joins those that Nemenyi's test does not tell apart."""
    scores = comparison.scores(level)
    if not scores.ranked or len(scores.ranks) < 2:
        raise InputError("ranks: need two algorithms and a problem that both have finished")
    order = sorted(scores.ranks, key=lambda label: scores.ranks[label])
    k, ranks = (
        len(order),
        [scores.ranks[label] for label in sorted(scores.ranks, key=lambda label: scores.ranks[label])],
    )
    groups = groups_of(ranks, scores.critical_difference)
    half = (k + 1) // 2
    depth = 0.9 + 0.35 * len(groups) + 0.5 * half
    sides = 0.08 * max(0, max(len(_text(label)) for label in order) - 10)  # inches for long labels, left and right
    with drawing(7.0 + 2 * sides, 0.8 + 0.45 * depth) as figure:
        ax = figure.add_subplot()
        margin = (0.35 * (k - 1) + 0.5) * (1 + sides / 1.5)
        ax.set_xlim(1 - margin, k + margin)
        ax.set_ylim(-depth, 1.3)
        ax.set_axis_off()
        ax.plot([1, k], [0, 0], color="black", linewidth=1)
        for tick in range(1, k + 1):
            ax.plot([tick, tick], [0, 0.12], color="black", linewidth=1)
            ax.text(tick, 0.18, str(tick), ha="center", va="bottom")
        cd = scores.critical_difference
        ax.plot([1, min(1 + cd, k + margin)], [0.95, 0.95], color="black", linewidth=2)
        ax.text(1, 1.0, f"critical difference {cd:.2f}", ha="left", va="bottom")
        for i, (first, last) in enumerate(groups):
            y = -0.25 - 0.35 * i
            ax.plot([ranks[first] - 0.04, ranks[last] + 0.04], [y, y], color="#444444", linewidth=3.5)
        for i, (label, rank) in enumerate(zip(order, ranks, strict=True)):
            left = i < half
            y = -0.6 - 0.35 * len(groups) - 0.5 * (i if left else k - 1 - i)
            end = 1 - 0.08 * k if left else k + 0.08 * k
            ax.plot([rank, rank, end], [0, y, y], color=COLOURS[0] if label == comparison.reference else "black",
                    linewidth=0.9)  # fmt: skip
            text = f"{_text(label)}  {rank:.2f}" if left else f"{rank:.2f}  {_text(label)}"
            ax.text(end, y, text, ha="right" if left else "left", va="center")
        return figure


def groups_of(ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """Longest runs (first, last) of sorted ranks that lie within the critical difference."""
    groups: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = max(i for i in range(first, len(ranks)) if ranks[i] - ranks[first] <= difference)
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups


def _some(name: str, wanted: Sequence[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    chosen = tuple(known) if wanted is None else tuple(wanted)
    for item in chosen:
        if item not in known:
            raise InputError(f"{name}: {item!r} is not in the comparison ({', '.join(known)})")
    if not chosen:
        raise InputError(f"{name}: none given")
    return chosen


def new_figure(width: float, height: float) -> Figure:
    """A figure of that size in inches that draws itself without a display."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


@contextmanager
def drawing(width: float, height: float) -> Iterator[Figure]:
    """A new figure of that size in inches; what is drawn inside the block has the style of all plots."""
    with mpl.rc_context(STYLE):
        yield new_figure(width, height)


def shades(count: int) -> Array:
    """Colours for one thing after another, light to dark, shape (count, 4)."""
    return mpl.colormaps["viridis"](np.linspace(0.9, 0.0, count))


def svg(figure: Figure) -> str:
    """The figure as SVG text; no date, no random names."""
    out = io.StringIO()
    with mpl.rc_context(STYLE):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return out.getvalue()


def save_plot(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write SVG, PDF or PNG, by the ending of the name; the same data give the same bytes of SVG and PDF."""
    target = Path(path)
    if target.suffix == ".svg":
        write_text(target, svg(figure))
    elif target.suffix == ".png":
        with replacing(target) as file:
            figure.savefig(file, format="png", dpi=150)
    elif target.suffix == ".pdf":
        with mpl.rc_context({**STYLE, "pdf.fonttype": 42}), replacing(target) as file:
            figure.savefig(file, format="pdf", metadata={"CreationDate": None})
    else:
        raise InputError(f"plot: the name must end in .svg, .pdf or .png, got {target.name!r}")
