"""Ask and tell under constraints whose values are told: the default models them, as in `minimize`."""

import json

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint

import autov
from autov import Optimizer
from autov.core import InputError

BOUNDS = [(-2.0, 2.0)] * 2
DISC = NonlinearConstraint(lambda x: x[0] ** 2 + x[1] ** 2, -np.inf, 1.0)


def line(x):
    return x.sum(axis=1)


def disc(x):
    return np.square(x).sum(axis=1) - 1.0


def test_asked_points_are_those_of_minimize():
    made = autov.minimize(
        lambda x: (x[0] + x[1], x[0] ** 2 + x[1] ** 2 - 1), BOUNDS, constraints="returned", maxfev=80, rng=5,
        history=True,
    )  # fmt: skip
    optimizer = Optimizer(BOUNDS, constraints="returned", maxfev=80, rng=5)
    asked = []
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, line(x), constraints=disc(x))
        asked.append(x)
    np.testing.assert_array_equal(np.concatenate(asked), made.history.x)
    result = optimizer.result
    assert (result.fun, result.maxcv) == (made.fun, 0)


@pytest.mark.parametrize("told", [True, False])
def test_constraints_are_modelled_few_at_a_time(told):
    optimizer = Optimizer(BOUNDS, constraints="returned" if told else DISC, maxfev=90, rng=1)
    while not optimizer.stop():
        x = optimizer.ask(3)
        optimizer.tell(x, line(x), **({"constraints": disc(x)} if told else {}))
    assert optimizer.result.fun == pytest.approx(-np.sqrt(2), abs=1e-5)
    assert optimizer.result.maxcv == 0


@pytest.mark.parametrize("name", ["state.npz", "state.json"])
@pytest.mark.parametrize("told", [True, False])
def test_saved_and_loaded_it_asks_for_the_same_points(tmp_path, name, told):
    def step(optimizer, count):
        x = optimizer.ask(count)
        if len(x) > 1:
            optimizer.forget(x[-1])
            x = x[:-1]
        f = np.where(x[:, 0] > 1.2, np.nan, line(x))  # some fail
        optimizer.tell(x, f, **({"constraints": np.column_stack([disc(x), x[:, 0] - 0.9])} if told else {}))
        return x

    limits = "returned" if told else DISC
    bounds = [*BOUNDS, (0.5, 0.5), (0, 4)]
    one = Optimizer(
        bounds, constraints=limits, integrality=[False, False, False, True], maxfev=60, rng=2
    ) if told else Optimizer(BOUNDS, constraints=limits, maxfev=60, rng=2)  # fmt: skip
    for count in (3, 1, 4, 2):
        step(one, count)
    one.ask(2)
    one.save(tmp_path / name)
    other = Optimizer.load(tmp_path / name, constraints=limits)
    for count in (3, 1, 1, 1, 1, 2):
        np.testing.assert_array_equal(step(one, count), step(other, count))
    assert one.result.fun == other.result.fun
    assert one.result.maxcv == other.result.maxcv


def test_a_readable_file_has_violations_and_constraints(tmp_path):
    optimizer = Optimizer(BOUNDS, constraints="returned", maxfev=30, rng=1)
    optimizer.ask(1)
    optimizer.tell([[1.0, 1.0], [0.5, 0.5]], [2.0, 1.0], constraints=[1.0, -0.5])
    optimizer.save(tmp_path / "lab.json")
    first, second = json.loads((tmp_path / "lab.json").read_text())["experiments"]
    assert (first["violation"], first["constraints"], second["constraints"]) == (1.0, [1.0], [-0.5])
    assert "violation" not in second


def test_a_repeated_experiment_has_the_mean_of_its_constraints():
    optimizer = Optimizer(BOUNDS, constraints="returned", maxfev=30, rng=1)
    x = optimizer.ask(1)
    optimizer.tell(x, [1.0], constraints=[[-0.2]])
    optimizer.tell(x, [3.0], constraints=[[-0.4]])
    assert optimizer.result.fun == 2.0
    assert optimizer._rows.of(x) == pytest.approx(np.array([[2.0, -0.3]]))


def test_values_without_constraints_are_refused():
    optimizer = Optimizer(BOUNDS, constraints="returned", maxfev=30, rng=1)
    x = optimizer.ask(1)
    with pytest.raises(InputError, match=r"^tell: "):
        optimizer.tell(x, [1.0])
    optimizer.tell(x, [np.nan])  # it failed
    x = optimizer.ask(1)
    optimizer.tell(x, [1.0], constraints=[[0.0, 1.0]])
    x = optimizer.ask(1)
    with pytest.raises(InputError, match=r"^tell: expected 2"):
        optimizer.tell(x, [1.0], constraints=[[0.0]])


def test_one_described_point_with_its_constraints():
    optimizer = Optimizer(autov.space(a=(0, 1), n=range(1, 5)), constraints="returned", maxfev=40, rng=1)
    while not optimizer.stop():
        (point,) = optimizer.ask(1)
        a, n = point["a"], point["n"]
        optimizer.tell(point, a + n, constraints=[2.5 - n, 0.25 - a])
    assert optimizer.result.x == {"a": pytest.approx(0.25, abs=1e-6), "n": 3}
    assert optimizer.result.maxcv == 0
