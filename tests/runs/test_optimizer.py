"""Ask and tell, saved and restored."""

import contextlib

import numpy as np
import pytest
from scipy.optimize import Bounds

from autov import Optimizer, Stopping, minimize
from autov.algorithms import ALGORITHMS, Evolution
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.portfolio import Portfolio
from autov.core import FileError, InputError
from tests.algorithms.driver import Contracted, sized

BOX = [(-5.0, 5.0)] * 3


def values(x):
    return (x**2).sum(axis=1)


def test_equals_minimize():
    options = {"popsize": 20, "rng": 7, "maxfev": 510, "algorithm": "paper-h3"}
    optimizer = Optimizer(BOX, **options)
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, values(x))
    reference = minimize(values, BOX, vectorized=True, **options)
    assert optimizer.result.fun == reference.fun
    assert optimizer.result.nfev == 510
    assert optimizer.result.nit == 24, "the first batch and the cut one are none"
    assert np.array_equal(optimizer.result.population, reference.population)


@pytest.mark.parametrize("algorithm", ["paper-h3", "ma-es", "cma-es", "shade", "general"])
def test_fixed_variables_stay_what_they_are_as_in_minimize(algorithm, tmp_path):
    bounds, options = [(-5, 5), (2, 2), (-5, 5)], {"rng": 7, "maxfev": 300, "algorithm": algorithm}
    options |= {"x0": [1.0, 2.0, 1.0]}
    optimizer = Optimizer(bounds, **options)
    while not optimizer.stop():
        x = optimizer.ask()
        assert (x[:, 1] == 2).all()
        optimizer.tell(x, values(x))
        optimizer.save(tmp_path / "optimizer.npz")
        optimizer = Optimizer.load(tmp_path / "optimizer.npz")
    reference = minimize(values, bounds, vectorized=True, **options)
    assert (optimizer.result.fun, optimizer.result.x.tolist()) == (reference.fun, reference.x.tolist())
    assert np.array_equal(optimizer.result.population, reference.population)


def test_bounds_may_be_given_as_for_minimize():
    for bounds in (Bounds([-5, -5], [5, 5]), Bounds(-5, 5), [(None, 5), (-5, None)], None):
        optimizer = Optimizer(bounds, x0=[0.0, 0.0], algorithm="de", rng=1)
        assert optimizer.ask().shape[1] == 2


def test_asking_twice_gives_the_same():
    optimizer = Optimizer(BOX, rng=1)
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
        return Optimizer(BOX, algorithm=algorithm, rng=2, maxfev=200, **sized(algorithm, 10))

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
    options = {"algorithm": algorithm, "rng": 2, "maxfev": 157, **sized(algorithm, 10)}
    optimizer = go(Optimizer(BOX, **options), 157)
    reference = minimize(values, BOX, vectorized=True, **options)
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


OWN = np.random.default_rng(5).uniform(-0.1, 0.1, (312, 3))  # better than what the first batches hold
UNUSED = "does not use points that it did not ask for"


@pytest.mark.parametrize("when", [4, 10, 25])  # before that they are known points: test_known_points.py
@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "general"])
def test_points_that_were_not_asked_for_cost_nothing(algorithm, when):
    options = {"algorithm": algorithm, "rng": 2, "maxfev": 60, **sized(algorithm, 10)}
    cold, warm = (go(Optimizer(BOX, **options), when) for _ in range(2))
    used = warm.takes_points
    assert used == (algorithm == "evolution" and when >= 10)
    with contextlib.nullcontext() if used else pytest.warns(UserWarning, match=UNUSED) as caught:
        warm.tell(OWN, values(OWN))
        warm.tell(OWN[:5], values(OWN[:5]))
    assert used or len(caught) == 1, "once for an optimizer"
    assert not warm.stop()
    before = cold.result.fun if when else np.inf
    assert (warm.result.nfev, warm.result.fun) == (when, min(before, values(OWN).min()))
    asked = [], []
    for optimizer, points in zip((cold, warm), asked, strict=True):
        while not optimizer.stop():
            points.append(optimizer.ask())
            optimizer.tell(points[-1], values(points[-1]))
    assert cold.result.nfev == warm.result.nfev == 60
    assert warm.result.fun == min(cold.result.fun, values(OWN).min()) or used
    assert np.array_equal(np.vstack(asked[0]), np.vstack(asked[1])) != used


