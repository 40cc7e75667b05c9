"""FEP: one step from a hand-made state, and the tournament against a naive twin."""

import math

import numpy as np

from autov.algorithms.fep import FEP
from autov.core import Box, generator
from tests.algorithms.driver import sphere, started

BOX = Box.cube(-1000, 1000, 4)


def test_children_and_step_sizes_follow_the_equations():
    fep = FEP()
    x = generator(1).uniform(-3, 3, (5, 4))
    state, _ = started(fep, x, sphere, BOX)
    assert (state.eta == 3).all()
    child, after = fep.ask(state, generator(7))
    rng = generator(7)
    delta, common, own = rng.standard_cauchy((5, 4)), rng.standard_normal((5, 1)), rng.standard_normal((5, 4))
    tau, tau_common = 1 / math.sqrt(2 * math.sqrt(4)), 1 / math.sqrt(2 * 4)
    for i in range(5):
        for j in range(4):
            assert np.isclose(child[i, j], np.clip(x[i, j] + 3 * delta[i, j], -1000, 1000))  # (1), the parent's eta
            eta = 3 * math.exp(tau_common * common[i, 0] + tau * own[i, j])  # (2)
            assert np.isclose(after.child_eta[i, j], eta)


def test_first_step_sizes_may_be_uniform():
    state = FEP(eta=2.0, start="uniform").init(BOX, 5000, 1, generator(1))
    assert 0 < state.eta.min() < 0.01
    assert 1.99 < state.eta.max() <= 2
    assert abs(state.eta.mean() - 1) < 0.02


def test_those_with_most_wins_survive():
    fep = FEP(opponents=3)
    x = generator(1).uniform(-3, 3, (5, 4))
    state, rng = started(fep, x, sphere, BOX)
    child, after = fep.ask(state, rng)
    told = fep.tell(after, child, sphere(child), generator(8))
    f = np.concatenate([sphere(x), sphere(child)])
    met = generator(8).integers(0, 10, (10, 3))
    wins = [sum(f[i] <= f[j] for j in met[i]) for i in range(10)]
    ranked = sorted(range(10), key=lambda i: (-wins[i], f[i]))[:5]
    assert np.array_equal(told.f, f[ranked])
    assert np.array_equal(told.x, np.concatenate([x, child])[ranked])
    assert np.array_equal(told.eta, np.concatenate([state.eta, after.child_eta])[ranked])


def test_the_best_always_survives():
    fep = FEP(opponents=1)
    for seed in range(30):
        state, rng = started(fep, generator(seed).uniform(-3, 3, (4, 4)), sphere, BOX, seed=seed)
        best = state.f.min()
        for _ in range(5):
            child, state = fep.ask(state, rng)
            state = fep.tell(state, child, sphere(child), rng)
        assert state.f.min() <= best
