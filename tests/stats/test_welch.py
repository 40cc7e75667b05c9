"""Welch's test from means, standard deviations and sizes."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_ind

from autov.stats import Moments, welch


def moments(values):
    return Moments(float(np.mean(values)), float(np.std(values, ddof=1)), len(values))


def test_it_is_the_test_of_the_runs_themselves():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.0, 1.0, 30), rng.normal(0.5, 3.0, 10)
    assert welch(moments(a), moments(b)) == pytest.approx(ttest_ind(a, b, equal_var=False).pvalue)


def test_without_deviations_digits_that_are_not_printed_do_not_decide():
    assert welch(Moments(5.0, 0.0, 30), Moments(5.0001, 0.0, 30)) == 1.0
    assert welch(Moments(5.0, 0.0, 30), Moments(5.001, 0.0, 30)) == 0.0
    assert welch(Moments(0.0, 0.0, 30), Moments(8.9e-16, 0.0, 30)) == 0.0
    assert welch(Moments(0.0, 0.0, 30), Moments(8.9e-16, 0.0, 30), floor=1e-8) == 1.0
    assert welch(Moments(0.0, 0.0, 30), Moments(1.0, 0.0, 30), floor=1e-8) == 0.0


@pytest.mark.parametrize("other", [Moments(1.0, math.nan, 30), Moments(math.nan, 1.0, 30), Moments(1.0, 0.0, 1)])
def test_what_is_not_known_is_not_tested(other):
    assert welch(Moments(0.0, 1.0, 30), other) is None
