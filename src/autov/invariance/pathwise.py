"""Level 2: the same random numbers on transformed inputs must give the transformed offspring (Definitions 1-3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from autov.core import Array, Generator
from autov.invariance.certificate import Witness
from autov.invariance.subject import Broken, Inputs, Subject
from autov.invariance.transformations import Transformation

SEEDS = 2**31  # seeds of single calls are below this number


@dataclass(frozen=True)
class Paths:
    """What came of comparing paths.

    Attributes:
        deviation: the largest relative deviation.
        compared: number of offspring compared.
        differing: the transformations under which some path did not match, in the order given.
        cases: a path that does not match for each of them.
    """

    deviation: float
    compared: int
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


def compare(subject: Subject, inputs: Inputs, T: Transformation, seed: int) -> tuple[float, Witness]:
    """Run one path and its image; infinity if the operator breaks on the image."""
    offspring = subject(inputs, np.random.default_rng(seed))
    expected = T(offspring)
    image = inputs.under(T)
    case = (T, inputs.parents, inputs.lower, inputs.upper, inputs.points, seed, offspring, expected)
    try:
        found = subject(image, np.random.default_rng(seed))
    except Broken as error:
        return float("inf"), Witness(*case, found=None, error=str(error))
    return deviation(found, expected, image), Witness(*case, found=found)


def try_paths(
    subject: Subject,
    transformations: Iterable[Transformation],
    tol: float,
    rng: Generator,
    n: int = 128,
) -> Paths:
    """Compare batches of n offspring under every transformation, from inputs of size 1 and, once, of any size."""
    worst, compared = 0.0, 0
    differing, cases = [], []
    for T in transformations:
        sizes = (1.0, 10 ** rng.uniform(-2, 4))
        tried = [compare(subject, subject.inputs(n, rng, size), T, int(rng.integers(SEEDS))) for size in sizes]
        compared += n * len(sizes)
        largest, case = max(tried, key=lambda pair: pair[0])
        worst = max(worst, largest)
        if largest > tol:
            differing.append(T)
            cases.append(case)
    return Paths(worst, compared, tuple(differing), tuple(cases))


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
