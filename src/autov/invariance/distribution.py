"""Level 3: whether offspring of transformed inputs, transformed back, are distributed as those of the plain inputs.

For fixed parents, those of a path that differs, both samples are independent calls of the operator. They are compared
by the Kolmogorov-Smirnov distance D along many projections. The p-value is the bound 2 exp(-N D^2) for two samples of
size N >= 458 (e exp(-N D^2) for fewer), which holds for every distribution, atoms included (F. Wei and R. M. Dudley,
"Two-sample Dvoretzky-Kiefer-Wolfowitz inequalities", Statistics and Probability Letters 82 (2012) 636-644), times the
number of comparisons (Bonferroni). So a property that holds in distribution is refused with a chance of at most ALPHA.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autov.core import Array, Generator
from autov.invariance.certificate import Witness
from autov.invariance.pathwise import SEEDS, compare
from autov.invariance.subject import Broken, Inputs, Subject
from autov.invariance.transformations import Transformation

ALPHA = 1e-4  # chance of a false refusal, per property
STAGES = (100, 500, 3000)  # sample sizes: few calls to see what is plain, many before saying that nothing was seen
ROWS = 2  # offspring per call
NORMAL_90 = 1.2815515655446004  # the 90% point of the standard normal distribution
RANDOM_DIRECTIONS = 12
PILOT = 20  # calls from which the share of differing paths is guessed; below a fifth they are sought
SOUGHT = 300  # at most this many of them
CALLS = 12  # calls made for this, per sample wanted
FEW = 20  # differing paths from which nothing can be concluded
SLACK = 1e-9  # values nearer than this, relative to the numbers around, are equal: rounding must not split an atom


@dataclass(frozen=True)
class LawTest:
    """Outcome of the comparison.

    Attributes:
        p_value: corrected for all comparisons that were planned; None if the operator broke.
        refused: the first transformation under which the distributions differ, None if none does.
        error: how the operator broke under it, if it did.
        samples: size of the smallest sample in the last stage.
        comparisons: number of distances compared with the threshold.
        detectable: a Kolmogorov-Smirnov distance along a projection that is found with a chance of 90% or more.
        rare: whether the samples were restricted to calls whose paths differ.
    """

    p_value: float | None
    refused: Transformation | None
    error: str
    samples: int
    comparisons: int
    detectable: float
    rare: bool

    @property
    def blind(self) -> bool:
        """Whether too few paths differ to compare distributions: a change of one offspring in a call may be missed."""
        return self.refused is None and self.detectable >= (1 / ROWS if self.rare else 1)


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


def samples(
    subject: Subject, inputs: Inputs, T: Transformation, size: int, tol: float, rng: Generator
) -> tuple[Array, Array, bool]:
    """Offspring (N, rows, d) of plain and of transformed inputs, and whether only differing paths were kept.

    With the same random numbers, calls whose paths agree add the same to both distributions. So if few paths differ,
    only calls with a path that differs are kept, from two independent streams: rare differences are then found, too.
    """

    def differing(limit: int, calls: int) -> list[Witness]:
        found: list[Witness] = []
        for _ in range(calls):
            far, case = compare(subject, inputs, T, int(rng.integers(SEEDS)))
            if case.found is None:
                raise Broken(case.error)
            if far > tol:
                found.append(case)
            if len(found) == limit:
                break
        return found

    if len(differing(PILOT, PILOT)) >= PILOT / 5:
        plain = subject.sample(inputs, size, rng)
        return plain, T.inverse(subject.sample(inputs.under(T), size, rng)), False
    size = SOUGHT if size >= SOUGHT else 0  # the first stage is for what is plain
    one, two = differing(size, CALLS * size), differing(size, CALLS * size)
    count = min(len(one), len(two))
    shape = (count, *inputs.parents.shape[1:])
    plain = np.array([case.offspring for case in one[:count]]).reshape(shape)
    moved = np.array([case.found for case in two[:count]]).reshape(shape)
    return plain, T.inverse(moved), True


def threshold(size: int, comparisons: int) -> float:
    """The distance whose corrected p-value is ALPHA."""
    return math.sqrt(math.log(_factor(size) * comparisons / ALPHA) / size) if size else math.inf


def _factor(size: int) -> float:
    return 2.0 if size >= 458 else math.e


class _Comparison:
    """The comparisons of one property, with their number and their smallest p-value so far."""

    def __init__(self, subject: Subject, cases: Sequence[Witness], tol: float, rng: Generator, times: int) -> None:
        self.subject, self.cases, self.tol, self.rng = subject, cases, tol, rng
        self.directions = features(subject.dim, rng)
        self.width = ROWS * (len(self.directions) + 2) + 3
        self.comparisons = self.width * len(cases) * len(STAGES) * times
        self.p_value, self.fewest, self.rare = 1.0, 0, False

    def differ(self, case: Witness, size: int) -> bool:
        """Whether the distributions differ in this case; raises Broken."""
        T, inputs = case.transformation, _few_rows(case)
        assert T is not None
        plain, moved, sought = samples(self.subject, inputs, T, size, self.tol, self.rng)
        self.fewest, self.rare = min(self.fewest, len(plain)), self.rare or sought
        if len(plain) < FEW:
            return False
        one, two = (project(offspring, inputs.parents[0], self.directions) for offspring in (plain, moved))
        around = max(float(np.abs(array).max()) for array in [*inputs.arrays(), np.asarray(T.b)])
        slack = min(SLACK, self.tol) * (np.median(np.abs(one), axis=0) + around)
        D = max(distance(one[:, k], two[:, k], slack[k]) for k in range(self.width))
        self.p_value = min(self.p_value, _factor(len(plain)) * self.comparisons * math.exp(-len(plain) * D * D))
        if threshold(len(plain), self.comparisons) >= D:
            return False
        self.fewest = len(plain)  # the samples that tell
        return True

    def report(self, refused: Transformation | None, error: str = "") -> LawTest:
        n = self.fewest
        detectable = threshold(n, self.comparisons) + (NORMAL_90 / math.sqrt(2 * n) if n else 0.0)
        return LawTest(None if error else self.p_value, refused, error, n, self.comparisons, detectable, self.rare)


def compare_laws(
    subject: Subject, cases: Sequence[Witness], tol: float, rng: Generator, times: int = 1
) -> LawTest:  # fmt: skip
    """Go through the stages and the cases, each a path that differs, until distributions of offspring differ somewhere.

    What is seen at once in a later case may be seen with more calls in a simpler one, which is then reported. If this
    is one of several such tests, as many ``times``, p-values are corrected for all of them.
    """
    c = _Comparison(subject, cases, tol, rng, times)
    for stage, size in enumerate(STAGES):
        c.fewest = size
        for k, case in enumerate(cases):
            try:
                if c.differ(case, size):
                    more = STAGES[stage + 1] if stage == 0 and len(STAGES) > 1 else 0
                    simpler = (other for other in cases[:k] if more and c.differ(other, more))
                    return c.report(next(simpler, case).transformation)
            except Broken as error:
                return c.report(case.transformation, str(error))
            if stage > 0 and c.fewest < FEW:
                return c.report(None)
    return c.report(None)


def _few_rows(case: Witness) -> Inputs:
    """The inputs of a case with ROWS parents: those whose offspring is farthest from the expected one, and the next."""
    n = case.parents.shape[1]
    worst = 0 if case.found is None else int(np.argmax(np.abs(case.found - case.expected).max(axis=1)))
    rows = [(worst + k) % n for k in range(ROWS)]
    return Inputs(case.parents[:, rows], case.lower, case.upper, case.points)
