"""A small algorithm and a slow problem for the tests."""

import time
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from autov.core import Array, Box
from autov.experiments import compare


@dataclass(frozen=True)
class State:
    box: Box
    popsize: int
    x: Array
    f: Array


@dataclass(frozen=True)
class RandomSearch:
    """Points near the best one; the width is a setting."""

    name: ClassVar[str] = "random-search"
    width: float = 1.0

    def init(self, box, popsize, maxfev, rng, x0=None):  # noqa: ARG002
        return State(box, popsize, box.sample(popsize, rng), np.empty(0))

    def ask(self, state, rng):
        if not state.f.size:
            return state.x, state
        centre = state.x[np.argmin(state.f)]
        step = self.width * state.box.width * rng.uniform(-0.5, 0.5, (state.popsize, state.box.dim))
        return state.box.clip(centre + step), state

    def tell(self, state, x, f, rng):  # noqa: ARG002
        return replace(state, x=x, f=f)

    def population(self, state):
        return state.x, state.f


@dataclass(frozen=True)
class SlowSphere:
    """The sphere, taking its time, and failing in the runs whose first point lies below a limit."""

    seconds: float = 0.0
    fail_below: float = -1.0
    minimum: ClassVar[float] = 0.0
    optimum: ClassVar[None] = None

    @property
    def name(self):
        return "slow-sphere"

    @property
    def box(self):
        return Box.cube(-1, 1, 2)

    def __call__(self, x, rng):  # noqa: ARG002
        time.sleep(self.seconds)
        if x[0, 0] < self.fail_below:
            raise ArithmeticError("too low")
        return (x**2).sum(axis=1)

    def objective(self):
        return None


def slow_comparison(store, runs, workers=2):
    return compare(
        {"wide": RandomSearch(), "narrow": RandomSearch(0.1)}, SlowSphere(0.004), maxfev=40, popsize=10, runs=runs,
        rng=1, store=store, workers=workers, reference="wide",
    )  # fmt: skip
