"""Problems with constraints and integer variables, for algorithms that know of neither.

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
from autov.problems.constraints import Constraint, Limits, constraints_of, exceeded, limits_of, one_sided, summed
from autov.problems.problem import Around, Problem, ProblemFamily, space_of
from autov.problems.value_function import value_constraints
from autov.problems.variable_space import Space

LEVEL = 1e50  # a feasible value above it counts as this; a square of an infeasible one does not overflow
HUGE = 1e90  # violations above it are compressed


@dataclass(frozen=True, eq=False)
class Constrained(Around):
    """A problem under constraints, some or all of its variables integers.

    Points are rounded inside, and the objective is called at feasible points only, unless it returns the constraints
    itself. The box reaches half a unit beyond the integers at its ends, so that all of them are equally likely.
    """

    problem: Problem
    constraints: tuple[Constraint, ...] = ()
    integrality: tuple[bool, ...] = ()  # one for each variable; empty for none

    @property
    def name(self) -> str:
        """The wrapped name."""
        return self.problem.name

    @property
    def returned(self) -> bool:
        """Whether the objective returns the constraints with its value."""
        return getattr(self.problem, "returns_constraints", False)

    @property
    def gives_rows(self) -> bool:
        """Whether points have constraints, and so `rows` of what is known of them."""
        return self.returned or bool(self.constraints)

    @cached_property
    def whole(self) -> np.ndarray:
        """Which variables are integers, (d,) bool."""
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
        """Points (n, d) as the objective sees them: integers where they must be."""
        if not self.whole.any():
            return x
        rounded = np.clip(np.rint(x), *self._inner) + 0.0  # no negative zeros
        return np.where(self.whole, rounded, x)

    def violation(self, x: Array, told: Array | None = None) -> Array:
        """The sum of what is outside the constraints at rounded points, (n,); 0 where a point is feasible.

        Violations ``told`` (n,) by others are added. A sum above `HUGE` is `compressed`.
        """
        return self.assessed(x, told)[0]

    def assessed(self, x: Array, told: Array | None = None) -> tuple[Array, Array]:
        """`violation`, and constraints (n, m) that are not above 0 where they are met, in the sizes of their bounds."""
        parts, total, constraints = np.empty((len(x), 0)), np.zeros(len(x)), np.empty((len(x), 0))
        with np.errstate(over="ignore"):
            if self.constraints:
                values, limits = self._values(x)
                parts, constraints = exceeded(values, limits)[1], one_sided(values, limits)
                total = summed(parts, limits.widths)
            if told is not None:
                parts, total = np.column_stack([parts, told]), told + total
        return compressed(total, parts), constraints

    def excess(self, x: Array) -> list[Array]:
        """What is outside each constraint at one point (d,), as SciPy counts it."""
        values, limits = self._values(self.rounded(x[None]))
        return np.split(exceeded(values, limits)[0][0], np.cumsum(limits.widths)[:-1])

    def _values(self, x: Array) -> tuple[Array, Limits]:
        """What all constraints bound, (n, m), and their bounds."""
        values = [constraint.values(x) for constraint in self.constraints]
        widths = tuple(one.shape[1] for one in values)
        limits = self._limits.get(widths)
        if limits is None:
            limits = self._limits[widths] = limits_of(self.constraints, widths)
        return np.concatenate(values, axis=1), limits

    @cached_property
    def _limits(self) -> dict[tuple[int, ...], Limits]:
        """Bounds by how many numbers each constraint gives, which is known when it was called."""
        return {}

    def __call__(self, x: Array, rng: Generator) -> Array:
        """Comparable numbers of the rows of x."""
        if not self.vectorized:
            return np.array([self.point(row) for row in np.atleast_2d(x)])
        return self.rows(np.atleast_2d(x), rng)[:, 0]

    def point(self, x: Array) -> float:
        """The penalized value of one point, where the wrapped problem is a Python function of single points."""
        return float(self.row(x)[0])

    def row(self, x: Array) -> Array:
        """`rows` of one point, (2 + m,)."""
        inner: Any = self.problem  # a check against a protocol at every point would cost more than the constraints
        x = self.rounded(x[None])
        if self.returned:
            return judged(inner.row(x[0])[None])[0]
        violation, constraints = self.assessed(x)
        value = inner.point(x[0]) if violation[0] == 0 else np.nan
        return np.concatenate([penalized(np.array([value]), violation), [value], constraints[0]])

    def rows(self, x: Array, rng: Generator) -> Array:
        """What is known of points, (n, 2 + m).

        The number that orders them, the value, NaN where the objective was not called, and the constraints, of which
        none is above 0 at a feasible point.
        """
        inner: Any = self.problem
        x = self.rounded(x)
        if self.returned:
            return judged(inner.rows(x))
        violation, constraints = self.assessed(x)
        feasible, values = violation == 0, np.full(len(x), np.nan)
        if feasible.any():
            values[feasible] = np.asarray(inner(x[feasible], rng), dtype=np.float64)
        return np.column_stack([penalized(values, violation), values, constraints])

    def objective(self) -> None:
        """Constraints are Python functions."""
        return


def judged(rows: Array) -> Array:
    """Values and constraints (n, 1 + m) with the number in front that orders them, (n, 2 + m)."""
    return np.column_stack([penalized(rows[:, 0], total_excess(rows[:, 1:])), rows])


def total_excess(constraints: Array) -> Array:
    """The violation (n,) of constraints (n, m) that must not be above 0; NaN counts as infinite."""
    outside = np.where(np.isnan(constraints), np.inf, np.maximum(constraints, 0.0))
    with np.errstate(over="ignore"):
        return compressed(outside.sum(axis=1), outside)


def penalized(values: Array, violation: Array) -> Array:
    """Values that order points by Deb's rules; NaN and infinite values stay what they are."""
    kept = np.where(np.isfinite(values), np.minimum(values, LEVEL), values)
    return np.where(violation > 0, LEVEL * (2 + violation), kept)


