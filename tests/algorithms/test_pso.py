"""PSO: one step from a hand-made state against the equations."""

from dataclasses import replace

import numpy as np

from autov.algorithms.pso import PSO
from autov.core import Box, generator
from tests.algorithms.driver import sphere, started

BOX = Box.cube(-10, 10, 3)


def test_a_step_follows_the_equations():
    pso = PSO()
    x = generator(1).uniform(-3, 3, (6, 3))
    state, _ = started(pso, x, sphere, BOX)
    worse = x + 0.5 * np.sign(x)  # everybody leaves its best behind, at some speed
    state = replace(state, v=np.full((6, 3), 0.25))
    state = pso.tell(state, worse, sphere(worse), generator(0))
    assert np.array_equal(state.best_x, x)
    assert np.array_equal(state.x, worse)
    moved, after = pso.ask(state, generator(7))
    r = generator(7).random((2, 6, 3))
    leader = x[np.argmin(sphere(x))]
    for i in range(6):
        for j in range(3):
            v = 0.4 * 0.25 + 2 * r[0, i, j] * (x[i, j] - worse[i, j]) + 2 * r[1, i, j] * (leader[j] - worse[i, j])
            assert np.isclose(after.v[i, j], v)
            assert np.isclose(moved[i, j], worse[i, j] + v)


def test_one_draw_per_particle():
    pso = PSO(cognitive=0.0, social=1.0, draw="particle")
    x = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 4.0]])
    state, rng = started(pso, x, sphere, BOX)
    moved, _ = pso.ask(state, rng)
    ratio = moved[1] / x[1]
    assert np.allclose(ratio, ratio[0])


def test_a_wall_stops_the_particle_in_that_direction():
    pso = PSO(cognitive=0.0, social=0.0)
    state, rng = started(pso, np.array([[9.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), sphere, BOX)
    state = replace(state, v=np.array([[5.0, 5.0, 0.0], [0.0, 0.0, 0.0]]))
    moved, after = pso.ask(state, rng)
    assert moved[0].tolist() == [10, 2, 0]
    assert after.v[0].tolist() == [0, 2, 0]


def test_the_memory_keeps_the_better():
    pso = PSO()
    state, rng = started(pso, np.array([[1.0, 0, 0], [2.0, 0, 0]]), sphere, BOX)
    x = np.array([[3.0, 0, 0], [0.5, 0, 0]])
    state = pso.tell(state, x, sphere(x), rng)
    assert state.best_x[:, 0].tolist() == [1.0, 0.5]
    assert state.best_f.tolist() == [1.0, 0.25]


def test_the_swarm_follows_the_best_remembered_not_the_best_of_the_moment():
    pso = PSO(inertia=0.0, cognitive=0.0, social=1.0)
    state, rng = started(pso, np.array([[1.0, 0, 0], [2.0, 0, 0]]), sphere, BOX)
    x = np.array([[5.0, 0, 0], [3.0, 0, 0]])
    state = pso.tell(state, x, sphere(x), rng)
    moved, _ = pso.ask(state, generator(7))
    r = generator(7).random((2, 2, 3))[1]
    np.testing.assert_allclose(moved, x + r * (np.array([1.0, 0, 0]) - x))
