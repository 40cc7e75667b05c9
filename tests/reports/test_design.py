"""The report of a design."""

import json

from autov.designer import TrialBudget, design
from autov.designer.known import beside_known
from autov.reports.design import design_page, write_design

TINY = {"population": 4, "generations": 1, "trial": TrialBudget(6, 3, 1), "rng": 1, "rows": 3, "final_race": False,
        "retest_runs": 3}  # fmt: skip


def test_every_training_problem_is_reported_and_a_rank_is_called_one(tmp_path):
    found = design(["sphere", "ackley"], dim=3, **TINY)
    known = {problem.name: beside_known(found, problem, 1) for problem in found.problems}
    page = design_page(found, known, "autov design sphere ackley")
    for name, values in zip(found.settings["problems"], found.retested, strict=True):
        assert f"Beside known designs on {name}" in page
        assert f"{values.mean():.5g}" in page
    assert f"a mean rank among the last candidates of {found.fitness:.5g}" in page
    paths = write_design(found, tmp_path, known, "")
    assert set(paths) == {"operator.json", "history.csv", "convergence.svg", "report.html"}
    saved = json.loads(paths["operator.json"].read_text())["provenance"]["retested_fitness"]
    assert saved == found.retested_means


def test_a_centred_design_shows_the_moved_retest_beside_the_other():
    found = design("sphere", dim=3, family=(), **TINY)
    page = design_page(found, {}, "")
    assert "sphere, its optimum elsewhere" in page
    assert f"{found.moved[0].mean():.5g}" in page
