"""Designs under other conditions than those they were made for."""

from dataclasses import replace

import numpy as np
import pytest

import autov
from autov.algorithms.ga import GA
from autov.experiments import compare
from autov.experiments.after_design import SEED_SHIFT
from autov.experiments.generalisation import generalise
from autov.reports.design_files import write_design

TINY = {"generations": 1, "population": 4, "members": "ma-es", "race_size": 2, "race_runs": 2, "retest_runs": 2,
        "rng": 1, "workers": 1, "final_race": False, "trial": {"evaluations": 80, "popsize": 8, "runs": 2}}  # fmt: skip


@pytest.fixture(scope="module")
def found():
    return autov.design("sphere", dim=4, **TINY)


def test_dimensions_budgets_and_instances(found):
    elsewhere = generalise(found)
    told = {one.what: (one.dim, one.maxfev) for one in elsewhere.conditions}
    assert told == {
        "training condition": (4, 80), "2 variables": (2, 40), "8 variables": (8, 160),
        "a quarter of the budget": (4, 20), "four times the budget": (4, 320),
        "translated and rotated instances": (4, 80),
    }  # fmt: skip
    assert elsewhere.evaluations == 2 * elsewhere.runs * sum(maxfev for _, maxfev in told.values())
    assert elsewhere.runs == 15
    assert {one.found.least for one in elsewhere.conditions} == {2.0**-14}, "signed-rank tests of 15 pairs"


def test_verdicts_are_those_of_the_design(found):
    worse = generalise(replace(found, algorithm=GA()))
    assert {one.verdict for one in worse.conditions if one.maxfev > 40} == {"worse"}
    assert all(one.found.smaller > 0.5 for one in worse.conditions if one.verdict == "worse")
    assert "worse" in worse.sentences()[0]
    assert min(one.found.p for one in worse.conditions) >= 2.0**-14 * len(worse.conditions), "Holm"


def test_few_evaluations_leave_the_costly_conditions_out(found):
    elsewhere = generalise(found, evaluations=4_500)
    assert 0 < elsewhere.evaluations <= 4_500
    assert "four times the budget" not in [one.what for one in elsewhere.conditions]
    assert "2 of 6 conditions" in elsewhere.reason
    nothing = generalise(found, evaluations=100)
    assert (nothing.conditions, nothing.evaluations) == ((), 0)
    assert "6 of 6 conditions" in nothing.sentences()[0]


def test_a_function_of_a_user_has_budgets_and_instances_only():
    own = autov.design(lambda x: float(np.abs(x).sum()), [(-1, 1)] * 2, family=(), **TINY)
    assert [one.what for one in generalise(own).conditions] == [
        "training condition", "a quarter of the budget", "four times the budget", "translated instances",
        "translated and rotated instances",
    ]  # fmt: skip


def test_the_default_is_not_compared_with_itself(found):
    known = generalise(replace(found, baseline="general"))
    assert known.conditions == ()
    assert "general itself" in known.sentences()[0]


def test_a_baseline_that_won_is_called_by_its_name(found):
    assert generalise(found, evaluations=4_500).table().columns[3:] == ("designed", "general", "the design is")
    won = generalise(replace(found, baseline="ma-es"), evaluations=4_500)
    assert won.table().columns[3:] == ("ma-es", "general", "ma-es is")


def test_the_report_has_it(found, tmp_path):
    elsewhere, parts = generalise(found), autov.explain(found, runs=3)
    page = write_design(found, tmp_path, insight=(elsewhere, parts))["report.html"].read_text()
    assert "four times the budget" in page
    assert "Which parts matter" in page
    assert "training condition" in str(elsewhere)
    assert "8 variables" in elsewhere._repr_html_()
    assert elsewhere.to_dict()["conditions"][0]["verdict"] in ("better", "worse", "level")


def test_runs_after_a_design_meet_other_instances_than_its_search(found, monkeypatch):
    seeds = []

    def noted(*args, **options):
        seeds.append(options["rng"])
        return compare(*args, **options)

    for module in ("generalisation", "ablation"):
        monkeypatch.setattr(f"autov.experiments.{module}.compare", noted)
    generalise(found)
    autov.explain(found, runs=2)
    assert set(seeds) == {found.settings["seed"] + SEED_SHIFT}
    assert SEED_SHIFT > 0
