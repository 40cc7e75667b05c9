"""Noisy runs: is there noise, what is recommended, and what it costs."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint

import autov
from autov.core import Box, InputError
from autov.runs.budget import Evaluations
from autov.runs.noise import PROBES, candidates, recommend
from autov.runs.stopping import NOISY

BOX = [(-5.0, 5.0)] * 3


class Counted:
    """A sphere around 1 with noise, which counts its calls."""

    def __init__(self, sigma, seed=1):
        self.sigma, self.rng, self.calls = sigma, np.random.default_rng(seed), 0

    def __call__(self, x):
        self.calls += 1
        return self.true(x) + self.sigma * self.rng.standard_normal()

    def true(self, x):
        return float(((x - 1) ** 2).sum())


@pytest.mark.parametrize("noise", [True, "auto", 2.0])
@pytest.mark.parametrize("maxfev", [1, 2, 5, 20, 201])
def test_the_budget_is_exact(noise, maxfev):
    fun = Counted(2.0)
    result = autov.minimize(fun, BOX, maxfev=maxfev, rng=1, noise=noise)
    assert result.nfev == fun.calls == maxfev
    assert f"The budget of {maxfev} evaluation{'s' * (maxfev > 1)} is" in result.message


def test_the_estimate_is_honest_and_the_point_better_than_the_luckiest():
    errors, gained = [], []
    for seed in range(12):
        fun = Counted(3.0, seed)
        result = autov.minimize(fun, BOX, maxfev=300, rng=seed, noise=True)
        assert NOISY not in result.message
        assert "recommended" in result.message
        errors.append((result.fun - fun.true(result.x)) / result.fun_std)
        gained.append(fun.true(result.x_luckiest) - fun.true(result.x))
    assert abs(np.mean(errors)) < 1, "no luck is left in the estimate"
    assert np.abs(errors).max() < 5
    assert np.mean(gained) > 0


def test_without_noise_auto_is_the_plain_run_with_three_evaluations_less():
    fun = Counted(0.0)
    auto = autov.minimize(fun, BOX, maxfev=203, rng=1, noise="auto")
    plain = autov.minimize(Counted(0.0), BOX, maxfev=203 - PROBES, rng=1)
    assert (auto.fun, auto.nfev, fun.calls) == (plain.fun, 203, 203)
    assert "fun_std" not in auto
    assert autov.minimize(Counted(0.0), BOX, maxfev=200, rng=1, noise=0.0).fun == plain.fun


def test_a_known_deviation_says_how_uncertain_the_mean_is():
    result = autov.minimize(Counted(2.0), BOX, maxfev=300, rng=1, noise=2.0)
    assert 2 / np.sqrt(60) <= result.fun_std <= 2.0
    same = [autov.minimize(Counted(2.0), BOX, maxfev=100, rng=1, noise=True).x.tolist() for _ in range(2)]
    assert same[0] == same[1]


def test_named_problems_integers_and_constraints():
    named = autov.minimize("noisy_sphere", dim=3, maxfev=200, rng=1, noise="auto", algorithm="de", popsize=10)
    assert named.nfev == 200
    assert named.fun_std > 0
    limit = LinearConstraint([[1, 1, 1]], -np.inf, 0)
    result = autov.minimize(Counted(1.0), BOX, maxfev=200, rng=1, noise=True, constraints=limit, integrality=[1, 0, 0])
    assert result.x[0] == np.rint(result.x[0])
    assert result.x.sum() <= 0


def returned(x):
    return ((x - 1) ** 2).sum() + NOISE.standard_normal(), 12.0 - x.sum()


NOISE = np.random.default_rng(5)


@pytest.mark.parametrize("noise", [True, "auto"])
def test_constraints_that_come_with_noisy_values(noise):
    result = autov.minimize(returned, BOX, maxfev=300, rng=1, noise=noise, constraints="returned", history=True)
    assert result.nfev == 300
    assert result.x.sum() >= 12.0
    assert result.maxcv == 0
    assert result.fun_std > 0
    assert np.isfinite(result.history.fun).all()


def test_constraints_that_are_noisy_themselves_leave_the_luckiest_point():
    rng = np.random.default_rng(1)
    result = autov.minimize(
        lambda x: (((x - 1) ** 2).sum() + rng.normal(), 12 - x.sum() + 3 * rng.normal()), BOX, maxfev=300, rng=1,
        noise=True, constraints="returned",
    )  # fmt: skip
    assert "no candidate had a finite value" in result.message
    assert "fun_std" not in result
    assert np.array_equal(result.x, result.x_luckiest)


def test_noise_is_looked_for_at_a_feasible_point():
    never = {"type": "ineq", "fun": lambda _: -1.0}
    unknown = autov.minimize(Counted(1.0), BOX, maxfev=300, rng=1, noise="auto", constraints=never)
    assert "found no feasible point to look for noise" in unknown.message
    assert unknown.nfev == 300
    seldom = {"type": "ineq", "fun": lambda x: x[0] - 2.5}
    assert autov.minimize(Counted(1.0), BOX, maxfev=300, rng=1, noise="auto", constraints=seldom).fun_std > 0


def test_one_value_says_nothing_of_its_uncertainty():
    assert "of unknown uncertainty" in autov.minimize(Counted(1.0), BOX, maxfev=3, rng=1, noise=True).message


def test_candidates_and_stages():
    rng = np.random.default_rng(1)
    x = rng.normal(2.0, 0.5, (200, 2))
    f = ((x - 2) ** 2).sum(axis=1) + rng.standard_normal(200)
    found = candidates(Evaluations(x, f), Box.cube(-5.0, 5.0, 2))
    assert ((found[0] - 2) ** 2).sum() < 0.5
    assert (found == x[np.argmin(f)]).all(axis=1).any()
    calls = []

    def evaluate(points):
        calls.extend(points[:, 0].tolist())
        return points[:, 0].copy()

    points = np.arange(8.0)[::-1, None]
    chosen = recommend(points, evaluate, 80, np.nan)
    assert (chosen.x[0], chosen.fun, chosen.fun_std, chosen.nfev, len(calls)) == (0.0, 0.0, 0.0, 80, 80)
    assert all(recommend(points, evaluate, budget, 1.0).nfev == budget for budget in range(1, 40))
    failing = recommend(points, lambda points: np.where(points[:, 0] < 3, np.inf, points[:, 0]), 80, np.nan)
    assert failing.x[0] == 3.0


@pytest.mark.parametrize("noise", ["yes", -1, np.nan, np.inf, [1]])
def test_bad_noise_is_named(noise):
    with pytest.raises(InputError, match=r"^noise: "):
        autov.minimize(Counted(1.0), BOX, noise=noise, maxfev=10)
