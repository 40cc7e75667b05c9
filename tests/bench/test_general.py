"""How the default was designed: what took part, and what must not."""

from __future__ import annotations

from autov.algorithms import resolve_algorithm
from autov.algorithms.files import find_algorithm
from autov.bench.general import HELD_OUT, MEMBERS, TRAINED, candidates, judging_cases, settings_of, train
from autov.designer.settings import design_settings
from autov.problems import ADDED_NAMES, NAMES

SMALL = {"dims": (3,), "budgets": (60,), "cases": 2, "population": 12, "generations": 1, "panel": ("ma-es+sigma=0.3",),
         "panel_runs": 1, "memory": 2}  # fmt: skip


def test_nothing_is_held_out_and_trained_on_and_nothing_is_of_the_test_suite():
    assert not set(HELD_OUT) & set(TRAINED)
    assert {*HELD_OUT, *TRAINED} == {*NAMES, *ADDED_NAMES}
    assert not any("bbob" in case.label for case in judging_cases())
    said = find_algorithm("general")[1]["problem"]
    assert "bbob" not in said
    assert not any(name in said for name in HELD_OUT)


def test_only_the_operator_of_the_evolution_is_given():
    genome = design_settings(None, **settings_of()).genome
    names = [gene.name for gene in genome.genes]
    assert not any(".row" in name for name in names)
    assert {f"{member}.trial" for member in MEMBERS} <= set(names)
    assert {"hedge", "full_budget", "ma-es.popsize_budget", "evolution.popsize"} <= set(names)


def test_a_small_search_goes_from_training_to_candidates(tmp_path):
    found = train(1, tmp_path, workers=1, **SMALL)
    assert found.provenance["seed"] == 1
    made = candidates(tmp_path, (1,), **SMALL)
    assert list(made) == ["seed 1, best", "seed 1, mean"]
    assert len(made["seed 1, mean"].members) == 2
    assert resolve_algorithm(made["seed 1, best"]) is made["seed 1, best"]
