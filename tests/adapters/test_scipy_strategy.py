"""An affine operator as a strategy of SciPy's differential evolution."""

import numpy as np

from autov.adapters.scipy import scipy_strategy
from autov.operators import AffineOperator


def test_the_trial_point_is_the_operator_of_the_candidate_and_others():
    middle = AffineOperator.from_rows(("x1", "x2", "best"), [{"probability": 1, "x2": (0.5, 0), "best": (0.25, 0)}])
    population = np.random.default_rng(1).random((6, 4))
    made = scipy_strategy(middle)(2, population, rng=np.random.default_rng(3))
    x1, best = population[2], population[0]
    possible = [x1 + 0.5 * (population[j] - x1) + 0.25 * (best - x1) for j in range(6) if j != 2]
    assert sum(np.allclose(made, point) for point in possible) == 1


def test_points_stay_in_the_cube_and_the_rng_decides():
    wild = AffineOperator.from_rows("h3", [{"probability": 1, "upper": (0, 5), "lower": (0, 5)}])
    population = np.random.default_rng(1).random((6, 50))
    a, b, c = (scipy_strategy(wild)(1, population, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)
    assert a.min() >= 0
    assert a.max() <= 1


def test_differences_and_spreads_are_those_of_the_population():
    operator = AffineOperator.from_rows(
        ("x1", "difference", "spread"), [{"probability": 1, "difference": (0.5, 0), "spread": (0.25, 0)}]
    )
    population = 0.4 + 0.2 * np.random.default_rng(1).random((5, 3))
    made = scipy_strategy(operator)(2, population, rng=np.random.default_rng(3))
    rest = made - population[2] - 0.25 * population.std(axis=0)
    pairs = [0.5 * (population[a] - population[b]) for a in range(5) for b in range(5) if a != b]
    assert sum(np.allclose(rest, pair) for pair in pairs) == 1
