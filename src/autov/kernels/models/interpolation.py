"""The inverse of the interpolation system of quadratic models: m points, n variables, n + 2 <= m.

M. J. D. Powell, Least Frobenius norm updating of quadratic models that satisfy interpolation conditions, Mathematical
Programming 100, 2004, and The BOBYQA algorithm for bound constrained optimization without derivatives, Report
DAMTP 2009/NA06. With A_ij = (y_i'y_j)^2 / 2 and X' = [1 Y] for points y (rows of Y, relative to a base), the inverse of

    W = [A X'; X 0]   is   H = [Omega Xi'; Xi Upsilon],   Omega = Z Z',  Z (m, m - n - 1),

and of all quadratics with values r at the points, the one whose Hessian has the smallest Frobenius norm has the
curvatures Omega r (its Hessian is the sum of curvatures times y y') and at the base the gradient Xi r. Lagrange
functions are those of r = e_t. Arrays have rows along the points: ``z`` is Z', ``b`` is [Xi Upsilon] without what
belongs to the constant.

The arrays have room for more points: z.shape[1] of them, and Upsilon begins in that column of ``b``. `invert` makes
them from the points alone. `exchange` updates them when one point is replaced, in O((m + n)^2), `append` when one is
added.
"""

from __future__ import annotations

import math

from autov.compiler.functions import internal, noinline

SINGULAR = 1e-9  # pivots below this part of the largest: the points lie in a plane, or nearly
FLAT = 1e-18  # the same of fourth powers of distances


@internal
def dot(a, b, n):
    """The sum of the products of the first n elements."""
    total = 0.0
    for k in range(n):
        total += a[k] * b[k]
    return total


@internal
def add_row(target, factor, row, n):
    """Add a multiple of a row, its first n elements."""
    for k in range(n):
        target[k] += factor * row[k]


@internal
def reflect(row, u, begin, end, factor):
    """Row - factor (u'row) u, of the elements from ``begin`` on and before ``end``."""
    total = 0.0
    for k in range(begin, end):
        total += u[k] * row[k]
    total *= factor
    for k in range(begin, end):
        row[k] -= total * u[k]


@noinline
def factorise(columns, m, q, diagonal, factor):
    """Householder's QR of n + 1 columns of m numbers, given as rows; return whether they are independent.

    R has the diagonal ``diagonal`` and R[j, i] = columns[i, j] for j < i; the rest of ``columns`` are the reflections.
    The rows of q become the columns of Q.
    """
    count = columns.shape[0]
    largest = 0.0
    for j in range(count):
        u = columns[j]
        square = 0.0
        for k in range(j, m):
            square += u[k] * u[k]
        norm = math.sqrt(square)
        largest = max(largest, norm)
        if not norm > SINGULAR * largest:
            return False
        diagonal[j] = -norm if u[j] > 0 else norm
        u[j] -= diagonal[j]
        factor[j] = 1 / (norm * abs(u[j]))  # 2 / u'u
        for i in range(j + 1, count):
            reflect(columns[i], u, j, m, factor[j])
    for i in range(m):
        for k in range(m):
            q[i, k] = 1.0 if i == k else 0.0
        for j in range(min(i, count - 1), -1, -1):
            reflect(q[i], columns[j], j, m, factor[j])
    return True


@noinline
def invert(points, z, b, columns, q, a, product, triangle, vector):
    """Make z and b from the points; return whether that is possible.

    Args:
        points: (m, n) relative to the base.
        z: (m - n - 1, m) written.
        b: (n, m + n) written.
        columns: (n + 1, m) scratch.
        q: (m, m) scratch.
        a: (m, m) scratch.
        product: (n + 1, m) scratch.
        triangle: (m - n - 1, m - n - 1) scratch.
        vector: (2, m + n) scratch.
    """
    m, n = points.shape
    rest, size = z.shape
    largest = 0.0
    for i in range(m):
        largest = max(largest, dot(points[i], points[i], n))
    width = math.sqrt(largest)  # the system has fourth powers of distances: it is solved for points in a unit ball
    if not width > 0:
        return False
    for i in range(m):
        columns[0, i] = 1.0
        for j in range(n):
            columns[j + 1, i] = points[i, j] / width
        for k in range(i + 1):
            c = dot(points[i], points[k], n) / largest
            a[i, k] = a[k, i] = 0.5 * c * c
    diagonal = vector[1]
    if not factorise(columns, m, q, diagonal, vector[0]):
        return False
    # N, the last columns of Q, is orthogonal to constants and variables. N'AN = L L' and Z = N L'^-1.
    for i in range(rest):
        for k in range(m):
            z[i, k] = 0.0
        for k in range(m):
            add_row(z[i], q[n + 1 + i, k], a[k], m)  # N'A, for the moment
    if not cholesky(z, m, q, n + 1, triangle):
        return False
    for i in range(rest):
        for k in range(m):
            z[i, k] = q[n + 1 + i, k]
        for j in range(i):
            add_row(z[i], -triangle[i, j], z[j], m)
        for k in range(m):
            z[i, k] /= triangle[i, i]
    # P = R^-1 (first columns of Q)', Xi = P (I - A Omega), Upsilon = -Xi A P'.
    for i in range(n, -1, -1):
        for j in range(i + 1, n + 1):
            add_row(q[i], -columns[j, i], q[j], m)
        for k in range(m):
            q[i, k] /= diagonal[i]
            product[i, k] = 0.0
        for k in range(m):
            add_row(product[i], q[i, k], a[k], m)
    for j in range(n):
        for k in range(m):
            b[j, k] = q[j + 1, k]
        for i in range(rest):
            add_row(b[j], -dot(product[j + 1], z[i], m), z[i], m)
        for i in range(n):
            b[j, size + i] = -largest * dot(b[j], product[i + 1], m)
        for k in range(m):
            b[j, k] /= width
    for i in range(rest):
        for k in range(m):
            z[i, k] /= largest
    return True


