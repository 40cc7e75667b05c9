"""Thirteen functions besides the classic ones, by their usual words and boxes, and noisy ones.

Values of the noisy ones are f(x) exp(z) with a new standard normal z for every evaluation. Each is named after the
function that the noise is laid over, which has the minimum 0: the noise vanishes there, and the known minimum is exact.
See `autov.kernels.functions.more` and `noise`.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from autov.core import Array
from autov.kernels.functions import classic as classic_kernels
from autov.kernels.functions import more as kernels
from autov.problems.entries import Entry, blurred, zero

# The smallest root of 4 x^3 - 32 x + 5, the derivative of x^4 - 16 x^2 + 5 x.
STYBLINSKI_TANG_AT = -2.903534027771177
STYBLINSKI_TANG_VALUE = 0.5 * (STYBLINSKI_TANG_AT**4 - 16 * STYBLINSKI_TANG_AT**2 + 5 * STYBLINSKI_TANG_AT)


def _michalewicz_term(x: Array, number: int) -> Array:
    return -np.sin(x) * np.sin(number * x**2 / math.pi) ** 20


@functools.cache
def _michalewicz_minimum(number: int) -> tuple[float, float]:
    """Place and value of the smallest term of variable ``number`` in [0, pi].

    The function is a sum of terms of one variable each, so its minimum is known for any number of them. The second
    factor is one at x^2 = pi^2 (k + 1/2) / number; near the peak where the sine is largest, too, lies the minimum.
    """
    peaks = math.pi * np.sqrt((np.arange(number) + 0.5) / number)
    width = math.pi / number
    near = peaks[np.argsort(_michalewicz_term(peaks, number))][:3].tolist()
    best = (math.nan, math.inf)
    for peak in near:
        centre, half = peak, width / 2
        while half > 1e-9:
            x = np.clip(centre + half * np.linspace(-1, 1, 65), 0.0, math.pi)
            centre, half = float(x[np.argmin(_michalewicz_term(x, number))]), half / 16
        value = float(_michalewicz_term(np.array(centre), number))
        best = min(best, (centre, value), key=lambda found: found[1])
    return best


def _michalewicz_at(d: int) -> Array:
    return np.array([_michalewicz_minimum(i)[0] for i in range(1, d + 1)])


def _michalewicz_value(d: int) -> float:
    return math.fsum(_michalewicz_minimum(i)[1] for i in range(1, d + 1))


MORE = {
    "ellipsoid": Entry(None, 5.0, 0.0, zero, kernels.ellipsoid),
    "discus": Entry(None, 5.0, 0.0, zero, kernels.discus),
    "bent_cigar": Entry(None, 5.0, 0.0, zero, kernels.bent_cigar),
    "different_powers": Entry(None, 5.0, 0.0, zero, kernels.different_powers),
    "sharp_ridge": Entry(None, 5.0, 0.0, zero, kernels.sharp_ridge),
    "expanded_schaffer_f6": Entry(None, 100.0, 0.0, zero, kernels.expanded_schaffer_f6),
    "weierstrass": Entry(None, 0.5, 0.0, zero, kernels.weierstrass),
    "katsuura": Entry(None, 5.0, 0.0, zero, kernels.katsuura),
    "lunacek": Entry(None, 5.0, kernels.FUNNEL, zero, kernels.lunacek, least=2),
    "levy": Entry(None, 10.0, 1.0, zero, kernels.levy),
    "zakharov": Entry(None, 10.0, 0.0, zero, kernels.zakharov, lower=-5.0),
    "michalewicz": Entry(
        None, math.pi, _michalewicz_at, _michalewicz_value, kernels.michalewicz, lower=0.0, is_global=False
    ),
    "styblinski_tang": Entry(
        None, 5.0, STYBLINSKI_TANG_AT, lambda d: d * STYBLINSKI_TANG_VALUE, kernels.styblinski_tang
    ),
}  # fmt: skip
MORE_NAMES = tuple(MORE)
ALIASES = {  # other names of the same functions
    "elliptic": "ellipsoid", "cigar": "bent_cigar", "schaffer_f6": "expanded_schaffer_f6", "bi_rastrigin": "lunacek",
    "double_funnel": "lunacek",
}  # fmt: skip

NOISY = {
    "noisy_sphere": Entry(None, 100.0, 0.0, zero, classic_kernels.sphere, noisy=True, form=blurred),
    "noisy_schwefel_1_2": Entry(None, 100.0, 0.0, zero, classic_kernels.schwefel_1_2, noisy=True, form=blurred),
    "noisy_rosenbrock": Entry(None, 30.0, 1.0, zero, classic_kernels.rosenbrock, noisy=True, form=blurred),
    "noisy_rastrigin": Entry(None, 5.12, 0.0, zero, classic_kernels.rastrigin, noisy=True, form=blurred),
    "noisy_ackley": Entry(None, 32.0, 0.0, zero, classic_kernels.ackley, noisy=True, form=blurred),
    "noisy_griewank": Entry(None, 600.0, 0.0, zero, classic_kernels.griewank, noisy=True, form=blurred),
    "noisy_ellipsoid": Entry(None, 5.0, 0.0, zero, kernels.ellipsoid, noisy=True, form=blurred),
    "noisy_different_powers": Entry(None, 5.0, 0.0, zero, kernels.different_powers, noisy=True, form=blurred),
}
NOISY_NAMES = tuple(NOISY)
