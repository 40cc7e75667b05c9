"""Level 2: the same random numbers on transformed inputs must give the transformed offspring (Definitions 1-3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autov.core import Array, Generator
from autov.invariance.certificate import Witness
from autov.invariance.permuted_draws import PermutedDraws
from autov.invariance.scope import Scope
from autov.invariance.subject import Broken, Inputs, Subject
from autov.invariance.transformations import Transformation, order_of, size_of

SEEDS = 2**31  # seeds of single calls are below this number
LARGE = 128  # offspring of a large call
SMALL = (1, 3, 7)  # of small ones: an operator may treat a single offspring, or the whole batch, in another way
SMALL_CALLS = 20  # for each transformation: what breaks a call and not an offspring is seen by many calls only
INPUT_DECADES = (-8.0, 8.0)  # sizes of inputs, as powers of ten
SHIFT_DECADES = 6.0  # b is at most this many powers of ten above the inputs: beyond, rounding leaves too little of them


@dataclass(frozen=True)
class Paths:
    """What came of comparing paths.

    Attributes:
        deviation: the largest relative deviation.
        scope: what was compared.
        differing: the transformations under which some path did not match, in the order given.
        cases: a path that does not match for each of them.
    """

    deviation: float
    scope: Scope
    differing: tuple[Transformation, ...]
    cases: tuple[Witness, ...]


def deviation(found: Array, expected: Array, inputs: Inputs) -> float:
    """The largest |found - expected| of a batch, relative to the largest number around in its row.

    Rounding errors are in proportion to the largest number that enters a sum, so offspring and inputs count.
    """
    around = max(float(np.abs(array).max()) for array in inputs.arrays())
    scale = np.maximum(np.abs(expected).max(axis=1), np.abs(found).max(axis=1))
    scale = np.maximum(scale, around)
    return float((np.abs(found - expected).max(axis=1) / scale).max())


def compare(
    subject: Subject, inputs: Inputs, T: Transformation, seed: int, permuted: bool = False
) -> tuple[float, Witness]:  # fmt: skip
    """Run one path and its image; infinity if the operator breaks on the image.

    With ``permuted``, of a permutation, the random numbers of the image are permuted, too.
    """
    offspring = subject(inputs, np.random.default_rng(seed))
    expected = T(offspring)
    image = inputs.under(T)
    case = (T, inputs.parents, inputs.lower, inputs.upper, inputs.points, seed, offspring, expected)
    rng = np.random.default_rng(seed)
    try:
        found = subject(image, PermutedDraws(rng, order_of(T)) if permuted else rng)
    except Broken as error:
        return float("inf"), Witness(*case, found=None, error=str(error))
    return deviation(found, expected, image), Witness(*case, found=found)


def try_paths(
    subject: Subject, transformations: Sequence[Transformation], tol: float, rng: Generator, permuted: bool = False,
    small_calls: int = SMALL_CALLS,
) -> Paths:  # fmt: skip
    """Compare calls under every transformation: two large ones and many small ones, on inputs of size 1 and others.

    A transformation that breaks a large call is not tried with small ones.
    """
    worst, offspring, calls = 0.0, 0, 0
    differing, cases, seen = [], [], [1.0]
    small = [n for n in SMALL if n != subject.dim]  # else draws for offspring look like draws for variables
    for T in transformations:
        sizes = [1.0, 10 ** rng.uniform(*input_decades(T))]
        tried = []
        for k, n in enumerate([LARGE, LARGE, *(small[k % len(small)] for k in range(small_calls))]):
            inputs = subject.inputs(n, rng, sizes[k % 2])
            tried.append(compare(subject, inputs, T, int(rng.integers(SEEDS)), permuted))
            offspring += n
            if n == LARGE and k and max(far for far, _ in tried) > tol:
                break
        calls, seen = calls + len(tried), [*seen, sizes[1]]
        largest, case = max(tried, key=lambda pair: pair[0])
        worst = max(worst, largest)
        if largest > tol:
            differing.append(T)
            cases.append(case)
    of = [size for T in transformations if (size := size_of(T)) is not None]
    between = (min(of), max(of)) if of else None
    scope = Scope(
        (subject.dim,), len(transformations), between, (min(seen), max(seen)), (*small, LARGE), calls, offspring, tol
    )
    return Paths(worst, scope, tuple(differing), tuple(cases))


def input_decades(T: Transformation) -> tuple[float, float]:
    """Powers of ten between which the size of inputs is drawn: far smaller than b, they would be lost in rounding."""
    low, high = INPUT_DECADES
    return (low if T.property != "translation" else max(low, math.log10(size_of(T) or 1.0) - SHIFT_DECADES)), high


def small_case(subject: Subject, T: Transformation, tol: float, rng: Generator) -> Witness | None:
    """A case in which the path under T differs, with one offspring if there is such a case, else a few."""
    best: tuple[float, Witness] | None = None
    for n, tries in ((1, 100), (4, 50)):
        for _ in range(tries):
            case = compare(subject, subject.inputs(n, rng, decimals=2), T, int(rng.integers(SEEDS)))
            if case[0] > tol and (best is None or case[0] > best[0]):
                best = case
            if best is not None and best[0] > max(tol, 1e-3):  # a difference that can be read
                return best[1]
        if best is not None:
            return best[1]
    return None


def repeats_itself(subject: Subject, inputs: Inputs, seed: int, earlier: Array | None = None) -> Witness | None:
    """None if the same call gives the same offspring again (as ``earlier``, too), otherwise both."""
    first = subject(inputs, np.random.default_rng(seed)) if earlier is None else earlier
    for _ in range(3):
        again = subject(inputs, np.random.default_rng(seed))
        if not np.array_equal(first, again):
            return Witness(None, *inputs, seed=seed, offspring=first, expected=first, found=again)
    return None
