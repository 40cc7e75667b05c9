"""The CEC'2013 large-scale suite in plain vectorised NumPy, one line for one formula: the yardstick of the kernels.

Li, Tang, Omidvar, Yang, Qin: Benchmark functions for the CEC'2013 special session and competition on large-scale
global optimization. RMIT University, 2013. Section numbers below are those of the report.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autov.core import Array
from autov.problems.large_scale import arrays

OVERLAP = 5  # variables that neighbouring groups of f13 and f14 share


# Section 3.1: transformations of z (n, d); i / (d - 1) runs from 0 to 1 over the variables.


def ramp(d: int) -> Array:
    """(i - 1) / (d - 1)."""
    return np.arange(d) / (d - 1)


def oscillate(z: Array) -> Array:
    """T_osz, which makes smooth local irregularities."""
    hat = np.log(np.abs(np.where(z == 0, 1.0, z)))
    c1 = np.where(z > 0, 10.0, 5.5)
    c2 = np.where(z > 0, 7.9, 3.1)
    return np.sign(z) * np.exp(hat + 0.049 * (np.sin(c1 * hat) + np.sin(c2 * hat)))


def skew(z: Array) -> Array:
    """T_asy with beta = 0.2, which breaks the symmetry: only positive values change."""
    positive = np.maximum(z, 0.0)
    return np.where(z > 0, positive ** (1.0 + 0.2 * ramp(z.shape[1]) * np.sqrt(positive)), z)


def condition(z: Array) -> Array:
    """The diagonal matrix Lambda with alpha = 10."""
    return z * 10.0 ** (0.5 * ramp(z.shape[1]))


# Section 3.2: base functions of z (n, d).


def sphere(z: Array) -> Array:  # noqa: D103
    return (z**2).sum(axis=1)


def elliptic(z: Array) -> Array:  # noqa: D103
    return z**2 @ 10.0 ** (6.0 * ramp(z.shape[1]))


def rastrigin(z: Array) -> Array:  # noqa: D103
    return (z**2 - 10.0 * np.cos(2.0 * np.pi * z) + 10.0).sum(axis=1)


def ackley(z: Array) -> Array:  # noqa: D103
    waves = np.cos(2.0 * np.pi * z).mean(axis=1)
    return -20.0 * np.exp(-0.2 * np.sqrt((z**2).mean(axis=1))) - np.exp(waves) + 20.0 + np.e


def schwefel(z: Array) -> Array:  # noqa: D103
    return (np.cumsum(z, axis=1) ** 2).sum(axis=1)


def rosenbrock(z: Array) -> Array:  # noqa: D103
    return (100.0 * (z[:, :-1] ** 2 - z[:, 1:]) ** 2 + (z[:, :-1] - 1.0) ** 2).sum(axis=1)


# Section 4: a base function on top of its transformations.


def _all_three(base: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda z: base(condition(skew(oscillate(z))))


def _elliptic(z: Array) -> Array:
    return elliptic(oscillate(z))


def _schwefel(z: Array) -> Array:
    return schwefel(skew(oscillate(z)))


def _sphere(z: Array) -> Array:
    return sphere(skew(oscillate(z)))


def parts(number: int, variant: str) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """What f<number> applies to each rotated group, and to the variables of no group."""
    if number == 12:
        return rosenbrock, rosenbrock
    if number in (3, 6, 10):
        part = _all_three(ackley) if variant == "cpp" else ackley
        return part, part
    if number in (1, 4, 8):
        return _elliptic, _elliptic
    if number in (2, 5, 9):
        return _all_three(rastrigin), _all_three(rastrigin)
    return _schwefel, (sphere if variant == "cpp" else _sphere) if number == 7 else _schwefel


def evaluate(number: int, x: Array, variant: str = "cpp") -> Array:
    """Values of the rows of x."""
    data = arrays()
    key = f"f{number:02d}"
    xopt = data[f"{key}_xopt"]
    group, rest = parts(number, variant)
    if f"{key}_p" not in data:  # f1-f3, f12, f15
        return rest(x - xopt)
    p = data[f"{key}_p"] - 1
    overlap = OVERLAP if number in (13, 14) else 0
    y = x if number == 14 else x - xopt
    total = np.zeros(len(x))
    begin = own = 0
    for size, weight in zip(data[f"{key}_s"], data[f"{key}_w"], strict=True):
        z = y[:, p[begin : begin + size]]
        if number == 14:  # every group has an optimum of its own
            z = z - xopt[own : own + size]
        total += weight * group(z @ data[f"{key}_R{size}"].T)
        begin += size - overlap
        own += size
    begin += overlap
    return total + rest(y[:, p[begin:]]) if begin < len(p) else total
