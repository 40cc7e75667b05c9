"""Constrained test problems with optima known from the literature.

g01, g04, g06, g07, g09: J. J. Liang et al., Problem definitions and evaluation criteria for the CEC 2006 special
session on constrained real-parameter optimization, Nanyang Technological University, 2006 (values from there).
pressure-vessel: B. K. Kannan and S. N. Kramer, Journal of Mechanical Design 116, 1994; the thicknesses are multiples of
1/16 inch, so that two variables are integers; proven optimum 6059.714335 by X.-S. Yang et al., True global
optimality of the pressure vessel design problem, International Journal of Bio-Inspired Computation 5, 2013.
welded-beam: K. M. Ragsdell and D. T. Phillips, Journal of Engineering for Industry 98, 1976, in the form of C. A.
Coello Coello, Computers in Industry 41, 2000; best known 1.724852. tension-spring: J. S. Arora, Introduction to Optimum
Design, 1989; best known 0.012665. speed-reducer: J. Golinski, Journal of Mechanisms 5, 1970, with 7.3 <= x5, the number
of teeth an integer; best known 2994.471066.
knapsack: made for autov: eleven goods in pieces, four by weight, three capacities; optimum by SciPy's `milp`.

Constraints are written with the numbers of their sources on the right side, so that violations have a size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autov.core import Array, Box
from autov.problems.constraints import Constraint
from autov.problems.feasibility import Constrained
from autov.problems.function import Function


class Entry(NamedTuple):
    """One row of the table below; functions take batches (n, d)."""

    lower: Any
    upper: Any
    objective: Callable[[Array], Array]
    limits: Callable[[Array], tuple[Array, ...]]  # what is bounded
    least: Any  # lower bounds of these
    most: Any  # upper bounds
    optimum: Any
    minimum: float
    whole: tuple[int, ...] = ()  # variables that are integers


FREE = -np.inf


def _g01(x: Array) -> Array:
    return 5 * x[:, :4].sum(axis=1) - 5 * (x[:, :4] ** 2).sum(axis=1) - x[:, 4:].sum(axis=1)


def _g01_limits(x: Array) -> tuple[Array, ...]:
    a, b, c, d, e, f, g, h, i, j, k, m, _ = x.T
    return (2 * a + 2 * b + j + k, 2 * a + 2 * c + j + m, 2 * b + 2 * c + k + m, j - 8 * a, k - 8 * b, m - 8 * c,
            j - 2 * d - e, k - 2 * f - g, m - 2 * h - i)  # fmt: skip


def _g04(x: Array) -> Array:
    a, _, c, _, e = x.T
    return 5.3578547 * c**2 + 0.8356891 * a * e + 37.293239 * a - 40792.141


def _g04_limits(x: Array) -> tuple[Array, ...]:
    a, b, c, d, e = x.T
    return (
        85.334407 + 0.0056858 * b * e + 0.0006262 * a * d - 0.0022053 * c * e,
        80.51249 + 0.0071317 * b * e + 0.0029955 * a * b + 0.0021813 * c**2,
        9.300961 + 0.0047026 * c * e + 0.0012547 * a * c + 0.0019085 * c * d,
    )


def _g06(x: Array) -> Array:
    return (x[:, 0] - 10) ** 3 + (x[:, 1] - 20) ** 3


def _g06_limits(x: Array) -> tuple[Array, ...]:
    a, b = x.T
    return -((a - 5) ** 2) - (b - 5) ** 2, (a - 6) ** 2 + (b - 5) ** 2


def _g07(x: Array) -> Array:
    a, b, c, d, e, f, g, h, i, j = x.T
    return (
        a**2 + b**2 + a * b - 14 * a - 16 * b + (c - 10) ** 2 + 4 * (d - 5) ** 2 + (e - 3) ** 2 + 2 * (f - 1) ** 2
        + 5 * g**2 + 7 * (h - 11) ** 2 + 2 * (i - 10) ** 2 + (j - 7) ** 2 + 45
    )  # fmt: skip


def _g07_limits(x: Array) -> tuple[Array, ...]:
    a, b, c, d, e, f, g, h, i, j = x.T
    return (
        4 * a + 5 * b - 3 * g + 9 * h, 10 * a - 8 * b - 17 * g + 2 * h, -8 * a + 2 * b + 5 * i - 2 * j,
        3 * (a - 2) ** 2 + 4 * (b - 3) ** 2 + 2 * c**2 - 7 * d, 5 * a**2 + 8 * b + (c - 6) ** 2 - 2 * d,
        a**2 + 2 * (b - 2) ** 2 - 2 * a * b + 14 * e - 6 * f, 0.5 * (a - 8) ** 2 + 2 * (b - 4) ** 2 + 3 * e**2 - f,
        -3 * a + 6 * b + 12 * (i - 8) ** 2 - 7 * j,
    )  # fmt: skip


def _g09(x: Array) -> Array:
    a, b, c, d, e, f, g = x.T
    return (
        (a - 10) ** 2 + 5 * (b - 12) ** 2 + c**4 + 3 * (d - 11) ** 2 + 10 * e**6 + 7 * f**2 + g**4 - 4 * f * g - 10 * f
        - 8 * g
    )  # fmt: skip


def _g09_limits(x: Array) -> tuple[Array, ...]:
    a, b, c, d, e, f, g = x.T
    return (
        2 * a**2 + 3 * b**4 + c + 4 * d**2 + 5 * e, 7 * a + 3 * b + 10 * c**2 + d - e,
        23 * a + b**2 + 6 * f**2 - 8 * g, 4 * a**2 + b**2 - 3 * a * b + 2 * c**2 + 5 * f - 11 * g,
    )  # fmt: skip


INCH = 0.0625  # steps of the thicknesses of the pressure vessel


def _vessel(x: Array) -> Array:
    shell, head, radius, length = INCH * x[:, 0], INCH * x[:, 1], x[:, 2], x[:, 3]
    return (
        0.6224 * shell * radius * length + 1.7781 * head * radius**2 + 3.1661 * shell**2 * length
        + 19.84 * shell**2 * radius
    )  # fmt: skip


def _vessel_limits(x: Array) -> tuple[Array, ...]:
    shell, head, radius, length = INCH * x[:, 0], INCH * x[:, 1], x[:, 2], x[:, 3]
    volume = np.pi * radius**2 * length + 4 / 3 * np.pi * radius**3
    return shell - 0.0193 * radius, head - 0.00954 * radius, volume, length


LOAD, ARM, YOUNG, SHEAR = 6000.0, 14.0, 30e6, 12e6  # of the welded beam: pounds, inches, psi


def _beam(x: Array) -> Array:
    h, w, t, b = x.T
    return 1.10471 * h**2 * w + 0.04811 * t * b * (14 + w)


def _beam_limits(x: Array) -> tuple[Array, ...]:
    h, w, t, b = x.T
    primary = LOAD / (np.sqrt(2) * h * w)
    arm = np.sqrt(w**2 / 4 + ((h + t) / 2) ** 2)
    polar = 2 * np.sqrt(2) * h * w * (w**2 / 12 + ((h + t) / 2) ** 2)
    secondary = LOAD * (ARM + w / 2) * arm / polar
    stress = np.sqrt(primary**2 + primary * secondary * w / arm + secondary**2)
    buckling = 4.013 * YOUNG * t * b**3 / (6 * ARM**2) * (1 - t / (2 * ARM) * np.sqrt(YOUNG / (4 * SHEAR)))
    return (
        stress, 6 * LOAD * ARM / (b * t**2), h - b, 0.10471 * h**2 + 0.04811 * t * b * (14 + w),
        4 * LOAD * ARM**3 / (YOUNG * t**3 * b), buckling, h,
    )  # fmt: skip


def _spring(x: Array) -> Array:
    wire, coil, turns = x.T
    return (turns + 2) * coil * wire**2


def _spring_limits(x: Array) -> tuple[Array, ...]:
    wire, coil, turns = x.T
    with np.errstate(divide="ignore", invalid="ignore"):
        shear = (4 * coil**2 - wire * coil) / (12566 * (coil * wire**3 - wire**4)) + 1 / (5108 * wire**2)
    return coil**3 * turns / (71785 * wire**4), shear, 140.45 * wire / (coil**2 * turns), (wire + coil) / 1.5


def _reducer(x: Array) -> Array:
    a, b, z, d, e, f, g = x.T
    return (
        0.7854 * a * b**2 * (3.3333 * z**2 + 14.9334 * z - 43.0934) - 1.508 * a * (f**2 + g**2)
        + 7.4777 * (f**3 + g**3) + 0.7854 * (d * f**2 + e * g**2)
    )  # fmt: skip


def _reducer_limits(x: Array) -> tuple[Array, ...]:
    a, b, z, d, e, f, g = x.T
    return (
        27 / (a * b**2 * z), 397.5 / (a * b**2 * z**2), 1.93 * d**3 / (b * z * f**4), 1.93 * e**3 / (b * z * g**4),
        np.sqrt((745 * d / (b * z)) ** 2 + 16.9e6) / (110 * f**3),
        np.sqrt((745 * e / (b * z)) ** 2 + 157.5e6) / (85 * g**3), b * z / 40, 5 * b / a, a / (12 * b),
        (1.5 * f + 1.9) / d, (1.1 * g + 1.9) / e,
    )  # fmt: skip


# Worth, weight, volume and price of the goods; the first eleven come in pieces.
WORTH = np.array([92, 57, 49, 68, 60, 43, 67, 84, 87, 72, 31, 25, 38, 19, 44], dtype=np.float64)
USE = np.array(
    [
        [23, 31, 29, 44, 53, 38, 63, 85, 89, 82, 21, 17, 30, 11, 37],
        [40, 11, 24, 31, 18, 29, 36, 42, 60, 25, 17, 8, 26, 14, 19],
        [31, 27, 14, 22, 41, 19, 25, 37, 28, 51, 9, 13, 12, 10, 23],
    ],
    dtype=np.float64,
)  # fmt: skip
CAPACITY = (600.0, 420.0, 400.0)


def _knapsack(x: Array) -> Array:
    return -(x * WORTH).sum(axis=1)


def _knapsack_limits(x: Array) -> tuple[Array, ...]:
    return tuple((x * row).sum(axis=1) for row in USE)


TABLE = {
    "g01": Entry(
        [0] * 13, [1] * 9 + [100] * 3 + [1], _g01, _g01_limits, FREE, [10] * 3 + [0] * 6, [1.0] * 9 + [3.0] * 3 + [1.0],
        -15.0,
    ),
    "g04": Entry(
        [78, 33, 27, 27, 27], [102, 45, 45, 45, 45], _g04, _g04_limits, [0, 90, 20], [92, 110, 25],
        [78.0, 33.0, 29.9952560256815985, 45.0, 36.7758129057882073], -30665.53867178332,
    ),
    "g06": Entry(
        [13, 0], [100, 100], _g06, _g06_limits, FREE, [-100, 82.81], [14.095, 0.8429607892154795668],
        -6961.81387558015,
    ),
    "g07": Entry(
        [-10] * 10, [10] * 10, _g07, _g07_limits, FREE, [105, 0, 12, 120, 40, 0, 30, 0],
        [2.17199634142692, 2.3636830416034, 8.77392573913157, 5.09598443745173, 0.990654756560493, 1.43057392853463,
         1.32164415364306, 9.82872576524495, 8.2800915887356, 8.3759266477347], 24.30620906818,
    ),
    "g09": Entry(
        [-10] * 7, [10] * 7, _g09, _g09_limits, FREE, [127, 282, 196, 0],
        [2.33049935147405174, 1.95137236847114592, -0.477541399510615805, 4.36572624923625874, -0.624486959100388983,
         1.03813099410962173, 1.5942266780671519], 680.630057374402,
    ),
    "pressure-vessel": Entry(
        [1, 1, 10, 10], [99, 99, 200, 200], _vessel, _vessel_limits, [0, 0, 1_296_000, FREE],
        [np.inf, np.inf, np.inf, 240], [13.0, 7.0, 42.0984455958549, 176.6365958424394], 6059.714335048436, (0, 1),
    ),
    "welded-beam": Entry(
        [0.1] * 4, [2, 10, 10, 2], _beam, _beam_limits, [FREE] * 5 + [LOAD, 0.125],
        [13_600, 30_000, 0, 5, 0.25, np.inf, np.inf],
        [0.205729639786079, 3.470488665628, 9.036623910357, 0.20572963978608], 1.724852308597366,
    ),
    "tension-spring": Entry(
        [0.05, 0.25, 2], [2, 1.3, 15], _spring, _spring_limits, [1, FREE, 1, FREE], [np.inf, 1, np.inf, 1],
        [0.0516890614, 0.3567177469, 11.2889660012], 0.012665232788319,
    ),
    "speed-reducer": Entry(
        [2.6, 0.7, 17, 7.3, 7.3, 2.9, 5], [3.6, 0.8, 28, 8.3, 8.3, 3.9, 5.5], _reducer, _reducer_limits, FREE, 1.0,
        [3.5, 0.7, 17.0, 7.3, 7.715319911478, 3.350214666096, 5.286654464980], 2994.47106614682, (2,),
    ),
    "knapsack": Entry(
        [0] * 15, [5] * 11 + [1] * 4, _knapsack, _knapsack_limits, FREE, CAPACITY,
        [5.0, 5.0, 4.0, 2.0] + [0.0] * 7 + [8 / 11, 1 / 22, 0.0, 0.0], -12066 / 11, tuple(range(11)),
    ),
}  # fmt: skip
CONSTRAINED_NAMES = tuple(TABLE)


class _Limits:
    """What the constraints of a named problem bound, (n, m), as a function that can be sent to other processes."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, x: Array) -> Array:
        return np.column_stack(TABLE[self.name].limits(x))


def constrained_problem(name: str) -> Constrained:
    """One of CONSTRAINED_NAMES."""
    entry = TABLE[name]
    box = Box(np.array(entry.lower, dtype=np.float64), np.array(entry.upper, dtype=np.float64))
    function = Function(entry.objective, box, True, minimum=entry.minimum,
                        optimum=np.array(entry.optimum), noisy=False, label=name)  # fmt: skip
    least, most = (np.array(bounds, dtype=np.float64) for bounds in (entry.least, entry.most))
    limits = Constraint(_Limits(name), least, most, True)
    whole = tuple(i in entry.whole for i in range(box.dim)) if entry.whole else ()
    return Constrained(function, (limits,), whole)
