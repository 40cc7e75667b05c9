"""Thirteen further functions that tables of results are full of, for batches of points.

Each takes x (n, d) and writes the n values into out. As they are used here, without shifts, rotations and penalties:
the transformations of `autov.problems` add those. Formulas from

Hansen, Finck, Ros, Auger: Real-parameter black-box optimization benchmarking 2009: noiseless functions definitions.
INRIA research report 6829, 2009 (ellipsoid, discus, bent_cigar, different_powers, sharp_ridge, weierstrass, katsuura,
lunacek); Suganthan et al.: Problem definitions and evaluation criteria for the CEC 2005 special session on
real-parameter optimization, 2005 (expanded_schaffer_f6, weierstrass); Laguna, Marti: Experimental testing of advanced
scatter search designs for global optimization of multimodal functions. Journal of Global Optimization 33, 2005 (levy,
zakharov, michalewicz); Styblinski, Tang: Experiments in nonconvex optimization. Neural Networks 3, 1990.
"""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import helper, objective
from autov.kernels.functions.classic import not_below_zero, row_sums
from autov.kernels.functions.elementary import INVERSE_TURN, cos_turns, exp2, log2, sin_turns

CONDITION = 1e6
WAVES = 21  # k = 0 .. 20 of Weierstrass' series
HALVINGS = 32  # j = 1 .. 32 of Katsuura's
FUNNEL = 2.5  # mu_0 of Lunacek's function, every coordinate of its optimum
DEPTH = 1.0  # its J: how much higher the other funnel ends, for each variable
NEGLIGIBLE = 1e-160  # its square is no longer a normal number


@helper
def ramp(d):
    """(0, 1/(d-1), .., 1), and 0 for one variable."""
    steps = np.zeros(d)
    for k in range(1, d):
        steps[k] = k / (d - 1)
    return steps


@objective
def ellipsoid(x, out):
    """sum_i 10^(6 (i-1)/(d-1)) x_i^2."""
    n, d = x.shape
    weights = ramp(d)
    for k in range(d):
        weights[k] = CONDITION ** weights[k]
    for i in range(n):
        total = 0.0
        for k in range(d):
            total += weights[k] * (x[i, k] * x[i, k])
        out[i] = total


@objective
def discus(x, out):
    """10^6 x_1^2 + sum_{i>1} x_i^2."""
    n, d = x.shape
    for i in range(n):
        total = 0.0
        for k in range(1, d):
            total += x[i, k] * x[i, k]
        out[i] = total + CONDITION * (x[i, 0] * x[i, 0])


@objective
def bent_cigar(x, out):
    """x_1^2 + 10^6 sum_{i>1} x_i^2."""
    n, d = x.shape
    for i in range(n):
        total = 0.0
        for k in range(1, d):
            total += x[i, k] * x[i, k]
        out[i] = CONDITION * total + x[i, 0] * x[i, 0]


@objective
def different_powers(x, out):
    """sqrt(sum_i |x_i|^(2 + 4 (i-1)/(d-1)))."""
    n, d = x.shape
    powers = 2.0 + 4.0 * ramp(d)
    terms = np.empty(n * d)
    for i in range(n):
        for k in range(d):
            a = abs(x[i, k])
            power = exp2(max(powers[k] * log2(max(a, NEGLIGIBLE)), -1022.0))
            terms[i * d + k] = power if a > NEGLIGIBLE else a * a
    row_sums(terms, d, out)
    for i in range(n):
        out[i] = math.sqrt(out[i])


@objective
def sharp_ridge(x, out):
    """x_1^2 + 100 sqrt(sum_{i>1} x_i^2)."""
    n, d = x.shape
    for i in range(n):
        total = 0.0
        for k in range(1, d):
            total += x[i, k] * x[i, k]
        out[i] = x[i, 0] * x[i, 0] + 100.0 * math.sqrt(total)


@objective
def expanded_schaffer_f6(x, out):
    """sum_i g(x_i, x_(i+1)) with x_(d+1) = x_1.

    g(x, y) = 1/2 + (sin^2 sqrt(s) - 1/2) / (1 + s/1000)^2, s = x^2 + y^2.
    """
    n, d = x.shape
    terms = np.empty(n * d)
    for i in range(n):
        for k in range(d):
            following = x[i, k + 1] if k + 1 < d else x[i, 0]
            terms[i * d + k] = x[i, k] * x[i, k] + following * following
    for k in range(terms.size):
        sine = sin_turns(math.sqrt(terms[k]) * INVERSE_TURN)
        damping = 1.0 + 0.001 * terms[k]
        terms[k] = 0.5 + (sine * sine - 0.5) / (damping * damping)
    row_sums(terms, d, out)


