"""DE: one step from a hand-made state against the equations."""

import numpy as np
import pytest

from autov.algorithms.de import DE, binomial
from autov.algorithms.population import distinct, partners, tournament
from autov.core import Box, InputError, generator
from tests.algorithms.driver import sphere, started

BOX = Box.cube(-10, 10, 4)


def test_partners_are_distinct_and_uniform():
    seen = np.zeros((5, 5))
    for seed in range(2000):
        chosen = partners(5, 3, generator(seed))
        for i, row in enumerate(chosen):
            assert len({i, *row}) == 4
            seen[i, row[2]] += 1
    off = seen[~np.eye(5, dtype=bool)]
    assert abs(off / 2000 - 0.25).max() < 0.06
    assert distinct(np.array([[0, 2], [1, 0]]), 3, generator(1)).tolist() == [1, 2]


def test_a_step_follows_the_equations():
    de = DE()
    x = generator(1).uniform(-3, 3, (8, 4))
    state, _ = started(de, x, sphere, BOX)
    trial, _ = de.ask(state, generator(7))
    rng = generator(7)
    r = partners(8, 3, rng)
    cross, sure = rng.random((8, 4)), rng.integers(0, 4, 8)
    for i in range(8):
        for j in range(4):
            v = x[r[i, 0], j] + 0.5 * (x[r[i, 1], j] - x[r[i, 2], j])  # (2)
            expected = v if cross[i, j] < 0.9 or j == sure[i] else x[i, j]  # (4)
            assert np.isclose(trial[i, j], np.clip(expected, -10, 10))


def test_a_mutant_may_start_from_its_target():
    """Partners are winners: with one point far better than all others, it is the first partner in most differences."""
    de = DE(base="target", CR=1.0)
    x = generator(1).uniform(-3, 3, (8, 4))
    state, _ = started(de, x, sphere, BOX)
    trial, _ = de.ask(state, generator(7))
    r2, r3 = tournament(state.f, 16, generator(7)).reshape(2, 8)
    np.testing.assert_allclose(trial, np.clip(x + 0.5 * (x[r2] - x[r3]), -10, 10))
    with pytest.raises(InputError, match=r"^base: "):
        DE(base="best")


def test_crossover_takes_one_variable_at_least():
    x, mutant = np.zeros((1000, 5)), np.ones((1000, 5))
    assert (binomial(x, mutant, 0.0, generator(1)).sum(axis=1) == 1).all()
    assert (binomial(x, mutant, 1.0, generator(1)) == 1).all()
    mean = binomial(x, mutant, 0.5, generator(1)).mean()
    assert abs(mean - (0.5 * 4 + 1) / 5) < 0.03


def test_a_trial_meets_its_own_target():
    state, rng = started(DE(), np.diag([1.0, 2, 3, 4]), sphere, BOX)
    x = np.diag([2.0, 1, 3, 5])
    after = DE().tell(state, x, sphere(x), rng)
    assert np.diag(after.x).tolist() == [1, 1, 3, 4]
    assert after.f.tolist() == [1, 1, 9, 16]


def test_a_trial_as_good_as_its_target_replaces_it():
    state, rng = started(DE(), np.diag([1.0, 2, 3, 4]), sphere, BOX)
    after = DE().tell(state, -state.x, state.f.copy(), rng)
    assert np.array_equal(after.x, -state.x)
