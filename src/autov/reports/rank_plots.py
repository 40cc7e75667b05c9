"""Average ranks with the critical difference, and who is better than whom.

The rank plot shows what that of J. Demsar, Statistical comparisons of classifiers over multiple data sets, Journal of
Machine Learning Research 7, 2006, shows, one line for each algorithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from matplotlib.patches import Rectangle

from autov.core import InputError
from autov.experiments import Comparison
from autov.reports.canvas import Figure, drawing, typed
from autov.reports.theme import COLOURS, FAINT, INK, SOFT, STRONG
from autov.stats import wins


def rank_plot(comparison: Comparison, level: float = 0.05, show: Literal["mean", "median"] = "mean") -> Figure:
    """Average ranks, the best on top; bars at the right connect those that do not differ significantly."""
    scores = comparison.scores(level, show=show)
    if not scores.ranked or len(scores.ranks) < 2:
        raise InputError("ranks: need two algorithms and a problem that both have finished")
    order = sorted(scores.ranks, key=lambda label: scores.ranks[label])
    ranks, k, cd = [scores.ranks[label] for label in order], len(order), scores.critical_difference
    groups = groups_of(ranks, cd) if scores.ranked > 1 else []
    with drawing(4.6 + 0.07 * max(len(typed(label)) for label in order), 1.15 + 0.27 * k) as figure:
        ax = figure.add_subplot()
        for row, (label, rank) in enumerate(zip(order, ranks, strict=True)):
            colour = COLOURS[1] if label == comparison.reference else COLOURS[0]
            ax.plot([1, rank], [row, row], color=SOFT, linewidth=0.6)
            ax.plot(rank, row, "D" if label == comparison.reference else "o", color=colour, markersize=7)
            ax.annotate(f"{rank:.2f}", (rank, row), (7, 0), textcoords="offset points", va="center", fontsize=8)
        ax.set_yticks(range(k), [typed(label) for label in order])
        ax.set_ylim(k - 0.4, -1.5 if scores.ranked > 1 else -0.6)
        ax.set_xlim(0.85, k + 0.6)
        ax.set_xticks(range(1, k + 1))
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(f"average rank of the {show}s on {scores.ranked} problem{'s' if scores.ranked > 1 else ''}")
        if scores.ranked > 1:
            end = min(1 + cd, k + 0.6)
            ax.plot([1, end], [-1, -1], color=INK, linewidth=2, marker="|", markersize=8)
            inside = end < 0.6 * k
            ax.text(end + 0.1 if inside else 1, -1 if inside else -1.2, f"critical difference {cd:.2f}", fontsize=8,
                    va="center" if inside else "bottom")  # fmt: skip
        for i, (first, last) in enumerate(groups):
            x = 1.02 + 0.022 * i
            ax.plot([x, x], [first - 0.25, last + 0.25], transform=ax.get_yaxis_transform(), color=INK, linewidth=3,
                    clip_on=False, solid_capstyle="butt")  # fmt: skip
        if groups:
            ax.text(1.02 + 0.022 * len(groups), (k - 1) / 2, "not significant", transform=ax.get_yaxis_transform(),
                    rotation=90, va="center", fontsize=8, color=SOFT)  # fmt: skip
        return figure


def groups_of(ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """Longest runs (first, last) of sorted ranks that lie within the critical difference."""
    groups: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = max(i for i in range(first, len(ranks)) if ranks[i] - ranks[first] <= difference)
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups


def win_plot(comparison: Comparison, level: float = 0.05) -> Figure:
    """On how many problems the algorithm of a row is significantly better than that of a column."""
    labels = comparison.algorithms
    if len(labels) < 2:
        raise InputError("wins: need two algorithms")
    counts = wins(comparison.gaps, comparison.problems, labels, level, comparison.paired)
    order = np.argsort(-(counts.sum(axis=1) - counts.sum(axis=0)), kind="stable")
    names = [typed(labels[i], 24) for i in order]
    most = len(comparison.problems)
    k = len(labels)
    with drawing(max(3.9, 1.6 + 0.45 * k), 1.7 + 0.36 * k) as figure:
        ax = figure.add_subplot()
        for row, i in enumerate(order):
            for column, j in enumerate(order):
                if i == j:
                    continue
                shade = FAINT + (STRONG - FAINT) * counts[i, j] / most
                place = (column - 0.48, row - 0.48)
                ax.add_patch(Rectangle(place, 0.96, 0.96, facecolor=COLOURS[0], alpha=shade, linewidth=0))
                ax.text(column, row, str(counts[i, j]), ha="center", va="center")
        ax.set(xlim=(-0.5, k - 0.5), ylim=(k - 0.5, -0.5))
        ax.set_xticks(range(k), names, rotation=45, ha="right", rotation_mode="anchor")
        ax.set_yticks(range(k), names)
        ax.tick_params(length=0)
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)
        ax.set_xlabel(f"the row is significantly better than the column\non this many of {most} problems")
        return figure
