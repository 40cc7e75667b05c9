"""A generation equals its twin: parents, offspring, survivors."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from autov.compiler.functions import kernel
from autov.core import Box, generator, stream_key
from autov.kernels import random as stream
from autov.kernels.evolution import run as kernels
from autov.kernels.evolution.survival import kth_smallest, survive
from autov.kernels.evolution.variation import choose_rows
from autov.operators import FORMS, AffineOperator
from tests import naive

CUSTOM = ("x1", "x2", "best", "mean", "lower", "upper")


def random_operator(inputs, rng, rows=4, draw="variable", tie_bounds=False):
    weights = len(inputs) - 1 - tie_bounds
    return AffineOperator(
        inputs, rng.uniform(-1, 1, (rows, weights)), rng.uniform(0, 1, (rows, weights)), rng.uniform(0, 1, rows), draw,
        tie_bounds,
    )  # fmt: skip


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 8, 31])
@pytest.mark.parametrize("draw", ["variable", "solution"])
@pytest.mark.parametrize("form", [*FORMS, "custom", "tied"])
def test_offspring_equal_the_twin(form, draw, dim):
    rng = generator(dim)
    inputs = CUSTOM if form == "custom" else FORMS["h3" if form == "tied" else form]
    operator = random_operator(inputs, rng, draw=draw, tie_bounds=form == "tied")
    box = Box(-1 - rng.random(dim), 1 + rng.random(dim))
    x = box.sample(9, rng)
    f = rng.random(9)
    variation = operator.variation()
    out = np.empty((9, dim))
    key = stream_key(1, dim)
    kernels.propose(key, 5, variation, box.lower, box.upper, x, f, out)
    twin = naive.offspring(key, 5, variation, box.lower, box.upper, x, f, 9)
    assert np.allclose(out, twin, rtol=1e-11, atol=1e-11)
    assert ((out >= box.lower) & (out <= box.upper)).all()


@pytest.mark.parametrize("dim", [3, 5, 9])
def test_what_is_no_number_becomes_the_lower_bound(dim):
    operator, out = random_operator(FORMS["h3"], generator(1)), np.empty((6, dim))
    lower, upper = -1 - np.arange(float(dim)), np.ones(dim)
    kernels.propose(stream_key(1), 1, operator.variation(), lower, upper, np.full((4, dim), np.nan), np.zeros(4), out)
    assert (out == lower).all()


@pytest.mark.parametrize("values", [[0.0] * 7, [np.inf] * 7, [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0]])
def test_the_first_of_two_equals_wins_a_tournament(values):
    # Weights that are always zero: an offspring is its first parent.
    copy = AffineOperator(("x1", "x2"), [[0.0]], [[0.0]], [1.0]).variation()
    n, key, f = 7, stream_key(12), np.array(values)
    x, out = np.arange(7.0)[:, None], np.empty((200, 1))
    kernels.propose(key, 3, copy, np.array([0.0]), np.array([10.0]), x, f, out)
    drawn = naive.bits(*(int(word) for word in stream.subkey(key, 3, stream.PARENTS)), 0, 200)
    ties = 0
    for i, word in enumerate(drawn):
        first, second = ((word >> 32) * n) >> 32, ((word & 0xFFFFFFFF) * n) >> 32
        ties += first != second and f[first] == f[second]
        assert out[i, 0] == (second if f[second] < f[first] else first)
    assert ties > 50


def test_offspring_of_many_blocks_equal_the_twin():
    rng = generator(2)
    operator = random_operator(FORMS["h3"], rng, rows=10)
    box = Box.cube(-5, 5, 30)
    x, f = box.sample(150, rng), rng.random(150)
    out = np.empty_like(x)
    kernels.propose(stream_key(1), 1, operator.variation(), box.lower, box.upper, x, f, out)
    twin = naive.offspring(stream_key(1), 1, operator.variation(), box.lower, box.upper, x, f, 150)
    assert np.allclose(out, twin, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("dim", [7, 8, 9, 16, 31])
@pytest.mark.parametrize("rows", [1, 2, 9, 13, 14, 16, 17, 18, 40])  # up to 13 and 16 a wide processor looks them up
def test_any_number_of_rows_equals_the_twin(rows, dim):
    rng = generator(rows, dim)
    operator = random_operator(FORMS["h3"], rng, rows=rows)
    box = Box.cube(-5, 5, dim)
    x, f = box.sample(40, rng), rng.random(40)
    out = np.empty_like(x)
    kernels.propose(stream_key(1), 1, operator.variation(), box.lower, box.upper, x, f, out)
    twin = naive.offspring(stream_key(1), 1, operator.variation(), box.lower, box.upper, x, f, 40)
    assert np.allclose(out, twin, rtol=1e-11, atol=1e-11)


def test_rows_are_chosen_with_their_probabilities():
    # Row j moves every variable to j + 1 exactly, so the offspring show which row was chosen.
    probability = np.array([0.5, 0.0, 0.3, 0.15, 0.05])
    operator = AffineOperator(("x1", "upper"), np.arange(1.0, 6.0)[:, None], np.zeros((5, 1)), probability)
    box = Box.cube(0, 1, 1000)
    x = np.zeros((100, 1000))
    out = np.empty_like(x)
    wide = np.full(1000, 10.0)
    kernels.propose(stream_key(3), 1, operator.variation(), box.lower, wide, x, np.zeros(100), out)
    counts = np.array([(np.isclose(out, 10.0 * (j + 1)) | ((out == 10.0) & (j == 0))).sum() for j in range(5)])
    assert counts[0] == out.size  # clipped to the box: all rows land on the bound
    operator = AffineOperator(("x1", "upper"), 0.1 * np.arange(1.0, 6.0)[:, None], np.zeros((5, 1)), probability)
    kernels.propose(stream_key(3), 1, operator.variation(), box.lower, wide, x, np.zeros(100), out)
    counts = np.array([np.isclose(out, j + 1.0).sum() for j in range(5)])
    expected = probability * out.size
    assert counts[1] == 0
    assert (np.abs(counts - expected) < 4.5 * np.sqrt(expected + 1)).all()


def test_one_normal_a_variable_has_the_law_of_one_normal_a_weight():
    rng = generator(4)
    operator = random_operator(FORMS["h5"], rng, rows=3)
    n = 40_000
    x = np.zeros((n, 1))
    x[:, 0] = rng.uniform(-1, 1, n)
    out = np.empty_like(x)
    kernels.propose(stream_key(6), 1, operator.variation(), np.array([-3.0]), np.array([2.0]), x, np.zeros(n), out)
    parents = x[rng.integers(0, n, (3, n))]
    direct = np.clip(operator(parents, np.array([-3.0]), np.array([2.0]), rng), -3, 2)
    assert ks_2samp(out[:, 0], direct[:, 0]).pvalue > 0.001


finite = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(finite, min_size=1, max_size=60), st.data())
def test_kth_smallest_is_that_of_a_sort(values, data):
    k = data.draw(st.integers(0, len(values) - 1))
    assert kth_smallest(np.array(values), len(values), k) == sorted(values)[k]


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, np.inf]), min_size=2, max_size=30), st.data())
def test_survivors_are_those_of_a_stable_sort(parents, data):
    children = data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, np.inf]), min_size=1, max_size=30))
    n, m = len(parents), len(children)
    f, values = np.array(parents), np.array(children)
    x, offspring = np.arange(n, dtype=float)[:, None], 100.0 + np.arange(m)[:, None]
    wanted_x, wanted_f = naive.survivors(x, f, offspring, values)
    survive(x, f, offspring, values)
    assert sorted(zip(x[:, 0], f, strict=True)) == sorted(zip(wanted_x[:, 0], wanted_f, strict=True))
    stay = np.isin(np.arange(n), x[:, 0])
    assert np.array_equal(x[stay, 0], np.flatnonzero(stay))  # those who stay keep their places


# Prints the offspring of operators with few and many rows, in few and many variables; by narrow steps if asked to.
PROGRAM = """
import json
from autov.kernels.evolution import draw
if {narrow}:
    draw._is_wide = lambda context: False
