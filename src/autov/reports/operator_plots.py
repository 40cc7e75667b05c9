"""Where an operator puts offspring: their density in two dimensions, with the parents and the box."""

from __future__ import annotations

import numpy as np
from matplotlib.patches import Rectangle
from scipy.ndimage import gaussian_filter

from autov.core import Array, generator
from autov.operators import AffineOperator
from autov.reports.canvas import Axes, Figure, drawing
from autov.reports.theme import COLOURS, INK, SOFT

SPREAD = 0.15  # of the population that is drawn
SAMPLES, CELLS, MARGIN = 40_000, 120, 0.25
SHARES = (0.95, 0.75, 0.5, 0.25)  # of the offspring within the window that a region holds
SHADES = ("#dbe9f4", "#a8cbe6", "#5fa3d0", "#0072b2")
PARENTS = {"x1": (0.3, 0.35), "other parents": (0.7, 0.6)}
PLACES = {"best": (0.5, 0.8), "mean": (0.5, 0.5)}  # inputs that some operators have


def offspring_plot(operator: AffineOperator) -> Figure:
    """Density of the offspring of two parents in a square box; best and mean, where used, lie at fixed places."""
    with drawing(4.8, 4.8) as figure:
        draw_offspring(operator, figure.subplots())
        return figure


def offspring(operator: AffineOperator, count: int = SAMPLES) -> Array:
    """Offspring (count, 2) of the parents that are drawn, before they are put back into the box."""
    first, second = (np.array(place) for place in PARENTS.values())
    rest = [np.broadcast_to(second, (count, 2))] * (operator.n_parents - 1)
    parents = np.stack([np.broadcast_to(first, (count, 2)), *rest])
    rng = generator(1)
    return operator(
        parents, np.zeros(2), np.ones(2), rng, difference=rng.normal(0.0, SPREAD, (count, 2)),
        spread=np.full(2, SPREAD), **{name: np.array(place) for name, place in PLACES.items()},
    )  # fmt: skip


def densest(density: Array, shares: tuple[float, ...] = SHARES) -> list[float]:
    """Densities above which the cells hold these shares of all; rising, without equal ones."""
    ordered = np.sort(density, axis=None)[::-1]
    held = np.cumsum(ordered) / ordered.sum()
    levels = [float(ordered[min(int(np.searchsorted(held, share)), len(ordered) - 1)]) for share in shares]
    return sorted({max(level, float(ordered[0]) * 1e-6) for level in levels})


def draw_offspring(operator: AffineOperator, ax: Axes) -> Axes:
    """The same on axes."""
    points = offspring(operator)
    edges = np.linspace(-MARGIN, 1 + MARGIN, CELLS + 1)
    counts, _, _ = np.histogram2d(points[:, 0], points[:, 1], bins=(edges, edges))
    density, middle = gaussian_filter(counts.T, 1.2), (edges[1:] + edges[:-1]) / 2
    if density.max() > 0:
        levels = densest(density)
        ax.contourf(middle, middle, density, levels=[*levels, float(density.max()) * 1.01],
                    colors=SHADES[-len(levels) :])  # fmt: skip
    ax.add_patch(Rectangle((0, 0), 1, 1, fill=False, edgecolor=INK, linewidth=1.2))
    ax.text(0.02, 1.02, "box", fontsize=8, va="bottom")
    shown = list(PARENTS.items())[: min(operator.n_parents, 2)]
    shown += [(name, place) for name, place in PLACES.items() if name in operator.inputs]
    for (name, place), marker, colour in zip(shown, "osD^", (*COLOURS[1:3], *COLOURS[3:5]), strict=False):
        ax.plot(*place, marker, color=colour, markersize=8, markeredgecolor="#fefefe", linestyle="none", label=name)
    outside = float(((points < 0) | (points > 1)).any(axis=1).mean())
    ax.set_title(f"{100 * outside:.0f} % of the offspring leave the box", fontsize=8, color=SOFT, fontweight="normal")
    ax.set(xlim=(edges[0], edges[-1]), ylim=(edges[0], edges[-1]), xlabel="variable 1", ylabel="variable 2")
    ax.set_aspect("equal")
    ax.legend(loc="lower center", ncols=2, fontsize=8)  # in the margin below the box
    return ax
