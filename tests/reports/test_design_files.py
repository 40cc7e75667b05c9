"""The report of a design."""

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from autov.algorithms import resolve_algorithm
from autov.designer import TrialBudget, design
from autov.experiments.design_comparison import compare_design
from autov.problems import family, function_problem, instance_of
from autov.reports.design_files import certify_design, write_design
from autov.reports.design_page import design_page, in_short, next_commands, summary_table
from autov.reports.design_tables import own_name, shown_name
from autov.reports.design_text import factor
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
        for values in (found.retested[place], *(each[place] for each in found.baselines.values())):
            assert f"{np.median(values):.4g}" in page
            assert f"{values.mean():.4g}" in page
    assert page.index("Commands") < page.index("<h2>Baselines")
    lead = found.failure_measure(0)
    assert f"The best baseline, {shown_name(lead)}, has {np.median(found.baselines[lead][0]):.4g}" in page
    assert "too few runs for a test" in page
    assert f"{found.fitness:.5g} (mean rank among the last candidates)" in page
    paths = write_design(found, tmp_path, curves, "")
    assert set(paths) == {"optimizer.json", "operator.json", "history.csv", "convergence.svg", "report.html"}
    saved = json.loads(paths["operator.json"].read_text())["provenance"]["retested_fitness"]
    assert saved == found.retested_means


def test_several_problems_are_summed_up():
    found = design(["sphere", "ackley", "griewank"], dim=3, **TINY, space="operator")
    table = summary_table(found)
    assert [row[0] for row in table.rows] == [own_name(found), *map(shown_name, found.baselines)]
    for label, (_, cells) in zip(found.baselines, table.rows[1:], strict=True):
        signs = [mark(*rank_sum(found.baselines[label][p], found.retested[p]), least=0.1) for p in range(3)]
        counts = [signs.count("-"), signs.count("+"), signs.count("=") + signs.count("?")]
        assert [int(cell.text) for cell in cells[:3]] == counts
    medians = np.array([[np.median(v[p]) for v in (found.retested, *found.baselines.values())] for p in range(3)])
    assert [row[1][3].text for row in table.rows] == [f"{rank:.2f}" for rank in average_ranks(medians)]
    assert "3 problems (3 training problem, held-out instances)" in design_page(found, [], "")


def test_a_python_function_has_curves_where_they_cost_little():
    calls = []

    def sphere(x):
        calls.append(1)
        return float(((x - 1) ** 2).sum())

    few = {**TINY, "generations": 30, "space": "operator", "workers": 1}
    found = design(function_problem(sphere, [(-5, 5)] * 2), **few)
    made, before = compare_design(found, 1), len(calls)
    assert len(made) == 1
    again = made[0].comparison.values(made[0].comparison.problems[0], "designed")
    assert again.tolist() == found.retested[0, : len(again)].tolist(), "the runs of the re-test"
    assert 3 <= len(made[0].comparison.values(made[0].comparison.problems[0], "designed")) <= 9
    assert len(calls) - found.evaluations <= 0.1 * found.evaluations
    assert compare_design(found, 1, safe=False) == []
    assert compare_design(replace(found, failed={"raised": 1}), 1) == []
    assert compare_design(replace(found, spent={"search": 1000}), 1) == []
    assert len(calls) == before


def test_a_portfolio_shows_the_share_of_each_member_and_what_it_is(tmp_path):
    found = design("sphere", dim=3, **{**TINY, "trial": TrialBudget(6, 40, 1)}, space="portfolio")
    curves = compare_design(found, 1)
    assert [len(members) for members in curves[0].use] == [240] * 3
    assert {row.seed for row in curves[0].comparison.rows}.isdisjoint({found.settings["seed"]})
    assert curves[0].comparison.algorithms[0] == "designed"
    assert {"GA", "DE (SciPy)", "SHADE", "ma-es", "general"} <= set(curves[0].comparison.algorithms), "what people know"
    paths = write_design(found, tmp_path, curves, "")
    assert "operator.json" not in paths
    page = paths["report.html"].read_text()
    assert "Budget share per member" in page
    assert "A portfolio of 2" in page
    assert "faster ma-es is ma-es with settings for few evaluations" in page
    assert "Matrix adaptation evolution strategy" in page
    assert "ma-es" in page


