"""Figures of runs: who is punished for failures."""

import numpy as np
import pytest

from autov.core import InputError
from autov.designer.fitness import check_minima, mean_ranks, one_figure, unit_of, upper_quantile
from autov.problems import Classic, function_problem

FAILING = [1e-9] * 15 + [1.0] * 5  # a quarter of the runs fails
STEADY = [1e-6] * 20


def test_all_but_the_median_punish_a_design_that_fails_in_a_quarter_of_its_runs():
    values = np.array([FAILING, STEADY])
    assert np.argmin(one_figure(values, "median", 0.0)) == 0
    assert np.argmin(one_figure(values, "quantile", 0.0)) == 1
    assert np.argmin(one_figure(values, "gap", 0.0)) == 0, "its other runs are far better"
    assert np.argmin(one_figure(values, "gap", -1e-7)) == 1


def test_figures_by_hand():
    values = np.array([[3.0, 1.0, 2.0, np.nan], [5.0, np.nan, np.nan, np.nan]])
    assert one_figure(values, "median", None).tolist() == [2.0, 5.0]
    assert one_figure(values, "quantile", None).tolist() == [3.0, 5.0]
    assert upper_quantile(np.arange(1.0, 21.0)[None]).tolist() == [18.0]
    gaps = one_figure(np.array([[2.0, 101.0], [1.0, 1.0]]), "gap", 1.0)
    assert gaps == pytest.approx([11.0, 1.0 + 1e-8], rel=1e-12)


def test_ranks_are_of_runs_that_both_have_made():
    old = [1.0, 1.0, 1.0, 9.0]
    new = [2.0, 0.5, np.nan, np.nan]
    worst = [3.0, 3.0, 3.0, 3.0]
    # old: new is better in 1 of 2, worst in 1 of 4; itself counts half.
    assert mean_ranks(np.array([old, new, worst]), None) == pytest.approx(
        [(0.5 + 0.5 + 0.25) / 3, (0.5 + 0.5 + 0.0) / 3, (0.75 + 1.0 + 0.5) / 3]
    )
    assert mean_ranks(np.array([[1e-12, 1e-9], [1e-20, 0.0]]), 0.0).tolist() == [0.5, 0.5], "solved is solved"


def test_gaps_need_a_minimum():
    with pytest.raises(InputError, match=r"^over_runs: "):
        check_minima("rank", [function_problem(sum, [(0, 1)])], "gap")
    check_minima("rank", [Classic("sphere", 2)], "gap")


def test_units():
    assert [unit_of("rank", way, 1) for way in ("median", "gap", "rank")] == ["", "", "rank"]
    assert [unit_of("log-gap", way, 2) for way in ("median", "rank")] == ["log-gap", "rank"]
    assert unit_of("panel", "rank", 1) == "panel"
