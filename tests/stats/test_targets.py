"""Measures of targets against brute force on tiny traces."""

import math

import numpy as np
import pytest

from autov.core import generator
from autov.stats import TARGETS, ecdf, ecdf_area, expected_running_time, hits, performance_profile


def test_there_are_51_targets_from_100_to_1e_8():
    assert len(TARGETS) == 51
    assert TARGETS[0] == 100
    assert TARGETS[-1] == pytest.approx(1e-8)
    assert np.allclose(np.diff(np.log10(TARGETS)), -0.2)


def random_runs(seed, count=4, maxfev=40):
    rng = generator(seed)
    for _ in range(count):
        counts = np.sort(rng.choice(np.arange(1, maxfev + 1), rng.integers(1, 12), replace=False))
        gaps = np.sort(10.0 ** rng.uniform(-10, 4, len(counts)))[::-1]
        yield counts, gaps


def best_after(counts, gaps, n):
    """The gap after n evaluations, by looking at every improvement."""
    return min([gap for count, gap in zip(counts, gaps, strict=True) if count <= n], default=math.inf)


@pytest.mark.parametrize("seed", range(5))
def test_hits_ecdf_and_area_equal_brute_force(seed):
    runs, maxfev = list(random_runs(seed)), 40
    found = np.array([hits(counts, gaps + 3.0, 3.0) for counts, gaps in runs])

    def share(n):
        gaps = [best_after(*run, n) for run in runs]
        return np.mean([(gap + 3.0) - 3.0 <= target for gap in gaps for target in TARGETS])

    area = sum(share(n) * (math.log10(n + 1) - math.log10(n)) for n in range(1, maxfev)) / math.log10(maxfev)
    assert ecdf_area(found, maxfev) == pytest.approx(area, abs=1e-12)
    counts, shares = ecdf(found)
    for n in range(1, maxfev + 1):
        steps = shares[counts <= n]
        assert (steps[-1] if len(steps) else 0.0) == pytest.approx(share(n))


def test_the_area_at_its_ends():
    assert ecdf_area(np.array([1.0, 1.0]), 100) == 1.0
    assert ecdf_area(np.array([np.inf, 100.0]), 100) == 0.0
    assert ecdf_area(np.array([10.0]), 100) == 0.5
    assert ecdf_area(np.array([1.0, np.inf]), 1) == 0.5
    assert math.isnan(ecdf_area(np.empty(0), 10))


def test_expected_running_times():
    found = np.array([[10.0, 50.0], [30.0, np.inf], [np.inf, np.inf]])
    assert expected_running_time(found, 100).tolist() == [(10 + 30 + 100) / 2, (50 + 100 + 100) / 1]
    assert expected_running_time(np.array([np.inf]), 5) == np.inf


def test_profiles_are_shares_of_cases_within_a_ratio():
    costs = np.array([[1.0, 2.0], [8.0, 2.0], [np.inf, 5.0], [np.inf, np.inf]])
    taus, shares = performance_profile(costs)
    assert taus.tolist() == [1.0, 2.0, 4.0]
    assert np.allclose(shares, [[1 / 3, 1 / 3, 2 / 3], [2 / 3, 1.0, 1.0]])
    assert performance_profile(np.full((2, 3), np.inf))[1].shape == (3, 0)


def test_a_run_without_improvements_reaches_nothing():
    assert np.isinf(hits(np.empty(0, int), np.empty(0), 0.0)).all()
