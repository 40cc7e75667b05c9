"""How the default was designed: what took part, and what must not."""

from __future__ import annotations

from autov.algorithms.files import algorithm_to_dict, load_algorithm
from autov.core.atomic_files import read_json
from autov.designer.presets import design_settings
from autov.problems import MORE_NAMES, NAMES
from benchmarks import general
from benchmarks.adjustment import STORED
from benchmarks.general import GOALS, HELD_OUT, MEMBERS, TRAINED, candidates, choose, judging_cases, settings_of, train

CHOSEN = {"general": "thorough.json", "anytime": "anytime.json"}
SMALL = {"dims": (3,), "budgets": (60,), "cases": 2, "population": 12, "generations": 1, "panel": ("ma-es+sigma=0.3",),
         "panel_runs": 1, "memory": 2}  # fmt: skip


def test_nothing_is_held_out_and_trained_on_and_nothing_is_of_the_test_suite():
    assert not set(HELD_OUT) & set(TRAINED)
    assert {*HELD_OUT, *TRAINED} == {*NAMES, *MORE_NAMES}
    for name, goal in GOALS.items():
        assert not any("bbob" in case.label for case in judging_cases(goal))
        said = read_json(STORED / name / CHOSEN[name], "a design")["provenance"]["problem"]
        assert "bbob" not in said
        assert not any(one in said for one in HELD_OUT)


def test_only_the_operator_of_the_evolution_is_given():
    genome = design_settings(None, **settings_of("general")).designed.genome
    names = [gene.name for gene in genome.genes]
    assert not any(".row" in name for name in names)
    assert {f"{member}.trial" for member in MEMBERS} <= set(names)
    assert {"hedge", "full_budget", "ma-es.popsize_budget", "evolution.popsize"} <= set(names)


def test_a_small_search_goes_from_training_to_candidates_and_a_choice(tmp_path, monkeypatch):
    monkeypatch.setitem(GOALS, "anytime", GOALS["anytime"]._replace(judging=2, runs=1))
    monkeypatch.setattr(general, "PANEL", ("ga", "ma-es"))
    found = train("anytime", 1, tmp_path, workers=1, **SMALL)
    assert found.provenance["seed"] == 1
    made = candidates("anytime", tmp_path, (1,), **SMALL)
    assert list(made) == ["seed 1, best", "seed 1, mean"]
    assert len(made["seed 1, mean"].members) == 2
    chosen = choose("anytime", tmp_path, (1,))
    assert set(chosen["means"]) == {"ga", "ma-es", *made}
    assert chosen["means"][chosen["chosen"]] == min(chosen["means"][name] for name in made)
    kept = load_algorithm(tmp_path / "anytime" / "anytime.json")
    assert algorithm_to_dict(kept) == algorithm_to_dict(made[chosen["chosen"]])
