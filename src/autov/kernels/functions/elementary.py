"""Logarithm, powers, sine and cosine that loops vectorise.

Numba's LLVM has no vector library: math.sin and math.cos are scalar calls. So they are written out: bits for the
exponent, a polynomial (the Chebyshev fit, in Estrin's order, which leaves short chains of dependent operations) for the
rest. Sine and cosine of a fraction of a turn use the fit of sin(2 pi t) / t in t^2 on |t| <= 1/4; its error is below
2e-16.
"""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import inlined

ROOT_HALF = np.uint64(0x3FE6A09E667F3BCD)  # the bits of sqrt(1/2)
TO_ONE = np.uint64(0x3FF0000000000000 - 0x3FE6A09E667F3BCD)
MANTISSA = np.uint64(0x000FFFFFFFFFFFFF)
INTEGER = np.uint64(0x4330000000000000)  # the bits of 2^52: or-ed with a small integer, 2^52 plus that integer
BIAS = 2.0**52 + 1023.0  # added to a whole number, it leaves that number plus 1023 in the last bits
SHIFT = np.uint64(52)


@inlined
def log2(x):
    """Binary logarithm of a normal positive number, error below 1e-15; something finite for zero and infinity."""
    bits = np.float64(x).view(np.uint64) + TO_ONE
    exponent = np.uint64((bits >> SHIFT) | INTEGER).view(np.float64) - BIAS
    f = np.uint64((bits & MANTISSA) + ROOT_HALF).view(np.float64) - 1.0
    s = f / (2.0 + f)  # log(1 + f) = 2 artanh(s)
    z = s * s
    z2 = z * z
    low = (2.885390081777927 + 0.9617966939243334 * z) + (0.5770780172468152 + 0.41219840197113866 * z) * z2
    high = (0.32061639366749817 + 0.2614440669404145 * z) + 0.2429183283681122 * z2
    return exponent + s * (low + high * (z2 * z2))


@inlined
def exp_small(u):
    """exp(u) for |u| <= 0.0981, error below 4e-15."""
    u2 = u * u
    low = (1.0 + u) + (0.5000000000024182 + 0.16666666666693525 * u) * u2
    high = (0.04166666465646962 + 0.008333333110009349 * u) + (0.001389306635987543 + 0.0001984591120645636 * u) * u2
    return low + high * (u2 * u2)


@inlined
def exp2(y):
    """2^y for y >= -1022, relative error below 1e-15; infinite from 1023.5 on."""
    y = y if y < 1024.0 else 1024.0
    k = np.rint(y)
    r = y - k
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 + 0.6931471805599462 * r) + (0.24022650695910075 + 0.05550410866465167 * r) * r2
    middle = 0.009618129107618697 + 0.0013333558200795674 * r
    middle += (0.00015403530424747236 + 1.5252672924072199e-05 * r) * r2
    high = (1.321545164390453e-06 + 1.0205905580058611e-07 * r) + 7.0709765781757545e-09 * r2
    power = np.uint64(np.float64(k + BIAS).view(np.uint64) << SHIFT).view(np.float64)
    return power * (low + r4 * (middle + r4 * high))


@inlined
def half_sine(r):
    """sin(pi r) for |r| <= 1/2, error below 2e-16."""
    z = r * r
    z2 = z * z
    low = (3.141592653589793 - 5.1677127800497855 * z) + (2.5501640398618677 - 0.599264528825224 * z) * z2
    high = (0.08214587881631043 - 0.0073703643265304155 * z) + (0.0004659870158043378 - 2.113362735205297e-05 * z) * z2
    return r * (low + high * (z2 * z2))


@inlined
def sine(t):
    """sin(pi t): the sign changes with every half turn."""
    k = np.rint(t)
    # The last bit tells whether k is odd (the bias is odd as well).
    sign = np.uint64(np.float64(k + BIAS).view(np.uint64) + np.uint64(1)) << np.uint64(63)
    r = np.uint64(np.float64(t - k).view(np.uint64) ^ sign).view(np.float64)
    return half_sine(r)


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
