"""Problems with constraints and whole-numbered variables, for algorithms that know of neither.

K. Deb, An efficient constraint handling method for genetic algorithms, Computer Methods in Applied Mechanics and
Engineering 186, 2000: of two feasible points the one of smaller value is better, any feasible point is better than any
infeasible one, and of two infeasible points the one of smaller violation is better. One number for each point says all
of that: its value if it is feasible, else ``LEVEL * (2 + violation)``, which is above all values. It depends on the
point alone, so that points of different generations, runs and workers can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from autov.core import Array, Box, Generator, InputError
from autov.problems.constraints import Constraint, Limits, constraints_of, exceeded, limits_of, summed
from autov.problems.problem import Around, Problem, ProblemFamily

LEVEL = 1e50  # a feasible value above it counts as this; a square of an infeasible one does not overflow
HUGE = 1e90  # violations above it are compressed


@dataclass(frozen=True, eq=False)
class Constrained(Around):
    """A problem under constraints, some or all of its variables whole numbers.

    Points are rounded inside, and the objective is called at feasible points only. The box reaches half a unit beyond
    the whole numbers at its ends, so that all of them are equally likely.
    """

    problem: Problem
    constraints: tuple[Constraint, ...] = ()
    integrality: tuple[bool, ...] = ()  # one for each variable; empty for none

    @property
    def name(self) -> str:
        """The wrapped name."""
        return self.problem.name

    @cached_property
    def whole(self) -> np.ndarray:
        """Which variables are whole numbers, (d,) bool."""
        return np.array(self.integrality or (False,) * self.problem.box.dim, dtype=bool)

    @cached_property
    def _inner(self) -> tuple[Array, Array]:
        """The bounds of what the objective sees."""
        box, whole = self.problem.box, self.whole
        return np.where(whole, np.ceil(box.lower), box.lower), np.where(whole, np.floor(box.upper), box.upper)

    @cached_property
    def _box(self) -> Box:
        lower, upper = self._inner
        half = np.where(self.whole & (lower < upper), 0.5, 0.0)
        return Box(lower - half, upper + half)

    @property
    def box(self) -> Box:
        """Where to search."""
        return self._box

    @property
    def minimum(self) -> float | None:
        """The known smallest value of a feasible point."""
        return self.problem.minimum

    @property
    def optimum(self) -> Array | None:
        """A known point with that value."""
        return self.problem.optimum

    def rounded(self, x: Array) -> Array:
        """Points (n, d) as the objective sees them: whole numbers where they must be."""
        if not self.whole.any():
            return x
        rounded = np.clip(np.rint(x), *self._inner) + 0.0  # no negative zeros
        return np.where(self.whole, rounded, x)

    def violation(self, x: Array, told: Array | None = None) -> Array:
        """The sum of what is outside the constraints at rounded points, (n,); 0 where a point is feasible.

        Violations ``told`` (n,) by others are added. A sum above `HUGE` is `compressed`.
        """
        parts, total = np.empty((len(x), 0)), np.zeros(len(x))
        with np.errstate(over="ignore"):
            if self.constraints:
                _, parts, widths = self._exceeded(x)
                total = summed(parts, widths)
            if told is not None:
                parts, total = np.column_stack([parts, told]), told + total
        return compressed(total, parts)

    def excess(self, x: Array) -> list[Array]:
        """What is outside each constraint at one point (d,), as SciPy counts it."""
        outside, _, widths = self._exceeded(self.rounded(x[None]))
        return np.split(outside[0], np.cumsum(widths)[:-1])

    def _exceeded(self, x: Array) -> tuple[Array, Array, tuple[int, ...]]:
        """`exceeded` of all constraints in one pass, and how many numbers each of them gives."""
        values = [constraint.values(x) for constraint in self.constraints]
        widths = tuple(one.shape[1] for one in values)
        limits = self._limits.get(widths)
        if limits is None:
            limits = self._limits[widths] = limits_of(self.constraints, widths)
        return *exceeded(np.concatenate(values, axis=1), limits), widths

    @cached_property
    def _limits(self) -> dict[tuple[int, ...], Limits]:
        """Bounds by how many numbers each constraint gives, which is known when it was called."""
        return {}

    def __call__(self, x: Array, rng: Generator) -> Array:
        """Comparable numbers of the rows of x."""
        if not self.vectorized:
            return np.array([self.point(row) for row in np.atleast_2d(x)])
        x = self.rounded(np.atleast_2d(x))
        violation = self.violation(x)
        feasible = violation == 0
        values = penalized(np.zeros(len(x)), violation)
        if feasible.any():
            values[feasible] = penalized(np.asarray(self.problem(x[feasible], rng), dtype=np.float64), np.zeros(1))
        return values

    def point(self, x: Array) -> float:
        """The penalized value of one point, where the wrapped problem is a Python function of single points."""
        inner: Any = self.problem  # a check against a protocol at every point would cost more than the constraints
        x = self.rounded(x[None])
        violation = self.violation(x)
        value = inner.point(x[0]) if violation[0] == 0 else 0.0
        return float(penalized(np.array([value]), violation)[0])

    def objective(self) -> None:
        """Constraints are Python functions."""
        return


def penalized(values: Array, violation: Array) -> Array:
    """Values that order points by Deb's rules; NaN and infinite values stay what they are."""
    kept = np.where(np.isfinite(values), np.minimum(values, LEVEL), values)
    return np.where(violation > 0, LEVEL * (2 + violation), kept)


