"""All runs of every algorithm as points on one axis."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from autov.core import Array
from autov.reports.axes import level_axis
from autov.reports.canvas import drawing, series, typed
from autov.reports.theme import INK, SOFT, LineStyle

ROW, WIDTH = 0.36, 4.6  # inches
GOLDEN = 0.6180339887498949  # multiples of it, without their integer parts, are spread evenly


def strip_plot(values: Mapping[str, Array], styles: Mapping[str, LineStyle], label: str = "best value") -> Figure:
    """A row for each algorithm: a point for each run, a line at the median; the smallest median is on top."""
    order = sorted(values, key=lambda name: float(np.median(values[name])))
    with drawing(WIDTH, 0.75 + ROW * len(order)) as figure:
        ax = figure.subplots()
        for row, name in enumerate(order):
            runs = values[name]
            found = runs[np.isfinite(runs)]
            offsets = 0.5 * ((np.arange(len(found)) * GOLDEN) % 1.0 - 0.5)
            style = styles[name]
            points = ax.scatter(found, row + offsets, s=9, color=style.color, alpha=0.65, linewidth=0)
            series(points, name)
            middle = float(np.median(runs))
            if np.isfinite(middle):
                ax.plot([middle, middle], [row - 0.36, row + 0.36], color=INK, linewidth=1.8)
        every = np.concatenate([np.ravel(runs) for runs in values.values()])
        level_axis(ax, every[np.isfinite(every)])
        ax.set_yticks(range(len(order)), [typed(name, 30) for name in order])
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(len(order) - 0.5, -0.5)
        ax.grid(axis="x", color=SOFT, alpha=0.25, linewidth=0.6)
        ax.set_xlabel(label)
        return figure
