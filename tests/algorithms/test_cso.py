"""CSO: one competition from a hand-made state against the equations."""

from dataclasses import replace

import numpy as np

from autov.algorithms.cso import CSO
from autov.core import Box, generator
from tests.algorithms.driver import sphere, started

BOX = Box.cube(-10, 10, 3)


def test_a_competition_follows_the_equations():
    cso = CSO()
    x = generator(1).uniform(-3, 3, (6, 3))
    state, _ = started(cso, x, sphere, BOX)
    state = replace(state, v=generator(2).normal(size=(6, 3)))
    moved, after = cso.ask(state, generator(7))
    assert moved.shape == (3, 3)
    rng = generator(7)
    pairs = rng.permutation(6).reshape(2, 3).T
    r = rng.random((3, 3, 3))
    mean = x.mean(axis=0)
    for k, (a, b) in enumerate(pairs):
        winner, loser = (a, b) if state.f[a] <= state.f[b] else (b, a)
        assert after.losers[k] == loser
        for j in range(3):
            v = (
                r[0, k, j] * state.v[loser, j]
                + r[1, k, j] * (x[winner, j] - x[loser, j])
                + 0.1 * r[2, k, j] * (mean[j] - x[loser, j])
            )  # (6)
            assert np.isclose(after.v[loser, j], v)
            assert np.isclose(moved[k, j], np.clip(x[loser, j] + v, -10, 10))  # (7)
        assert np.array_equal(after.v[winner], state.v[winner])
    told = cso.tell(after, moved, sphere(moved), rng)
    assert np.array_equal(told.x[after.losers], moved)
    winners = np.setdiff1d(np.arange(6), after.losers)
    assert np.array_equal(told.x[winners], x[winners])


def test_an_odd_one_rests():
    state, rng = started(CSO(), generator(1).random((7, 3)), sphere, BOX)
    moved, after = CSO().ask(state, rng)
    assert len(moved) == 3
    assert len(set(after.losers)) == 3


def test_one_draw_per_particle():
    cso = CSO(phi=0.0, draw="particle")
    x = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 4.0]])
    state, rng = started(cso, x, sphere, BOX)
    moved, _ = cso.ask(state, rng)
    assert np.allclose(moved[0] / x[1], moved[0, 0])
