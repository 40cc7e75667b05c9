"""Affine combinations of BBOB functions through ioh: values, instances, names, identities, groups."""

import pickle

import numpy as np
import pytest

from autov.core import Box, InputError, generator, identity
from autov.experiments import Store, compare, experiment
from autov.problems import (
    BBOB,
    ManyAffine,
    expand_names,
    instance_of,
    is_told_by_name,
    problem_group,
    resolve_problem,
    with_instances,
)

ioh = pytest.importorskip("ioh", exc_type=ImportError)
SMALL = {"dim": 3, "maxfev": 200, "popsize": 10}


@pytest.mark.parametrize("number", [1, 2, 77])
def test_values_are_those_of_the_library_to_the_last_bit(number):
    problem = resolve_problem(f"ma-bbob+instance={number}", dim=4)
    theirs = ioh.problem.ManyAffine(number, 4)
    x = problem.box.sample(7, generator(1))
    assert problem(x, generator(0)).tolist() == [theirs(row) for row in x]
    assert problem.box == Box.cube(-5, 5, 4)
    assert problem(problem.optimum[None])[0] == problem.minimum == theirs.optimum.y
    assert len(problem.weights) == 24
    assert sum(problem.weights) == pytest.approx(1.0)


@pytest.mark.parametrize("number", range(1, 21))
def test_the_minimum_is_smallest_in_the_box_and_around_it(number):
    problem = ManyAffine(3, number)
    for width in (1.0, 4.0, 0.001):
        centre = problem.optimum if width < 1 else 0.0
        x = centre + width * problem.box.sample(500, generator(2))
        assert problem(x).min() >= problem.minimum


def test_values_of_several_instances_are_relative_to_their_minima():
    family, x = resolve_problem("ma-bbob+instance=1..3", dim=5), np.full((1, 5), 0.5)
    for run in range(3):
        plain = ManyAffine(5, run + 1)
        assert family.instance(run)(x)[0] == plain(x)[0] - plain.minimum
        assert family.instance(run).minimum == 0.0


def test_names_and_instances():
    assert resolve_problem("ma-bbob") == ManyAffine(20, 1)
    assert resolve_problem("ma-bbob+instance=2", dim=5) == ManyAffine(5, 2)
    assert ManyAffine(5, 2).name == "ma-bbob+instance=2"
    assert ManyAffine(5).name == "ma-bbob"
    family = resolve_problem("ma-bbob+instance=1..100", dim=5)
    assert family.name == "ma-bbob+instance=1..100"
    assert [instance_of(family, run).iid for run in (0, 1, 99, 100)] == [1, 2, 100, 1]
    assert expand_names("ma-bbob+instance=1..100") == ["ma-bbob+instance=1..100"]
    assert with_instances(["f1", "ma-bbob"], "1..5") == ["f1", "ma-bbob+instance=1..5"]
    assert problem_group("ma-bbob+instance=1..100") == "MA-BBOB"


@pytest.mark.parametrize(
    ("spec", "dim", "message"),
    [
        ("ma-bbob", 1, "dim: ma-bbob needs at least 2 variables, got 1"),
        ("ma-bbob+instance=0", 3, "instances count from 1"),
        ("ma-bbob+rotate=1+instance=2", 3, "before other transformations"),
    ],
)
def test_what_does_not_fit_is_refused(spec, dim, message):
    with pytest.raises(InputError, match=message):
        resolve_problem(spec, dim=dim)


def test_identities_hold_suite_size_instance_and_version(monkeypatch):
    problems = [
        ManyAffine(3, 1), ManyAffine(4, 1), ManyAffine(3, 2), ManyAffine(3, 1, version="0.0"),
        ManyAffine(3, 1, relative=True), BBOB(1, 3, 1),
    ]  # fmt: skip
    assert len({identity(problem) for problem in problems}) == len(problems)
    assert pickle.loads(pickle.dumps(problems[0])) == problems[0]
    assert not is_told_by_name("ma-bbob+instance=2")
    here = experiment("de", "ma-bbob", dim=3).tasks[0]
    monkeypatch.setattr("importlib.metadata.version", lambda _package: "9.9")
    assert experiment("de", "ma-bbob", dim=3).tasks[0].key != here.key


def test_workers_give_the_same_results_and_stored_ones_have_known_minima(tmp_path):
    name = "ma-bbob+instance=1..3"
    here = compare(["de", "ga"], name, runs=3, rng=1, store=tmp_path / "r.db", workers=1, **SMALL)
    there = compare(["de", "ga"], name, runs=3, rng=1, store=None, workers=2, **SMALL)
    assert np.array_equal(here.values(name, "de"), there.values(name, "de"))
    assert len(set(here.values(name, "de"))) == 3
    assert here.targets().problems == (name,)
    with Store(tmp_path / "r.db") as store:
        assert not store.missing(experiment(["de", "ga"], name, runs=3, **SMALL).tasks)
