"""Thirteen functions besides the classic ones, by their usual words and boxes; see `autov.kernels.added`."""

from __future__ import annotations

import functools
import math

import numpy as np
from numba import carray

from autov.core import Array
from autov.kernels import added as kernels
from autov.problems.entries import Entry, zero


def _ellipsoid(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.ellipsoid(carray(x, (n, d)), carray(out, (n,)))


def _discus(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.discus(carray(x, (n, d)), carray(out, (n,)))


def _bent_cigar(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.bent_cigar(carray(x, (n, d)), carray(out, (n,)))


def _different_powers(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.different_powers(carray(x, (n, d)), carray(out, (n,)))


def _sharp_ridge(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.sharp_ridge(carray(x, (n, d)), carray(out, (n,)))


def _expanded_schaffer_f6(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.expanded_schaffer_f6(carray(x, (n, d)), carray(out, (n,)))


def _weierstrass(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.weierstrass(carray(x, (n, d)), carray(out, (n,)))


def _katsuura(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.katsuura(carray(x, (n, d)), carray(out, (n,)))


def _lunacek(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.lunacek(carray(x, (n, d)), carray(out, (n,)))


def _levy(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.levy(carray(x, (n, d)), carray(out, (n,)))


def _zakharov(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.zakharov(carray(x, (n, d)), carray(out, (n,)))


def _michalewicz(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.michalewicz(carray(x, (n, d)), carray(out, (n,)))


def _styblinski_tang(x, n, d, out, context, size, first, second):  # noqa: ARG001
    kernels.styblinski_tang(carray(x, (n, d)), carray(out, (n,)))


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


ADDED = {
    "ellipsoid": Entry(None, 5.0, 0.0, zero, _ellipsoid),
    "discus": Entry(None, 5.0, 0.0, zero, _discus),
    "bent_cigar": Entry(None, 5.0, 0.0, zero, _bent_cigar),
    "different_powers": Entry(None, 5.0, 0.0, zero, _different_powers),
    "sharp_ridge": Entry(None, 5.0, 0.0, zero, _sharp_ridge),
    "expanded_schaffer_f6": Entry(None, 100.0, 0.0, zero, _expanded_schaffer_f6),
    "weierstrass": Entry(None, 0.5, 0.0, zero, _weierstrass),
    "katsuura": Entry(None, 5.0, 0.0, zero, _katsuura),
    "lunacek": Entry(None, 5.0, kernels.FUNNEL, zero, _lunacek, least=2),
    "levy": Entry(None, 10.0, 1.0, zero, _levy),
    "zakharov": Entry(None, 10.0, 0.0, zero, _zakharov, lower=-5.0),
    "michalewicz": Entry(
        None, math.pi, _michalewicz_at, _michalewicz_value, _michalewicz, lower=0.0, is_global=False
    ),
    "styblinski_tang": Entry(
        None, 5.0, STYBLINSKI_TANG_AT, lambda d: d * STYBLINSKI_TANG_VALUE, _styblinski_tang
    ),
}  # fmt: skip
ADDED_NAMES = tuple(ADDED)
ALIASES = {  # other names of the same functions
    "elliptic": "ellipsoid", "cigar": "bent_cigar", "schaffer_f6": "expanded_schaffer_f6", "bi_rastrigin": "lunacek",
    "double_funnel": "lunacek",
}  # fmt: skip