def test_points_that_were_not_asked_for_are_not_counted_beside_the_batch():
    optimizer = Optimizer(BOX, algorithm="de", popsize=10, rng=2, maxfev=30)
    x = np.vstack([optimizer.ask(), OWN])
    with pytest.warns(UserWarning, match=UNUSED):
        optimizer.tell(x, values(x))
    assert optimizer.result.nfev == 10
    assert not optimizer.stop()
    with pytest.raises(InputError, match="shape"):  # still checked
        optimizer.tell(OWN, values(OWN)[:3])


def test_the_target_may_be_met_by_a_point_that_was_not_asked_for_and_patience_counts_from_there():
    optimizer = Optimizer(BOX, algorithm="de", popsize=10, rng=2, maxfev=100, target=-1.0, stop=Stopping(patience=20))
    go(optimizer, 10)
    with pytest.warns(UserWarning, match=UNUSED):
        optimizer.tell(OWN, values(OWN) - 0.5)
    assert not optimizer.stop()
    go(optimizer, 100)
    assert (optimizer.result.status, optimizer.result.nfev) == (7, 30)
    optimizer.tell(OWN, values(OWN) - 2)
    assert optimizer.result.status == 3


@pytest.mark.parametrize("integrality", [None, True])
def test_saved_when_only_other_points_were_evaluated(tmp_path, integrality):
    optimizer = Optimizer(BOX, algorithm="de", popsize=10, rng=2, maxfev=60, integrality=integrality)
    optimizer.tell(np.eye(3), [3.0, 1.0, 2.0])
    optimizer.save(tmp_path / "state.npz")
    again = Optimizer.load(tmp_path / "state.npz")
    assert (again.result.fun, again.result.nfev) == (1.0, 0)
    assert np.array_equal(go(again, 60).result.population, go(optimizer, 60).result.population)
    assert again.result.fun == optimizer.result.fun


def test_integers_that_were_not_asked_for_are_used_without_an_evaluation():
    optimizer = Optimizer([(0, 1)] * 2, integrality=True, algorithm="de", popsize=5, rng=1, maxfev=100)
    optimizer.tell([[0, 1], [1, 1]], [5.0, 4.0])  # no warning
    asked = []
    while not optimizer.stop():
        asked += optimizer.ask(1).tolist()
        optimizer.tell(asked[-1:], [9.0])
    assert sorted(asked) == [[0, 0], [1, 0]]
    assert (optimizer.result.fun, optimizer.result.nfev) == (4.0, 2)


def test_bad_input_is_named(tmp_path):
    optimizer = Optimizer(BOX, rng=1)
    with pytest.raises(InputError, match=r"^result: "):
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
    with pytest.raises(InputError, match=r"^bounds: "):
        Optimizer([(1, 1), (0, 0)])


def test_algorithms_of_users_cannot_be_saved(tmp_path):
    class Mine(type(Optimizer(BOX, algorithm="de").algorithm)):
        name = "mine"

    optimizer = Optimizer(BOX, algorithm=Mine())
    with pytest.raises(InputError, match="mine is not one of autov's own"):
        optimizer.save(tmp_path / "x.npz")
    assert not list(tmp_path.iterdir())


def test_of_points_told_together_only_your_own_join_beside_the_batch():
    optimizer = Optimizer(BOX, popsize=4, rng=1, algorithm="paper-h3")
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


def test_a_point_that_is_told_again_before_its_batch_is_complete_has_the_mean():
    optimizer = Optimizer(BOX, popsize=4, rng=1, algorithm="de")
    x = optimizer.ask()
    optimizer.tell(x[:2], [5.0, 6.0])
    optimizer.tell(x[:1], [9.0])
    optimizer.tell(x[2:], [7.0, 8.0])
    assert optimizer.result.population_energies.tolist() == [7.0, 6.0, 7.0, 8.0]


def test_an_algorithm_that_asks_for_known_points_only_begins_anew():
    optimizer = Optimizer([(0, 99)], integrality=True, popsize=4, algorithm=Contracted())
    asked = []
    for _ in range(3):
        asked.append(optimizer.ask().tolist())
        optimizer.tell(asked[-1], [1.0])
    assert asked == [[[1.0]], [[2.0]], [[3.0]]]


