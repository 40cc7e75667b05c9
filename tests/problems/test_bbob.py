"""BBOB functions through ioh: values, instances, processes, identities, and what is said without the library."""

import pickle
import sys

import numpy as np
import pytest

from autov.core import Box, InputError, generator, identity
from autov.experiments import Store, compare, experiment
from autov.problems import BBOB, BBOB_NAMES, Family, expand_names, instance_of, resolve_problem, with_instances
from autov.problems.bbob import parse_instances

ioh = pytest.importorskip("ioh", exc_type=ImportError)
SMALL = {"dim": 3, "maxfev": 200, "popsize": 10}


@pytest.mark.parametrize("name", BBOB_NAMES)
def test_values_are_those_of_the_library_to_the_last_bit(name):
    problem = resolve_problem(f"{name}+instance=3", dim=4)
    x = problem.box.sample(7, generator(1))
    number = int(name.removeprefix("bbob-f"))
    theirs = ioh.get_problem(number, instance=3, dimension=4, problem_class=ioh.ProblemClass.BBOB)
    assert problem(x, generator(0)).tolist() == [theirs(row) for row in x]
    assert problem.box == Box.cube(-5, 5, 4)
    assert problem(problem.optimum[None])[0] == problem.minimum == theirs.optimum.y
    assert problem.title == theirs.meta_data.name


@pytest.mark.parametrize("name", BBOB_NAMES)
def test_the_minimum_is_smallest_in_the_box_and_around_it(name):
    problem = resolve_problem(name, dim=3)
    for width in (1.0, 4.0, 0.01):
        centre = problem.optimum if width < 1 else 0.0
        x = centre + width * problem.box.sample(500, generator(2))
        assert problem(x).min() >= problem.minimum - 1e-9


def test_several_instances_are_relative_to_their_minima():
    family, x = resolve_problem("bbob-f3+instance=1..3", dim=5), np.full((1, 5), 0.5)
    for run in range(3):
        plain = BBOB(3, 5, run + 1)
        assert family.instance(run)(x)[0] == plain(x)[0] - plain.minimum
        assert family.instance(run).minimum == 0.0
        assert family.instance(run)(plain.optimum[None])[0] == 0.0
    assert identity(BBOB(3, 5, 1)) != identity(BBOB(3, 5, 1, relative=True))


def test_names_and_instances():
    assert resolve_problem("bbob-f3") == BBOB(3, 20, 1)
    assert resolve_problem("bbob-f3", dim=5).name == "bbob-f3"
    assert resolve_problem("bbob-f3+instance=2", dim=5) == BBOB(3, 5, 2)
    assert BBOB(3, 5, 2).name == "bbob-f3+instance=2"
    family = resolve_problem("bbob-f3+instance=1..3_71", dim=5)
    assert isinstance(family, Family)
    assert family.name == "bbob-f3+instance=1..3_71"
    assert [instance_of(family, run).iid for run in range(6)] == [1, 2, 3, 71, 1, 2]
    turned = instance_of(resolve_problem("bbob-f1+instance=2..3+rotate=run", dim=3), 1)
    assert turned.problem == BBOB(1, 3, 3, relative=True)
    assert expand_names("bbob") == list(BBOB_NAMES) == expand_names("bbob-f1..bbob-f24")
    assert expand_names("bbob-f1..bbob-f2+instance=1..5") == ["bbob-f1+instance=1..5", "bbob-f2+instance=1..5"]
    assert with_instances(["f1", "bbob-f2", "bbob-f3+instance=9", "bbob-f4+rotate=1"], "1..5,71") == [
        "f1", "bbob-f2+instance=1..5_71", "bbob-f3+instance=9", "bbob-f4+instance=1..5_71+rotate=1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: resolve_problem("bbob-f3", dim=1), "dim: bbob-f3 needs at least 2 variables, got 1"),
        (lambda: resolve_problem("bbob-f25"), "unknown 'bbob-f25'"),
        (lambda: resolve_problem("bbob-f3+instance=0"), "instances count from 1"),
        (lambda: resolve_problem("bbob-f3+instance=x"), "instance: expected a number, a range"),
        (lambda: resolve_problem("f3+instance=2"), "instance: only for bbob-f1..bbob-f24 and ma-bbob"),
        (lambda: resolve_problem("bbob-f3+rotate=1+instance=2"), "before other transformations"),
        (lambda: with_instances(["f1"], "1..5"), "instances: only bbob-f1..bbob-f24 and ma-bbob have them, got f1"),
        (lambda: parse_instances("1..3_2"), "occurs twice"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_a_missing_library_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ioh", None)
    with pytest.raises(InputError, match=r'ioh is not installed; in a copy of the repository: pip install "\.\[ioh\]"'):
        BBOB(4, 37, 99).minimum  # noqa: B018


def test_identities_hold_name_size_instance_and_version():
    problems = [
        BBOB(1, 3, 1), BBOB(2, 3, 1), BBOB(1, 4, 1), BBOB(1, 3, 2), BBOB(1, 3, 1, version="0.0"),
        resolve_problem("bbob-f1+instance=1..2", dim=3), resolve_problem("bbob-f1+instance=1..3", dim=3),
    ]  # fmt: skip
    assert len({identity(problem) for problem in problems}) == len(problems)
    assert pickle.loads(pickle.dumps(problems[0])) == problems[0]


def test_another_version_of_the_library_is_another_task(monkeypatch):
    here = experiment("de", "bbob-f1", dim=3).tasks[0]
    assert here.content == identity(BBOB(1, 3))
    assert experiment("de", "sphere", dim=3).tasks[0].content == ""
    monkeypatch.setattr("importlib.metadata.version", lambda _package: "9.9")
    assert experiment("de", "bbob-f1", dim=3).tasks[0].key != here.key


def test_workers_give_the_same_results_and_runs_go_through_the_instances(tmp_path):
    names = ["bbob-f1+instance=1..2", "bbob-f8+instance=2"]
    here = compare(["de", "paper-h3"], names, runs=3, store=tmp_path / "r.db", workers=1, **SMALL)
    there = compare(["de", "paper-h3"], names, runs=3, rng=1, store=None, workers=2, **SMALL)
    assert not here.failures + there.failures
    for name in names:
        for label in here.algorithms:
            assert np.array_equal(here.values(name, label), there.values(name, label))
    single = compare("de", "bbob-f1+instance=2", runs=3, rng=1, store=None, workers=1, **SMALL)
    gaps = single.values("bbob-f1+instance=2", "de") - BBOB(1, 3, 2).minimum
    assert here.values(names[0], "de")[1] == pytest.approx(gaps[1], rel=1e-6), "values of several are relative"
    assert here.values(names[0], "de")[2] != pytest.approx(gaps[2], rel=1e-3)
    with Store(tmp_path / "r.db") as store:
        assert not store.missing(experiment(["de", "paper-h3"], names, runs=3, **SMALL).tasks)
