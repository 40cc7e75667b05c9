"""A quadratic model of a function near its best point.

Its Hessian is an explicit matrix and a sum of curvatures times y y' over the points y of an interpolation; its gradient
is that at the best point. A new value changes it by a multiple of a Lagrange function, see `autov.kernels.models.
interpolation`: of all models that interpolate, that is the one with the smallest change of the Hessian.
"""

from __future__ import annotations

from autov.compiler.functions import internal, noinline
from autov.kernels.models.interpolation import add_row, dot


@noinline
def hessian_times(hessian, curvatures, points, v, out):
    """Write the Hessian times v to out."""
    m, n = points.shape
    for j in range(n):
        out[j] = dot(hessian[j], v, n)
    for k in range(m):
        if curvatures[k] != 0:
            add_row(out, curvatures[k] * dot(points[k], v, n), points[k], n)


@internal
def fill_curvatures(z, m, t, out):
    """Curvatures of the Lagrange function of point t: column t of Omega."""
    for k in range(m):
        out[k] = 0.0
    for j in range(z.shape[0]):
        add_row(out, z[j, t], z[j], m)


@noinline
def fill_lagrange(points, centre, z, b, t, curvatures, gradient):
    """Curvatures of the Lagrange function of point t, and its gradient at the centre."""
    m, n = points.shape
    fill_curvatures(z, m, t, curvatures)
    for j in range(n):
        gradient[j] = b[j, t]
    for k in range(m):
        add_row(gradient, curvatures[k] * dot(points[k], centre, n), points[k], n)


@noinline
def fill_least_norm(points, values, opt, centre, z, b, residuals, curvatures, gradient):
    """The model whose Hessian, not its change, is smallest: its curvatures and its gradient at the centre."""
    m, n = points.shape
    for k in range(m):
        residuals[k] = values[k] - values[opt]
        curvatures[k] = 0.0
    for j in range(z.shape[0]):
        add_row(curvatures, dot(z[j], residuals, m), z[j], m)
    for j in range(n):
        gradient[j] = dot(b[j], residuals, m)
    for k in range(m):
        add_row(gradient, curvatures[k] * dot(points[k], centre, n), points[k], n)


@noinline
def make_explicit(hessian, curvatures, points):
    """Add the terms of the points to the matrix: points may then be replaced or moved to another base."""
    for k in range(points.shape[0]):
        absorb(hessian, curvatures, points, k)


@internal
def absorb(hessian, curvatures, points, k):
    """The same for one point."""
    n = points.shape[1]
    if curvatures[k] != 0:
        for j in range(n):
            add_row(hessian[j], curvatures[k] * points[k, j], points[k], n)
    curvatures[k] = 0.0