@objective
def weierstrass(x, out):
    """sum_i sum_{k=0..20} 2^-k (cos(2 pi 3^k (x_i + 1/2)) - cos(pi 3^k)): cos(pi 3^k) is -1, 3^k is odd."""
    flat = x.ravel()
    terms = np.zeros(flat.size)
    amplitude, frequency = 1.0, 1.0
    for _ in range(WAVES):
        for k in range(flat.size):
            # 3^k / 2 is half a turn and whole ones: cos(2 pi 3^k (x + 1/2)) = -cos(2 pi 3^k x), exact near zero.
            terms[k] += amplitude * (1.0 - cos_turns(frequency * flat[k]))
        amplitude *= 0.5
        frequency *= 3.0
    row_sums(terms, x.shape[1], out)
    not_below_zero(out)


@objective
def katsuura(x, out):
    """10/d^2 (prod_i (1 + i sum_{j=1..32} |2^j x_i - round(2^j x_i)| / 2^j)^(10 / d^1.2) - 1)."""
    n, d = x.shape
    flat = x.ravel()
    terms = np.zeros(flat.size)
    scale = 1.0
    for _ in range(HALVINGS):
        scale *= 2.0
        inverse = 1.0 / scale
        for k in range(flat.size):
            y = scale * flat[k]
            terms[k] += abs(y - np.rint(y)) * inverse
    for i in range(n):
        for k in range(d):
            # The product as a sum of logarithms: it neither overflows nor loses what is near the optimum.
            terms[i * d + k] = math.log1p((k + 1.0) * terms[i * d + k])
    row_sums(terms, d, out)
    exponent, factor = 10.0 / d**1.2, 10.0 / (d * d)
    for i in range(n):
        out[i] = factor * math.expm1(exponent * out[i])


@objective
def lunacek(x, out):
    """min(sum (x_i - m)^2, d J + s sum (x_i - m')^2) + 10 sum (1 - cos(2 pi (x_i - m))).

    m = 2.5, J = 1, s = 1 - 1 / (2 sqrt(d + 20) - 8.2), m' = -sqrt((m^2 - J) / s): a narrow funnel that ends in 0 and
    a wide one that ends in d J (Lunacek, Whitley, Sutton: The impact of global structure on search. PPSN 2008). s is
    positive from two variables on.
    """
    n, d = x.shape
    s = 1.0 - 1.0 / (2.0 * math.sqrt(d + 20.0) - 8.2)
    other = -math.sqrt((FUNNEL * FUNNEL - DEPTH) / s)
    for i in range(n):
        narrow, wide, waves = 0.0, 0.0, 0.0
        for k in range(d):
            a = x[i, k] - FUNNEL
            b = x[i, k] - other
            narrow += a * a
            wide += b * b
            waves += 1.0 - cos_turns(a)
        out[i] = min(narrow, DEPTH * d + s * wide) + 10.0 * waves


@objective
def levy(x, out):
    """sin^2(pi w_1) + sum_{i<d} (w_i - 1)^2 (1 + 10 sin^2(pi w_i + 1)) + (w_d - 1)^2 (1 + sin^2(2 pi w_d)).

    w_i = 1 + (x_i - 1) / 4.
    """
    n, d = x.shape
    for i in range(n):
        first = sin_turns(0.125 * (x[i, 0] - 1.0))  # sin(pi + pi u) is -sin(pi u), and its square the same
        u = 0.25 * (x[i, d - 1] - 1.0)
        last = sin_turns(u)
        total = first * first + u * u * (1.0 + last * last)
        for k in range(d - 1):
            u = 0.25 * (x[i, k] - 1.0)
            sine = sin_turns(0.5 * u + INVERSE_TURN)
            total += u * u * (1.0 + 10.0 * sine * sine)
        out[i] = total


@objective
def zakharov(x, out):
    """sum_i x_i^2 + (sum_i i x_i / 2)^2 + (sum_i i x_i / 2)^4."""
    n, d = x.shape
    for i in range(n):
        squares, slope = 0.0, 0.0
        for k in range(d):
            squares += x[i, k] * x[i, k]
            slope += (k + 1.0) * x[i, k]
        slope *= 0.5
        slope *= slope
        out[i] = squares + slope + slope * slope


@objective
def michalewicz(x, out):
    """-sum_i sin(x_i) sin^20(i x_i^2 / pi)."""
    n, d = x.shape
    rates = np.empty(d)
    for k in range(d):
        rates[k] = (k + 1.0) * INVERSE_TURN / math.pi
    terms = np.empty(n * d)
    for i in range(n):
        for k in range(d):
            sine = sin_turns(x[i, k] * x[i, k] * rates[k])
            s2 = sine * sine
            s4 = s2 * s2
            s16 = (s4 * s4) * (s4 * s4)
            terms[i * d + k] = -sin_turns(x[i, k] * INVERSE_TURN) * (s16 * s4)
    row_sums(terms, d, out)


@objective
def styblinski_tang(x, out):
    """1/2 sum_i (x_i^4 - 16 x_i^2 + 5 x_i)."""
    flat = x.ravel()
    terms = np.empty(flat.size)
    for k in range(flat.size):
        square = flat[k] * flat[k]
        terms[k] = 0.5 * (square * (square - 16.0) + 5.0 * flat[k])
    row_sums(terms, x.shape[1], out)
