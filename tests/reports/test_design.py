"""The report of a design."""

import json
from dataclasses import replace

import numpy as np

from autov.algorithms import resolve_algorithm
from autov.designer import TrialBudget, design
from autov.problems import function_problem
from autov.reports.design import design_page, report, summary_table, write_design
from autov.stats import average_ranks, mark, rank_sum

TINY = {"population": 4, "generations": 1, "trial": TrialBudget(6, 3, 1), "rng": 1, "rows": 3, "final_race": False,
        "retest_runs": 3}  # fmt: skip


def test_every_training_problem_is_reported_and_a_rank_is_called_one(tmp_path):
    found = design(["sphere", "ackley"], dim=3, **TINY, space="operator")
    curves = report(found, 1)
    page = design_page(found, curves, "autov design sphere ackley")
    for place, name in enumerate(found.settings["problems"]):
        assert f"Beside known designs on fresh instances of {name}" in page
        for values in (found.retested[place], *(each[place] for each in found.beside.values())):
            assert f"{values.mean():.5g}" in page
    assert page.index("In short") < page.index("Result")
    lead = min(found.beside, key=lambda label: found.beside[label][0].mean())
    assert f"the best of the others, {lead}, has {found.beside[lead][0].mean():.4g}." in page
    assert f"a mean rank among the last candidates of {found.fitness:.5g}" in page
    paths = write_design(found, tmp_path, curves, "")
    assert set(paths) == {"optimizer.json", "operator.json", "history.csv", "convergence.svg", "report.html"}
    saved = json.loads(paths["operator.json"].read_text())["provenance"]["retested_fitness"]
    assert saved == found.retested_means


def test_several_problems_are_summed_up():
    found = design(["sphere", "ackley", "griewank"], dim=3, **TINY, space="operator")
    table = summary_table(found)
    assert [row[0] for row in table.rows] == ["designed", *found.beside]
    for label, cells in table.rows[1:]:
        signs = [mark(*rank_sum(found.beside[label][p], found.retested[p]), least=0.1) for p in range(3)]
        counts = [signs.count("-"), signs.count("+"), signs.count("=") + signs.count("?")]
        assert [int(cell.text) for cell in cells[:3]] == counts
    means = np.array([[v[p].mean() for v in (found.retested, *found.beside.values())] for p in range(3)])
    assert [row[1][3].text for row in table.rows] == [f"{rank:.2f}" for rank in average_ranks(means)]
    assert "3 training problems" in design_page(found, [], "")


def test_a_python_function_has_curves_where_they_cost_little():
    calls = []

    def sphere(x):
        calls.append(1)
        return float(((x - 1) ** 2).sum())

    few = {**TINY, "generations": 30, "space": "operator", "workers": 1}
    found = design(function_problem(sphere, [(-5, 5)] * 2), **few)
    made, before = report(found, 1), len(calls)
    assert len(made) == 1
    assert 3 <= len(made[0].comparison.values(made[0].comparison.problems[0], "designed")) <= 9
    assert len(calls) - found.evaluations <= 0.1 * found.evaluations
    assert report(found, 1, safe=False) == []
    assert report(replace(found, failed={"raised": 1}), 1) == []
    assert report(replace(found, spent={"search": 1000}), 1) == []
    assert len(calls) == before


def test_a_portfolio_shows_who_worked_and_what_it_is(tmp_path):
    found = design("sphere", dim=3, **{**TINY, "trial": TrialBudget(6, 40, 1)}, space="portfolio")
    curves = report(found, 1)
    assert [len(members) for members in curves[0].use] == [240] * 5
    assert {row.seed for row in curves[0].comparison.rows}.isdisjoint({found.settings["seed"]})
    paths = write_design(found, tmp_path, curves, "")
    assert "operator.json" not in paths
    page = paths["report.html"].read_text()
    assert "Who worked when" in page
    assert "A portfolio of 2" in page
    assert "Matrix adaptation evolution strategy" in page
    assert "ma-es" in page


def test_a_centred_design_shows_the_moved_retest_beside_the_other():
    found = design("sphere", dim=3, family=(), space="operator", **TINY)
    page = design_page(found, [], "")
    assert "sphere, its optimum elsewhere" in page
    assert f"{found.moved[0].mean():.5g}" in page


def test_a_peer_that_won_has_no_operator_and_failures_can_be_drawn(tmp_path):
    found = design("sphere", dim=3, family=(), space="operator", **TINY)
    history = found.history.copy()
    history[:, 2:] = np.inf
    worst = {"history": history, "retested": np.full_like(found.retested, np.inf)}
    paths = write_design(replace(found, algorithm=resolve_algorithm("de"), known="de", **worst), tmp_path)
    assert "operator.json" not in paths
    assert json.loads(paths["optimizer.json"].read_text())["algorithm"]["name"] == "de"
    assert "inf" in paths["report.html"].read_text()
