"""Contour plots of search behaviour: Figures 1-3 of the paper."""

from __future__ import annotations

import numpy as np

from autov.paper.figures import SearchBehaviour, quartic_bowl
from autov.reports.canvas import Axes, Figure, drawing, shade_key, shades


def behaviour_plot(found: SearchBehaviour) -> Figure:
    """One row for each algorithm, one panel for each transformation; later generations are darker."""
    rows, columns = len(found.algorithms), len(found.transformations)
    with drawing(3.1 * columns + 0.8, 3.1 * rows) as figure:
        axes = figure.subplots(rows, columns, squeeze=False)
        for i, algorithm in enumerate(found.algorithms):
            for j, shown in enumerate(found.transformations):
                _panel(axes[i, j], found, algorithm, j)
                axes[i, j].set_title(f"{algorithm}, {shown}", fontsize=8)
                axes[i, j].set(xlabel="variable 1" if i == rows - 1 else "", ylabel="" if j else "variable 2")
        count = max(len(history) for history in found.populations.values())
        shade_key(figure, axes, count, "generation (red cross: the optimum)")
        return figure


def _panel(ax: Axes, found: SearchBehaviour, algorithm: str, j: int) -> None:
    history = found.populations[algorithm, found.transformations[j]]
    matrix, shift = found.maps[j]
    # The window of every panel is the transformed window of the plain one, so the same search looks the same.
    corners = np.array([[a, b] for a in (-10.0, 10.0) for b in (-10.0, 10.0)])
    window = (corners - shift) @ np.linalg.inv(matrix)
    low, high = window.min(axis=0), window.max(axis=0)
    x = np.linspace(low[0], high[0], 120)
    y = np.linspace(low[1], high[1], 120)
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    values = quartic_bowl(grid @ matrix + shift)
    ax.contour(x, y, values ** (1 / 4), levels=10, colors="#bbbbbb", linewidths=0.6)
    for population, shade in zip(history, shades(len(history)), strict=True):
        ax.scatter(population[:, 0], population[:, 1], s=10, color=shade, linewidths=0)
    optimum = (np.zeros(2) - shift) @ np.linalg.inv(matrix)
    ax.plot(*optimum, "r+", markersize=9)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.set_aspect("equal")
