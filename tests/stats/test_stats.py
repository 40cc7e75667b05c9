import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from autov.core import InputError
from autov.stats import (
    average_ranks,
    critical_difference,
    friedman,
    holm,
    least_p,
    mark,
    rank_sum,
    score,
    summarise,
)


def test_summary_by_hand():
    summary = summarise([4.0, 1.0, 2.0, 3.0])
    assert summary == (4, 2.5, pytest.approx(math.sqrt(5 / 3)), 2.5, 1.75, 3.25, 1.0, 4.0)
    assert summarise([7.0]).std == 0
    assert summarise([]).n == 0


def test_a_run_without_a_value_is_the_worst():
    summary = summarise([1.0, math.nan, 2.0])
    assert (summary.mean, summary.worst, summary.median, summary.best) == (math.inf, math.inf, 2.0, 1.0)


def test_rank_sum_by_hand():
    # All three smaller: of 20 ways to choose ranks, one is as extreme on each side.
    p, smaller = rank_sum([1, 2, 3], [4, 5, 6])
    assert p == pytest.approx(2 / 20)
    assert smaller == 1.0


def test_rank_sum_with_ties_by_hand():
    x, y = [0.0] * 6 + [1.0] * 4, [0.0] * 2 + [1.0] * 8
    # U of y over x: pairs with y > x are 6 * 8, ties 6 * 2 + 4 * 8 count half.
    u = 48 + 0.5 * 44
    tied = sum(t**3 - t for t in (8, 12))
    sigma = math.sqrt(100 / 12 * (21 - tied / (20 * 19)))
    z = (u - 50 - 0.5) / sigma
    p, smaller = rank_sum(x, y)
    assert p == pytest.approx(2 * scipy_stats.norm.sf(z))
    assert smaller == pytest.approx(u / 100)
    assert p < scipy_stats.ranksums(x, y).pvalue, "without correction the test is blunter"


def test_rank_sum_agrees_with_scipy():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=30), rng.normal(0.6, size=30)
    assert rank_sum(x, y)[0] == pytest.approx(scipy_stats.ranksums(x, y).pvalue, rel=0.05)
    assert rank_sum(x, y)[0] == scipy_stats.mannwhitneyu(x, y).pvalue


def test_nothing_but_ties():
    assert rank_sum([0.0] * 30, [0.0] * 30) == (1.0, 0.5)
    assert rank_sum([math.inf] * 3, [math.nan] * 3) == (1.0, 0.5)
    with pytest.raises(InputError):
        rank_sum([], [1.0])


def test_direction_of_marks():
    low, high = np.arange(10.0), np.arange(10.0) + 20
    assert mark(*rank_sum(low, high)) == "+"
    assert mark(*rank_sum(high, low)) == "-"
    assert mark(*rank_sum(low, low)) == "="
    assert mark(*rank_sum(low, high), level=1e-9) == "="
    assert [mark(p, 0.9) for p in (0.0499, 0.05)] == ["+", "="]


def test_holm_by_hand():
    # 0.01 * 4, 0.02 * 3, 0.03 * 2 -> not below the one before, 0.4 * 1
    assert holm([0.03, 0.01, 0.4, 0.02]) == pytest.approx([0.06, 0.04, 0.4, 0.06])
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])


def test_ranks_and_friedman():
    values = np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 5.0], [1.0, 3.0, 2.0], [0.0, 1.0, 2.0]])
    assert average_ranks(values) == pytest.approx([(1 + 1.5 + 1 + 1) / 4, (2 + 1.5 + 3 + 2) / 4, (3 + 3 + 2 + 3) / 4])
    assert friedman(values) == pytest.approx(scipy_stats.friedmanchisquare(*values.T).pvalue)
    assert friedman(np.ones((3, 2))) == 1.0
    assert friedman(np.ones((3, 1))) == 1.0
    assert math.isnan(friedman(values[:1])), "one problem says nothing"


def test_critical_difference_of_demsars_table():
    # q_0.05 of Table 5 in Demsar (2006): 1.960, 2.343, 2.850, 3.164 for 2, 3, 6, 10 algorithms
    for k, q in ((2, 1.960), (3, 2.343), (6, 2.850), (10, 3.164)):
        assert critical_difference(k, 14) == pytest.approx(q * math.sqrt(k * (k + 1) / (6 * 14)), abs=2e-3)
    assert math.isnan(critical_difference(1, 5))


def make_scores(**options):
    data = {
        ("f1", "a"): np.arange(10.0), ("f1", "b"): np.arange(10.0) + 100, ("f1", "ref"): np.arange(10.0) + 50,
        ("f2", "a"): np.zeros(10), ("f2", "b"): np.array([]), ("f2", "ref"): np.zeros(10),
    }  # fmt: skip
    return score(lambda f, a: data[f, a], ["f1", "f2"], ["a", "b", "ref"], "ref", **options)


def test_scores():
    scores = make_scores()
    assert [scores.cells["f1", a].mark for a in ("a", "b", "ref")] == ["+", "-", ""]
    assert scores.counts == {"a": (1, 0, 1), "b": (0, 1, 0)}
    assert scores.cells["f2", "b"].p is None
    assert (scores.ranked, scores.ranks) == (1, {"a": 1.0, "b": 3.0, "ref": 2.0})


def test_corrected_scores():
    plain, corrected = make_scores(), make_scores(correct=True)
    assert corrected.cells["f1", "a"].p == pytest.approx(2 * plain.cells["f1", "a"].p), "two are compared on f1"
    assert corrected.cells["f2", "a"].p == 1.0


def test_bad_reference_and_level():
    with pytest.raises(InputError, match="reference"):
        score(lambda f, a: np.ones(2), ["f"], ["a"], "b")  # noqa: ARG005
    with pytest.raises(InputError, match="level"):
        make_scores(level=1.0)


def test_three_runs_can_never_be_significant():
    assert least_p(3, 3) == rank_sum([1, 2, 3], [4, 5, 6])[0]
    assert least_p(1, 1) == 1.0
    # Ties make the test approximate, and its p-value here is 0.047: no such sample is that unlikely.
    data = {"a": np.zeros(3), "ref": np.ones(3)}
    assert rank_sum(data["a"], data["ref"])[0] < 0.05
    few = score(lambda _, a: data[a], ["f"], ["a", "ref"], "ref")
    assert (few.cells["f", "a"].mark, few.counts["a"], few.too_few) == ("?", (0, 0, 0), True)
    four = score(lambda _, a: np.append(data[a], data[a][0] + 0.1), ["f"], ["a", "ref"], "ref")
    assert (four.cells["f", "a"].mark, four.too_few) == ("+", False)


def test_correction_may_leave_too_few_runs():
    rng = np.random.default_rng(1)
    data = {a: rng.normal(size=4) for a in ("a", "b", "ref")}
    plain = score(lambda _, a: data[a], ["f"], ["a", "b", "ref"], "ref")
    assert not plain.too_few, "2 / 70 is below 0.05"
    assert score(lambda _, a: data[a], ["f"], ["a", "b", "ref"], "ref", correct=True).too_few, "4 / 70 is not"


def test_ranks_are_those_of_what_is_shown():
    data = {"a": np.array([1.0, 1.0, 1.0, 1.0, 100.0]), "ref": np.full(5, 2.0)}
    by_mean = score(lambda _, a: data[a], ["f"], ["a", "ref"], "ref")
    by_median = score(lambda _, a: data[a], ["f"], ["a", "ref"], "ref", show="median")
    assert (by_mean.ranks, by_median.ranks) == ({"a": 2.0, "ref": 1.0}, {"a": 1.0, "ref": 2.0})
