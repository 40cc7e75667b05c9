"""Functions whose values are noisy: f(x) exp(z) with a new standard normal z for every evaluation.

Each is named after the function that the noise is laid over, which has the minimum 0: the noise vanishes there, and
the known minimum is exact. See `autov.kernels.noise`.
"""

from __future__ import annotations

from numba import carray

from autov.kernels import added, classic
from autov.kernels.noise import blur
from autov.problems.entries import Entry, zero


def _sphere(x, n, d, out, context, size, first, second):  # noqa: ARG001
    classic.sphere(carray(x, (n, d)), carray(out, (n,)))
    blur(carray(out, (n,)), first, second)


def _schwefel_1_2(x, n, d, out, context, size, first, second):  # noqa: ARG001
    classic.schwefel_1_2(carray(x, (n, d)), carray(out, (n,)))
    blur(carray(out, (n,)), first, second)


def _rosenbrock(x, n, d, out, context, size, first, second):  # noqa: ARG001
    classic.rosenbrock(carray(x, (n, d)), carray(out, (n,)))
    blur(carray(out, (n,)), first, second)


def _rastrigin(x, n, d, out, context, size, first, second):  # noqa: ARG001
    classic.rastrigin(carray(x, (n, d)), carray(out, (n,)))
    blur(carray(out, (n,)), first, second)


def _ackley(x, n, d, out, context, size, first, second):  # noqa: ARG001
    classic.ackley(carray(x, (n, d)), carray(out, (n,)))
    blur(carray(out, (n,)), first, second)


def _griewank(x, n, d, out, context, size, first, second):  # noqa: ARG001
    classic.griewank(carray(x, (n, d)), carray(out, (n,)))
    blur(carray(out, (n,)), first, second)


def _ellipsoid(x, n, d, out, context, size, first, second):  # noqa: ARG001
    added.ellipsoid(carray(x, (n, d)), carray(out, (n,)))
    blur(carray(out, (n,)), first, second)


def _different_powers(x, n, d, out, context, size, first, second):  # noqa: ARG001
    added.different_powers(carray(x, (n, d)), carray(out, (n,)))
    blur(carray(out, (n,)), first, second)


NOISY = {
    "noisy_sphere": Entry(None, 100.0, 0.0, zero, _sphere, noisy=True),
    "noisy_schwefel_1_2": Entry(None, 100.0, 0.0, zero, _schwefel_1_2, noisy=True),
    "noisy_rosenbrock": Entry(None, 30.0, 1.0, zero, _rosenbrock, noisy=True),
    "noisy_rastrigin": Entry(None, 5.12, 0.0, zero, _rastrigin, noisy=True),
    "noisy_ackley": Entry(None, 32.0, 0.0, zero, _ackley, noisy=True),
    "noisy_griewank": Entry(None, 600.0, 0.0, zero, _griewank, noisy=True),
    "noisy_ellipsoid": Entry(None, 5.0, 0.0, zero, _ellipsoid, noisy=True),
    "noisy_different_powers": Entry(None, 5.0, 0.0, zero, _different_powers, noisy=True),
}
NOISY_NAMES = tuple(NOISY)
