"""What tests export, and how they tell whether a program does the same."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
from scipy import stats

import autov
from autov.algorithms import Evolution
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.portfolio import Portfolio

LOWER, UPPER = np.array([-5.0, 0.0, 1.0]), np.array([5.0, 1.0, 4.0])
OPERATORS = {
    "paper-h3": "paper-h3",
    "tied bounds": autov.AffineOperator.from_rows(
        "h5", [{"probability": 2.0, "x2": (0.5, 0.1), "bounds": (0.0, 0.1)}, {"probability": 1.0, "x3": (1.0, 0.0)}],
        tie_bounds=True,
    ),
    "one draw": autov.AffineOperator.from_rows(
        "h4", [{"probability": 1.0, "x2": (0.5, 0.3), "x3": (-0.2, 0.1)}, {"probability": 1.0, "x2": (0.1, 0.2)}],
        draw="solution",
    ),
    "one row, one parent": autov.AffineOperator.from_rows(
        "h2", [{"probability": 1.0, "lower": (0.0, 0.1), "upper": (0.1, 0.1)}]
    ),
    "best and mean": autov.AffineOperator.from_rows(
        "x1,best,x2,mean", [{"probability": 1.0, "best": (0.3, 0.1), "x2": (0.0, 0.1), "mean": (0.2, 0.0)}]
    ),
    "rows of both kinds": autov.AffineOperator.from_rows(
        "x1,x2,difference,spread,width",
        [{"probability": 0.3, "x2": (0.4, 0.2), "difference": (0.5, 0.2)},
         {"probability": 0.2, "spread": (0.1, 0.3), "width": (0.0, 0.05)},
         {"probability": 0.0, "x2": (9.0, 0.0)},
         {"probability": 0.5, "x2": (1.0, 0.2), "difference": (-0.5, 0.1), "spread": (0.2, 0.1)}],
        draw=("solution", "variable", "solution", "variable"),
    ),
}  # fmt: skip
POINTS = {
    "best": np.array([1.0, 0.5, 2.0]), "mean": np.array([0.0, 0.2, 3.0]), "difference": np.array([0.5, -0.1, 0.3]),
    "spread": np.array([1.0, 0.2, 0.5]),
}  # fmt: skip


def operator_of(name):
    operator = OPERATORS[name]
    return autov.load_operator(operator) if isinstance(operator, str) else operator


def points_of(operator):
    return {name: value for name, value in POINTS.items() if name in operator.inputs}


def parents_of(operator, n):
    parents = np.array([[4.0, 0.9, 1.1], [-1.0, 0.5, 3.0], [2.0, 0.0, 4.0]])[: operator.n_parents]
    return np.repeat(parents[:, None], n, axis=1)


def program(text):
    """The names that a module defines; it may import NumPy and the standard library only, and is not compiled."""
    assert "autov import" not in text
    assert "import autov" not in text
    names = {"__name__": "exported"}
    with patch.dict(sys.modules, {"numba": None, "scipy": None, "autov": None}):
        exec(compile(text, "exported", "exec"), names)
    return SimpleNamespace(**names)


def same_law(a, b):
    """Whether two samples (n, d) look alike, each variable and the sum of all."""
    columns = [*zip(a.T, b.T, strict=True), (a.sum(axis=1), b.sum(axis=1))]
    return min(stats.ks_2samp(one, two).pvalue for one, two in columns) > 1e-4


EVOLUTIONS = {name: {"operator": name} for name in OPERATORS} | {
    "other tournaments": {"operator": "paper-h3", "tournament_first": 1.0, "tournament_others": 3.7},
    "comma, in a learned frame": {"operator": "rows of both kinds", "survival": "comma", "offspring": 1.3,
                                  "frame": "learned"},
    "variables half way to the bounds": {"operator": "tied bounds", "bounds": "midpoint", "popsize": 9},
    "plus, in a learned frame": {"operator": "tied bounds", "offspring": 0.5, "frame": "learned", "popsize": 900},
}  # fmt: skip


def evolution_of(name):
    settings = dict(EVOLUTIONS[name])
    return Evolution(operator_of(settings.pop("operator")), **settings)


def slanted(x):
    """Values with a direction that is none of the axes."""
    return ((x - 1) ** 2).sum(axis=1) + 5 * (x[:, 0] + x[:, 1]) ** 2


PORTFOLIOS = {
    "default": Portfolio(),
    "three": Portfolio(
        (Evolution("paper-h3", popsize=7), MatrixAdaptation(popsize=5), Evolution("uniform-crossover", popsize=11)),
        trial=(0.05, 0.1, 0.0), hedge=0.5, round=0.031, polish=0.2,
    ),
    "one": Portfolio((Evolution("uniform-crossover", popsize=12, offspring=0.5),), polish=0.3, polish_step=3.0),
    "strategies": Portfolio((MatrixAdaptation(), MatrixAdaptation(sigma=0.05, bounds="clip"))),
    "no polishing": Portfolio(
        (Evolution("uniform-crossover", popsize=9, frame="learned"), MatrixAdaptation()), polish=0.0
    ),
    "a small budget": Portfolio(
        (MatrixAdaptation(first_mean="centre", popsize_budget=0.3, restart_mean="mixed"),
         Evolution("uniform-crossover", popsize=9)),
        trial=(0.2, 0.2), hedge=0.4, full_budget=1000.0,
    ),
}  # fmt: skip


def rosenbrock(x):
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


STRATEGIES = {
    "default": {},
    "fold, ipop": {"bounds": "fold", "tol_x": 1e-2, "sigma": 0.3, "popsize": 7},
    "clip, two paths": {"bounds": "clip", "paths": "two", "tol_f": 1e-1, "negative": 0.5},
    "bipop": {"restarts": "bipop", "tol_x": 3e-2, "restart_sigma": 0.5, "popsize_factor": 0.7, "growth": 3.0},
    "centre": {
        "first_mean": "centre",
        "popsize_budget": 0.3,
        "restarts": "bipop",
        "restart_mean": "mixed",
        "tol_x": 3e-2,
    },
    "none": {"restarts": "none", "c_mu_factor": 0.5, "d_sigma_factor": 2.0, "c_1_factor": 0.2},
}


def optimizers():
    """Algorithms of all kinds, by name."""
    found = {f"evolution: {name}": evolution_of(name) for name in EVOLUTIONS}
    found |= {f"ma-es: {name}": MatrixAdaptation(**settings) for name, settings in STRATEGIES.items()}
    return found | {f"portfolio: {name}": algorithm for name, algorithm in PORTFOLIOS.items()}
