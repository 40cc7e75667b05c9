"""Ask and tell as a laboratory needs it: any number of points, late, lost and repeated results, two people."""

import json
import multiprocessing

import numpy as np
import pytest
from scipy.optimize import LinearConstraint

from autov import Optimizer
from autov.core import FileError, InputError
from autov.runs.told_points import ToldPoints, filling_points

BOX = [(-5.0, 5.0)] * 5


def values(x):
    return ((x - 1) ** 2).sum(axis=1)


@pytest.mark.parametrize("algorithm", ["general", "ma-es", "de", "paper-h3"])
@pytest.mark.parametrize("count", [1, 3, 20])
def test_as_many_points_as_are_wanted(algorithm, count):
    optimizer = Optimizer(BOX, algorithm=algorithm, rng=1, maxfev=150)
    sizes = []
    while not optimizer.stop():
        x = optimizer.ask(count)
        sizes.append(len(x))
        assert len(np.unique(x, axis=0)) == len(x)
        optimizer.tell(x, values(x))
    assert set(sizes[:-1]) == {count}
    assert sum(sizes) == optimizer.result.nfev == 150


def test_asking_before_anything_is_told_gives_other_points():
    optimizer = Optimizer(BOX, rng=1, maxfev=30)
    out = np.concatenate([optimizer.ask(4) for _ in range(3)])
    assert len(np.unique(out, axis=0)) == 12
    assert {tuple(point) for point in optimizer.pending} == {tuple(point) for point in out}
    assert optimizer.box.holds(out)
    for point in out[::-1]:
        optimizer.tell(point, values(point[None]))
    assert not len(optimizer.pending)
    assert optimizer.result.nfev == 12
    assert optimizer.result.fun == values(out).min()
    assert len(optimizer.ask(100)) == 18, "the budget has no more"
    assert len(optimizer.ask(1)) == 0


def test_drawn_points_are_where_values_were_good_and_far_from_what_is_pending():
    told, rng = ToldPoints(2), np.random.default_rng(1)
    box = Optimizer([(-5, 5)] * 2).box
    x = rng.uniform(-5, 5, (18, 2))
    told.add(x, ((x - 2) ** 2).sum(axis=1), 0)
    drawn = filling_points(told, x[:0], box, 40, rng)
    assert ((drawn - 2) ** 2).sum(axis=1).mean() < ((x - 2) ** 2).sum(axis=1).mean()
    first = filling_points(told, x[:0], box, 1, np.random.default_rng(3))
    second = filling_points(told, first, box, 1, np.random.default_rng(3))
    assert np.linalg.norm(second - first) > 0.1


def test_the_mean_of_repeated_values_counts():
    optimizer = Optimizer(BOX, rng=1, maxfev=30)
    x = optimizer.ask(3)
    optimizer.tell(x, [1.0, 2.0, 3.0])
    optimizer.tell(x[:1], [5.0])
    assert (optimizer.result.fun, optimizer.result.nfev) == (2.0, 3)
    assert optimizer.result.x.tolist() == x[1].tolist()
    optimizer.tell(x[2:], [-2.0])
    assert optimizer.result.fun == 0.5
    optimizer.tell(x[2:], [np.nan])
    assert optimizer.result.fun == 0.5, "a failure is no value"


def test_a_lost_experiment_is_given_up():
    optimizer, rng = Optimizer(BOX, algorithm="de", popsize=5, rng=1, maxfev=40), np.random.default_rng(1)
    while not optimizer.stop():
        x = optimizer.ask(3)
        lost = rng.random(len(x)) < 0.3
        optimizer.tell(x[~lost], values(x[~lost]))
        optimizer.forget(x[lost])
        assert not len(optimizer.pending)
    assert optimizer.result.nfev == 40
    assert optimizer._run.batches > 5, "the algorithm goes on"
    with pytest.raises(InputError, match=r"^forget: .* is not pending"):
        optimizer.forget(np.zeros(5))


def test_all_that_is_pending_can_be_given_up():
    optimizer = Optimizer(BOX, rng=1, maxfev=40)
    optimizer.ask(20)
    optimizer.forget()
    assert not len(optimizer.pending)
    assert len(optimizer.ask(3)) == 3


def test_an_unfinished_result_is_no_success():
    optimizer = Optimizer(BOX, rng=1, maxfev=30)
    x = optimizer.ask(3)
    optimizer.tell(x[:2], [1.0, 2.0])
    assert (optimizer.result.success, optimizer.result.status) == (False, -1)
    assert "2 of 30" in optimizer.result.message


