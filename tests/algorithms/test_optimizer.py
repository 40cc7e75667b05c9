"""Ask and tell, saved and restored."""

import numpy as np
import pytest

from autov import Optimizer, minimize
from autov.core import FileError, InputError

BOX = [(-5.0, 5.0)] * 3


def values(x):
    return (x**2).sum(axis=1)


@pytest.mark.parametrize("maxfev", [500, 510])
def test_equals_minimize(maxfev):
    optimizer = Optimizer(BOX, popsize=20, rng=7, maxfev=maxfev)
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, values(x))
    reference = minimize(values, BOX, vectorized=True, popsize=20, rng=7, maxfev=maxfev)
    assert optimizer.result.fun == reference.fun
    assert optimizer.result.nfev == maxfev
    # What is told enters the population, while minimize does not tell a batch that its budget cuts short.
    assert np.array_equal(optimizer.result.population, reference.population) == (maxfev == 500)


def test_asking_twice_gives_the_same():
    optimizer = Optimizer(BOX, popsize=10, rng=1)
    assert np.array_equal(optimizer.ask(), optimizer.ask())
    x = optimizer.ask()
    optimizer.tell(x[:4], values(x[:4]))
    assert np.array_equal(optimizer.ask(), x[4:])


@pytest.mark.parametrize("when", [0, 3, 10, 55, 100])
def test_goes_on_with_the_same_bits(tmp_path, when):
    def go(optimizer, until):
        while optimizer.result_count() < until and not optimizer.stop():
            x = optimizer.ask()[: until - optimizer.result_count()]
            optimizer.tell(x, values(x))
        return optimizer

    class Counted(Optimizer):
        def result_count(self):
            return self._nfev

    whole = go(go(Counted(BOX, popsize=10, rng=2, maxfev=200), when), 200)
    part = go(Counted(BOX, popsize=10, rng=2, maxfev=200), when)
    part.save(tmp_path / "state.npz")
    again = go(Counted.load(tmp_path / "state.npz"), 200)
    assert again.result.fun == whole.result.fun
    assert np.array_equal(again.result.population, whole.result.population)


def test_points_of_your_own_compete():
    optimizer = Optimizer(BOX, popsize=5, rng=1)
    x = optimizer.ask()
    optimizer.tell(x, values(x))
    optimizer.tell(np.zeros((1, 3)), np.zeros(1))
    assert optimizer.result.fun == 0
    assert optimizer.result.x.tolist() == [0, 0, 0]


def test_bad_input_is_named(tmp_path):
    optimizer = Optimizer(BOX, popsize=5, rng=1)
    with pytest.raises(InputError, match="nothing was told"):
        _ = optimizer.result
    with pytest.raises(InputError, match="expected x of shape"):
        optimizer.tell(np.zeros((2, 3)), np.zeros(3))
    with pytest.raises(InputError, match="inside"):
        optimizer.tell(np.full((1, 3), 7.0), np.zeros(1))
    (tmp_path / "bad.npz").write_bytes(b"PK nothing")
    with pytest.raises(FileError, match="not a saved optimizer"):
        Optimizer.load(tmp_path / "bad.npz")
