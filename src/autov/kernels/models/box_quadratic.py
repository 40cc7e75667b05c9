"""Minimise a convex quadratic in the unit box: g'p + p'Bp / 2 for 0 <= u + p <= 1.

First a primal-dual active set method: solve for the variables that are free, fix those that leave the box at the border
they cross, free those whose multiplier has the wrong sign, and repeat until nothing changes. It nearly always ends
after a few systems of equations (M. Bergounioux, K. Ito, K. Kunisch, Primal-dual strategy for constrained optimal
control problems, SIAM Journal on Control and Optimization 37(4), 1999). Where it cycles, a primal active set method
takes over, which fixes and frees one variable at a time and never leaves the box (J. Nocedal, S. J. Wright, Numerical
Optimization, 2nd edition, 2006, section 16.5).
"""

from __future__ import annotations

import math

from autov.compiler.functions import internal, noinline

REPETITIONS = 12  # of the first method
WEAKEST = 1e-14  # smallest pivot, as a part of the diagonal


@noinline
def minimize_quadratic(u, g, matrix, factor, p, slopes, point, fixed):
    """Write the minimiser to p; ``fixed`` is -1, 0, 1 for variables at the lower border, free ones, at the upper one.

    Args:
        u: (d,) in the unit box.
        g: (d,) gradient at p = 0.
        matrix: (d, d) B, symmetric and positive definite.
        factor: (d, d) scratch.
        p: (d,) written.
        slopes: (d,) scratch.
        point: (d,) scratch.
        fixed: (d,) integers, written.
    """
    fix_outward(u, g, fixed)
    changed = True
    for _ in range(REPETITIONS):
        solve_free(u, g, matrix, factor, p, slopes, fixed)
        quadratic_slopes(g, matrix, p, slopes)
        changed = False
        for k in range(u.size):
            was = fixed[k]
            if was == 0 and u[k] + p[k] < 0.0:
                fixed[k] = -1
            elif was == 0 and u[k] + p[k] > 1.0:
                fixed[k] = 1
            elif was * slopes[k] > 0:
                fixed[k] = 0
            changed = changed or was != fixed[k]
        if not changed:
            break
    if changed:
        one_at_a_time(u, g, matrix, factor, p, slopes, point, fixed)
    for k in range(u.size):
        p[k] = min(max(p[k], -u[k]), 1.0 - u[k])


@internal
def fix_outward(u, g, fixed):
    """Fix variables at a border that the function falls beyond."""
    for k in range(u.size):
        fixed[k] = 0
        if u[k] <= 0.0 and g[k] >= 0:
            fixed[k] = -1
        elif u[k] >= 1.0 and g[k] <= 0:
            fixed[k] = 1


@internal
def quadratic_slopes(g, matrix, p, slopes):
    """The gradient of the quadratic at p."""
    for k in range(g.size):
        slopes[k] = g[k]
        for j in range(g.size):
            slopes[k] += matrix[k, j] * p[j]


@internal
def one_at_a_time(u, g, matrix, factor, p, slopes, point, fixed):
    """The primal method, from no step on; the quadratic falls from repetition to repetition."""
    d = u.size
    fix_outward(u, g, fixed)
    for k in range(d):
        point[k] = 0.0
    for _ in range(3 * d + 3):
        solve_free(u, g, matrix, factor, p, slopes, fixed)
        part, blocking, side = 1.0, -1, 0
        for k in range(d):
            if fixed[k] == 0 and u[k] + p[k] < 0.0 and u[k] + point[k] < part * (point[k] - p[k]):
                part, blocking, side = (u[k] + point[k]) / (point[k] - p[k]), k, -1
            elif fixed[k] == 0 and u[k] + p[k] > 1.0 and 1.0 - u[k] - point[k] < part * (p[k] - point[k]):
                part, blocking, side = (1.0 - u[k] - point[k]) / (p[k] - point[k]), k, 1
        for k in range(d):
            point[k] += part * (p[k] - point[k])
        if blocking >= 0:
            fixed[blocking] = side
            point[blocking] = (1.0 if side > 0 else 0.0) - u[blocking]
            continue
        quadratic_slopes(g, matrix, p, slopes)
        worst, freed = 0.0, -1
        for k in range(d):
            if fixed[k] * slopes[k] > worst:
                worst, freed = fixed[k] * slopes[k], k
        if freed < 0:
            break
        fixed[freed] = 0
    for k in range(d):
        p[k] = point[k]


@internal
def solve_free(u, g, matrix, factor, p, right, fixed):
    """Steps to the border for fixed variables, and those that minimise the quadratic for the others.

    The free rows and columns of B are factorised as L L'; rows of ``factor`` are those of L, one after the other.
    """
    d = u.size
    for k in range(d):
        p[k] = 0.0
        if fixed[k] != 0:
            p[k] = (1.0 if fixed[k] > 0 else 0.0) - u[k]
    n = 0
    for k in range(d):
        if fixed[k] != 0:
            continue
        total = -g[k]
        for j in range(d):
            if fixed[j] != 0:
                total -= matrix[k, j] * p[j]
        row, i = factor[n], 0
        for j in range(k):
            if fixed[j] != 0:
                continue
            other, entry = factor[i], matrix[k, j]
            for m in range(i):
                entry -= row[m] * other[m]
            row[i] = entry / other[i]
            total -= row[i] * right[i]
            i += 1
        pivot = matrix[k, k]
        for m in range(n):
            pivot -= row[m] * row[m]
        if not pivot > WEAKEST * matrix[k, k]:
            pivot = matrix[k, k]
        row[n] = math.sqrt(pivot)
        right[n] = total / row[n]
        n += 1
    i = n - 1
    for k in range(d - 1, -1, -1):
        if fixed[k] != 0:
            continue
        p[k] = right[i] / factor[i, i]
        for m in range(i):
            right[m] -= factor[i, m] * p[k]
        i -= 1
