"""The stream of random numbers: equal to its twin, and random."""

import numpy as np
import pytest
from scipy import stats

from autov.core import stream_key
from autov.kernels import random as stream
from tests import naive

MILLION = 1_000_000


def draw_normals(key, count, start=0):
    out = np.empty(count, np.float32)
    bits = np.empty(count, np.uint64)
    stream.fill_normals(key[0], key[1], start, count // 2, bits, bits.view(np.int32), out)
    return out.astype(np.float64)


def draw_uniforms(key, count, start=0):
    out = np.empty(count)
    stream.fill_uniforms(key[0], key[1], start, out)
    return out


@pytest.mark.parametrize("start", [0, 1, 12345])
def test_bits_equal_python_integers(start):
    key = stream_key(3, 1)
    out = np.empty(101, np.uint64)
    stream.fill_bits(key[0], key[1], start, len(out), out)
    assert out.tolist() == naive.bits(int(key[0]), int(key[1]), start, 101)


def test_any_part_of_a_stream_can_be_made_alone():
    key = stream_key(3, 1)
    whole = draw_uniforms(key, 1000)
    assert np.array_equal(whole[300:400], draw_uniforms(key, 100, start=300))


def test_normals_equal_box_muller_in_double_precision():
    key = stream_key(5, 2)
    difference = np.abs(draw_normals(key, 20_000) - naive.normals(int(key[0]), int(key[1]), 0, 20_000))
    # Single precision: only the shortest of radii, whose uniform number is nearly one, lose more digits.
    assert np.quantile(difference, 0.99) < 1e-6
    assert difference.max() < 1e-5


def test_a_million_normals_are_normal():
    z = draw_normals(stream_key(1, 0, 0), MILLION)
    assert stats.kstest(z, "norm").pvalue > 0.001
    n = len(z)
    assert abs(z.mean()) < 4 / np.sqrt(n)
    assert abs(z.var() - 1) < 4 * np.sqrt(2 / n)
    assert abs(stats.skew(z)) < 4 * np.sqrt(6 / n)
    assert abs(stats.kurtosis(z)) < 4 * np.sqrt(24 / n)
    for threshold in (3.0, 4.0):
        expected = 2 * n * stats.norm.sf(threshold)
        assert abs((np.abs(z) > threshold).sum() - expected) < 4 * np.sqrt(expected)


def test_a_million_uniforms_are_uniform():
    u = draw_uniforms(stream_key(1, 0, 1), MILLION)
    assert u.min() >= 0
    assert u.max() < 1
    assert stats.kstest(u, "uniform").pvalue > 0.001
    pairs = np.histogram2d(u[0::2], u[1::2], bins=64)[0].ravel()
    assert stats.chisquare(pairs).pvalue > 0.001


def test_every_bit_is_fair():
    out = np.empty(200_000, np.uint64)
    key = stream_key(9)
    stream.fill_bits(key[0], key[1], 0, len(out), out)
    ones = np.array([int(((out >> np.uint64(b)) & np.uint64(1)).sum()) for b in range(64)])
    assert np.abs(ones - 100_000).max() < 4.5 * np.sqrt(50_000)


@pytest.mark.parametrize("neighbour", [(1, 0, 1), (1, 1, 0), (2, 0, 0)])
def test_neighbouring_streams_are_independent(neighbour):
    n = 200_000
    a, b = draw_normals(stream_key(1, 0, 0), n), draw_normals(stream_key(*neighbour), n)
    for lag in range(4):
        correlation = np.corrcoef(a[lag:], b[: n - lag])[0, 1]
        assert abs(correlation) < 4.5 / np.sqrt(n)
    assert stats.ks_2samp(a, b).pvalue > 0.001


def test_generations_and_purposes_have_their_own_keys():
    key = stream_key(4)
    keys = {stream.subkey(key, g, p) for g in range(200) for p in range(stream.PURPOSES)}
    assert len(keys) == 200 * stream.PURPOSES
    assert len({first for first, _ in keys}) == len(keys)


def test_numbers_within_a_stream_are_uncorrelated():
    z = draw_normals(stream_key(8), MILLION)
    for lag in (1, 2, 7, 30, MILLION // 2):
        assert abs(np.corrcoef(z[lag:], z[: len(z) - lag])[0, 1]) < 4.5 / np.sqrt(len(z) - lag)


def test_every_purpose_and_generation_has_its_own_key():
    purposes = (stream.POPULATION, stream.PARENTS, stream.ROWS, stream.NORMALS, stream.NOISE)
    assert len(set(purposes)) == 5
    assert all(0 <= purpose < stream.PURPOSES for purpose in purposes)
    keys = {stream.subkey(stream_key(1), generation, purpose) for generation in range(50) for purpose in purposes}
    assert len(keys) == 250
