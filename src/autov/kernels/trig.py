"""Sine and cosine of a fraction of a turn as polynomials, so that loops which use them vectorise.

Numba's LLVM has no vector library: math.sin and math.cos are scalar calls. The polynomial is the Chebyshev fit of
sin(2 pi t) / t in t^2 on |t| <= 1/4; its error is below 2e-16.
"""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import inlined

INVERSE_TURN = 0.5 / math.pi


@inlined
def quarter_sine(t):
    """sin(2 pi t) for |t| <= 1/4."""
    z = t * t
    p = -0.69250670107207173
    p = p * z + 3.8173656334691352
    p = p * z - 15.094506140734291
    p = p * z + 42.058689953950939
    p = p * z - 76.705859689628673
    p = p * z + 81.605249275579764
    p = p * z - 41.341702240398287
    return t * (p * z + 6.2831853071795858)


@inlined
def cos_turns(t):
    """cos(2 pi t)."""
    r = t - np.rint(t)
    return quarter_sine(0.25 - abs(r))


@inlined
def sin_turns(t):
    """sin(2 pi t)."""
    r = t - np.rint(t)  # in [-1/2, 1/2]
    folded = math.copysign(0.5, r) - r
    return quarter_sine(folded if abs(r) > 0.25 else r)
