"""`tell_over` is `tell` without copies: the same course, and it is `tell` that leaves a state as it was."""

import numpy as np
import pytest

from autov.algorithms import resolve_algorithm
from autov.algorithms.base import next_state
from autov.algorithms.portfolio import Portfolio, hand_made
from autov.algorithms.surrogate_ma_es import SurrogateMatrixAdaptation
from autov.core import Box, generator

NAMES = ["general", "lq-ma-es", "memetic", "mixed"]
MIXED = Portfolio(members=(SurrogateMatrixAdaptation(), *hand_made()))
BOX = Box(np.full(3, -5.0), np.full(3, 4.0))


def made(name):
    return MIXED if name == "mixed" else resolve_algorithm(name)


def values(x):
    return ((x - 1.3) ** 2).sum(axis=1) + np.cos(3 * x).sum(axis=1)


def course(algorithm, over, maxfev=600):
    """Points of all batches."""
    rng, asked, n = generator(1), [], 0
    state = algorithm.init(BOX, 20, maxfev, rng)
    while n < maxfev - 50:
        x, state = algorithm.ask(state, rng)
        state = next_state(algorithm, over, state, x, values(x), rng)
        asked.append(x)
        n += len(x)
    return asked


@pytest.mark.parametrize("name", NAMES)
def test_it_takes_the_same_course(name):
    algorithm = made(name)
    kept, over = course(algorithm, False), course(algorithm, True)
    assert len(kept) == len(over) > 20
    assert all((a == b).all() for a, b in zip(kept, over, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_two_runs_that_tell_in_turns_do_not_meet(name):
    algorithm, alone = made(name), course(made(name), True)[:40]
    rngs = [generator(1), generator(1)]
    states = [algorithm.init(BOX, 20, 600, rng) for rng in rngs]
    for expected in alone:
        for i, rng in enumerate(rngs):
            x, states[i] = algorithm.ask(states[i], rng)
            assert (x == expected).all()
            states[i] = next_state(algorithm, True, states[i], x, values(x), rng)


@pytest.mark.parametrize("name", NAMES)
def test_tell_can_be_repeated_from_a_state(name):
    algorithm, rng = made(name), generator(1)
    state = algorithm.init(BOX, 20, 600, rng)
    for _ in range(80):
        x, state = algorithm.ask(state, rng)
        other = algorithm.tell(state, x, values(x) + 1, rng)
        state_after = algorithm.tell(state, x, values(x), rng)
        again = algorithm.tell(state, x, values(x), rng)
        assert (algorithm.ask(state_after, rng)[0] == algorithm.ask(again, rng)[0]).all()
        del other
        state = state_after
