"""Main effects by a forest, against variances that can be worked out."""

import numpy as np
import pytest

from autov.core import InputError, generator
from autov.stats.forest import main_effects


def test_shares_are_those_of_a_sum_of_independent_inputs():
    rng = generator(1)
    x = rng.random((1500, 5))
    y = 3 * x[:, 0] + 2 * x[:, 3] ** 2 + 0.1 * rng.standard_normal(1500)
    found = main_effects(x, y, seed=1)
    variances = np.array([9 / 12, 0, 0, 4 * (1 / 5 - 1 / 9), 0])  # of 3 x and of 2 x^2
    assert found.shares == pytest.approx(variances / variances.sum(), abs=0.05)
    assert found.explained > 0.9


def test_a_pure_interaction_has_no_main_effect():
    x = generator(2).random((1500, 3))
    y = (x[:, 0] - 0.5) * (x[:, 1] - 0.5)
    found = main_effects(x, y, seed=1)
    assert found.shares.max() < 0.15
    assert found.explained > 0.5


def test_noise_is_explained_by_nothing():
    rng = generator(3)
    found = main_effects(rng.random((400, 4)), rng.standard_normal(400))
    assert found.explained < 0.05


def test_scales_of_inputs_do_not_matter_and_one_seed_gives_one_result():
    rng = generator(4)
    x, y = rng.random((200, 3)), rng.random(200)
    first, again, scaled = main_effects(x, y), main_effects(x, y), main_effects(x**3 * [1, 1e6, 1e-6], y)
    assert (first.shares == again.shares).all()
    assert (first.shares == scaled.shares).all()


def test_constant_values_have_no_effects():
    found = main_effects(generator(5).random((50, 2)), np.ones(50))
    assert not found.shares.any()
    assert found.explained == 0


def test_bad_data():
    for y in (np.ones(5), np.full(40, np.nan)):
        with pytest.raises(InputError, match=r"^y: "):
            main_effects(np.ones((len(y), 2)), y)
