"""Best values over evaluations, and over the values of a parameter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autov.core import Array, InputError
from autov.experiments import Comparison
from autov.reports.axes import End, count_axis, name_lines, value_axis
from autov.reports.canvas import Axes, Figure, drawing, series, typed
from autov.reports.theme import COLOURS, LineStyle, styles_of

WIDTH, HEIGHT, INNER = 4.6, 3.0, 2.3  # inches of a panel, and the height of its axes
BANDS = "Line: median of the runs. Band: from the first to the third quartile."


def convergence_plot(
    comparison: Comparison, problems: Sequence[str] | None = None, algorithms: Sequence[str] | None = None
) -> Figure:
    """Median (line) and quartiles (band) of the best value so far, one panel for each problem."""
    chosen = some("problems", problems, comparison.problems)
    labels = some("algorithms", algorithms, comparison.algorithms)
    columns = min(3, len(chosen))
    rows = -(-len(chosen) // columns)
    with drawing(WIDTH * columns, HEIGHT * rows + 0.3) as figure:
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax, problem in zip(axes, chosen, strict=False):
            _panel(ax, comparison, problem, labels)
        for ax in axes[len(chosen) :]:
            ax.set_axis_off()
        figure.supxlabel(BANDS, fontsize=8)
        return figure


def convergence_panels(comparison: Comparison) -> dict[str, Figure]:
    """Problem -> its panel as a figure of its own, for pages that place them by their width."""
    panels = {}
    for problem in comparison.problems:
        with drawing(WIDTH, HEIGHT) as figure:
            _panel(figure.subplots(), comparison, problem, comparison.algorithms)
            panels[problem] = figure
    return panels


def style_of(comparison: Comparison, label: str) -> LineStyle:
    """An algorithm looks the same in all plots of a comparison, and well-known ones in all comparisons."""
    return styles_of(comparison.algorithms)[label]


def parameter_plot(comparison: Comparison) -> Figure:
    """Median and quartiles of the best values over the columns, which are the values of a parameter."""
    columns = min(4, len(comparison.problems))
    rows = -(-len(comparison.problems) // columns)
    at = np.arange(len(comparison.algorithms))
    with drawing(2.9 * columns, 2.5 * rows + 0.3) as figure:
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax, problem in zip(axes, comparison.problems, strict=False):
            runs = [comparison.values(problem, label) for label in comparison.algorithms]
            low, middle, high = np.array([quartiles(values[:, None])[:, 0] for values in runs]).T
            ax.errorbar(at, middle, yerr=(middle - low, high - middle), color=COLOURS[0], marker="o", capsize=3)
            value_axis(ax, "log" if low.min() > 0 else "linear", 1.0, float(high.max()))
            ax.set_xticks(at, [typed(label, 16) for label in comparison.algorithms], rotation=30 if at.size > 4 else 0)
            ax.set_title(typed(problem))
        for ax in axes[len(comparison.problems) :]:
            ax.set_axis_off()
        axes[0].set_ylabel("best value")
        figure.supxlabel("Point: median of the runs. Bar: from the first to the third quartile.", fontsize=8)
        return figure


def _panel(ax: Axes, comparison: Comparison, problem: str, labels: Sequence[str]) -> None:
    curves = {label: comparison.curves(problem, label) for label in labels}
    bands = {label: (x, quartiles(y)) for label, (x, y) in curves.items()}
    offset, scale, threshold = vertical_scale([y for _, y in bands.values()])
    ax.set_title(typed(problem))
    ax.set_xlabel("evaluations")
    ax.set_ylabel(value_label(offset))
    if not any(np.isfinite(y).any() for _, y in bands.values()):
        ax.text(0.5, 0.5, "no finite value", ha="center", va="center", transform=ax.transAxes)
        ax.set(xticks=[], yticks=[])
        return
    ends = []
    for place, (label, (x, y)) in enumerate(bands.items()):
        seen = np.isfinite(y[1]) if x.size else np.zeros(0, bool)
        if seen.any():
            style = style_of(comparison, label)
            band = ax.fill_between(x, y[0] - offset, y[2] - offset, color=style.color, alpha=0.15, linewidth=0)
            series(band, label)
            every = (3 * place % 9, 9)  # markers of lines that lie upon each other stand at different places
            (line,) = ax.plot(x, y[1] - offset, **style._asdict(), linewidth=1.4, markevery=every, markersize=3.5)
            series(line, label)
            ends.append(End(label, float(y[1][seen][-1] - offset), style))
    x = np.concatenate([x for x, _ in bands.values()])
    shown = np.concatenate([y.ravel() for _, y in bands.values()]) - offset
    count_axis(ax, float(x.min()), float(x.max()))
    value_axis(ax, scale, threshold, float(np.nanmax(shown)))
    name_lines(ax, ends, INNER)


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


def value_label(offset: float) -> str:
    """What is drawn where the smallest value, which is negative, was subtracted."""
    return f"best value + {-offset:.6g}" if offset else "best value"


def some(name: str, wanted: Sequence[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """Those wanted, or all."""
    chosen = tuple(known) if wanted is None else tuple(wanted)
    for item in chosen:
        if item not in known:
            raise InputError(f"{name}: {item!r} is not in the comparison ({', '.join(known)})")
    if not chosen:
        raise InputError(f"{name}: none given")
    return chosen
