"""Plots of targets reached: ECDF over evaluations, overall and by group of problems, and performance profiles."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from autov.core import Array, InputError
from autov.experiments import Comparison, Targets
from autov.problems import problem_group
from autov.reports.plots import _legend, _look, _text, drawing


def _known(comparison: Comparison) -> Targets:
    found = comparison.targets()
    if not found.problems or not found.timed:
        raise InputError("plot: needs problems whose minima are known, and runs of all algorithms with their course")
    return found


def groups_of_problems(found: Targets) -> dict[str, list[str]]:
    """Group -> problems, in the order of the comparison."""
    groups: dict[str, list[str]] = {}
    for name in found.problems:
        groups.setdefault(problem_group(name), []).append(name)
    return groups


def ecdf_plot(comparison: Comparison, by_group: bool = False) -> Figure:
    """Share of (problem, run, target) triples reached over evaluations; with ``by_group``, a panel for each group."""
    found = _known(comparison)
    panels = groups_of_problems(found) if by_group else {"all problems": list(found.problems)}
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    with drawing(4.4 * columns, 3.3 * rows + 0.5) as figure:
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax, (title, problems) in zip(axes, panels.items(), strict=False):
            ax.set_title(_text(f"{title} ({len(problems)})"), fontsize=9)
            for label in found.algorithms:
                _steps(ax, comparison, label, *found.ecdf(label, problems), end=found.maxfev)
            ax.set_xlim(1, max(found.maxfev, 2))
            ax.set_xlabel("evaluations")
            ax.set_ylabel("share of targets")
        for ax in axes[len(panels) :]:
            ax.set_axis_off()
        _legend(figure, comparison, found.algorithms, 4.4 * columns)
        return figure


def profile_plot(comparison: Comparison) -> Figure:
    """Performance profiles: share of (problem, target) pairs solved within tau times the smallest running time."""
    found = _known(comparison)
    taus, shares = found.profile()
    if not taus.size:
        raise InputError("plot: no algorithm reached any target")
    with drawing(5.0, 4.0) as figure:
        ax = figure.add_subplot()
        end = max(float(taus[-1]), 2.0)
        for label in found.algorithms:
            _steps(ax, comparison, label, taus, shares[label], end=end)
        ax.set_xlim(1, end)
        ax.set_xlabel("expected running time, times the smallest")
        ax.set_ylabel("share of pairs of problem and target")
        _legend(figure, comparison, found.algorithms, 5.0)
        return figure


def _steps(ax: Axes, comparison: Comparison, label: str, x: Array, y: Array, end: float) -> None:
    colour, style = _look(comparison, label)
    x, y = np.concatenate([[1.0], x, [end]]), np.concatenate([[0.0], y, [y[-1] if len(y) else 0.0]])
    ax.plot(x, y, color=colour, linestyle=style, linewidth=1.4, drawstyle="steps-post")
    ax.set_xscale("log")
    ax.set_ylim(0, 1.02)