def test_a_centred_design_shows_the_moved_retest_beside_the_other():
    found = design("sphere", dim=3, family=(), space="operator", **TINY)
    page = design_page(found, [], "")
    assert "sphere, translated" in page
    assert f"{np.median(found.translated[0]):.4g}" in page


def test_a_peer_that_won_has_no_operator_and_failures_can_be_drawn(tmp_path):
    found = design("sphere", dim=3, family=(), space="operator", **TINY)
    history = found.history.copy()
    history[:, 2:] = np.inf
    worst = {"history": history, "retested": np.full_like(found.retested, np.inf)}
    paths = write_design(replace(found, algorithm=resolve_algorithm("de"), baseline="de", **worst), tmp_path)
    assert "operator.json" not in paths
    assert json.loads(paths["optimizer.json"].read_text())["algorithm"]["name"] == "de"
    assert "inf" in paths["report.html"].read_text()


def test_the_first_screen_tells_what_was_found_and_what_to_type():
    found = design("sphere", dim=3, family=("translate",), space="operator", **TINY)
    curves = compare_design(found, 1)
    first, *others = in_short(found, curves)
    own, name = found.retested[0], "sphere+family=translate"
    said = f"On {name} (3 variables, 18 evaluations) the median best value of 3 runs is {np.median(own):.4g} "
    assert said in first
    assert "every run has another translated instance" in first
    made = curves[0].comparison
    (told,) = others
    assert told.startswith("Medians of others on the instances of runs 1 to 3 of the re-test: ")
    for label in ("GA", "DE (SciPy)", "SHADE"):
        assert f"{label} {np.median(made.values(name, label)):.3g} (" in told
    page = design_page(found, curves, "autov design sphere", Path("runs/mine"))
    assert f"{shown_name(str(found.baseline))} (won)" in page or found.baseline is None
    assert found.baseline is None or ">designed<" not in page, "a known algorithm is never called designed"
    start = page[: page.index("<h2>Baselines")]
    assert start.count("<figure") == 2, "all runs, and curves"
    assert "--maxfev 18</span>" in start
    assert "runs/mine/optimizer.json" in start
    assert page.count("<details>") >= 3, "table, words, formula and settings are folded"
    typed = list(commands(next_commands(found, Path("runs/mine"))))
    assert [words[0] for words in typed] == ["show", "minimize", "compare", "design"]
    for words in typed:
        parse(words)
    check_page(page)


@pytest.mark.parametrize("panel", [(), ("scipy:de",)])
@pytest.mark.parametrize("compiled", [True, False])
def test_curves_are_those_of_the_retest(compiled, panel):
    def bowls(rng):
        centre = rng.uniform(-1, 1, 2)
        return lambda x: float(((x - centre) ** 2).sum())

    problem = "sphere+family=translate" if compiled else family(bowls, [(-5, 5)] * 2, minimum=0.0)
    size = {"dim": 3} if compiled else {"generations": 30, "workers": 1}
    found = design(problem, **{**TINY, **size, "panel": panel}, space="portfolio")
    (made,) = compare_design(found, 1)
    name, drawn = made.comparison.problems[0], 0
    for label, values in {"designed": found.retested, **found.baselines}.items():
        if label in made.comparison.algorithms:
            again = made.comparison.values(name, label)
            assert again.tolist() == values[0, : len(again)].tolist(), label
            assert made.comparison.curves(name, label)[1][:, -1].tolist() == again.tolist()
            drawn += 1
    assert drawn >= 2
    met = [instance_of(made.comparison.problem(name), run).optimum for run in range(2)]
    if compiled:
        assert not np.array_equal(*met), "every run has an instance of its own"