def test_points_that_never_come_back_as_they_were_asked_for_are_refused():
    optimizer = Optimizer(BOX, algorithm="de", popsize=5, rng=1, maxfev=100)
    x = optimizer.ask()
    with pytest.warns(UserWarning, match="tell"):
        optimizer.tell(x.round(2), np.zeros(5))
    with pytest.raises(InputError, match=r"^tell: "):
        optimizer.tell(optimizer.ask().round(2), np.zeros(5))
    optimizer.tell(optimizer.ask(), np.zeros(5))
    assert optimizer.result.nfev == 5


def test_many_points_of_other_origin_may_be_told_one_by_one():
    optimizer = Optimizer(BOX, algorithm="de", popsize=5, rng=1, maxfev=100)
    x = optimizer.ask()
    with pytest.warns(UserWarning, match="tell"):
        optimizer.tell(np.full((1, x.shape[1]), 0.1), [1.0])
    for number in range(2, 5):
        optimizer.tell(np.full((1, x.shape[1]), 0.1 * number), [1.0])
    optimizer.tell(x, np.zeros(5))
    assert optimizer.result.nfev == 5


def finished(optimizer):
    """Tell it all that it asks for."""
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, values(x - 1))
    return optimizer.result


@pytest.mark.parametrize("algorithm", ["general", "de"])
@pytest.mark.parametrize("when", [0, 150, 400])
def test_without_a_budget_it_ends_where_minimize_does_also_when_it_was_saved(tmp_path, algorithm, when):
    options = {"algorithm": algorithm, "rng": 2}
    whole = minimize(lambda x: values(x - 1), [(-5, 5)] * 2, vectorized=True, **options)
    assert whole.status in (0, 9)
    assert (whole.status == 9) == whole.success
    optimizer = Optimizer([(-5, 5)] * 2, **options)
    while optimizer._nfev < when:
        x = optimizer.ask()
        optimizer.tell(x, values(x - 1))
    optimizer.save(tmp_path / "state.npz")
    for one in (optimizer, Optimizer.load(tmp_path / "state.npz")):
        result = finished(one)
        assert (result.nfev, result.status, result.success) == (whole.nfev, whole.status, whole.success)
        assert np.array_equal(result.x, whole.x)


def test_whole_numbers_that_are_all_known_are_said_to_be_so_without_a_budget():
    optimizer = Optimizer([(0, 1)] * 3, integrality=True, rng=1)
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, x.sum(axis=1))
    assert (optimizer.result.nfev, optimizer.result.status, optimizer.result.success) == (8, 0, True)
    assert optimizer.result.message.startswith("All points are known after 8 of ")


def test_all_but_the_bounds_goes_by_keyword():
    with pytest.raises(TypeError, match="positional"):
        Optimizer(BOX, "de")


@pytest.mark.parametrize(
    ("algorithm", "warns"),
    [
        (None, True), ("general", True), ("ma-es", True), ("evolution+popsize=9", True), ("de", False),
        ("paper-h3", False), ("portfolio+members=ma-es/de", False),
        (Portfolio((MatrixAdaptation(), Evolution(popsize=9))), True),
    ],
)  # fmt: skip
def test_a_popsize_that_is_ignored_is_said_to_be_so(algorithm, warns):
    for call in (
        lambda: Optimizer(BOX, algorithm=algorithm, popsize=20),
        lambda: minimize(values, BOX, vectorized=True, algorithm=algorithm, popsize=20, maxfev=5, rng=1),
    ):
        noted = pytest.warns(UserWarning, match=r"^popsize: .* ignores 20") if warns else contextlib.nullcontext()
        with noted as caught:
            call()
        assert not warns or caught[0].filename == __file__


def test_points_of_other_origin_that_are_used_may_be_told_between_two_batches():
    optimizer = Optimizer(BOX, algorithm="paper-h3", popsize=5, rng=1, maxfev=100)
    x = optimizer.ask()
    optimizer.tell(x, values(x))
    for number in range(4):
        asked = optimizer.ask()
        optimizer.tell(np.full((1, 3), 0.1 * number), [0.03 * number**2])
    optimizer.tell(asked, values(asked))
    assert (optimizer.result.nfev, optimizer.result.fun) == (10, 0.0)
