"""One run of an algorithm on a problem or on the transformed problem, recorded in the same coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np

from autov.algorithms import Algorithm
from autov.algorithms.base import Rotatable
from autov.core import Array, Box, Generator, generator
from autov.invariance.permuted_draws import PermutedDraws
from autov.invariance.transformations import Property, Transformation, order_of, random_orthogonal, simple
from autov.problems.problem import Problem
from autov.runs import Run, solve

SHIFTS = (0.5, -3.0, 2.0**-20, -(2.0**-10), 2.0**-5, -(2.0**5), -(2.0**10), 2.0**16)  # widths of the box
ULPS = 8  # points are shaken by this many units in the last place
POWERS = (1, 5, -5, 10, -10, 20, -20, 30, -30, 40, -40)  # of two


@dataclass(frozen=True)
class Increasing:
    """A strictly increasing function of the values."""

    label: str
    function: Callable[[Array], Array]
    affine: bool = False
    property: Property = "order"


INCREASING = (
    Increasing("2 f", lambda f: 2.0 * f, affine=True),
    Increasing("f / 1024", lambda f: f / 1024.0, affine=True),
    Increasing("f - 2^20", lambda f: f - 2.0**20, affine=True),
    Increasing("f + 1000", lambda f: f + 1000.0, affine=True),
    Increasing("f^3", lambda f: f**3),
    Increasing("sign(f) sqrt|f|", lambda f: np.sign(f) * np.sqrt(np.abs(f))),
    Increasing("arsinh(f)", np.arcsinh),
)
Change = Transformation | Increasing


def rotatable(algorithm: Any) -> TypeGuard[Rotatable]:
    """Whether it and all its members can be rotated."""
    return isinstance(algorithm, Rotatable) and all(rotatable(member) for member in getattr(algorithm, "members", ()))


def rotates_draws(algorithm: Any) -> bool:
    """Whether its draws can be rotated with the problem, and do not follow its points by themselves."""
    return rotatable(algorithm) and getattr(algorithm, "rotates_draws", True)


@dataclass(eq=False)
class Image:
    """The problem in other coordinates; it keeps what it is asked, in the coordinates of the plain problem.

    With a ``shake`` the values are those of points that differ by at most this much, as by rounding.
    """

    problem: Problem
    box: Box
    back: Callable[[Array], Array]
    name: str = "image"
    minimum: float | None = None
    optimum: Array | None = None
    increasing: Increasing | None = None
    shake: float = 0.0
    shaking: Generator | None = None
    asked: list[Array] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    touching: list[int] = field(default_factory=list)

    def __call__(self, x: Array, rng: Generator) -> Array:
        """Values of the rows of x."""
        self.touching.append(int(((x <= self.box.lower) | (x >= self.box.upper)).sum()))
        self.asked.append(self.back(np.array(x)))
        at = self.asked[-1]
        if self.shaking is not None:
            at = at + self.shake * self.shaking.uniform(-1.0, 1.0, at.shape)
        self.values.append(self.problem(at, rng))
        return self.values[-1] if self.increasing is None else self.increasing.function(self.values[-1])

    def kept_order(self) -> bool:
        """Whether different values stayed different: rounding may merge some."""
        if self.increasing is None:
            return True
        values = np.unique(np.concatenate(self.values))
        return bool((np.diff(self.increasing.function(values)) > 0).all())

    def objective(self) -> None:
        """Points must be seen: it is called from Python."""
        return


@dataclass(frozen=True)
class Turned:
    """An algorithm whose first state, made from the plain first population, is rotated together with its draws."""

    algorithm: Any
    rotation: Array

    @property
    def name(self) -> str:
        """That of the algorithm."""
        return self.algorithm.name

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> Any:
        """Its state, rotated."""
        return self.algorithm.rotated(self.algorithm.init(box, popsize, maxfev, rng, x0), self.rotation)

    def ask(self, state: Any, rng: Generator) -> tuple[Array, Any]:
        """As the algorithm."""
        return self.algorithm.ask(state, rng)

    def tell(self, state: Any, x: Array, f: Array, rng: Generator) -> Any:
        """As the algorithm."""
        return self.algorithm.tell(state, x, f, rng)

    def population(self, state: Any) -> tuple[Array, Array]:
        """As the algorithm."""
        return self.algorithm.population(state)


@dataclass(frozen=True)
class Permuted:
    """An algorithm whose random numbers are permuted with the variables."""

    algorithm: Any
    order: np.ndarray

    @property
    def name(self) -> str:
        """That of the algorithm."""
        return self.algorithm.name

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> Any:
        """As the algorithm, with permuted draws."""
        return self.algorithm.init(box, popsize, maxfev, PermutedDraws(rng, self.order), x0)

    def ask(self, state: Any, rng: Generator) -> tuple[Array, Any]:
        """As the algorithm, with permuted draws."""
        return self.algorithm.ask(state, PermutedDraws(rng, self.order))

    def tell(self, state: Any, x: Array, f: Array, rng: Generator) -> Any:
        """As the algorithm, with permuted draws."""
        return self.algorithm.tell(state, x, f, PermutedDraws(rng, self.order))

    def population(self, state: Any) -> tuple[Array, Array]:
        """As the algorithm."""
        return self.algorithm.population(state)


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """Points asked for and points kept, generation by generation, in the coordinates of the plain problem."""

    asked: list[Array]
    kept: list[Array]
    touches: int
    first_touch: int | None
    best: float
    increasing: bool = True

    def summary(self, directions: Array) -> Array:
        """Numbers to compare in distribution: mean and spread of the first and the last points; the best value.

        The order of the points of a step does not matter.
        """
        steps = [np.sort(self.asked[g] @ directions.T, axis=0) for g in (min(1, len(self.asked) - 1), -1)]
        each = [(step.mean(axis=0), step.std(axis=0)) for step in steps]
        return np.concatenate([number for pair in each for number in pair] + [[self.best]])


@dataclass(frozen=True)
class Setting:
    """What two runs have in common."""

    algorithm: Algorithm
    problem: Problem
    popsize: int
    generations: int
    seed: int
    shaken: int = 0  # stream of what shakes points

    def transformations(self, property: Property) -> Iterator[Change]:
        """The simple ones first, of all sizes and both signs; powers of two scale without rounding."""
        box = self.problem.box
        if property == "translation":
            for times in SHIFTS:
                yield Transformation(property, f"b = {times:g} times the width of the box", b=times * box.width)
            each = generator(self.seed, 4).uniform(-3, 3, box.dim)
            yield Transformation(property, "b = another multiple of the width in each variable", b=each * box.width)
        elif property == "scale":
            for power in POWERS:
                yield from (Transformation(property, f"a = {a:g}", a=a) for a in (2.0**power, -(2.0**power)))
        elif property == "order":
            yield from INCREASING
        elif property == "permutation":
            yield from simple(property, box.dim)
            order = generator(self.seed, 5).permutation(box.dim)
            yield Transformation(property, "random permutation", M=np.eye(box.dim)[:, order])
        else:
            yield from (T for T in simple(property, box.dim) if "1 and 2" in T.label)
            M = random_orthogonal(box.dim, generator(self.seed, 2))
            yield Transformation(property, "random orthogonal matrix", M=M)

    @property
    def given(self) -> int:
        """Points of the first population that both runs get: not more than the algorithm has."""
        return min(self.popsize, getattr(self.algorithm, "popsize", None) or self.popsize)

    @property
    def batch(self) -> int:
        """Points of a generation at most, as far as the settings of the algorithm tell."""
        size = max(self.popsize, getattr(self.algorithm, "popsize", None) or 0)
        return max(size, math.ceil(size * getattr(self.algorithm, "offspring", 1.0)))

    def first(self, property: Property) -> Array:
        """The first population: in the box, for rotation in a ball that fits into it."""
        box, rng = self.problem.box, generator(self.seed, 3)
        if property != "rotation":
            return box.sample(self.given, rng)
        step = rng.standard_normal((self.given, box.dim))
        step *= rng.random((self.given, 1)) ** (1 / box.dim) / np.linalg.norm(step, axis=1, keepdims=True)
        return (box.lower + box.upper) / 2 + step * box.width.min() / 2

    def rounding(self, change: Change) -> float:
        """A length, somewhat above that by which the coordinates of the transformed problem round points."""
        box = self.problem.box
        size = np.abs([box.lower, box.upper]).max()
        if isinstance(change, Transformation):
            size += np.abs(change.b).max()
        return float(ULPS * np.finfo(float).eps * size)

    def run(
        self, change: Change | None, x0: Array, path: int, permuted: bool = False, shake: float = 0.0
    ) -> RecordedRun:  # fmt: skip
        """One run; points are given back in the coordinates of the plain problem.

        Rotations turn about the centre. A negative a mirrors the box, so that its bounds change places; an algorithm
        that can be rotated is mirrored after its first points were made, as it is under rotations. With ``permuted``,
        the random numbers are permuted with the variables. With ``shake`` the first points and those that
        are evaluated are others nearby, for each ``path``.
        """
        box = self.problem.box
        T = change if isinstance(change, Transformation) else None
        centre = (box.lower + box.upper) / 2 if T is not None and T.property == "rotation" else np.zeros(box.dim)

        def back(y: Array) -> Array:
            return y if T is None else centre + T.inverse(y - centre)

        plain = x0
        if T is not None:
            x0 = centre + T(x0 - centre)
            corners = T(np.array([box.lower, box.upper]))
            box = box if T.property == "rotation" else Box(corners.min(axis=0), corners.max(axis=0))
        algorithm: Any = self.algorithm
        if T is not None and T.property == "rotation" and rotatable(algorithm):
            assert T.M is not None
            algorithm, x0 = Turned(algorithm, T.M), plain
        elif T is not None and T.a < 0 and rotatable(algorithm):
            algorithm, x0 = Turned(algorithm, -np.eye(box.dim)), box.lower + box.upper - x0
        elif T is not None and permuted:
            algorithm = Permuted(algorithm, order_of(T))
        image = Image(self.problem, box, back, increasing=change if isinstance(change, Increasing) else None)
        if shake > 0:
            image.shake, image.shaking = shake, generator(self.seed, 8, self.shaken, path)
            x0 = x0 + shake * (T.a if T is not None else 1.0) * image.shaking.uniform(-1.0, 1.0, x0.shape)
        kept: list[Array] = []

        def watch(run: Run) -> bool:
            kept.append(back(run.population.copy()))
            return run.nit >= self.generations

        solve(
            image, algorithm, maxfev=self.batch * (self.generations + 1), popsize=self.popsize, seed=self.seed,
            run=path, x0=x0, watch=watch, check_box=False,
        )  # fmt: skip
        first_touch = next((g for g, count in enumerate(image.touching) if count), None)
        best = min(float(values.min()) for values in image.values)
        return RecordedRun(image.asked, kept, sum(image.touching), first_touch, best, image.kept_order())
