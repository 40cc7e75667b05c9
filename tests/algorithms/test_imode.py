"""IMODE: shrinking, the three mutations, both crossovers, shares and memory from hand-made states."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from autov.algorithms.imode import IMODE, TERMINAL, exponential, improvement, quality, shares
from autov.core import Box, generator
from tests.algorithms.driver import drive, sphere, started

BOX = Box.cube(-10, 10, 4)


def test_the_population_shrinks_linearly():
    sizes = []
    drive(IMODE(), sphere, BOX, popsize=50, maxfev=3000, watch=lambda s: sizes.append((s.evaluations, len(s.x))))
    for (before, _), (_, size) in itertools.pairwise(sizes):
        assert size == round(50 + (4 - 50) * before / 3000)
    assert sizes[-1][1] == 4
    assert sizes[0] == (50, 50)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("operator", [0, 1, 2])
def test_each_mutation(operator, weighted):
    x = generator(1).uniform(-1, 1, (8, 4))
    archive = generator(2).uniform(-1, 1, (3, 4))
    everyone = np.concatenate([x, archive])
    F = generator(3).uniform(0.1, 1, 8)
    mutant = IMODE(weighted=weighted)._mutate(x, archive, F, np.full(8, operator), generator(4))
    minus = everyone if operator == 0 else x
    for i in range(8):
        found = False
        for p in range(4 if operator == 2 else 2):
            for r1 in range(8):
                for r in range(len(minus)):
                    if operator < 2:
                        v = x[i] + F[i] * (x[p] - x[i] + x[r1] - minus[r])
                    else:
                        v = (F[i] if weighted else 1) * x[r1] + F[i] * (x[p] - x[r])
                    found |= len({i, r1, r}) == 3 and np.allclose(mutant[i], v)
        assert found


def test_exponential_crossover():
    n, d = 20_000, 6
    x, mutant = np.zeros((n, d)), np.ones((n, d))
    taken = exponential(x, mutant, np.full(n, 0.5), generator(1))
    assert (taken.sum(axis=1) >= 1).all()
    assert ((np.diff(taken, axis=1) == 1).sum(axis=1) + taken[:, 0] == 1).all()  # one unbroken stretch
    at_first = taken[taken[:, 0] == 1].sum(axis=1)
    for length in (1, 2, 3):
        assert abs((at_first == length).mean() - 0.5**length) < 0.03
    assert (exponential(x, mutant, np.zeros(n), generator(1)).sum(axis=1) == 1).all()
    assert (exponential(x, mutant, np.ones(n), generator(1))[:, -1] == 1).all()


def test_shares_by_quality_and_diversity():
    x = np.array([[0.0, 0], [3, 4], [1, 0], [1, 2], [0, 1], [0, 1]])
    f = np.array([1.0, 9, 2, 3, 3, 5])
    operator = np.array([0, 0, 1, 1, 2, 2])
    distance = np.array([2.5, 1.0, 0.0])
    score = 1 - np.array([1, 2, 3]) / 6 + distance / 3.5
    np.testing.assert_allclose(quality(x, f, f, operator), np.clip(score / score.sum(), 0.1, 0.9))


def test_shares_by_improvement():
    old, new = np.array([4.0, 4, 10, 10]), np.array([2.0, 5, 10, 1])
    share = improvement(np.empty((4, 1)), np.minimum(old, new), old, np.array([0, 0, 1, 2]))
    np.testing.assert_allclose(share, [0.25 / 1.15, 0.1, 0.9 / 1.15])


def test_quality_prefers_the_better_operator_below_zero_too():
    x, operator = np.zeros((3, 2)), np.arange(3)
    for values in ([1.0, 2.0, 9.0], [-10.0, -9.0, -1.0], [-3.0, 1.0, 4.0]):
        share = quality(x, np.array(values), np.array(values), operator)
        assert share[0] > share[1] > share[2]
    assert np.allclose(quality(x, np.full(3, -np.inf), np.zeros(3), operator), 1 / 3)


def test_shares_that_say_nothing_are_equal():
    with np.errstate(all="ignore"):
        assert np.allclose(shares(np.zeros(3)), 1 / 3)
        assert np.allclose(shares(np.array([np.inf, 1, 1])), 1 / 3)


def test_memory():
    imode = IMODE(memory_ratio=1)
    state, rng = started(imode, np.diag([1.0, 2, 3, 4]), sphere, BOX)
    assert (state.memory_f == 0.2).all()
    _, state = imode.ask(state, rng)
    state = replace(state, F=np.array([0.2, 0.4, 0.6, 0.8]), CR=np.array([0.0, 0.0, 0.7, 0.9]))
    x = np.diag([1.0, 1, 5, 2])
    after = imode.tell(state, x, sphere(x), rng)
    w = np.array([3, 12]) / 15
    assert np.isclose(after.memory_f[0], (w @ np.square([0.4, 0.8])) / (w @ [0.4, 0.8]))
    assert np.isclose(after.memory_cr[0], (w @ np.square([0.0, 0.9])) / (w @ [0.0, 0.9]))
    assert after.slot == 1
    failed = imode.tell(replace(after, F=state.F, CR=state.CR), np.full((4, 4), 9.0), np.full(4, 324.0), rng)
    assert failed.memory_f[1] == failed.memory_cr[1] == 0.5
    assert failed.slot == 1
    x = np.diag([0.5, 0.5, 3, 4])  # only trials with CR = 0 succeed
    ended = imode.tell(replace(failed, F=state.F, CR=state.CR), x, sphere(x), rng)
    assert ended.memory_cr[1] == TERMINAL


def test_better_points_get_smaller_cr():
    imode = IMODE()
    state, rng = started(imode, generator(1).uniform(-9, 9, (30, 4)), sphere, BOX)
    _, state = imode.ask(state, rng)
    assert (np.diff(state.f) >= 0).all()
    assert (np.diff(state.CR) >= 0).all()


def test_the_archive_is_limited():
    _, _, state = drive(IMODE(), sphere, BOX, popsize=20, maxfev=1500)
    assert len(state.archive) <= round(2.6 * len(state.x))
