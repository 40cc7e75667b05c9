"""Optimizers with constraints, integers and stopping criteria, saved and restored."""

import json

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint

from autov.core import FileError, InputError
from autov.runs.optimizer import Optimizer
from autov.runs.stopping import Stopping
from tests.algorithms.driver import sized

BOX = [(-4, 5), (0, 6), (-3, 3)]
CIRCLE = NonlinearConstraint(lambda x: (x**2).sum(), 2.0, np.inf)
SLOPE = LinearConstraint([[1, 1, 0]], 1.0, np.inf)
CASES = {
    "constraints": ({"constraints": [CIRCLE, SLOPE]}, False),
    "mixed": ({"constraints": CIRCLE, "integrality": [True, False, True]}, False),
    "whole": ({"integrality": True}, False),
    "told": ({}, True),
    "stopping": ({"stop": Stopping(patience=60, xtol=1e-3)}, False),
}


def go(optimizer, until, told):
    while optimizer._nfev < until and not optimizer.stop():
        x = optimizer.ask(min(7, until - optimizer._nfev))
        violation = np.maximum(1 - x[:, 1], 0) if told else None
        optimizer.tell(x, ((x - 0.3) ** 2).sum(axis=1), violation)
    return optimizer


@pytest.mark.parametrize("when", [0, 3, 40, 75])
@pytest.mark.parametrize("algorithm", ["paper-h3", "de", "ma-es", "portfolio"])
@pytest.mark.parametrize("case", CASES)
def test_goes_on_with_the_same_bits(tmp_path, case, algorithm, when):
    rules, told = CASES[case]
    whole, part = (
        Optimizer(BOX, algorithm=algorithm, rng=2, maxfev=150, **sized(algorithm, 12), **rules) for _ in range(2)
    )
    go(go(whole, when, told), 150, told)
    go(part, when, told).save(tmp_path / "state.npz")
    again = go(Optimizer.load(tmp_path / "state.npz", rules.get("constraints")), 150, told)
    for name in ("fun", "nfev", "status", "message", "nit"):
        assert again.result[name] == whole.result[name], name
    assert np.array_equal(again.result.x, whole.result.x)
    assert np.array_equal(again.result.population, whole.result.population)
    assert np.array_equal(again.result.population_energies, whole.result.population_energies)


def test_known_points_are_not_asked_for_again(tmp_path):
    optimizer = Optimizer([(0, 3)] * 2, integrality=True, popsize=5, rng=1, maxfev=16, algorithm="de")
    seen = set()
    while not optimizer.stop():
        x = optimizer.ask()
        assert not seen & {tuple(row) for row in x}
        seen |= {tuple(row) for row in x}
        optimizer.tell(x, x.sum(axis=1))
        optimizer.save(tmp_path / "state.npz")
        optimizer = Optimizer.load(tmp_path / "state.npz")
    assert len(seen) == 16


def test_the_clock_goes_on(tmp_path):
    optimizer = Optimizer(BOX, rng=1, stop=Stopping(maxtime=1000.0))
    go(optimizer, 5, False)
    optimizer._started -= 600
    optimizer.save(tmp_path / "state.npz")
    again = Optimizer.load(tmp_path / "state.npz")
    assert not again.stop()
    again._started -= 400
    assert again.result.status == 6


def test_constraints_must_be_given_again_and_be_the_same(tmp_path):
    path = tmp_path / "state.npz"
    optimizer = Optimizer(BOX, rng=1, constraints=LinearConstraint([[1, 1, 1]], 50, np.inf))
    go(optimizer, 5, False)
    optimizer.save(path)
    with pytest.raises(InputError, match=r"^constraints: .* was saved with 1 of them"):
        Optimizer.load(path)
    with pytest.raises(InputError, match=r"^constraints: not those of"):
        Optimizer.load(path, LinearConstraint([[1, 1, 1]], 49, np.inf))
    assert Optimizer.load(path, LinearConstraint([[1, 1, 1]], 50, np.inf)).result.status == -1
    Optimizer(BOX, rng=1).save(path)
    with pytest.raises(InputError, match="saved with 0 of them"):
        Optimizer.load(path, CIRCLE)


@pytest.mark.parametrize(
    ("key", "value"),
    [("integrality", [True]), ("integrality", [1, 0, 1]), ("constraints", -1), ("seconds", "1"), ("stopping", {"a": 1}),
     ("improved", -1), ("violation", None)],
)  # fmt: skip
def test_damaged_rules_are_refused(tmp_path, key, value):
    path = tmp_path / "state.npz"
    go(Optimizer(BOX, rng=1, integrality=True, stop=Stopping(patience=100)), 5, False).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    head = json.loads(str(arrays["head"]))
    head["rules"][key] = value
    arrays["head"] = np.array(json.dumps(head))
    np.savez(path, **arrays)
    with pytest.raises(FileError, match="not a saved optimizer"):
        Optimizer.load(path)
