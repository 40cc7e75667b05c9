"""Problems of pymoo with shifted optima, and fronts of WFG without random numbers.

The optima of ZDT lie on the border of the box and those of DTLZ at its centre or on its border. Operators that are
clipped to the box, or drawn to its centre, look better there than they are. A `Shifted` problem has the same box and
front; the variables that decide the distance from the front have their optimum at random places.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autov.adapters import missing
from autov.core import Array, generator

try:
    from pymoo.core.problem import Problem
    from pymoo.problems import get_problem
except ImportError as error:
    raise missing("pymoo", error) from None

WITHIN = (0.1, 0.9)  # parts of the box between which optima are shifted
WFG_SIZE = {"n_var": 12, "n_obj": 2}  # pymoo has no default for them
FRONT = 1000  # points of a front of WFG


def named_problem(name: str, n_var: int | None) -> Any:
    """A problem by its name in pymoo; those of WFG have two objectives and 12 variables unless it is said otherwise."""
    size: dict[str, Any] = dict(WFG_SIZE) if name.startswith("wfg") else {}
    return get_problem(name, **(size if n_var is None else {**size, "n_var": n_var}))


def front_of(problem: Any) -> Array | None:
    """The Pareto front, None if it is not known.

    pymoo samples the fronts of WFG at random, another one in each process. Here those of two objectives come from
    their formulas: the shape functions at distance 0, scaled by 2 and 4.
    """
    name = _name(problem)
    if not name.startswith("WFG") or problem.n_obj != 2:
        return problem.pareto_front()
    x = np.linspace(0.0, 1.0, FRONT)
    angle = 0.5 * np.pi * x
    if name == "WFG1":
        f = np.array([1 - np.cos(angle), 1 - x - np.cos(10 * np.pi * x + np.pi / 2) / (10 * np.pi)])
    elif name == "WFG2":
        f = np.array([1 - np.cos(angle), 1 - x * np.cos(5 * np.pi * x) ** 2])
    elif name == "WFG3":
        f = np.array([x, 1 - x])
    else:
        f = np.array([np.sin(angle), np.cos(angle)])
    order = np.lexsort(f[::-1])
    best = np.minimum.accumulate(f[1][order])
    kept = order[(f[1][order] <= best) & np.append(True, np.diff(best) < 0)]
    return np.array(f[:, kept].T * np.array([2.0, 4.0]))


def optimum_of(problem: Any) -> tuple[int, float] | None:
    """How many variables come first that give the place on the front, and where the others have their optimum.

    As a part of the box; None for problems of which that is not known here.
    """
    name = _name(problem)
    if name in ("ZDT1", "ZDT2", "ZDT3", "ZDT6"):
        return 1, 0.0
    if name == "ZDT4":
        return 1, 0.5
    if name in ("DTLZ6", "DTLZ7"):
        return problem.n_obj - 1, 0.0
    if name in ("DTLZ1", "DTLZ2", "DTLZ3", "DTLZ4", "DTLZ5"):
        return problem.n_obj - 1, 0.5
    if name in (f"WFG{number}" for number in range(1, 10)):
        return problem.k, 0.35
    return None


class Shifted(Problem):
    """A problem whose variables behind the first few have their optimum at other places: same box, same front.

    An optimum inside the box is shifted by a map of the box on itself that is linear on both sides of it; one at the
    lower bound by mirroring the box there, so that it lies inside.

    Args:
        inner: a problem of ZDT, DTLZ or WFG.
        seed: of the places; the same one gives the same problem.
    """

    def __init__(self, inner: Any, seed: int) -> None:
        found = optimum_of(inner)
        assert found is not None
        self.inner, (self.first, self.optimum) = inner, found
        self.places = generator(seed, 1).uniform(*WITHIN, inner.n_var - self.first)
        super().__init__(n_var=inner.n_var, n_obj=inner.n_obj, xl=inner.xl, xu=inner.xu)

    def back(self, u: Array) -> Array:
        """Distance variables of the problem inside for those of this one (n, k), both as parts of the box."""
        c, z = self.places, self.optimum
        if z == 0:
            return np.abs(u - c) / np.maximum(c, 1 - c)
        return np.clip(np.where(u < c, z * u / c, z + (1 - z) * (u - c) / (1 - c)), 0.0, 1.0)

    def _evaluate(self, x: Array, out: Any, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002
        ends: Any = self.bounds()
        lower, upper = ends
        u = (x - lower) / (upper - lower)
        u[:, self.first :] = self.back(u[:, self.first :])
        out["F"] = self.inner.evaluate(lower + u * (upper - lower), return_values_of=["F"])

    def _calc_pareto_front(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ARG002
        return front_of(self.inner)


def _name(problem: Any) -> str:
    kind = type(problem)
    return kind.__name__ if kind.__module__.startswith("pymoo.problems") else ""
