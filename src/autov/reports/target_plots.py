"""Plots of targets reached: ECDF over evaluations, overall and by group of problems, and performance profiles."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from autov.core import Array, InputError
from autov.experiments import Comparison, Targets
from autov.problems import problem_group
from autov.reports.axes import End, count_axis, name_lines
from autov.reports.canvas import drawing, series, typed
from autov.reports.plots import HEIGHT, INNER, WIDTH, style_of


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
    steps = {
        title: {label: found.ecdf(label, problems) for label in found.algorithms} for title, problems in panels.items()
    }
    shown = [course for each in steps.values() for course in each.values() if len(course[0])]
    first = min((float(x[0]) for x, _ in shown), default=1.0)
    top = max((float(y[-1]) for _, y in shown), default=1.0)
    with drawing(WIDTH * columns, HEIGHT * rows) as figure:
        axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
        for place, (ax, (title, problems)) in enumerate(zip(axes, panels.items(), strict=False)):
            ax.set_title(typed(f"{title} ({len(problems)})"))
            _steps(ax, comparison, steps[title], max(found.maxfev, 2), first, top)
            ax.set_ylabel("share of targets reached" if place % columns == 0 else "")
            if place + columns < len(panels):
                ax.set_xlabel("")
            ax.xaxis.set_tick_params(labelbottom=place + columns >= len(panels))
        for ax in axes[len(panels) :]:
            ax.set_axis_off()
        return figure


def profile_plot(comparison: Comparison) -> Figure:
    """Performance profiles: share of (problem, target) pairs solved within tau times the smallest running time."""
    found = _known(comparison)
    taus, shares = found.profile()
    if not taus.size:
        raise InputError("plot: no algorithm reached any target")
    with drawing(WIDTH + 0.6, HEIGHT + 0.4) as figure:
        ax = figure.add_subplot()
        steps = {label: (taus, shares[label]) for label in found.algorithms}
        top = max((float(share[-1]) for share in shares.values() if len(share)), default=1.0)
        _steps(ax, comparison, steps, max(float(taus[-1]), 2.0), 1.0, top, "expected running time, times the smallest")
        ax.set_ylabel("share of pairs of problem and target")
        return figure


def _steps(
    ax: Axes, comparison: Comparison, steps: dict[str, tuple[Array, Array]], end: float, first: float, top: float,
    name: str = "evaluations",
) -> None:  # fmt: skip
    """Step functions from (1, 0) to the end, with their names next to them.

    The axes begin a little before the first step, and end a little above the top.
    """
    ends = []
    for place, (label, (x, y)) in enumerate(steps.items()):
        style, last = style_of(comparison, label), float(y[-1]) if len(y) else 0.0
        x, y = np.concatenate([[1.0], x, [end]]), np.concatenate([[0.0], y, [last]])
        every = (0.05 + 0.03 * (place % 5), 0.2)  # of the length of the line
        (line,) = ax.plot(
            x, y, **style._asdict(), linewidth=1.4, drawstyle="steps-post", markevery=every, markersize=3.5
        )
        series(line, label)
        ends.append(End(label, last, style))
    begin = max(first, 1.0) / 1.2
    count_axis(ax, begin if begin < 0.9 * end else 1.0, end, name)
    ax.set_ylim(0, min(1.02, 1.06 * top) if top > 0 else 1.02)
    name_lines(ax, ends, INNER)
