"""The report of a design."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from autov.algorithms import resolve_algorithm
from autov.designer import TrialBudget, design
from autov.experiments.design_comparison import compare_design
from autov.problems import function_problem
from autov.reports.design_files import write_design
from autov.reports.design_page import design_page, in_short, next_commands, summary_table
from autov.stats import average_ranks, mark, rank_sum
from tests.docs.blocks import commands
from tests.docs.test_blocks import parse
from tests.reports.pages import check_page

TINY = {"population": 4, "generations": 1, "trial": TrialBudget(6, 3, 1), "rng": 1, "rows": 3, "final_race": False,
        "retest_runs": 3}  # fmt: skip


def test_every_training_problem_is_reported_and_a_rank_is_called_one(tmp_path):
    found = design(["sphere", "ackley"], dim=3, **TINY, space="operator")
    curves = compare_design(found, 1)
    page = design_page(found, curves, "autov design sphere ackley")
    for place, name in enumerate(found.settings["problems"]):
        assert f"best value over evaluations on {name}" in page
        for values in (found.retested[place], *(each[place] for each in found.beside.values())):
            assert f"{values.mean():.5g}" in page
    assert page.index("What to type next") < page.index("Beside known designs")
    lead = min(found.beside, key=lambda label: found.beside[label][0].mean())
    assert f"the best of the others, {lead}, has {found.beside[lead][0].mean():.4g}" in page
    assert "too few runs to tell them apart" in page
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
    made, before = compare_design(found, 1), len(calls)
    assert len(made) == 1
    assert 3 <= len(made[0].comparison.values(made[0].comparison.problems[0], "designed")) <= 9
    assert len(calls) - found.evaluations <= 0.1 * found.evaluations
    assert compare_design(found, 1, safe=False) == []
    assert compare_design(replace(found, failed={"raised": 1}), 1) == []
    assert compare_design(replace(found, spent={"search": 1000}), 1) == []
    assert len(calls) == before


def test_a_portfolio_shows_who_worked_and_what_it_is(tmp_path):
    found = design("sphere", dim=3, **{**TINY, "trial": TrialBudget(6, 40, 1)}, space="portfolio")
    curves = compare_design(found, 1)
    assert [len(members) for members in curves[0].use] == [240] * 5
    assert {row.seed for row in curves[0].comparison.rows}.isdisjoint({found.settings["seed"]})
    assert curves[0].comparison.algorithms[0] == "designed"
    assert {"GA", "DE (SciPy)", "SHADE", "ma-es", "general"} <= set(curves[0].comparison.algorithms), "what people know"
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


def test_the_first_screen_tells_what_was_found_and_what_to_type():
    found = design("sphere", dim=3, family=("translate",), space="operator", **TINY)
    curves = compare_design(found, 1)
    first, *others = in_short(found, curves)
    own, name = found.retested[0], "sphere+family=translate"
    assert first.startswith(
        f"On {name} (3 variables, 18 evaluations) its mean best value is {own.mean():.4g}, in 3 runs"
    )
    assert ", each on an instance of its own, moved; the best of the others, " in first
    made = curves[0].comparison
    labels = [label for label in ("GA", "DE (SciPy)", "SHADE", "ma-es", "general") if label != found.best_known(0)]
    means = [f"{label} {made.values(name, label).mean():.3g}" for label in labels]
    beside = (
        f"Beside algorithms that you may know, mean best values of 15 further runs of each: designed "
        f"{made.values(name, 'designed').mean():.3g}, {', '.join(means)}."
    )
    (told,) = others
    assert told.startswith(beside)
    smaller = [label for label in labels if made.values(name, label).mean() < made.values(name, "designed").mean()]
    assert smaller  # so small a search finds nothing that is better than all of them
    told = told.removeprefix(f"{beside} Smaller means than the design's: ").removesuffix("; rank-sum test, 5 %.")
    assert re.sub(r" \((not )?significantly \w+\)", "", told) == ", ".join(smaller)
    page = design_page(found, curves, "autov design sphere", Path("runs/mine"))
    start = page[: page.index("Beside known designs")]
    assert f"autov minimize {name} --dim 3 --maxfev 18 --algorithm runs/mine/optimizer.json" in start
    assert "<figure" in start
    typed = list(commands(next_commands(found, Path("runs/mine"))))
    assert [words[0] for words in typed] == ["show", "minimize", "compare", "design"]
    for words in typed:
        parse(words)
    check_page(page)


def test_how_much_worse_the_best_of_the_others_is():
    found = design("sphere", dim=3, family=("translate",), space="operator", **{**TINY, "retest_runs": 9})
    label = next(iter(found.beside))
    better = replace(found, retested=np.full((1, 9), 2.0), beside={label: np.full((1, 9), 50.0)})
    assert (
        f"the best of the others, {label}, has 50, 25 times as much (which is significantly worse)"
        in in_short(better)[0]
    )
    equal = replace(found, retested=np.full((1, 9), 2.0), beside={label: np.full((1, 9), 2.0)})
    assert f"{label}, has 2 (no significant difference)" in in_short(equal)[0]
    worse = replace(found, retested=np.full((1, 9), 5.0), beside={label: np.full((1, 9), 2.0)})
    assert f"{label}, has 2 (which is significantly better)" in in_short(worse)[0]


def test_the_default_is_always_mentioned():
    found = design("sphere", dim=3, family=("translate",), space="operator", **{**TINY, "retest_runs": 9})
    beside = {"general": np.full((1, 9), 50.0), "paper-h3": np.full((1, 9), 40.0)}
    (said,) = in_short(replace(found, retested=np.full((1, 9), 2.0), beside=beside))
    assert re.search(r"paper-h3, has 40\b.*general, has 50 \(which is significantly worse\)", said)


def test_many_training_problems_are_counted_not_listed():
    found = design("sphere", dim=3, family=("translate",), space="operator", **TINY)
    many = replace(
        found, settings=found.settings | {"problems": [f"p{i}" for i in range(9)]}, judged=found.judged * 9,
        budgets=found.budgets * 9, retested=np.arange(27.0).reshape(9, 3),
        beside={"one": np.full((9, 3), 10.0), "two": np.full((9, 3), 16.0)},
    )  # fmt: skip
    said = in_short(many)
    assert len(said) == 4
    assert said[3].startswith("On 4 of all 9 training problems its mean is the smallest")


def test_what_to_type_of_a_function_has_no_name():
    found = design(lambda x: float((x**2).sum()), [(-1, 1)] * 2, space="operator", **TINY, workers=1)
    assert "autov minimize PROBLEM --algorithm optimizer.json" in next_commands(found, Path())
