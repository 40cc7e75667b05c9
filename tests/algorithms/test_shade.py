"""SHADE: one step from a hand-made state against the equations."""

from dataclasses import replace

import numpy as np

from autov.algorithms.shade import SHADE, gains, lehmer, repaired, scale_factors, shrink
from autov.core import Box, generator
from tests.algorithms.driver import sphere, started

BOX = Box.cube(-10, 10, 4)


def test_scale_factors_are_positive_and_at_most_one():
    F = scale_factors(np.full(20_000, 0.5), 0.1, generator(1))
    assert (F > 0).all()
    assert F.max() == 1
    # Cauchy at 0.5 with scale 0.1, cut off at 0: P(F < 0.5) = (1/2 - P(C <= 0)) / (1 - P(C <= 0)).
    below = 0.5 + np.arctan(-5) / np.pi
    assert abs((F < 0.5).mean() - (0.5 - below) / (1 - below)) < 0.015


def test_a_wider_spread_is_wider():
    F = scale_factors(np.full(20_000, 0.5), 0.4, generator(1))
    below = 0.5 + np.arctan(-0.5 / 0.4) / np.pi  # P(C <= 0)
    assert abs((F == 1).mean() - below / (1 - below)) < 0.015  # cut at 1 as often as it would be below 0
    shade = SHADE(spread=0.0, H=3)
    state, rng = started(shade, np.diag([1.0, 2, 3, 4]), sphere, BOX)
    _, after = shade.ask(state, rng)
    assert (after.F == 0.5).all()
    assert (after.CR == 0.5).all()


def test_outside_goes_half_way_to_the_bound():
    parent = np.array([[4.0, -6.0, 1.0, 2.0]])
    mutant = np.array([[30.0, -11.0, 5.0, 10.0]])
    assert repaired(mutant, parent, BOX, "midway").tolist() == [[7, -8, 5, 10]]
    assert repaired(mutant, parent, BOX, "clip").tolist() == [[10, -10, 5, 10]]


def test_memory_archive_and_survival():
    shade = SHADE(H=2)
    state, rng = started(shade, np.diag([1.0, 2, 3, 4]), sphere, BOX)
    state = replace(state, F=np.array([0.2, 0.4, 0.6, 0.8]), CR=np.array([0.1, 0.5, 0.7, 0.9]))
    x = np.diag([1.0, 1, 5, 2])  # equal, better by 3, worse, better by 12
    after = shade.tell(state, x, sphere(x), rng)
    assert np.array_equal(np.diag(after.x), [1, 1, 3, 2])
    assert sorted(after.archive.max(axis=1)) == [2, 4]  # equal ones are replaced but not archived
    w = np.array([3, 12]) / 15
    assert np.isclose(after.memory_cr[0], w @ [0.5, 0.9])
    assert np.isclose(after.memory_f[0], (w @ np.square([0.4, 0.8])) / (w @ [0.4, 0.8]))
    assert after.memory_f[1] == after.memory_cr[1] == 0.5
    assert after.slot == 1
    nothing = shade.tell(after, np.full((4, 4), 9.0), np.full(4, 324.0), rng)
    assert nothing.slot == 1
    assert np.array_equal(nothing.memory_f, after.memory_f)


def test_a_trial_is_current_to_pbest():
    """With F = 1 (a memory far above) and CR = 1 a trial is pbest + x_r1 - x_r2 of the population and the archive."""
    shade = SHADE(H=1, p_max=0.5)
    x = generator(1).uniform(-1, 1, (6, 4))
    state, _ = started(shade, x, sphere, BOX)
    archive = generator(2).uniform(-1, 1, (2, 4))
    state = replace(state, memory_f=np.array([1e9]), memory_cr=np.array([1e9]), archive=archive)
    trial, after = shade.ask(state, generator(5))
    assert (after.F == 1).all()
    assert (after.CR == 1).all()
    order, everyone = np.argsort(state.f), np.concatenate([x, archive])
    for i in range(6):
        matches = [
            (p, r1, r2)
            for p in order[:3]
            for r1 in range(6)
            for r2 in range(8)
            if len({i, r1, r2}) == 3 and np.allclose(trial[i], x[p] + x[r1] - everyone[r2])
        ]
        assert matches


def test_helpers():
    assert np.allclose(gains(np.array([3.0, 5.0]), np.array([2.0, 2.0])), [0.25, 0.75])
    assert np.allclose(gains(np.array([np.inf, 5.0]), np.array([2.0, 2.0])), 0.5)
    assert np.isclose(lehmer(np.array([1.0, 3.0]), np.array([0.5, 0.5])), 5 / 2)
    kept = shrink(np.arange(10.0)[:, None], 4, generator(1)).ravel()
    assert len(set(kept)) == 4