def compressed(violation: Array, parts: Array | None = None) -> Array:
    """Violations (n,) in the same order, so that what is computed with them stays finite.

    Those above `HUGE` grow with their logarithm. ``parts`` (n, m) are what they are sums of: a sum may overflow.
    """
    if not (violation > HUGE).any():
        return violation
    scaled = ((violation[:, None] if parts is None else parts) / HUGE).sum(axis=1)
    return np.where(violation > HUGE, HUGE * (1 + np.log(np.maximum(scaled, 1.0))), violation)


def unpenalized(values: Any) -> Any:
    """Values of feasible points, infinite for others."""
    return np.where(np.asarray(values) > LEVEL, np.inf, values)


def constrained(
    problem: Problem, constraints: Any = None, integrality: Any = None, vectorized: bool = False
) -> Problem:
    """The problem under constraints and with whole-numbered variables; itself where there are neither.

    Args:
        problem: no family, and not constrained itself.
        constraints: in one of SciPy's forms (see `constraints_of`).
        integrality: a truth value (or SciPy's 0 and 1) for each variable, or one for all.
        vectorized: the functions of the constraints take batches.
    """
    checked, whole = constraints_and_integers(constraints, integrality, problem.box, vectorized)
    if not checked and not whole:
        return problem
    if isinstance(problem, (Constrained, ProblemFamily)):
        raise InputError(f"constraints, integrality: {problem.name} brings its own or is a family")
    return Constrained(problem, checked, whole)


def constraints_and_integers(
    constraints: Any, integrality: Any, box: Box, vectorized: bool = False
) -> tuple[tuple[Constraint, ...], tuple[bool, ...]]:
    """Both as `Constrained` takes them, checked; empty where there are none."""
    whole = _integrality(integrality, box)
    return constraints_of(constraints, box.dim, vectorized), whole if any(whole) else ()


def _integrality(given: Any, box: Box) -> tuple[bool, ...]:
    if given is None:
        return (False,) * box.dim
    try:
        flags = np.broadcast_to(np.asarray(given, dtype=np.float64), (box.dim,))
    except (TypeError, ValueError):
        raise InputError(
            f"integrality: expected a truth value for each of {box.dim} variables, got {given!r}"
        ) from None
    if not np.isin(flags, (0, 1)).all():
        raise InputError(f"integrality: must be 0 or 1 (True or False) for each variable, got {given!r}")
    whole = flags == 1
    empty = whole & (np.ceil(box.lower) > np.floor(box.upper))
    if empty.any():
        i = int(np.argmax(empty))
        raise InputError(f"integrality: no whole number lies in the bounds of variable {i}, "
                         f"[{box.lower[i]:g}, {box.upper[i]:g}]")  # fmt: skip
    if (whole & (np.maximum(np.abs(box.lower), np.abs(box.upper)) > 2.0**53)).any():
        raise InputError("integrality: bounds of whole-numbered variables must not be beyond 2^53")
    return tuple(bool(flag) for flag in whole)