def test_runs_without_a_finite_value_do_not_stop_a_report():
    nearly = lambda x: float("inf") if x[0] > -0.99 else float((x**2).sum())  # noqa: E731
    few = {**TINY, "generations": 20, "workers": 1}
    found = design(function_problem(nearly, [(-1, 1)] * 2), **few, space="portfolio")
    (made,) = compare_design(found, 1)
    assert np.isinf(made.comparison.values(made.comparison.problems[0], "designed")).any()
    assert design_page(found, [made], "")


def test_runs_that_are_cut_off_and_algorithms_equal_to_the_result_are_not_shown_again():
    found = design("sphere", dim=3, stops=(1, 0.3), space="portfolio", **{**TINY, "trial": TrialBudget(6, 20, 1)})
    assert len(found.judged) == 2
    assert [each.comparison.problems for each in compare_design(found, 1)] == [(found.settings["problems"][0],)]
    same = replace(found, algorithm=found.rivals["ma-es"])
    assert "ma-es" not in compare_design(same, 1)[0].comparison.algorithms


def test_no_algorithm_has_two_figures_on_a_page():
    found = design(
        "sphere", dim=3, family=("translate",), space="portfolio", **{**TINY, "trial": TrialBudget(6, 40, 1)}
    )
    (told,) = in_short(found, compare_design(found, 1))[1:]
    assert not any(f"{label} " in told.replace("GA", "") for label in ("ma-es", "general") if label in found.baselines)


def test_the_factor_is_of_medians_against_the_best_baseline():
    found = design("sphere", dim=3, family=("translate",), space="operator", **{**TINY, "retest_runs": 9})
    label = next(iter(found.baselines))
    found = replace(found, baseline=None, baselines={label: np.full((1, 9), 50.0)})
    assert factor(replace(found, retested=np.full((1, 9), 2.0))).number == "25\u00d7"
    worse = factor(replace(found, retested=np.full((1, 9), 100.0)))
    assert worse.number == "2\u00d7"
    assert worse.text.startswith("higher median error (100 against 50)")
    assert "9 held-out runs of each" in worse.text
    assert factor(replace(found, retested=np.full((1, 9), 0.0))).number == "solved"
    both = replace(found, retested=np.full((1, 9), 0.0), baselines={label: np.full((1, 9), 1e-10)})
    assert factor(both).number == "equal"
    solved = replace(found, baselines={label: np.full((1, 9), 0.0)}, retested=np.full((1, 9), 2.0))
    assert "the problem is solved by the best baseline" in factor(solved).text


def test_the_parts_of_a_design_have_names():
    found = design("sphere", dim=3, space="operator", **TINY)
    found = replace(found, spent={"measure": 1_000, "search": 2_000, "race": 30, "retest": 4})
    said = "3,034 evaluations (speed measurement 1,000, search 2,000, final race 30, re-test 4) in "
    assert said in design_page(found, [], "")


def test_a_page_names_the_baseline_that_won():
    found = design("sphere", dim=3, family=("translate",), space="operator", **{**TINY, "retest_runs": 9})
    label = next(iter(found.baselines))
    found = replace(found, algorithm=resolve_algorithm("ma-es"), baseline="ma-es", retested=np.full((1, 9), 2.0),
                    baselines={label: np.full((1, 9), 50.0)})  # fmt: skip
    page = design_page(found, compare_design(found, 1), "")
    for tag in ("title", "h1"):
        told = re.search(f"<{tag}>(.*?)</{tag}>", page)[1].replace("<wbr>", "")
        assert told == "ma-es won the design for sphere+family=translate"
    assert "<h2>The winner" in page
    assert "<h2>The designed optimiser" not in page
    assert f"than the best other baseline, {shown_name(label)} (" in factor(found).text
    said = in_short(found, compare_design(found, 1))[0]
    assert f"The best other baseline, {shown_name(label)}, has 50 (significantly worse)" in said
    assert f"0% of the runs of ma-es ended worse than the median run of {shown_name(label)}." in said
    assert "the design's runs" not in said
    found = replace(found, retested=np.zeros((1, 9)), baselines={label: np.zeros((1, 9))})
    assert factor(found).text.startswith("both solve the problem in the median run: ma-es and the best other baseline,")


