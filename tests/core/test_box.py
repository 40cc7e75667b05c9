"""Boxes: what they hold, what they equal."""

import copy
import pickle

import numpy as np
import pytest

from autov.core import Box, InputError, generator

BOX = Box(np.array([-1.0, 0.0]), np.array([2.0, 5.0]))


def test_the_border_belongs_to_the_box():
    corners = np.array([[-1.0, 0.0], [2.0, 5.0], [-1.0, 5.0]])
    assert BOX.holds(corners)
    for outside in ([-1.1, 1.0], [2.1, 1.0], [0.0, -0.1], [0.0, 5.1]):
        assert not BOX.holds(np.array([outside]))
    assert not BOX.holds(np.zeros((1, 3)))
    assert BOX.clip(np.array([[-3.0, 9.0]])).tolist() == [[-1.0, 5.0]]


def test_points_are_uniform_in_the_box():
    x = BOX.sample(20_000, generator(1))
    assert BOX.holds(x)
    np.testing.assert_allclose(x.mean(axis=0), [0.5, 2.5], atol=0.05)
    np.testing.assert_allclose(x.min(axis=0), BOX.lower, atol=0.01)
    np.testing.assert_allclose(x.max(axis=0), BOX.upper, atol=0.01)


def test_both_bounds_make_a_box():
    same = Box.of([(-1, 2), (0, 5)])
    assert same == BOX
    assert hash(same) == hash(BOX)
    assert Box.of([(-1, 2), (0, 6)]) != BOX
    assert Box.of([(-2, 2), (0, 5)]) != BOX


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda box: pickle.loads(pickle.dumps(box))])
def test_a_copy_has_arrays_of_the_same_type(again):
    """Kernels are compiled for each type of their arguments, and an array that can be written is another one."""
    made = again(BOX)
    assert made == BOX
    assert not made.lower.flags.writeable
    assert not made.upper.flags.writeable


@pytest.mark.parametrize(("low", "high"), [(-1e150, 1e150), (-1.7e308, 1.7e308), (0.0, 1e-120), (1e120, 1e120)])
def test_bounds_beyond_what_can_be_squared_are_named(low, high):
    with pytest.raises(InputError, match=r"^bounds: "):
        Box(np.array([0.0, low]), np.array([1.0, high]))


def test_bounds_of_the_caller_stay_his_own():
    lower, upper = np.zeros(2), np.ones(2)
    box = Box(lower, upper)
    lower[0], upper[0] = 5.0, 6.0
    assert (box.lower[0], box.upper[0]) == (0.0, 1.0)