@internal
def cholesky(left, m, q, begin, triangle):
    """The factor L of the matrix left N with N the columns q[begin], q[begin + 1], ...; whether it is positive."""
    rest = left.shape[0]
    largest = 0.0
    for i in range(rest):
        for k in range(i + 1):
            triangle[i, k] = dot(left[i], q[begin + k], m)
        largest = max(largest, triangle[i, i])
    for i in range(rest):
        for k in range(i + 1):
            total = triangle[i, k] - dot(triangle[i], triangle[k], k)
            if k < i:
                triangle[i, k] = total / triangle[k, k]
            elif total > FLAT * largest:
                triangle[i, i] = math.sqrt(total)
            else:
                return False
    return True


@noinline
def lagrange_values(points, centre, opt, z, b, step, values, w):
    """Values of all Lagrange functions at centre + step and what follows them in H w; return beta.

    Here w is that of the new point minus that of the centre, which is one of the points: H takes the latter to a unit
    vector.

    Args:
        points: (m, n) relative to the base.
        centre: (n,) the point from which the step is made.
        opt: its number.
        z: see the module.
        b: see the module.
        step: (n,)
        values: (m + n,) written.
        w: (m + n,) scratch.
    """
    m, n = points.shape
    size = z.shape[1]
    for k in range(m):
        along = dot(points[k], step, n)
        w[k] = along * (0.5 * along + dot(points[k], centre, n))
        values[k] = 0.0
    beta = 0.0
    for j in range(z.shape[0]):
        total = dot(z[j], w, m)
        beta -= total * total
        add_row(values, total, z[j], m)
    along = dot(step, centre, n)
    square, distance = dot(step, step, n), dot(centre, centre, n)
    for j in range(n):
        add_row(values, step[j], b[j], m)
        values[size + j] = dot(b[j], w, m)
        beta -= 2 * values[size + j] * step[j]
    for j in range(n):
        for i in range(n):
            values[size + j] += b[j, size + i] * step[i]
            beta -= b[j, size + i] * step[i] * step[j]
    values[opt] += 1
    return beta + along * along + square * (distance + 2 * along + 0.5 * square)


@noinline
def exchange(z, b, m, t, values, beta, w):
    """Update z and b when a point with such Lagrange values replaces point t of m; return whether that was possible.

    H + (alpha v v' - beta h h' - tau (v h' + h v')) / sigma with h = H e_t, v = H w - e_t, sigma = alpha beta + tau^2.
    """
    size, n = z.shape[1], b.shape[0]
    rotate(z, m, t)
    tau = values[t]
    alpha = z[0, t] * z[0, t]
    sigma = alpha * beta + tau * tau
    if not sigma > 0:
        return False
    for k in range(m):
        w[k] = z[0, k] * z[0, t]
    for j in range(n):
        w[size + j] = b[j, t]
    values[t] -= 1
    root = math.sqrt(sigma)
    keep, add = tau / root, -z[0, t] / root
    for k in range(m):
        z[0, k] = keep * z[0, k] + add * values[k]
    for j in range(n):
        along = (alpha * values[size + j] - tau * w[size + j]) / sigma
        across = (-beta * w[size + j] - tau * values[size + j]) / sigma
        for k in range(m):
            b[j, k] += along * values[k] + across * w[k]
        for k in range(size, size + n):
            b[j, k] += along * values[k] + across * w[k]
    values[t] += 1
    return True


@internal
def rotate(z, m, t):
    """Rotate the rows of z, which keeps Omega, until only the first has something at point t."""
    for j in range(1, z.shape[0]):
        if z[j, t] != 0:
            length = math.sqrt(z[0, t] * z[0, t] + z[j, t] * z[j, t])
            c, s = z[0, t] / length, z[j, t] / length
            for k in range(m):
                first, other = z[0, k], z[j, k]
                z[0, k] = c * first + s * other
                z[j, k] = c * other - s * first
            z[j, t] = 0.0


@noinline
def append(z, b, m, values, beta):
    """Update z and b when a point with such Lagrange values follows the m points; z has a row more than it had.

    The inverse of a bordered matrix: H + v v' / beta with v = (H w, -1).
    """
    size, n = z.shape[1], b.shape[0]
    last = z.shape[0] - 1
    root = math.sqrt(beta)
    for j in range(last):
        z[j, m] = 0.0
    for k in range(m):
        z[last, k] = values[k] / root
    z[last, m] = -1 / root
    for j in range(n):
        factor = values[size + j] / beta
        add_row(b[j], factor, values, m)
        b[j, m] = -factor
        for k in range(size, size + n):
            b[j, k] += factor * values[k]
