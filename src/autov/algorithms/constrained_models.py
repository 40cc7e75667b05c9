"""Quadratic models of an objective and its constraints, and the step that they suggest.

M. J. D. Powell, Least Frobenius norm updating of quadratic models that satisfy interpolation conditions, Mathematical
Programming 100, 183-215, 2004: of all quadratics through the points the one whose Hessian is smallest. All functions
share the points, so one matrix is solved for all of them. The step minimises one model under the others, in a box, by
an augmented Lagrangian (J. Nocedal and S. J. Wright, Numerical Optimization, 2nd edition, 2006, Algorithm 17.4), whose
subproblems Newton steps projected into the box solve (D. P. Bertsekas, SIAM Journal on Control and Optimization 20,
1982).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from autov.core import Array

RIDGE = 1e-10  # of the interpolation matrix, as a part of its mean diagonal: points may coincide
OUTER, INNER, HALVINGS = 8, 25, 12  # most iterations of multipliers, of Newton's method, and of a line search
EXACT = 1e-6  # a constraint is met so far, in parts of its range over the points
PENALTY, GROWTH = 10.0, 4.0  # of the augmented Lagrangian, where functions have a range of about 1


class Models(NamedTuple):
    """Of k functions around a centre: value + slope s + s hessian s / 2."""

    value: Array  # (k,)
    slope: Array  # (k, d)
    hessian: Array  # (k, d, d)

    def at(self, s: Array) -> Array:
        """Values (k,) at a step (d,)."""
        return self.value + self.slope @ s + 0.5 * (self.hessian @ s) @ s


def fitted(s: Array, values: Array) -> Models:
    """The models of functions with ``values`` (n, k) at steps ``s`` (n, d): Powell's equations (1.8) to (1.10)."""
    n, d = s.shape
    square = 0.5 * (s @ s.T) ** 2
    tail = np.column_stack([np.ones(n), s])
    matrix = np.zeros((n + d + 1, n + d + 1))
    matrix[:n, :n] = square + RIDGE * max(float(np.trace(square)) / n, 1e-12) * np.eye(n)
    matrix[:n, n:], matrix[n:, :n] = tail, tail.T
    matrix[n:, n:] = -1e-9 * np.eye(d + 1)  # fewer points than a linear function needs
    solved = np.linalg.solve(matrix, np.concatenate([values, np.zeros((d + 1, values.shape[1]))])).astype(np.float64)
    weights, rest = solved[:n], solved[n:]
    hessian = (weights.T[:, :, None] * s).transpose(0, 2, 1) @ s
    return Models(rest[0], rest[1:].T, hessian)


def constrained_step(models: Models, lower: Array, upper: Array, margin: Array) -> tuple[Array, Array]:
    """The step in the box that minimises the first model where no other one exceeds minus its margin.

    Args:
        models: in units in which functions range over about 1.
        lower: corner of the box, at most 0.
        upper: the other one, at least 0.
        margin: of each constraint, (k - 1,).

    Returns:
        The step (d,), and the multipliers of the constraints (k - 1,). Where no step meets all of them, it minimises
        their excess above all, and the multipliers are large.
    """
    multipliers, penalty = np.zeros(len(margin)), PENALTY
    s = np.clip(np.zeros(len(lower)), lower, upper)
    for _ in range(OUTER):
        s = _newton(lambda at: _lagrangian(models, at, margin, multipliers, penalty), s, lower, upper)  # noqa: B023
        excess = models.at(s)[1:] + margin
        missed = np.abs(np.maximum(excess, -multipliers / penalty)).max(initial=0.0)
        multipliers = np.maximum(multipliers + penalty * excess, 0.0)
        if missed < EXACT:
            break
        penalty *= GROWTH
    return s, multipliers


Expansion = tuple[float, Array, Array]  # value, gradient (d,) and Hessian (d, d)


def _lagrangian(models: Models, s: Array, margin: Array, multipliers: Array, penalty: float) -> Expansion:
    bent = models.hessian @ s
    values, slopes = models.value + models.slope @ s + 0.5 * bent @ s, models.slope + bent
    force = np.maximum(values[1:] + margin + multipliers / penalty, 0.0)
    active = slopes[1:][force > 0]
    hessian = models.hessian[0] + penalty * (
        np.tensordot(force, models.hessian[1:], 1) + active.T @ active
    )  # fmt: skip
    return float(values[0] + 0.5 * penalty * force @ force), slopes[0] + penalty * force @ slopes[1:], hessian


def _newton(function: Callable[[Array], Expansion], s: Array, lower: Array, upper: Array) -> Array:
    """A local minimum in the box: Newton steps with positive curvatures, projected, until nothing is gained."""
    f, g, hessian = function(s)
    for _ in range(INNER):
        free = ~(((s <= lower) & (g > 0)) | ((s >= upper) & (g < 0)))
        if not free.any() or np.abs(g[free]).max() < 1e-9 * (1 + abs(f)):
            break
        curvature, axes = np.linalg.eigh(hessian[np.ix_(free, free)])
        curvature = np.maximum(np.abs(curvature), 1e-6 * max(1e-12, float(np.abs(curvature).max())))
        step = np.zeros_like(s)
        step[free] = -axes @ ((axes.T @ g[free]) / curvature)
        step *= min(1.0, float((upper - lower).max()) / float(np.abs(step).max()))  # or halvings end in one corner
        for halvings in range(HALVINGS):
            new = np.clip(s + 0.4**halvings * step, lower, upper)
            found = function(new)
            if found[0] < f + 1e-4 * g @ (new - s):
                break
        else:
            break
        gain, s, (f, g, hessian) = f - found[0], new, found
        if gain < 1e-10 * (abs(f) + 1e-10):
            break
    return s