@pytest.mark.parametrize("baseline", [None, "scipy:de"])
def test_a_peer_is_shown_once(baseline):
    found = design("sphere", dim=3, family=("translate",), space="operator", panel=("scipy:de",), **TINY)
    if baseline is not None:
        others = {label: values for label, values in found.baselines.items() if label != baseline}
        rivals = {label: one for label, one in found.rivals.items() if label != baseline}
        found = replace(found, baseline=baseline, baselines=others, rivals=rivals, algorithm=found.rivals[baseline])
    (made,) = compare_design(found, 1)
    assert "DE (SciPy)" not in made.comparison.algorithms
    assert ("scipy:de" in made.comparison.algorithms) == (baseline is None)
    assert "DE (SciPy)" not in " ".join(in_short(found, [made]))


def test_baselines_are_better_or_worse_in_words():
    found = design("sphere", dim=3, family=("translate",), space="operator", **{**TINY, "retest_runs": 9})
    label = next(iter(found.baselines))

    def said(own):
        return in_short(replace(found, retested=np.full((1, 9), own), baselines={label: np.full((1, 9), 2.0)}))[0]

    assert f"The best baseline, {shown_name(label)}, has 2 (significantly worse)" in said(1.0)
    assert f"{shown_name(label)}, has 2 (no significant difference)" in said(2.0)
    assert f"{shown_name(label)}, has 2 (significantly better)" in said(5.0)


def test_the_default_is_always_mentioned():
    found = design("sphere", dim=3, family=("translate",), space="operator", **{**TINY, "retest_runs": 9})
    beside = {"general": np.full((1, 9), 50.0), "paper-h3": np.full((1, 9), 40.0)}
    (said,) = in_short(replace(found, retested=np.full((1, 9), 2.0), baselines=beside))
    assert re.search(r"paper-h3, has 40\b.*The default, general, has 50 \(significantly worse\)", said)


def test_many_training_problems_are_counted_not_listed():
    found = design("sphere", dim=3, family=("translate",), space="operator", **TINY)
    many = replace(
        found, settings=found.settings | {"problems": [f"p{i}" for i in range(9)]}, judged=found.judged * 9,
        budgets=found.budgets * 9, retested=np.arange(27.0).reshape(9, 3),
        baselines={"one": np.full((9, 3), 10.0), "two": np.full((9, 3), 16.0)},
    )  # fmt: skip
    said = in_short(many)
    assert len(said) == 4
    assert said[3].startswith("4 of 9 problems: no baseline has a smaller median.")


def test_what_to_type_of_a_function_has_no_name():
    found = design(lambda x: float((x**2).sum()), [(-1, 1)] * 2, space="operator", **TINY, workers=1)
    assert "autov minimize PROBLEM --algorithm optimizer.json" in next_commands(found, Path())


def test_a_certificate_is_in_the_page_and_in_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("autov.reports.design_files.CERTIFIED_RUNS", 2)
    found = design("sphere", dim=3, **TINY, space="operator")
    certificate = certify_design(found)
    paths = write_design(found, tmp_path, certificate=certificate)
    stored = json.loads(paths["optimizer.json"].read_text())["provenance"]["certificate"]
    assert stored["holds"] == certificate.holds
    assert stored["holds"]["translation"] is True
    assert stored["seed"] == found.settings["seed"]  # so that the certificate can be made again
    assert {t["dim"] for t in stored["trajectories"]} <= {2, 10}
    page = paths["report.html"].read_text()
    assert "<h2>Invariance" in page
    assert certificate.title in page
    assert resolve_algorithm(str(paths["optimizer.json"])) == found.algorithm
    found.save(tmp_path / "saved.json", certificate)
    assert json.loads((tmp_path / "saved.json").read_text())["provenance"]["certificate"] == stored


def test_a_certificate_that_fails_does_not_lose_a_design(monkeypatch):
    def broken(*_, **__):
        raise ValueError("only for five variables")

    monkeypatch.setattr("autov.reports.design_files.check_algorithm", broken)
    with pytest.warns(UserWarning, match="^certificate: .* only for five variables"):
        assert certify_design(SimpleNamespace(algorithm=None, settings={"seed": 1})) is None
