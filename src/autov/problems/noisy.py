"""Functions whose values are noisy: f(x) exp(z) with a new standard normal z for every evaluation.

Each is named after the function that the noise is laid over, which has the minimum 0: the noise vanishes there, and
the known minimum is exact. See `autov.kernels.functions.noise`.
"""

from __future__ import annotations

from autov.kernels.functions import classic, more
from autov.problems.entries import Entry, blurred, zero

NOISY = {
    "noisy_sphere": Entry(None, 100.0, 0.0, zero, classic.sphere, noisy=True, form=blurred),
    "noisy_schwefel_1_2": Entry(None, 100.0, 0.0, zero, classic.schwefel_1_2, noisy=True, form=blurred),
    "noisy_rosenbrock": Entry(None, 30.0, 1.0, zero, classic.rosenbrock, noisy=True, form=blurred),
    "noisy_rastrigin": Entry(None, 5.12, 0.0, zero, classic.rastrigin, noisy=True, form=blurred),
    "noisy_ackley": Entry(None, 32.0, 0.0, zero, classic.ackley, noisy=True, form=blurred),
    "noisy_griewank": Entry(None, 600.0, 0.0, zero, classic.griewank, noisy=True, form=blurred),
    "noisy_ellipsoid": Entry(None, 5.0, 0.0, zero, more.ellipsoid, noisy=True, form=blurred),
    "noisy_different_powers": Entry(None, 5.0, 0.0, zero, more.different_powers, noisy=True, form=blurred),
}
NOISY_NAMES = tuple(NOISY)
