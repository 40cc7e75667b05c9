"""Where runs end if values are random: tests that know uniform from other laws, and algorithms whose bias is known."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy.stats import (
    kstest,
)

import autov
from autov import check_bias
from autov.core import Box, InputError, generator
from autov.invariance.structural_bias import RandomValues, anderson_darling, directions, holm, spacings, uniformity
from autov.reports.certificates import bias_table


@dataclass(frozen=True)
class Sampling:
    """Independent points, uniform or drawn to some place."""

    kind: str = "uniform"
    name: ClassVar[str] = "sampling"

    def init(self, box, popsize, maxfev, rng, x0=None):  # noqa: ARG002
        return box, popsize

    def ask(self, state, rng):
        box, n = state
        u = rng.random((n, box.dim))
        if self.kind == "centre":
            u = (u + rng.random(u.shape)) / 2
        elif self.kind == "weak":
            u = 0.5 + np.sign(u - 0.5) * np.abs(u - 0.5) ** 1.3 * 0.5 ** (1 - 1.3)
        elif self.kind == "border":
            u = np.sin(np.pi * (u - 0.5)) / 2 + 0.5
        elif self.kind == "origin":
            u = u**1.7
        elif self.kind == "clipped":
            u = np.clip(1.1 * u - 0.05, 0, 1)
        elif self.kind == "grid":
            u = (np.floor(10 * u) + 0.5) / 10
        elif self.kind == "one variable":
            u[:, 0] = u[:, 0] ** 3
        return box.lower + u * box.width, state

    def tell(self, state, x, f, rng):  # noqa: ARG002
        return state

    def population(self, state):
        return np.zeros((1, state[0].dim)), np.zeros(1)


def bias(kind, **options):
    return check_bias(Sampling(kind), **{"dim": 4, "runs": 200, "maxfev": 20, "popsize": 10, "rng": 1, **options})


def test_uniform_sampling_has_no_bias():
    assert [bias("uniform", rng=seed).biased for seed in range(5)] == [False] * 5


@pytest.mark.parametrize(
    ("kind", "drawn_to"),
    [("centre", ("centre",)), ("border", ("border",)), ("origin", ("lower bounds",)), ("clipped", ("border",))],
)
def test_the_place_that_draws_is_named(kind, drawn_to):
    found = bias(kind, runs=400)
    assert found.biased
    assert set(drawn_to) <= set(found.drawn_to)
    assert found.note().startswith("biased")


def test_points_on_a_grid_are_found_by_their_spacings():
    found = bias("grid")
    assert found.corrected[2].max() < 1e-6
    assert found.corrected[0].min() > 0.01  # the two others hardly see it


def test_one_variable_is_told_from_the_others():
    refused = (bias("one variable").corrected < 0.01).any(axis=0)
    assert refused.tolist() == [True, False, False, False]


def test_points_on_the_border_are_counted():
    assert bias("clipped").on_the_border == pytest.approx(0.09, abs=0.03)
    assert bias("uniform").on_the_border == 0


@pytest.mark.parametrize("test", [anderson_darling, spacings])
def test_p_values_are_uniform_where_there_is_no_bias(test):
    """Level 0.05 is met, and so is the whole law: 2,000 samples of 100."""
    rng = np.random.default_rng(3)
    p = [test(np.sort(rng.random(100))) for _ in range(2000)]
    assert kstest(p, "uniform").pvalue > 1e-3
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.02)


def test_known_points_of_the_law_of_anderson_and_darling():
    """5 %, 1 % and 0.1 % points of its limit (Marsaglia and Marsaglia 2004)."""
    for z, p in ((2.492, 0.05), (3.878, 0.01), (5.967, 0.001)):
        assert _p_of(z) == pytest.approx(p, rel=0.02)


def _p_of(z):
    """The p-value of a sample whose statistic is z: a power of evenly spaced points, found by bisection."""
    even = (np.arange(500) + 0.5) / 500

    def statistic(u):
        i = np.arange(1, 501)
        return -500 - ((2 * i - 1) * (np.log(u) + np.log(1 - u[::-1]))).mean()

    low, high = 1.0, 2.0
    for _ in range(60):
        power = (low + high) / 2
        low, high = (power, high) if statistic(even**power) < z else (low, power)
    return anderson_darling(even**low)


def test_holm_by_hand():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.5, 0.9])) == pytest.approx([1.0, 1.0])


def test_points_that_keep_apart_are_refused():
    assert spacings((np.arange(100) + 0.5) / 100) < 1e-6


def test_all_p_values_are_corrected_together():
    found = bias("centre", runs=20)
    each, (together, _) = uniformity(found.points, generator(1, 7)), directions(found.points)
    expected = holm(np.concatenate([each.ravel(), together]))
    assert np.array_equal(found.corrected.ravel(), expected[: each.size])
    assert np.array_equal(found.pooled, expected[each.size :])
    assert (found.pooled > together).all()


def test_the_distance_that_is_found_by_hand():
    # 3 x 4 + 2 tests: sqrt(ln(2 x 14 / 0.01) / 400), and 1.2816 deviations of 1 / (2 sqrt(200)).
    assert bias("uniform").detectable == pytest.approx(0.14087 + 0.04531, abs=1e-4)


def test_false_alarms_are_as_rare_as_stated():
    alarms = 0
    for seed in range(300):
        points = np.random.default_rng(seed).random((50, 5))
        each = uniformity(points, np.random.default_rng(seed)).ravel()
        alarms += holm(np.concatenate([each, directions(points)[0]])).min() < 0.05
    assert alarms <= 25  # 15 are to be expected


def test_all_variables_together():
    rng = np.random.default_rng(1)
    p = np.array([directions(rng.random((50, 4)))[0] for _ in range(1000)])
    assert kstest(p[:, 0], "uniform").pvalue > 1e-3
    assert kstest(p[:, 1], "uniform").pvalue > 1e-3
    assert directions(rng.random((100, 10)) ** 2)[1][1] == "lower bounds"
    weak = bias("weak", dim=10, runs=100)  # too little for a single variable
    assert weak.share == 0
    assert weak.drawn_to == ("centre",)


def test_values_tell_nothing():
    f = RandomValues(Box.cube(0, 1, 3))
    x = np.zeros((1000, 3))
    rng = np.random.default_rng(0)
    one, two = f(x, rng), f(x, rng)
    assert kstest(one, "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.1


def test_an_algorithm_of_the_package_and_an_operator():
    one, two = (check_bias("de", dim=2, runs=20, maxfev=200, popsize=20, rng=3) for _ in range(2))
    assert np.array_equal(one.points, two.points)
    assert check_bias("evolution:sbx", dim=2, runs=20, maxfev=100, popsize=20, rng=1).algorithm == "evolution:sbx"
    mean = check_bias(lambda p, lower, upper, rng: p.mean(axis=0), dim=3, runs=100, maxfev=2000, popsize=20, rng=1)  # noqa: ARG005
    assert mean.drawn_to == ("centre",)


def test_for_machines_and_people():
    found = bias("centre", runs=20)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert np.array(data["points"]).shape == (20, 4)
    assert sum(data["counts"]) == 80
    assert "points" not in found.to_dict(points=False)
    table = bias_table([data])
    assert "sampling" in str(table)
    assert f"a chance of at most 0.01; a Kolmogorov-Smirnov distance of {data['detectable']:.2f}" in table.notes[-1]
    assert found.plot() is not None
    assert "Structural bias" in found._repr_html_()


@pytest.mark.parametrize("arguments", [{"dim": 0}, {"runs": 5}, {"maxfev": 0}, {"alpha": 1.5}, {"popsize": 1}])
def test_bad_arguments_are_named(arguments):
    with pytest.raises(InputError, match=f"^{next(iter(arguments))}: "):
        bias("uniform", **arguments)


@pytest.mark.slow
def test_the_default_is_not_biased_in_long_runs():
    found = check_bias("general", runs=200, rng=11)
    assert not found.biased
    assert found.on_the_border == 0


@pytest.mark.parametrize("dim", [2, 10])
def test_long_runs_of_the_default_never_try_a_bound_of_random_values(dim):
    found = check_bias("general", dim=dim, runs=20, maxfev=200 * dim, rng=3)
    assert found.on_the_border == 0
    rng, points = generator(5), []
    autov.minimize(lambda x: points.append(x) or rng.random(), [(0, 1)] * dim, maxfev=200 * dim, rng=6)
    assert not np.any((np.array(points) == 0) | (np.array(points) == 1))
