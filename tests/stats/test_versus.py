"""Paired and unpaired tests, effect sizes, Holm's correction, the Bayesian test, and values that count as equal."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from autov.core import InputError
from autov.stats import (
    Versus,
    bayesian_signed_rank,
    floored,
    least_signed_p,
    one_with_many,
    score,
    signed_rank,
    versus,
)


def test_signed_rank_by_hand():
    # Differences -1, -2, -3, -4, -5, +6: the positive rank is 6. Of 64 sign patterns, 14 have a sum of at most 6.
    values, reference = [0.0] * 5 + [6.0], [1.0, 2.0, 3.0, 4.0, 5.0, 0.0]
    p, smaller = signed_rank(values, reference)
    below = sum(sum(r for r in range(1, 7) if bits >> r & 1) <= 6 for bits in range(0, 128, 2))
    assert p == pytest.approx(2 * below / 64)
    assert smaller == pytest.approx(5 / 6)
    assert signed_rank(reference, values) == (pytest.approx(p), pytest.approx(1 / 6))


def test_pairs_without_a_difference_say_nothing():
    rng = np.random.default_rng(1)
    x = rng.normal(size=20)
    y = x + rng.normal(0.5, size=20)
    p, smaller = signed_rank(x, y)
    assert p == scipy_stats.wilcoxon(x, y, method="exact").pvalue
    more = signed_rank(np.append(x, np.zeros(20)), np.append(y, np.zeros(20)))
    assert more[0] == p
    assert more[1] == pytest.approx((smaller + 0.5) / 2)
    assert signed_rank([1.0, math.inf, math.nan], [1.0, math.inf, math.inf]) == (1.0, 0.5)


def test_equal_differences_are_not_more_significant_than_so_many_pairs_can_be():
    p, _ = signed_rank(np.zeros(6), np.ones(6))
    assert p == least_signed_p(6) == 2 / 64
    assert scipy_stats.wilcoxon(np.full(6, -1.0), method="approx").pvalue < p


def test_infinite_differences_are_the_largest():
    assert (
        signed_rank([0.0, 1.0, 2.0, math.inf], [1.0, 3.0, 5.0, 0.0])[0] == signed_rank([0, 1, 2, 99], [1, 3, 5, 0])[0]
    )


def test_pairs_need_as_many_runs():
    with pytest.raises(InputError, match=r"^values: "):
        signed_rank([1.0, 2.0], [1.0])


def test_pairing_sees_what_instances_hide():
    """A small gain on every instance is lost in the spread between instances unless runs are paired."""
    level = 10.0 ** np.arange(12)
    values, reference = 0.9 * level, level
    assert versus(values, reference, paired=True).mark() == "+"
    assert versus(values, reference).mark() == "="


def test_effect_sizes_by_hand():
    apart = versus([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
    assert apart.smaller == pytest.approx((3 + 2.5 + 2) / 9), "A12 over all nine pairs"
    assert versus([1.0, 2.0, 3.0], [2.0, 1.0, 3.0], paired=True).smaller == 0.5
    assert apart.ratio == 0.5
    assert versus([-1.0], [2.0]).ratio is None
    assert apart.effect == "0.83 x0.5"


def test_values_next_to_the_minimum_are_equal():
    assert floored([-1.0, 4.9e-9, 2e-8], 0.0).tolist() == [1e-8, 1e-8, 2e-8]
    assert floored([-1.0, 2.0], None).tolist() == [-1.0, 2.0]


def test_one_with_many_is_holm():
    rng = np.random.default_rng(2)
    own = rng.normal(size=30)
    found = {
        name: versus(own + shift + 0.1 * rng.normal(size=30), own, True) for name, shift in (("a", 0.03), ("b", 1))
    }
    corrected = one_with_many(found)
    least, most = sorted(found, key=lambda name: found[name].p)
    assert corrected[least].p == 2 * found[least].p
    assert corrected[most].p == max(found[most].p, 2 * found[least].p)
    six = {name: versus(np.zeros(6), np.arange(1.0, 7.0), True) for name in "ab"}
    assert six["a"].mark() == "+"
    assert one_with_many(six)["a"].mark() == "?", "2 / 64 twice is above 0.05"


def test_bayesian_signed_rank():
    rng = np.random.default_rng(3)
    x = rng.normal(size=40)
    better = bayesian_signed_rank(x, x + 1 + 0.1 * rng.normal(size=40))
    assert better.better > 0.99
    assert sum(better) == pytest.approx(1.0)
    assert bayesian_signed_rank(x + 1, x).worse > 0.99
    assert bayesian_signed_rank(x, x).equal == 1.0
    assert bayesian_signed_rank(x, x + 0.01, region=0.1).equal > 0.99
    some = np.repeat([0.15, 0.0], [110, 90])  # means of two of them are beyond the region in three of ten pairs
    assert bayesian_signed_rank(np.zeros(200), some, region=0.1).equal > 0.95
    assert bayesian_signed_rank([math.inf] * 10, np.arange(10.0)).worse > 0.99
    pairs = [0.0] * 7, [1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 0.0]
    lost, far = ([value, *pairs[0][1:]] for value in (math.inf, 1e6))
    assert bayesian_signed_rank(lost, pairs[1]) == bayesian_signed_rank(far, pairs[1])
    unsure = bayesian_signed_rank(x, rng.normal(size=40))
    assert max(unsure) < 0.99


def test_scores_of_pairs_correct_on_each_problem():
    level = 10.0 ** np.arange(12)
    data = {"a": 0.9 * level, "b": 1.1 * level, "ref": level}
    options = {"problems": ["f", "g"], "algorithms": ["a", "b", "ref"], "reference": "ref"}
    plain = score(lambda _, a: data[a], **options, paired=["f"])
    assert [plain.cells[f, "a"].mark for f in "fg"] == ["+", "="], "only f is paired"
    assert plain.paired == ("f",)
    corrected = score(lambda _, a: data[a], **options, paired=["f"], correct=True)
    assert corrected.cells["f", "a"].p == 2 * plain.cells["f", "a"].p, "two are compared on f"
    bayes = score(lambda _, a: data[a], **options, paired=["f", "g"], bayesian=True, correct=True)
    assert not bayes.corrected
    assert (bayes.cells["g", "b"].mark, bayes.cells["g", "b"].p) == ("-", None)


def test_ranks_and_marks_are_of_what_is_judged():
    solved = {"a": np.linspace(1e-30, 1e-20, 20), "ref": np.linspace(1e-12, 1e-10, 20)}
    raw = score(lambda _, a: solved[a], ["f"], ["a", "ref"], "ref")
    equal = score(lambda _, a: solved[a], ["f"], ["a", "ref"], "ref", judged=lambda _, a: floored(solved[a], 0.0))
    assert (raw.cells["f", "a"].mark, equal.cells["f", "a"].mark) == ("+", "=")
    assert equal.ranks == {"a": 1.5, "ref": 1.5}
    assert equal.cells["f", "a"].summary.mean == solved["a"].mean(), "what is shown stays"


def test_one_with_too_few_runs_does_not_silence_the_others():
    found = one_with_many({"many": Versus(1e-4, 1.0, None, 1e-6), "few": Versus(0.1, 1.0, None, 0.1)})
    assert {name: one.mark() for name, one in found.items()} == {"many": "+", "few": "?"}
