"""The driver's rule in a few lines: exactly maxfev evaluations, the batch that is cut short is not told."""

import numpy as np

from autov.algorithms.resolve import resolve_algorithm
from autov.core import Box, generator

BOX = Box.cube(-5.0, 10.0, 5)


def sphere(x):
    return (x**2).sum(axis=1)


def rastrigin(x):
    return (x**2 - 10 * np.cos(2 * np.pi * x) + 10).sum(axis=1)


def drive(algorithm, fun, box, popsize=20, maxfev=1000, seed=1, x0=None, watch=None, planned=None):
    """The best value, all points in order of evaluation, and the last state; it plans with ``planned`` evaluations."""
    rng = generator(seed)
    state = algorithm.init(box, popsize, planned or maxfev, rng, x0)
    points, best = [], np.inf
    count = 0
    while count < maxfev:
        x, state = algorithm.ask(state, rng)
        cut = x[: maxfev - count]
        f = fun(cut)
        points.append(cut.copy())
        count += len(cut)
        best = min(best, f.min())
        if len(cut) < len(x):
            break
        state = algorithm.tell(state, cut, f, rng)
        if watch is not None:
            watch(state)
    return best, np.concatenate(points), state


def started(algorithm, x, fun, box, seed=3, maxfev=10_000):
    """The state after the points x were evaluated as the first population, and the generator."""
    rng = generator(seed)
    state = algorithm.init(box, len(x), maxfev, rng, x)
    asked, state = algorithm.ask(state, rng)
    return algorithm.tell(state, asked, fun(asked), rng), rng


class Contracted:
    """Asks for one point again and again: for 1 in the first two batches, then for the number of its start."""

    name = "contracted"

    def __init__(self):
        self.starts = 0

    def init(self, box, popsize, maxfev, rng, x0=None):  # noqa: ARG002
        self.starts += 1
        return np.ones((popsize, box.dim)), 0

    def ask(self, state, rng):  # noqa: ARG002
        x, batches = state
        return (x if batches < 2 else x * self.starts), state

    def tell(self, state, x, f, rng):  # noqa: ARG002
        return state[0], state[1] + 1

    def population(self, state):
        return state[0], np.zeros(len(state[0]))


def sized(algorithm, popsize):
    """The option popsize, for algorithms that use it: others warn."""
    return {"popsize": popsize} if getattr(resolve_algorithm(algorithm), "uses_popsize", True) else {}