def violation_of(numbers: Array) -> Array:
    """The violations (n,) that numbers of `penalized` were made of; infinite ones have none."""
    numbers = np.asarray(numbers)
    with np.errstate(invalid="ignore"):
        return np.where((numbers > LEVEL) & np.isfinite(numbers), numbers / LEVEL - 2, 0.0)


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
    """The problem under constraints and with integer variables; itself where there are neither.

    Args:
        problem: no family, and not constrained itself.
        constraints: in one of SciPy's forms (see `constraints_of`).
        integrality: a truth value (or SciPy's 0 and 1) for each variable, or one for all.
        vectorized: the functions of the constraints take batches.
    """
    if (space := space_of(problem)) is not None:
        problem, checked, whole = _described(problem, space, constraints, integrality, vectorized)
    else:
        checked, whole = constraints_and_integers(constraints, integrality, problem.box, vectorized)
    if not checked and not whole and not getattr(problem, "returns_constraints", False):
        return problem
    if isinstance(problem, (Constrained, ProblemFamily)):
        raise InputError(f"constraints, integrality: {problem.name} brings its own or is a family")
    return Constrained(problem, checked, whole)


def _described(
    problem: Problem, space: Space, constraints: Any, integrality: Any, vectorized: bool
) -> tuple[Problem, tuple[Constraint, ...], tuple[bool, ...]]:  # fmt: skip
    """A problem of described variables without its integers, constraints of such points, and the integers."""
    if integrality is not None and tuple(np.atleast_1d(integrality)) != space.integrality:
        raise InputError("integrality: the description of the variables says which of them are integers")
    if isinstance(problem, Constrained) and not problem.constraints and not problem.returned:
        problem = problem.problem
    whole = space.integrality if any(space.integrality) else ()
    return problem, value_constraints(constraints, space, vectorized), whole


def described_rules(problem: Problem, space: Space, constraints: Any, integrality: Any) -> Constrained:
    """The rules of described variables: constraints that get points as they are described, and the integers."""
    return Constrained(*_described(problem, space, constraints, integrality, False))


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
        raise InputError(f"integrality: no integer lies in the bounds of variable {i}, "
                         f"[{box.lower[i]:g}, {box.upper[i]:g}]")  # fmt: skip
    if (whole & (np.maximum(np.abs(box.lower), np.abs(box.upper)) > 2.0**53)).any():
        raise InputError("integrality: bounds of integer variables must not be beyond 2^53")
    return tuple(bool(flag) for flag in whole)