from tests.kernels.test_variation import offspring_of_many
print(json.dumps(offspring_of_many()))
"""


def offspring_of_many():
    found = []
    for dim, rows in ((7, 10), (8, 1), (9, 13), (16, 14), (19, 16), (31, 17)):
        rng, box, out = generator(dim, rows), Box.cube(-5, 5, dim), np.empty((12, dim))
        operator = random_operator(FORMS["h3"], rng, rows=rows)
        x, f = box.sample(12, rng), rng.random(12)
        kernels.propose(stream_key(1), 1, operator.variation(), box.lower, box.upper, x, f, out)
        found += out.ravel().tolist()
    return found


@pytest.mark.cold
@pytest.mark.parametrize(
    ("narrow", "settings", "tolerance"),
    [
        (True, {}, 0.0),
        # The least processor of this kind: normals are single precision, and rounded otherwise there.
        (False, {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}, 1e-5),
    ],
)
def test_narrow_and_wide_steps_give_the_same(narrow, settings, tolerance, tmp_path):
    environment = {**os.environ, **settings, "NUMBA_CACHE_DIR": str(tmp_path)}
    run = [sys.executable, "-c", PROGRAM.format(narrow=narrow)]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    assert np.allclose(json.loads(done.stdout), offspring_of_many(), rtol=tolerance, atol=tolerance)


@kernel
def choose(words, thresholds, count, row):
    choose_rows(words, thresholds, count, row)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 40])
@pytest.mark.parametrize("size", [0, 4, 12, 16, 20])
def test_a_word_belongs_to_the_row_behind_the_thresholds_below_it(size, count):
    rng, most = generator(size, count), 2**31 - 1
    thresholds = np.sort(rng.integers(-most, most, size)).astype(np.int32)
    thresholds[size // 2 :] = most  # rows that are never drawn
    if size:
        thresholds[0] = -most - 1
    around = np.concatenate([thresholds[: size // 2] + np.array([[0], [1]]), [[-most - 1], [most]]], axis=None)
    words = np.resize(around, count).astype(np.int32)
    row = np.full(count + 64, -7, np.int32)
    choose(words, thresholds, count, row[32:-32])
    assert row[32:-32].tolist() == (words[:, None] > thresholds).sum(axis=1).tolist()
    assert (np.delete(row, np.s_[32:-32]) == -7).all()  # nothing beside it is written


@pytest.mark.parametrize("dim", [1, 3, 5, 7, 8, 9, 15, 17])
def test_nothing_beside_the_offspring_is_written(dim):
    rng, box, beside = generator(dim), Box.cube(-5, 5, dim), 1e9
    plan = kernels.plain_plan(random_operator(FORMS["h3"], rng).variation())
    work = kernels.evolution_work(stream_key(1), plan, 5, 3, dim)
    numbers = np.full(3 * dim + 64, beside)
    work = work._replace(offspring=numbers[32:-32].reshape(3, dim))
    work.pool[:5], work.f[:] = box.sample(5, rng), rng.random(5)
    work.scalars[0].generation = 1
    kernels.evolution_ask(plan, work, box.lower, box.upper)
    assert (abs(work.offspring) <= 5).all()
    assert (np.delete(numbers, np.s_[32:-32]) == beside).all()
