"""Operators in the form of kernels: alone and in a stack the same, checked against rows drawn by hand."""

import numpy as np
import pytest

from autov.core import Box, generator, stream_key
from autov.designer import OperatorGenome
from autov.kernels.evolution import run as kernels
from autov.operators import AffineOperator
from autov.operators.packing import pack

WORDS = np.concatenate([np.arange(-(2**31), 2**31, 9973), [-(2**31), 2**31 - 1]])
PROBABILITIES = {
    "all": [0.2, 0.5, 0.1, 0.3, 0.4, 0.25],
    "first": [0.0, 0.5, 0.1, 0.3, 0.4, 0.25],
    "middle": [0.2, 0.5, 0.0, 0.0, 0.4, 0.25],
    "last": [0.2, 0.5, 0.1, 0.3, 0.4, 0.0],
    "all but one": [0.0, 0.0, 0.0, 0.7, 0.0, 0.0],
    "tiny": [1e-30, 0.5, 1e-300, 0.3, 0.4, 1e-9],
}


def operators(draw="variable", tie_bounds=False):
    rng = generator(1)
    inputs, weights = ("x1", "x2", "lower", "upper"), 3 - tie_bounds
    return {
        name: AffineOperator(
            inputs, rng.uniform(-1, 1, (6, weights)), rng.random((6, weights)), probability, draw, tie_bounds
        )
        for name, probability in PROBABILITIES.items()
    }


def stacked(found):
    first = found[0]
    arrays = (np.stack([getattr(one, name) for one in found]) for name in ("mean", "std", "probability"))
    return pack(first.weights, *arrays, np.stack([one.per_solution for one in found]))


def one_of(stack, i):
    names = ("thresholds", "solution_thresholds", "rows", "parameters")
    return stack._replace(**{name: getattr(stack, name)[i].copy() for name in names})


def offspring(variation):
    box = Box.cube(-2, 3, 11)
    x, f, out = box.sample(40, generator(2)), generator(3).random(40), np.empty((40, 11))
    kernels.propose(stream_key(5), 1, variation, box.lower, box.upper, x, f, out)
    return out


@pytest.mark.parametrize("draw", ["variable", "solution"])
@pytest.mark.parametrize("tie_bounds", [False, True])
def test_a_stacked_operator_is_the_single_one(draw, tie_bounds):
    found = list(operators(draw, tie_bounds).values())
    stack = stacked(found)
    for i, operator in enumerate(found):
        single = operator.variation()
        one = one_of(stack, i)
        assert all(np.array_equal(a, b) for a, b in zip(one, single, strict=True))
        assert np.array_equal(offspring(one), offspring(single))


@pytest.mark.parametrize("extra", [1, 3, 8])
def test_rows_of_probability_zero_change_nothing_wherever_they_are(extra):
    for operator in operators().values():
        places = generator(extra).integers(0, 7, extra)
        mean, std = (np.insert(a, places, 0.9, axis=0) for a in (operator.mean, operator.std))
        more = AffineOperator(operator.inputs, mean, std, np.insert(operator.probability, places, 0.0))
        assert np.array_equal(offspring(more.variation()), offspring(operator.variation()))


@pytest.mark.parametrize("name", PROBABILITIES)
def test_words_choose_rows_with_their_probabilities(name):
    """The row of a word by exact fractions, row after row; the row is recognised by its parameters."""
    from fractions import Fraction

    operator = operators()[name]
    variation = operator.variation()
    exact = [Fraction(float(p)) for p in operator.probability]
    place = (WORDS[:, None] > variation.thresholds).sum(axis=1)
    limit, total = Fraction(0), sum(exact)
    low = np.full(len(operator.probability), -1)
    for j, share in enumerate(exact):
        if share == 0:
            continue
        begin, limit = limit / total * 2**32 - 2**31, limit + share
        end = limit / total * 2**32 - 2**31
        # Words well inside the part of a row; at its ends, rounding to a word decides.
        inside = (float(begin) + 1 < WORDS) & (float(end) - 1 > WORDS)
        rows = np.unique(place[inside])
        if len(rows):
            low[j] = rows[0]
            assert len(rows) == 1
            assert np.array_equal(variation.parameters[rows[0], 0::2], operator.mean[j])
            assert np.array_equal(variation.parameters[rows[0], 1::2], operator.std[j] ** 2)
    assert (low >= 0).sum() >= (np.array(exact) > 1e-3).sum()
    drawn = variation.parameters[np.unique(place)]
    for j in np.flatnonzero(operator.probability == 0):
        assert not (drawn[:, 0::2] == operator.mean[j]).all(axis=1).any()


def test_a_stack_of_a_search_has_variances_and_normalised_probabilities():
    """From the vector of a candidate to its offspring: means, variances and shares of rows as eq. 28 has them."""
    encoding = OperatorGenome.of("h1", 2, "variable", False)
    # Row 1: mean 0.25, std 0.1, probability 0.9; row 2: mean -0.5, std 0.2, probability 0.3.
    vectors = np.array([[0.25, 0.1, 0.9, -0.5, 0.2, 0.3], [0.0, 1.0, 0.0, 0.5, 0.3, 0.8]])
    stack = encoding.pack(vectors)
    n, d = 2, 100_000
    x = np.zeros((n, d))
    x[1] = 1.0
    f = np.array([1.0, 0.0])

    def steps(i):
        """Weights of x2 - x1 in offspring of x1 = 0 and x2 = 1."""
        one = one_of(stack, i)
        for generation in range(1, 50):
            out = np.empty((n, d))
            kernels.propose(stream_key(9), generation, one, np.full(d, -50.0), np.full(d, 50.0), x, f, out)
            for point in out:
                if point.std() > 0 and abs(point.mean()) < 0.6:  # x1 = 0 and x2 = 1
                    return point
        raise AssertionError("no pair of different parents")

    weights = steps(0)
    first = weights > -0.05  # at least three deviations from either mean, up to a few in a thousand
    assert abs(first.mean() - 0.75) < 0.01
    assert abs(weights[first].mean() - 0.25) < 0.005
    assert abs(weights[first].std() - 0.1) < 0.005
    assert abs(weights[~first].mean() + 0.5) < 0.01
    assert abs(weights[~first].std() - 0.2) < 0.01
    weights = steps(1)
    assert abs(weights.mean() - 0.5) < 0.01
    assert abs(weights.std() - 0.3) < 0.01


def test_thresholds_of_equal_rows_are_exact():
    """A quarter of all words for each of four rows, to the word."""
    operator = AffineOperator(("x1", "x2"), np.zeros((4, 1)), np.zeros((4, 1)), np.ones(4))
    assert operator.variation().thresholds.tolist() == [-(2**30) - 1, -1, 2**30 - 1, 2**31 - 1]
