"""Problems that a design leaves out of its training, and that its re-test has."""

from collections import Counter

import pytest

from autov import InputError, design, function_problem
from autov.designer.cases import split
from autov.reports.design_files import write_design

TINY = {
    "generations": 1,
    "population": 6,
    "race_size": 2,
    "race_runs": 2,
    "retest_runs": 3,
    "rng": 1,
    "workers": 1,
    "remember": False,
}
TINY |= {"members": "ma-es", "trial": {"evaluations": 40, "popsize": 6, "runs": 2}}


def counted(calls, number):
    def value(x):
        calls[number] += 1
        return float(((x - number / 10) ** 2).sum())

    return function_problem(value, [(-1, 1)] * 2, name=f"p{number}", key=f"p{number}")


def test_held_out_problems_are_called_in_the_retest_only():
    calls = Counter()
    problems = [counted(calls, number) for number in range(1, 4)]
    found = design(problems[:2], validate=problems[2:], family=(), **TINY)
    retest = 40 * 3 * (1 + len(found.baselines) + 1)  # the result once more with its optimum elsewhere
    measured = found.spent["measure"]
    assert retest <= calls[3] <= retest + measured
    assert sum(calls.values()) == found.evaluations
    assert calls[3] < min(calls[1], calls[2])
    assert found.retested.shape == (3, 3)
    assert found.settings["problems"] == ["p1", "p2", "p3"]
    assert [found.figures_of(place).partition(",")[0] for place in range(3)] == [
        "training problem", "training problem", "held-out problem",
    ]  # fmt: skip
    assert len(found.problems) == 2


def test_a_list_of_four_is_split_and_files_say_so(tmp_path):
    found = design(["sphere", "ackley", "griewank", "rastrigin"], dim=2, **TINY)
    assert len(found.problems) == 3
    assert found.figures_of(3) == "held-out problem"
    assert found.provenance["figures"]["sphere+family=translate"] == "training problem, held-out instances"
    page = write_design(found, tmp_path)["report.html"].read_text()
    assert "held-out problem" in page
    assert "held-out instances" in page
    whole = design(["sphere", "ackley", "griewank", "rastrigin"], dim=2, validate=(), **TINY)
    assert len(whole.problems) == 4 == len(whole.retested)
    assert "left_out" not in whole.settings


def test_one_training_problem_and_a_held_out_one_have_a_page(tmp_path):
    found = design("sphere", dim=2, validate="ackley", over_runs="median", **TINY)
    assert len(found.problems) == 1
    assert "held-out problem" in write_design(found, tmp_path)["report.html"].read_text()


def test_evaluations_count_the_held_out_problems():
    options = {**TINY, "generations": 20}
    found = design(["sphere", "ackley"], dim=2, validate=["griewank", "step"], evaluations=60_000, **options)
    assert found.evaluations <= 60_000


def test_a_search_with_held_out_problems_is_resumed(tmp_path):
    path, names = tmp_path / "search.npz", {"dim": 2, "validate": ["griewank"]}
    design(["sphere", "ackley"], checkpoint=path, **names, **{**TINY, "generations": 0})
    again = design(["sphere", "ackley"], checkpoint=path, resume=True, **names, **TINY)
    whole = design(["sphere", "ackley"], **names, **TINY)
    assert (again.retested == whole.retested).all()


def test_every_fourth_is_left_out():
    assert split(["f1..f5", "f9"]) == (["f1", "f2", "f3", "f5", "f9"], ["f4"])
    assert split({"a": 1, "b": 2, "c": 3, "d": 4}) == ({"a": 1, "b": 2, "c": 3}, {"d": 4})
    assert split(["f1", "f2", "f3"]) == (["f1", "f2", "f3"], [])
    assert split("f1") == ("f1", ())


@pytest.mark.parametrize(("given", "said"), [(3, "number of runs"), (["sphere"], "training problem")])
def test_what_does_not_fit_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        design(["sphere", "ackley"], dim=2, validate=given, **TINY)
