"""Where the final points of an algorithm are if values are random."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from scipy.stats import binom

from autov.invariance import BiasReport
from autov.invariance.structural_bias import BINS
from autov.reports.theme import COLOURS


def draw_bias(report: BiasReport, ax: Axes) -> Axes:
    """Final points per part of the box, all variables together, next to what no bias gives in 99 % of all cases."""
    counts, edges = np.histogram(report.points, BINS, (0.0, 1.0))
    total = report.points.size
    low, high = binom.ppf([0.005, 0.995], total, 1 / BINS) / total * BINS
    ax.axhspan(low, high, color=COLOURS[1], alpha=0.25, linewidth=0, label="no bias, 99 %")
    ax.axhline(1.0, color=COLOURS[1], linewidth=1.0)
    ax.stairs(counts / total * BINS, edges, color=COLOURS[0], linewidth=1.4, label="final points")
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(bottom=0.0)
    ax.set_xlabel("place between the bounds")
    ax.set_ylabel("density, all variables")
    ax.legend(frameon=False, fontsize="small")
    return ax
