"""Designs that remember: only where optima do not move, and only where held-out problems say that it helps."""

import json

import numpy as np
import pytest

import autov
from autov.algorithms.warm_start import WarmStart
from autov.cli import main
from autov.core import InputError
from autov.designer.cost import expected_evaluations
from autov.designer.memory import _judged, ends_of, with_memory
from autov.designer.presets import design_settings
from autov.designer.trials import TrialBudget, Trials

BOX = [(-5.0, 5.0)] * 3
PLACE = np.array([2.0, -3.0, 1.0])
SMALL = {"generations": 1, "population": 4, "race_size": 2, "race_runs": 2, "retest_runs": 8, "space": "evolution",
         "trial": TrialBudget(10, 10, 1), "family": (), "rng": 1}  # fmt: skip
CALLS = [0]


def bowl(number, scale=0.2):
    shift = np.clip(scale * np.random.default_rng(number).standard_normal(3), -1.9, 1.9)

    def fun(x):
        CALLS[0] += 1
        y = x - PLACE - shift
        return float((y**2).sum() + 2 * (1 - np.cos(3 * y)).sum())

    return autov.function_problem(fun, BOX, name=f"bowl {number}", key=f"memory {number} {scale}")


def moving(number):
    place = np.random.default_rng(number).uniform(-4.5, 4.5, 3)

    def fun(x):
        return float(((x - place) ** 2).sum() + 2 * (1 - np.cos(3 * (x - place))).sum())

    return autov.function_problem(fun, BOX, name=f"moving {number}", key=f"moving {number}")


def test_a_design_remembers_where_optima_stay():
    found = autov.design([bowl(k) for k in range(4)], validate=(), **SMALL)
    assert isinstance(found.algorithm, WarmStart)
    assert found.memory.offered
    assert len(found.algorithm.points) == 4
    assert np.abs(np.array(found.algorithm.points) * 10 - 5 - PLACE).max() < 1.5
    assert found.retested.mean() < found.baselines["without memory"].mean()
    assert np.array_equal(found.baselines["without memory"], found.memory.cold)
    assert "is used; held out" in found.provenance["memory"]
    cold = autov.design([bowl(k) for k in range(4)], validate=(), remember=False, **SMALL)
    assert cold.memory is None
    assert np.array_equal(cold.retested, found.memory.cold)


def test_the_memory_of_a_problem_is_tested_without_its_own_ends(monkeypatch):
    tried = []
    original = autov.designer.search.Search.retest_one
    monkeypatch.setattr(
        autov.designer.search.Search, "retest_one",
        lambda self, algorithm, trials, place: tried.append(algorithm) or original(self, algorithm, trials, place),
    )  # fmt: skip
    found = autov.design([bowl(k) for k in range(5)], **SMALL)  # the fourth is left out
    every = found.algorithm.points
    assert [len(one.points) for one in tried] == [3, 3, 3, 3, 4]
    assert [set(every) - set(one.points) for one in tried] == [{point} for point in every] + [set()]


def test_where_optima_move_nothing_is_remembered():
    found = autov.design([moving(k) for k in range(6)], validate=(), **SMALL)
    assert not found.memory.offered
    assert not isinstance(found.algorithm, WarmStart)
    assert "is not used" in found.memory.line
    assert "without memory" not in found.baselines


def test_a_family_of_translated_instances_is_not_tried():
    assert autov.design([bowl(1), bowl(2)], validate=(), **SMALL | {"family": ("translate",)}).memory is None


def test_one_problem_has_nothing_to_test_with():
    assert autov.design(bowl(1), **SMALL).memory is None
    found = autov.design(bowl(1), remember=True, **SMALL)
    assert "nothing was held out" in found.memory.line
    assert isinstance(found.algorithm, WarmStart)


def test_a_family_of_ones_own_is_tested_on_held_out_instances():
    def make(number):
        return bowl(number)

    found = autov.design(autov.family(make), **SMALL | {"retest_runs": 20})
    assert found.memory.offered
    assert len(found.algorithm.points) == 16


@pytest.mark.parametrize(
    ("problems", "more"),
    [
        ([bowl(1), bowl(2)], {"family": ("translate",)}), ([bowl(1), bowl(2)], {"space": "operator"}),
        ([bowl(1), autov.function_problem(lambda x: x @ x, [(0, 1)] * 3)], {}), ([bowl(1), bowl(2)], {"remember": 3}),
    ],
)  # fmt: skip
def test_what_cannot_be_remembered_is_refused(problems, more):
    with pytest.raises(InputError, match=r"^remember: "):
        autov.design(problems, validate=(), **SMALL | {"remember": True} | more)


def test_it_makes_no_more_evaluations_than_it_says():
    CALLS[0] = 0
    found = autov.design([bowl(k) for k in range(4)], validate=(), **SMALL)
    assert found.evaluations == CALLS[0]
    settings = design_settings(None, **{name: value for name, value in SMALL.items() if name != "rng"})
    said = expected_evaluations(settings, [100] * 4, len(found.rivals), True, memory=True)
    assert found.spent["memory"] == said["memory"]


def test_a_test_needs_more_than_luck():
    cold = np.random.default_rng(1).random((3, 10))
    unknown = [None] * 3
    assert _judged(cold - 1, cold, unknown)[0]
    assert not _judged(cold + 1, cold, unknown)[0]
    assert not _judged(cold, cold, unknown)[0]
    assert not _judged(np.full((3, 10), np.inf), cold, unknown)[0]


def test_a_memory_wins_nothing_by_digits_of_rounding():
    cold = 1e-10 * (1 + np.random.default_rng(1).random((2, 10)))
    assert _judged(cold / 2, cold, [None, None])[0]
    assert not _judged(cold / 2, cold, [0.0, 0.0])[0]


def test_ends_are_those_of_runs_of_the_algorithm():
    with_trials = Trials(bowl(1), TrialBudget(10, 30, 1), 1)
    ends = ends_of(autov.algorithms.resolve_algorithm("de"), [with_trials], 1)
    assert ends[0].shape == (1, 3)
    best = bowl(1)(ends[0] * 10 - 5, None)[0]
    assert best < 3
    assert with_memory(None, []) is None


def test_the_command_says_it_and_writes_it(tmp_path, capsys):
    path = tmp_path / "cost.py"
    path.write_text(
        "import autov\nimport numpy as np\n"
        + "\n".join(
            f"def f{k}(x):\n    y = x - 1.{k}\n    return float((y**2 - 2 * np.cos(5 * y)).sum())\n"
            f"p{k} = autov.function_problem(f{k}, [(-5, 5)] * 3)"
            for k in range(3)
        )
    )
    sizes = ["--generations=1", "--population=4", "--race-runs=2", "--retest-runs=8", "--space=evolution"]
    sizes += ["--family=none", "--budgets=100", "--validate=none", "--remember"]
    with pytest.raises(SystemExit) as ended:
        main(["design", *(f"{path}:p{k}" for k in range(3)), "--out", str(tmp_path / "mine"), "--json", *sizes])
    assert ended.value.code in (0, None)
    told = json.loads(capsys.readouterr().out)
    assert "is used" in told["memory"]
    assert told["spent"]["memory"] == 3 * (6 + 8) * 100
    with pytest.raises(SystemExit):
        main(["show", str(tmp_path / "mine" / "optimizer.json")])
    shown = capsys.readouterr().out
    assert "It remembers the optima of its training problems" in shown
    assert "memory: a memory of 3 ends" in shown
