"""One run of an algorithm on a problem or on the transformed problem, recorded in the same coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from autov.algorithms.base import AnyMetaheuristic
from autov.core import Array, Box, generator
from autov.invariance.transformations import Property, Transformation, random_orthogonal, simple
from autov.problems.base import Problem


@dataclass(frozen=True, eq=False)
class Run:
    """Points asked for and points kept, generation by generation, in the coordinates of the plain problem."""

    asked: list[Array]
    kept: list[Array]
    touches: int
    first_touch: int | None
    best: float

    def summary(self, directions: Array) -> Array:
        """Numbers to compare by law: a point and the spread of all, in the first and last step; the best value."""
        steps = [self.asked[g] @ directions.T for g in (1, -1)]
        return np.concatenate([*(step[0] for step in steps), *(step.std(axis=0) for step in steps), [self.best]])


@dataclass(frozen=True)
class Setting:
    """What two runs have in common."""

    algorithm: AnyMetaheuristic
    problem: Problem
    popsize: int
    generations: int
    seed: int

    def transformations(self, property: Property) -> Iterator[Transformation]:
        """A few, of sizes that matter in the box; powers of two scale without rounding."""
        box = self.problem.box
        if property == "translation":
            yield Transformation(property, "b = half the width of the box", b=box.width / 2)
            yield Transformation(property, "b = -3 times the width of the box", b=-3 * box.width)
        elif property == "scale":
            for a in (2.0, 1024.0, 2.0**-10):
                yield Transformation(property, f"a = {a:g}", a=a)
        else:
            yield from (T for T in simple(property, box.dim) if "1 and 2" in T.label)
            M = random_orthogonal(box.dim, generator(self.seed, 2))
            yield Transformation(property, "random orthogonal matrix", M=M)

    def first(self, property: Property) -> Array:
        """The first population: in the box, for rotation in a ball that fits into it."""
        box, rng = self.problem.box, generator(self.seed, 3)
        if property != "rotation":
            return box.sample(self.popsize, rng)
        step = rng.standard_normal((self.popsize, box.dim))
        step *= rng.random((self.popsize, 1)) ** (1 / box.dim) / np.linalg.norm(step, axis=1, keepdims=True)
        return (box.lower + box.upper) / 2 + step * box.width.min() / 2

    def run(self, T: Transformation | None, x0: Array, path: int) -> Run:
        """One run; points are given back in the coordinates of the plain problem. Rotations turn about the centre."""
        box = self.problem.box
        centre = (box.lower + box.upper) / 2 if T is not None and T.property == "rotation" else np.zeros(box.dim)

        def back(y: Array) -> Array:
            return y if T is None else centre + T.inverse(y - centre)

        if T is not None:
            x0 = centre + T(x0 - centre)
            box = box if T.property == "rotation" else Box(T(box.lower), T(box.upper))
        rng, noise = generator(self.seed, 4, path), generator(self.seed, 5, path)
        state = self.algorithm.init(box, self.popsize, self.popsize * (self.generations + 1), rng, x0)
        asked, kept, touching = [], [], []
        best = np.inf
        for _ in range(self.generations + 1):
            x, state = self.algorithm.ask(state, rng)
            x = np.array(x)
            f = self.problem(back(x), noise)
            state = self.algorithm.tell(state, x, f, rng)
            asked.append(back(x))
            kept.append(back(np.array(self.algorithm.population(state)[0])))
            touching.append(int(((x <= box.lower) | (x >= box.upper)).sum()))
            best = min(best, float(np.min(f)))
        first_touch = next((g for g, count in enumerate(touching) if count), None)
        return Run(asked, kept, sum(touching), first_touch, best)