def test_integers_are_never_drawn_twice_and_constraints_are_kept():
    optimizer = Optimizer([(0, 3)] * 2, integrality=True, rng=1, maxfev=16, algorithm="de", popsize=4)
    asked = np.concatenate([optimizer.ask(5) for _ in range(4)])
    assert len(np.unique(asked, axis=0)) == len(asked) >= 12
    limit = LinearConstraint([[1, 1, 1, 1, 1]], -np.inf, 0)
    optimizer = Optimizer(BOX, constraints=limit, rng=1, maxfev=100, algorithm="de", popsize=4)
    x = optimizer.ask(4)
    optimizer.tell(x, values(x))
    optimizer.ask()
    assert (optimizer.ask(30).sum(axis=1) <= 0).all()


@pytest.mark.parametrize("name", ["lab.json", "lab.npz"])
@pytest.mark.parametrize("algorithm", ["general", "paper-h3"])
def test_goes_on_with_the_same_bits_in_the_middle_of_everything(tmp_path, name, algorithm):
    def step(optimizer, day):
        x = optimizer.ask(4)
        optimizer.tell(x[1:3], values(x[1:3]))
        optimizer.tell(x[2:3], values(x[2:3]) + 1)
        if day % 3 == 2:
            optimizer.forget(optimizer.pending[:2])

    with_file, without = (Optimizer(BOX, algorithm=algorithm, rng=1, maxfev=90) for _ in range(2))
    for day in range(14):
        step(with_file, day)
        step(without, day)
        with_file.save(tmp_path / name)
        with_file = Optimizer.load(tmp_path / name)
        assert np.array_equal(with_file.pending, without.pending)
    assert with_file.result.fun == without.result.fun
    assert with_file.result.message == without.result.message
    assert np.array_equal(with_file.ask(5), without.ask(5))


def test_the_file_can_be_read_by_people(tmp_path):
    optimizer = Optimizer(BOX, rng=1, maxfev=30)
    x = optimizer.ask(3)
    optimizer.tell(x[:2], [3.0, np.nan])
    optimizer.tell(x[:1], [4.0])
    optimizer.save(tmp_path / "lab.json")
    found = json.loads((tmp_path / "lab.json").read_text())
    assert [(one["x"], one["value"], one["times"]) for one in found["experiments"]] == [
        (x[0].tolist(), 3.5, 2), (x[1].tolist(), "inf", 1),
    ]  # fmt: skip
    assert found["pending"] == x[2:].tolist()
    assert (found["best"], found["nfev"]) == (3.5, 2)


@pytest.mark.parametrize(
    ("place", "value"),
    [("experiments", [{"x": [1.0]}]), ("experiments", 3), ("best_x", [[1.0]]), ("version", 1), ("state", {}),
     ("experiments", [{"x": [0.0] * 5, "value": None, "times": 1}]), ("drawn", -1), ("pending", None)],
)  # fmt: skip
def test_damaged_files_are_refused(tmp_path, place, value):
    path = tmp_path / "lab.json"
    optimizer = Optimizer(BOX, rng=1, maxfev=30)
    optimizer.tell(optimizer.ask(3), [1.0, 2.0, 3.0])
    optimizer.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {place: value}))
    if place == "pending":  # for people only
        assert Optimizer.load(path).result.fun == 1.0
        return
    with pytest.raises(FileError, match="not a saved optimizer"):
        Optimizer.load(path)


def one_person(path, count):
    for _ in range(count):
        with Optimizer.open(path, BOX, maxfev=60, rng=1) as optimizer:
            x = optimizer.ask(3)
        with Optimizer.open(path) as optimizer:
            optimizer.tell(x, values(x))


def test_two_people_use_one_file(tmp_path):
    path = tmp_path / "lab.json"
    people = [multiprocessing.get_context("spawn").Process(target=one_person, args=(path, 4)) for _ in range(2)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert [person.exitcode for person in people] == [0, 0]
    optimizer = Optimizer.load(path)
    assert (optimizer.result.nfev, len(optimizer.pending)) == (24, 0)
    assert len(json.loads(path.read_text())["experiments"]) == 24, "nobody got the other one's points"


def test_what_open_refuses(tmp_path):
    path = tmp_path / "lab.json"
    with pytest.raises(FileError, match="give bounds"):
        Optimizer.open(path).__enter__()
    with Optimizer.open(path, BOX, maxfev=60), pytest.raises(FileError, match=r"another use of lab\.json"):
        Optimizer.open(path, wait=0.05).__enter__()
    with pytest.raises(InputError, match=r"^bounds: "):
        Optimizer.open(path, [(0, 1)]).__enter__()


def test_nothing_is_saved_after_an_exception(tmp_path):
    path = tmp_path / "lab.json"
    one_person(path, 1)
    with pytest.raises(InputError), Optimizer.open(path) as optimizer:
        optimizer.tell(optimizer.ask(3), [1.0])
    with Optimizer.open(path) as optimizer:
        assert not len(optimizer.pending)
