"""Level 3: whether offspring of transformed inputs, transformed back, have the law of those of the plain inputs.

For fixed parents both samples are independent calls of the operator. They are compared by the Kolmogorov-Smirnov
distance along many projections. The p-value is the bound 2 exp(-N D^2) for two samples of size N, which holds for every
N >= 458 and every law, atoms included (F. Wei and R. M. Dudley, "Two-sample Dvoretzky-Kiefer-Wolfowitz inequalities",
Statistics and Probability Letters 82 (2012) 636-644), times the number of comparisons (Bonferroni). So a property that
holds in distribution is refused with a probability of at most ALPHA, not approximately.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autov.core import Array, Generator
from autov.invariance.subject import Broken, Inputs, Subject
from autov.invariance.transformations import Transformation

ALPHA = 1e-4  # chance of a false refusal, per property
STAGES = (500, 4000)  # sample sizes: few calls to see what is plain, many before saying that nothing was seen
ROWS = 2  # offspring per call
POWER = 0.9
NORMAL_90 = 1.2815515655446004  # the 90% point of the standard normal law
RANDOM_DIRECTIONS = 12
SLACK = 1e-9  # values nearer than this, relative to the numbers around, are equal: rounding must not split an atom


@dataclass(frozen=True)
class LawTest:
    """Outcome of the comparison.

    Attributes:
        p_value: corrected for all comparisons that were planned; None if the operator broke.
        refused: the first transformation under which the laws differ, None if none does.
        error: how the operator broke under it, if it did.
        samples: size of each sample in the last stage.
        comparisons: number of distances compared with the threshold.
        detectable: a Kolmogorov-Smirnov distance along a projection that is found with a chance of 90% or more.
    """

    p_value: float | None
    refused: Transformation | None
    error: str
    samples: int
    comparisons: int
    detectable: float


def distance(x: Array, y: Array, slack: float) -> float:
    """Largest |F - G| of two sorted samples of one size, where values within ``slack`` of each other count as equal."""
    n = x.size
    ahead = np.arange(1, n + 1)
    above = ahead - np.searchsorted(y, x + slack, side="right")
    below = ahead - np.searchsorted(x, y + slack, side="right")
    return max(0, int(above.max()), int(below.max())) / n


def features(dim: int, rng: Generator) -> Array:
    """Directions (k, d): the axes 1, 2 and d, both diagonals of some planes, and random ones."""
    eye = np.eye(dim)
    axes = [eye[0], eye[1], eye[-1]]
    diagonals = [(eye[i] + s * eye[j]) / math.sqrt(2) for i, j in ((0, 1), (0, dim - 1)) for s in (1, -1)]
    random = rng.standard_normal((RANDOM_DIRECTIONS, dim))
    return np.vstack([axes, diagonals, random / np.linalg.norm(random, axis=1, keepdims=True)])


def project(offspring: Array, center: Array, directions: Array) -> Array:
    """Sorted columns: every offspring of a call along every direction, its length, and its largest variable."""
    steps = offspring - center  # (N, rows, d)
    linear = steps @ directions.T
    length = np.linalg.norm(steps, axis=2, keepdims=True)
    largest = np.abs(steps).max(axis=2, keepdims=True)
    joint = np.concatenate([linear, length, largest], axis=2)
    between = linear[:, :1, :3] - linear[:, 1:2, :3]  # offspring of one call must depend on each other as before
    columns = np.concatenate([joint.reshape(len(steps), -1), between.reshape(len(steps), -1)], axis=1)
    return np.sort(columns, axis=0)


def sample(subject: Subject, inputs: Inputs, T: Transformation | None, size: int, rng: Generator) -> Array:
    """Offspring (size, rows, d) of independent calls, transformed back."""
    image = inputs if T is None else inputs.under(T)
    offspring = np.stack([subject(image, rng) for _ in range(size)])
    return offspring if T is None else T.inverse(offspring)


def threshold(size: int, comparisons: int) -> float:
    """The distance whose corrected p-value is ALPHA."""
    return math.sqrt(math.log(2 * comparisons / ALPHA) / size)


def compare_laws(subject: Subject, transformations: Sequence[Transformation], rng: Generator) -> LawTest:
    """Go through the stages and transformations until the laws differ somewhere."""
    directions = features(subject.dim, rng)
    width = ROWS * (len(directions) + 2) + 3
    comparisons = width * len(transformations) * len(STAGES)
    smallest = 1.0
    size = STAGES[0]

    def report(refused: Transformation | None, error: str = "") -> LawTest:
        detectable = threshold(size, comparisons) + NORMAL_90 / math.sqrt(2 * size)
        return LawTest(None if error else smallest, refused, error, size, comparisons, detectable)

    for size in STAGES:
        inputs = subject.inputs(ROWS, rng)
        plain = project(sample(subject, inputs, None, size, rng), inputs.parents[0], directions)
        around = np.median(np.abs(plain), axis=0) + max(float(np.abs(array).max()) for array in inputs.arrays())
        for T in transformations:
            try:
                moved = project(sample(subject, inputs, T, size, rng), inputs.parents[0], directions)
            except Broken as error:
                return report(T, str(error))
            slack = SLACK * (around + np.abs(T.b).max())
            D = max(distance(plain[:, k], moved[:, k], slack[k]) for k in range(width))
            smallest = min(smallest, 2 * comparisons * math.exp(-size * D * D))
            if threshold(size, comparisons) < D:
                return report(T)
    return report(None)
