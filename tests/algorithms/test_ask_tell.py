"""Ask and tell, saved and restored."""

import numpy as np
import pytest

from autov import Optimizer, minimize
from autov.algorithms import ALGORITHMS
from autov.core import FileError, InputError
from tests.algorithms.driver import Contracted

BOX = [(-5.0, 5.0)] * 3


def values(x):
    return (x**2).sum(axis=1)


def test_equals_minimize():
    options = {"popsize": 20, "rng": 7, "maxfev": 510, "algorithm": "autov"}
    optimizer = Optimizer(BOX, **options)
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, values(x))
    reference = minimize(values, BOX, vectorized=True, **options)
    assert optimizer.result.fun == reference.fun
    assert optimizer.result.nfev == 510
    assert optimizer.result.nit == 24, "the first batch and the cut one are none"
    assert np.array_equal(optimizer.result.population, reference.population)


def test_asking_twice_gives_the_same():
    optimizer = Optimizer(BOX, popsize=10, rng=1)
    assert np.array_equal(optimizer.ask(), optimizer.ask())
    x = optimizer.ask()
    optimizer.tell(x[:4], values(x[:4]))
    assert np.array_equal(optimizer.ask(), x[4:])


def go(optimizer, until):
    """Tell points one by one or in pieces, until so many were told in all."""
    while optimizer._nfev < until and not optimizer.stop():
        x = optimizer.ask()[: until - optimizer._nfev]
        optimizer.tell(x, values(x))
    return optimizer


@pytest.mark.parametrize("algorithm", list(ALGORITHMS))
@pytest.mark.parametrize("when", [0, 3, 10, 55, 100])
def test_goes_on_with_the_same_bits(tmp_path, when, algorithm):
    def fresh():
        return Optimizer(BOX, algorithm=algorithm, popsize=10, rng=2, maxfev=200)

    whole = go(go(fresh(), when), 200)
    part = go(fresh(), when)
    part.save(tmp_path / "state.npz")
    again = go(Optimizer.load(tmp_path / "state.npz"), 200)
    assert again.algorithm == whole.algorithm
    assert again.result.fun == whole.result.fun
    assert np.array_equal(again.result.population, whole.result.population)
    assert again.result.nfev == 200


@pytest.mark.parametrize("algorithm", list(ALGORITHMS))
def test_asked_and_told_is_minimised(algorithm):
    optimizer = go(Optimizer(BOX, algorithm=algorithm, popsize=10, rng=2, maxfev=157), 157)
    reference = minimize(values, BOX, vectorized=True, algorithm=algorithm, popsize=10, rng=2, maxfev=157)
    assert optimizer.result.fun == reference.fun
    assert np.array_equal(optimizer.result.x, reference.x)
    assert np.array_equal(optimizer.result.population, reference.population)


def test_points_may_be_told_in_any_order_and_in_pieces():
    whole, pieces = (Optimizer(BOX, algorithm="de", popsize=10, rng=2, maxfev=60) for _ in range(2))
    go(whole, 60)
    while not pieces.stop():
        x = pieces.ask()[::-1]
        for piece in (x[:3], x[3:]):
            pieces.tell(piece, values(piece))
    assert pieces.result.fun == whole.result.fun
    assert np.array_equal(pieces.result.population, whole.result.population)


def test_points_of_your_own_count_for_the_result_of_any_algorithm():
    optimizer = Optimizer(BOX, algorithm="shade", popsize=10, rng=2, maxfev=60)
    optimizer.tell(np.zeros((1, 3)), np.array([-5.0]))
    go(optimizer, 60)
    assert optimizer.result.fun == -5.0
    assert optimizer.result.nfev == 60


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
    (tmp_path / "op.json").write_text("{}")
    with pytest.raises(FileError, match="not a saved optimizer") as caught:
        Optimizer.load(tmp_path / "op.json")
    assert "pickle" not in str(caught.value)
    with pytest.raises(FileError, match="no such file"):
        Optimizer.load(tmp_path / "none.npz")
    with pytest.raises(InputError, match="fixed variables"):
        Optimizer([(1, 1), (0, 1)])


def test_algorithms_of_users_cannot_be_saved(tmp_path):
    class Mine(type(Optimizer(BOX, algorithm="de").algorithm)):
        name = "mine"

    optimizer = Optimizer(BOX, algorithm=Mine())
    with pytest.raises(InputError, match="mine is not one of autov's own"):
        optimizer.save(tmp_path / "x.npz")
    assert not list(tmp_path.iterdir())


def test_of_points_told_together_only_your_own_join_beside_the_batch():
    optimizer = Optimizer(BOX, popsize=4, rng=1, algorithm="autov")
    x = optimizer.ask()
    optimizer.tell(x, np.arange(4.0))
    asked = optimizer.ask()
    optimizer.tell(np.vstack([asked, np.zeros((1, 3))]), np.array([0.5, 9.0, 9.0, 9.0, 0.25]))
    assert sorted(optimizer.result.population_energies) == [0.0, 0.25, 0.5, 1.0]


def test_no_more_points_are_asked_for_than_the_budget_allows():
    optimizer = Optimizer(BOX, popsize=10, rng=1, maxfev=25, algorithm="de")
    sizes = []
    while not optimizer.stop():
        x = optimizer.ask()
        sizes.append(len(x))
        optimizer.tell(x, values(x))
    assert sizes == [10, 10, 5]
    assert len(optimizer.ask()) == 0


def test_a_point_that_was_asked_for_has_its_first_value():
    optimizer = Optimizer(BOX, popsize=4, rng=1, algorithm="de")
    x = optimizer.ask()
    optimizer.tell(x[:2], [5.0, 6.0])
    optimizer.tell(x[:1], [9.0])
    optimizer.tell(x[2:], [7.0, 8.0])
    assert optimizer.result.population_energies.tolist() == [5.0, 6.0, 7.0, 8.0]


def test_an_algorithm_that_asks_for_known_points_only_begins_anew():
    optimizer = Optimizer([(0, 99)], integrality=True, popsize=4, algorithm=Contracted())
    asked = []
    for _ in range(3):
        asked.append(optimizer.ask().tolist())
        optimizer.tell(asked[-1], [1.0])
    assert asked == [[[1.0]], [[2.0]], [[3.0]]]
