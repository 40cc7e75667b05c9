"""GA: its operators as it sets them against their densities and a naive twin, one step from a hand-made state."""

import numpy as np
from scipy.stats import kstest

from autov.algorithms.ga import GA
from autov.algorithms.population import tournament
from autov.core import Box, generator
from autov.operators import SBX, PolynomialMutation
from tests.algorithms.driver import sphere, started


def test_spread_factor_has_its_density():
    """Children (c1 - c2) / (x1 - x2) = +-beta; P(beta <= b) = b^21 / 2 up to 1 and 1 - b^-21 / 2 above."""
    n = 20_000
    x1, x2 = np.full((n, 1), 3.0), np.full((n, 1), 1.0)
    first, second = GA().crossover.children(x1, x2, generator(1))
    assert np.allclose(first + second, 4.0)  # the middle stays
    beta = (first - second) / 2
    untouched = beta == 1.0
    assert abs(untouched.mean() - 0.5) < 0.02
    crossed = beta[~untouched]
    assert abs((crossed < 0).mean() - 0.5) < 0.02
    cdf = lambda b: np.where(b <= 1, 0.5 * b**21, 1 - 0.5 * b**-21.0)  # noqa: E731
    assert kstest(np.abs(crossed), cdf).pvalue > 0.001


def test_pairs_are_left_alone_with_crossover_probability_zero():
    x1, x2 = generator(1).random((2, 50, 4))
    first, second = GA(crossover_probability=0.0).crossover.children(x1, x2, generator(2))
    assert np.array_equal(first, x1)
    assert np.array_equal(second, x2)


def test_mutation_equals_its_naive_twin():
    box = Box(np.array([-1.0, 0.0]), np.array([3.0, 10.0]))
    x = box.sample(300, generator(1))
    mutated = GA(mutation_probability=0.4).mutation(x[None], box.lower, box.upper, generator(2))
    rng = generator(2)
    chosen = rng.random(x.shape) < 0.4
    u = iter(rng.random(chosen.sum()))
    expected = x.copy()
    for i in range(300):
        for j in range(2):
            if chosen[i, j]:
                low, high = box.lower[j], box.upper[j]
                r, width = next(u), high - low
                if r <= 0.5:
                    inner = 2 * r + (1 - 2 * r) * (1 - (x[i, j] - low) / width) ** 21
                    delta = inner ** (1 / 21) - 1
                else:
                    inner = 2 * (1 - r) + (2 * r - 1) * (1 - (high - x[i, j]) / width) ** 21
                    delta = 1 - inner ** (1 / 21)
                expected[i, j] += delta * width
    np.testing.assert_allclose(mutated, expected, rtol=1e-12)


def test_children_are_those_of_the_operators_that_are_certified():
    settings = GA(0.8, 3.0, 0.3, 7.0, 0.6, 0.9)
    assert settings.crossover == SBX(eta=3.0, keep=0.9, probability=0.8, variable_probability=0.6)
    assert settings.mutation == PolynomialMutation(eta=7.0, rate=0.3)
    assert GA().crossover == SBX(variable_probability=0.5)
    assert GA().mutation == PolynomialMutation()
    box = Box.cube(-1, 1, 3)
    state, _ = started(settings, box.sample(7, generator(1)), sphere, box)
    children, _ = settings.ask(state, generator(2))
    rng = generator(2)
    parents = state.x[tournament(state.f, 8, rng)]
    crossed = np.concatenate(settings.crossover.children(parents[:4], parents[4:], rng))[:7]
    expected = settings.mutation(box.clip(crossed)[None], box.lower, box.upper, rng)
    assert np.array_equal(children, box.clip(expected))


def test_tournament_prefers_the_better():
    f = np.array([3.0, 1.0, 2.0])
    share = np.bincount(tournament(f, 30_000, generator(1)), minlength=3) / 30_000
    np.testing.assert_allclose(share, [1 / 9, 5 / 9, 3 / 9], atol=0.01)


def test_the_best_of_parents_and_children_survive():
    box = Box.cube(-10, 10, 1)
    state, rng = started(GA(), np.array([[1.0], [5.0], [3.0]]), sphere, box)
    x = np.array([[2.0], [4.0], [9.0]])
    state = GA().tell(state, x, sphere(x), rng)
    assert state.x.ravel().tolist() == [1, 2, 3]
    assert state.f.tolist() == [1, 4, 9]


def test_an_odd_population_has_as_many_children():
    state, rng = started(GA(), np.arange(7.0)[:, None], sphere, Box.cube(-10, 10, 1))
    assert GA().ask(state, rng)[0].shape == (7, 1)


def test_without_variation_children_are_parents():
    settings = GA(crossover_probability=0.0, mutation_probability=0.0)
    x = generator(4).random((10, 3))
    state, rng = started(settings, x, sphere, Box.cube(0, 1, 3))
    children, _ = settings.ask(state, rng)
    assert all((child == x).all(axis=1).any() for child in children)
