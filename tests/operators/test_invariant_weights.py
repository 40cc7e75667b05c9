"""Weights that depend on the shape of the inputs, against the definition in plain loops, and their certificates."""

from dataclasses import replace

import numpy as np
import pytest

import autov
from autov.algorithms import Evolution
from autov.algorithms.files import load_algorithm, save_algorithm
from autov.core import InputError
from autov.operators.invariant_weights import InvariantWeights

ONE = InvariantWeights(((0.5, 0.2, 0.0),), ((0.3, 0.0, -0.4),), ((0.0, 0.0, 0.0),), (0.0,), (2.0,))


def test_the_definition():
    rng = np.random.default_rng(1)
    parents, best = rng.standard_normal((4, 6, 3)), rng.standard_normal(3)
    made = ONE(parents, np.zeros(3), np.ones(3), rng, best=best)
    for i in range(6):
        x1, x2, x3, x4 = parents[:, i]
        far, near = np.sqrt(((x2 - x1) ** 2).sum()), np.sqrt(((x3 - x4) ** 2).sum())
        s = (far - near) / (far + near)
        expected = x1 + (0.5 + 0.3 * s) * (x2 - x1) + 0.2 * (best - x1) - 0.4 * s * (x3 - x4)
        assert made[i] == pytest.approx(expected)
    equal = np.ones((4, 2, 3))
    assert (ONE(equal, np.zeros(3), np.ones(3), rng, best=np.ones(3)) == 1).all(), "no ratio of nothing to nothing"


def test_certificates_are_theorems_that_all_paths_or_the_law_confirm():
    plain = autov.check(ONE, dim=(2, 10), trials=10)
    assert {verdict.level for verdict in plain.verdicts} == {"theorem"}
    assert all(plain.holds.values())
    noisy = autov.check(replace(ONE, noise=(0.5,)), dim=(2, 10), trials=10)
    assert all(noisy.holds.values())
    assert "Theorem 6" in str(noisy["rotation"])


def test_one_draw_for_all_variables_and_noise_in_proportion():
    rng = np.random.default_rng(2)
    parents = np.broadcast_to(rng.standard_normal((4, 1, 50)), (4, 4000, 50))
    still = replace(ONE, mean=((0.0,) * 3,), slope=((0.0,) * 3,))
    noise = replace(still, noise=(2.0,))(parents, np.zeros(50), np.ones(50), rng, best=np.zeros(50)) - parents[0]
    length = np.linalg.norm(parents[2, 0] - parents[3, 0])
    assert np.sqrt((noise**2).sum(axis=1).mean()) == pytest.approx(2 * length, rel=0.02)
    drawn = replace(still, std=((0.7, 0.0, 0.0),))(parents, np.zeros(50), np.ones(50), rng, best=np.zeros(50))
    weights = (drawn - parents[0]) / (parents[1] - parents[0])
    assert np.ptp(weights, axis=1).max() < 1e-9
    assert weights[:, 0].std() == pytest.approx(0.7, rel=0.05)


def test_an_evolution_with_it_runs_and_is_kept_in_a_file(tmp_path):
    evolution = Evolution(replace(ONE, noise=(0.3,)), popsize=10)
    save_algorithm(evolution, tmp_path / "o.json")
    assert load_algorithm(tmp_path / "o.json") == evolution
    assert autov.minimize("sphere", dim=3, algorithm=str(tmp_path / "o.json"), maxfev=100, rng=1).nfev == 100


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mean": ((1, 2),)}, r"^mean: "), ({"std": ((-1, 0, 0),)}, r"^std: "), ({"noise": (np.nan,)}, r"^noise: "),
        ({"probability": (0.0,)}, r"^probability: must not all"), ({"slope": "abc"}, r"^slope: "),
    ],
)  # fmt: skip
def test_bad_numbers(change, message):
    with pytest.raises(InputError, match=message):
        replace(ONE, **change)
