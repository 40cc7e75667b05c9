"""Axes that can be read: counts in short form, few ticks, and the names of lines next to their ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator
from scipy.optimize import isotonic_regression

from autov.core import Array
from autov.reports.canvas import series, typed
from autov.reports.theme import SOFT, LineStyle

LABEL_SIZE = 7.5  # points
LINE_HEIGHT = 1.25 * LABEL_SIZE / 72  # inches


class End(NamedTuple):
    """The name of a line, where it ends, and how it looks."""

    label: str
    y: float
    line_style: LineStyle


def short_count(x: float) -> str:
    """A count in few characters, such as 300, 10k or 2.5M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if x >= size:
            return f"{x / size:.3g}{letter}"
    return f"{x:.3g}"


def count_axis(ax: Axes, low: float, high: float, name: str = "evaluations") -> None:
    """A logarithmic horizontal axis from low to high with few, short labels."""
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    decades = math.log10(high / low) if high > low > 0 else 1.0
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0) if decades < 2.5 else (1.0,), numticks=8))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: short_count(x)))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel(name)


def symlog_ticks(threshold: float, top: float, most: int = 5) -> list[float]:
    """Zero, and powers of ten that are not crowded and not next to zero."""
    first, last = math.floor(math.log10(threshold)) + 1, math.floor(math.log10(top)) if top > 0 else 0
    step = max(1, -(-(last - first + 1) // most))
    powers = [10.0**e for e in range(last, first, -step)]
    if not powers and top > 0:  # too few decades: one value that the axis reaches
        powers = [10.0**last * math.floor(top / 10.0**last)]
    return [0.0, *reversed(powers)]


def value_axis(ax: Axes, scale: str, threshold: float, top: float) -> None:
    """A vertical axis: logarithmic, linear, or linear below a threshold and logarithmic above it."""
    if scale == "symlog":
        ax.set_yscale("symlog", linthresh=threshold)
        ax.set_ylim(bottom=0)
        ax.yaxis.set_major_locator(FixedLocator(symlog_ticks(threshold, top)))
        ax.yaxis.set_minor_locator(NullLocator())
        return
    ax.set_yscale(scale)
    low, high = ax.get_ylim()
    if scale == "log" and high < 10 * low:  # a decade has too many ticks with long names
        ax.yaxis.set_major_locator(MaxNLocator(4))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:.4g}"))
        ax.yaxis.set_minor_locator(NullLocator())
    elif scale == "log":
        ax.yaxis.set_major_locator(LogLocator(numticks=6))
        ax.yaxis.set_minor_formatter(NullFormatter())


def spread(places: Sequence[float] | Array, gap: float, low: float = 0.0, high: float = 1.0) -> Array:
    """Places moved apart as little as possible (in the sum of squares), so that neighbours are a gap apart."""
    wanted = np.asarray(places, dtype=np.float64)
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    shifted = isotonic_regression(wanted[order] - steps).x if len(wanted) else wanted
    found = np.empty_like(wanted)
    found[order] = np.clip(shifted, low, max(low, high - gap * (len(wanted) - 1))) + steps
    return found


def name_lines(ax: Axes, ends: Sequence[End], height: float, longest: int = 32) -> None:
    """The names of lines at the right of the axes, near where they end; the axes are ``height`` inches high."""
    if not ends:
        return
    at = ax.transScale.transform([(1.0, end.y) for end in ends])[:, 1]
    low, high = ax.transScale.transform([(1.0, y) for y in ax.get_ylim()])[:, 1]
    true = np.clip((at - low) / (high - low), 0.0, 1.0)
    gap = LINE_HEIGHT / height
    room = max(0.0, gap * (len(ends) - 1) - 1.0) / 2  # more names than the axes have lines for stand out on both sides
    for end, start, place in zip(ends, true, spread(true, gap, -room, 1.0 + room), strict=True):
        # Thin and grey up to the sample of the line: in its own colour it would look as if the curve went on.
        for points, colour, style, size in (
            ([(1.0, start), (1.04, place)], SOFT, "solid", 0.6),
            ([(1.04, place), (1.09, place)], end.line_style.color, end.line_style.linestyle, 1.2),
        ):
            line = LineCollection([points], transform=ax.transAxes, clip_on=False, colors=colour, linestyles=style,
                                  linewidths=size)  # fmt: skip
            series(line, end.label)
            ax.add_collection(line, autolim=False)  # no line of the axes: those are the curves
        name = ax.text(1.11, place, typed(end.label, longest), transform=ax.transAxes, fontsize=LABEL_SIZE, va="center")
        series(name, end.label)


def level_axis(ax: Axes, values: Array) -> None:
    """A horizontal axis of values: logarithmic where they are positive and differ by more than a factor of ten."""
    positive = values.size > 0 and float(values.min()) > 0
    if positive and values.max() > 10 * values.min():
        ax.set_xscale("log")
        wide = values.max() > 300 * values.min()
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0), numticks=6))
        ax.xaxis.set_minor_formatter(NullFormatter())
        if values.max() < 1e5 and values.min() > 1e-3:
            ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    elif values.size and values.min() >= 0 and values.max() > 0 and values.max() > 1e3 * np.median(values):
        small = values[values > 0]
        ax.set_xscale("symlog", linthresh=float(max(small.min(), small.max() * 1e-12)))
        ax.xaxis.set_major_locator(FixedLocator(symlog_ticks(float(small.min()), float(small.max()), 4)))
    else:
        ax.xaxis.set_major_locator(MaxNLocator(5))
