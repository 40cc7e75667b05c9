import json

import numpy as np
import pytest

from autov.algorithms import Evolution
from autov.core import InputError, describe, import_object
from autov.experiments import experiment
from autov.operators import load_operator
from autov.problems import Classic, Function, Rotated, expand_names, function_problem, instance_of
from tests.experiments.tiny import RandomSearch, SlowSphere


def make(algorithms, problems="sphere", **options):
    return experiment(algorithms, problems, **{"dim": 3, "maxfev": 60, "popsize": 10, "runs": 2, **options})


def test_specs_of_all_kinds():
    planned = make(["ga", "paper-h3", "quick=de+F=0.7", "lib=evolution:paper-h3"])
    assert planned.algorithms == ("ga", "paper-h3", "quick", "lib")
    tasks = {task.label: task for task in planned.tasks}
    assert json.loads(tasks["quick"].settings)["F"] == 0.7
    assert tasks["quick"].solver.F == 0.7
    assert tasks["paper-h3"] == tasks["lib"], "the label is no part of what is run"
    assert tasks["paper-h3"].key == tasks["lib"].key
    assert len({task.key for task in planned.tasks}) == 6


def test_operator_files_are_known_by_their_content(tmp_path):
    operator = load_operator("paper-h3")
    operator.save(tmp_path / "a=b.json")
    planned = make([f"evolution:{tmp_path}/a=b.json", "mine=evolution:paper-h3"])
    assert planned.tasks[0].key == planned.tasks[1].key
    assert planned.tasks[0].label == f"evolution:{tmp_path}/a=b.json"
    assert planned.tasks[0].solver == Evolution(operator)
    assert "provenance" not in planned.tasks[0].settings


def test_settings_are_part_of_the_key():
    keys = {make({"mine": RandomSearch(width)}).tasks[0].key for width in (0.1, 0.1, 0.2)}
    assert len(keys) == 2


def test_budget_seed_and_run_are_part_of_the_key():
    base = make("ga")
    for options in ({"dim": 4}, {"maxfev": 61}, {"popsize": 11}, {"seed": 2}):
        assert {task.key for task in base.tasks}.isdisjoint(task.key for task in make("ga", **options).tasks)


@pytest.mark.parametrize(
    ("algorithms", "text"),
    [
        ("nope", "algorithm: unknown 'nope'"),
        ("x:y", "unknown prefix in 'x:y'"),
        ("de+speed=1", "speed"),
        ("de+F", "expected +setting=value"),
        ("evolution:nowhere.json", "no file 'nowhere.json'"),
        (["ga", "ga"], "'ga' occurs twice"),
        ([], "algorithms: none given"),
        ([RandomSearch()], "give objects a name"),
        ({"a": 3}, "init, ask, tell and population"),
    ],
)
def test_bad_algorithms(algorithms, text):
    with pytest.raises(InputError) as caught:
        make(algorithms)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"problems": "f99"}, "unknown 'f99'"),
        ({"problems": ["f1", "f1"]}, "'f1' occurs twice"),
        ({"problems": []}, "problems: none given"),
        ({"problems": {"a": abs}}, "is neither a name nor a problem"),
        ({"problems": abs}, "see autov.function_problem"),
        ({"runs": 0}, "runs"),
        ({"maxfev": 1.5}, "maxfev"),
        ({"dim": 0}, "dim"),
        ({"problems": "lsgo-f1"}, "1000 variables"),
        ({"popsize": 3}, "popsize"),
    ],
)
def test_bad_problems_and_budgets(options, text):
    with pytest.raises(InputError, match=text):
        make("de", **options)


def test_ranges_of_problems():
    assert expand_names("paper-f1..paper-f3+rotate=run,f9") == [
        "paper-f1+rotate=run", "paper-f2+rotate=run", "paper-f3+rotate=run", "f9"
    ]  # fmt: skip
    assert expand_names(["f1..2", "sphere"]) == ["f1", "f2", "sphere"]
    for bad in ("f3..f1", "f1..paper-f3", "f1,,f2"):
        with pytest.raises(InputError):
            expand_names(bad)


def test_each_run_has_its_own_matrix():
    first, second = (instance_of(task.make_problem(), task.run) for task in make("ga", "sphere+rotate=run").tasks)
    assert not np.allclose(first.matrix, second.matrix)
    assert np.array_equal(first.matrix, Rotated(Classic("sphere", 3), 0).matrix)


def test_problems_as_objects():
    planned = make("ga", [SlowSphere(), Classic("ackley", 4), "sphere"])
    assert planned.problems == ("slow-sphere", "ackley", "sphere")
    assert [task.dim for task in planned.tasks[:3]] == [2, 4, 3]
    other = make("ga", [SlowSphere(0.5)])
    assert planned.tasks[0].key != other.tasks[0].key


def test_the_code_of_a_function_is_part_of_its_description():
    box = Classic("sphere", 2).box
    one, two = (Function(fun, box) for fun in (lambda x: x.sum(), lambda x: x.prod()))

    def shifted(by):
        return Function(lambda x: float(x.sum() - by), box)

    assert describe(one) == describe(one)
    assert describe(one) != describe(two)
    assert describe(shifted(1)) != describe(shifted(2))
    assert describe(shifted(1)) == describe(shifted(1))


def test_what_a_function_uses_is_part_of_its_description(tmp_path):
    """Helpers and constants of the file count; an unrelated line does not."""
    text = (
        "SHIFT = {shift}\nOTHER = {other}\n\n\ndef helper(x):\n    return x - SHIFT if x.size else again(x)\n\n\n"
        "def again(x):\n    return helper(x)\n\n\ndef g(x):\n    return float((helper(x) ** 2).sum())\n"
    )

    def described(**values):
        (tmp_path / "used_by_g.py").write_text(text.format(**values))
        return describe(import_object(f"{tmp_path / 'used_by_g.py'}:g"))

    first = described(shift=1.0, other=2)
    assert described(shift=1.0, other=3) == first
    assert described(shift=1000.0, other=2) != first


def test_algorithms_without_a_name_are_refused():
    class NoName(RandomSearch):
        name = None

    for bad, says in ((NoName(), "must be a text"), (RandomSearch, "expected a name, operator, or object")):
        with pytest.raises(InputError, match=says):
            make({"mine": bad})


def test_a_dict_of_problems_takes_names_and_objects():
    planned = make("ga", {"a": "f9", "b": Classic("ackley", 4), "c": "f9+rotate=2"})
    assert planned.problems == ("a", "b", "c")
    tasks = {task.problem: task for task in planned.tasks}
    assert tasks["a"].make_problem() == Classic("rastrigin", 3)
    assert tasks["c"].make_problem().rotation == 2
    assert len({task.key for task in planned.tasks}) == 6


def test_functions_that_say_nothing_about_themselves_need_a_key():
    import threading

    class Locked:
        def __init__(self):
            self.lock = threading.Lock()

        def __call__(self, x):
            return float(x.sum())

    bounds = [(0.0, 1.0)] * 2
    with pytest.raises(InputError, match="name it with key="):
        make("ga", {"locked": function_problem(Locked(), bounds)})
    named = make("ga", {"locked": function_problem(Locked(), bounds, key="first")})
    again = make("ga", {"locked": function_problem(Locked(), bounds, key="first")})
    other = make("ga", {"locked": function_problem(Locked(), bounds, key="second")})
    assert named.tasks[0].key == again.tasks[0].key != other.tasks[0].key
