"""Figures 1-3 of the paper: where two algorithms minimise f(x1, x2) = x1^4 + x2^4, with and without a transformation.

Population 10, 10 generations, one seed. The first population of a transformed problem is the transformed first
population of the plain one, and the box is transformed with it (Figures 1 and 2) or wide enough not to matter
(Figure 3), so that an invariant algorithm does the same thing in other coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from autov.algorithms import Metaheuristic, make_algorithm
from autov.core import Array, Box, InputError, generator
from autov.problems import function_problem
from autov.runs import Run, solve

POPSIZE, GENERATIONS, BOUND = 10, 10, 10.0
ANGLE = np.deg2rad(35.0)
TURN = np.array([[np.cos(ANGLE), np.sin(ANGLE)], [-np.sin(ANGLE), np.cos(ANGLE)]])


class BehaviourFigure(NamedTuple):
    """What one of the figures shows."""

    title: str
    algorithms: tuple[tuple[str, str, dict[str, Any]], ...]  # label, name, settings
    transformations: tuple[tuple[str, Array, float], ...]  # label, matrix A, shift b: plain point z = x A + b


_EYE = np.eye(2)
_SBX = {"mutation_probability": 0.0, "variable_probability": 1.0}
BEHAVIOUR_FIGURES = {
    "fig-1": BehaviourFigure(
        "search behaviour of SBX and SBX' based GAs, with and without translation",
        (("SBX based GA", "ga", _SBX), ("SBX' based GA", "ga", {**_SBX, "keep": 0.1})),
        (("plain", _EYE, 0.0), ("x' = x + 4", _EYE, 4.0), ("x' = x - 6", _EYE, -6.0)),
    ),
    "fig-2": BehaviourFigure(
        "search behaviour of CMA-ES and FEP, with and without scaling",
        (("CMA-ES", "cma-es", {}), ("FEP", "fep", {})),
        (("plain", _EYE, 0.0), ("x' = 10 x", 10 * _EYE, 0.0), ("x' = x / 10", 0.1 * _EYE, 0.0)),
    ),
    "fig-3": BehaviourFigure(
        "search behaviour of DE and SBX based GA, with and without rotation",
        (("DE (mutation only)", "de", {"CR": 1.0}), ("SBX based GA", "ga", _SBX)),
        (("plain", _EYE, 0.0), ("x' = x M", TURN, 0.0)),
    ),
}


@dataclass(frozen=True, eq=False)
class SearchBehaviour:
    """Populations of every generation, for each algorithm and transformation."""

    name: str
    title: str
    algorithms: tuple[str, ...]
    transformations: tuple[str, ...]
    maps: tuple[tuple[Array, float], ...]
    boxes: tuple[Box, ...]
    populations: dict[tuple[str, str], list[Array]]  # in the coordinates of the transformed problem
    deviation: dict[tuple[str, str], float]  # largest distance to the plain run, in plain coordinates

    def lines(self) -> list[str]:
        """What the figure shows, in words."""
        out = [f"{self.name}: {self.title} (population {POPSIZE}, {GENERATIONS} generations)"]
        for algorithm in self.algorithms:
            for shown in self.transformations[1:]:
                far = self.deviation[algorithm, shown]
                kind = "the same search" if far < 1e-6 else "another search"
                out.append(f"  {algorithm}, {shown}: {kind} (largest distance to the plain run {far:.3g})")
        return out

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        deviation = [{"algorithm": a, "transformation": t, "deviation": d} for (a, t), d in self.deviation.items()]
        return {"name": self.name, "title": self.title, "deviations": deviation}


def quartic_bowl(z: Array) -> Array:
    """x1^4 + x2^4."""
    return (z**4).sum(axis=-1)


def _moved_bowl(x: Array, matrix: Array, shift: float) -> Array:
    return quartic_bowl(x @ matrix + shift)


def search_behaviour(name: str, seed: int = 1) -> SearchBehaviour:
    """Run the algorithms of a figure."""
    if name not in BEHAVIOUR_FIGURES:
        raise InputError(f"figure: one of {', '.join(BEHAVIOUR_FIGURES)}, got {name!r}")
    figure = BEHAVIOUR_FIGURES[name]
    # Figure 3 starts in the middle of a wide box: a rotated population must not meet the border.
    wide = 10.0 if name == "fig-3" else 1.0
    plain_box = Box.cube(-wide * BOUND, wide * BOUND, 2)
    first = Box.cube(-BOUND, BOUND, 2).sample(POPSIZE, generator(seed, 9))
    populations: dict[tuple[str, str], list[Array]] = {}
    deviation: dict[tuple[str, str], float] = {}
    boxes = []
    for shown, matrix, shift in figure.transformations:
        inverse = np.linalg.inv(matrix)
        if name == "fig-3":
            box = plain_box
        else:
            corners = (np.array([plain_box.lower, plain_box.upper]) - shift) @ inverse
            box = Box(corners.min(axis=0), corners.max(axis=0))
        boxes.append(box)
        for label, kind, settings in figure.algorithms:
            function = partial(_moved_bowl, matrix=matrix, shift=shift)
            start = box.clip((first - shift) @ inverse)
            history = generations(make_algorithm(kind, **settings), function, box, start, seed)
            populations[label, shown] = history
            plain = populations[label, figure.transformations[0][0]]
            gaps = [np.abs(np.sort(h @ matrix + shift, axis=0) - np.sort(p, axis=0)).max()
                    for h, p in zip(history, plain, strict=True)]  # fmt: skip
            deviation[label, shown] = float(max(gaps))
    return SearchBehaviour(
        name, figure.title, tuple(a[0] for a in figure.algorithms), tuple(t[0] for t in figure.transformations),
        tuple((m, b) for _, m, b in figure.transformations), tuple(boxes), populations, deviation,
    )  # fmt: skip


def generations(
    algorithm: Metaheuristic, function: Callable[[Array], Array], box: Box, first: Array, seed: int
) -> list[Array]:
    """The population after each generation, from the first one given; values of the function are those of a batch."""
    history: list[Array] = []

    def watch(run: Run) -> None:
        history.append(run.population.copy())

    problem = function_problem(function, box, vectorized=True)
    solve(problem, algorithm, maxfev=POPSIZE * (GENERATIONS + 1), popsize=POPSIZE, seed=seed, x0=first, watch=watch)
    return history
