"""`design`: the same operator for any workers, kinds of functions, several problems, counts, bad input."""

from contextlib import closing

import numba
import numpy as np
import pytest

import autov
from autov.core import InputError
from autov.designer import PRESETS, DesignSettings, TrialBudget, design, design_settings
from autov.designer.search import Search
from autov.designer.trials import Trials
from autov.operators import FORMS, load_operator
from autov.problems import function_problem, resolve_problem
from tests.designer.stubs import all_runs

TINY = {"space": "operator", "known": False, "population": 8, "generations": 5, "trial": TrialBudget(10, 6, 5),
        "rng": 1, "rows": 3, "family": ()}  # fmt: skip


def sphere(x):
    return float((x**2).sum())


def sphere_batch(x):
    return (x**2).sum(axis=1)


@numba.njit
def sphere_compiled(x):
    return (x**2).sum()


def same(a, b):
    return a.operator == b.operator and a.fitness == b.fitness and np.array_equal(a.retested, b.retested)


@pytest.mark.parametrize("runs", [3, 4, 9])
@pytest.mark.parametrize("reevaluate", [0, 1])
def test_stopping_candidates_early_changes_nothing_but_the_effort(monkeypatch, runs, reevaluate):
    options = TINY | {"generations": 12, "trial": TrialBudget(10, 8, runs), "reevaluate": reevaluate, "dim": 4}
    short = design("rastrigin", **options)
    monkeypatch.setattr("autov.designer.search.try_candidates", all_runs)
    whole = design("rastrigin", **options)
    assert same(whole, short)
    assert np.array_equal(whole.history[:, 2:], short.history[:, 2:])
    assert all(a == b for a, b in zip(whole.population, short.population, strict=True))
    assert short.evaluations < whole.evaluations


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_do_not_change_bits(workers):
    assert same(design("ackley", dim=4, workers=1, **TINY), design("ackley", dim=4, workers=workers, **TINY))


def test_seeds():
    a, b = design("sphere", dim=3, **TINY), design("sphere", dim=3, **(TINY | {"rng": 2}))
    assert same(a, design("sphere", dim=3, **TINY))
    assert a.operator != b.operator


# Every number of weights is compiled anew: the widest and the default always, the others with the slow tests.
@pytest.mark.parametrize(
    "form", [form if form in ("h3", "h5") else pytest.param(form, marks=pytest.mark.slow) for form in FORMS]
)
@pytest.mark.parametrize("draw", ["variable", "solution"])
def test_every_form_runs(form, draw):
    found = design("sphere", dim=3, form=form, draw=draw, **TINY)
    assert found.operator.inputs == FORMS[form]
    assert found.operator.draw == draw
    assert np.isfinite(found.retested_fitness)
    assert found.retested.shape == (1, 30)


def test_search_improves_and_counts():
    found = design("sphere", dim=4, **(TINY | {"generations": 25, "population": 16}))
    assert found.history[-1, 2] < 0.5 * found.history[0, 2]
    assert found.history[:, 0].tolist() == list(range(26))
    assert (np.diff(found.history[:, 1]) > 0).all()
    assert found.spent["search"] == found.history[-1, 1]
    provenance = found.operator.provenance
    assert provenance["seed"] == 1
    assert provenance["retested_fitness"] == found.retested_fitness
    assert provenance["settings"]["problems"] == ["sphere"]


def test_without_reevaluation_the_best_never_gets_worse():
    found = design("rastrigin", dim=4, reevaluate=False, final_race=False, **(TINY | {"generations": 10}))
    assert (np.diff(found.history[:, 2]) <= 0).all()
    assert found.fitness == found.history[-1, 2]


@pytest.mark.parametrize("family", [(), ("translate", "rotate", "scale")])
def test_kinds_of_functions_find_the_same_operator(family):
    bounds = [(-5.0, 5.0)] * 3
    options = TINY | {"family": family}
    found = [
        design(function_problem(sphere, bounds), workers=1, **options),
        design(function_problem(sphere, bounds), workers=2, **options),
        design(function_problem(sphere_batch, bounds, vectorized=True), **options),
        design(function_problem(sphere_compiled, bounds), **options),
    ]
    for other in found[1:]:
        assert np.allclose(other.operator.matrix(), found[0].operator.matrix(), atol=1e-12)
        assert np.allclose(other.retested, found[0].retested, rtol=1e-6)


def test_vectorised_functions_are_called_once_for_all_runs_of_a_generation():
    sizes = []

    def batch(x):
        sizes.append(len(x))
        return (x**2).sum(axis=1)

    design(
        function_problem(batch, [(-1.0, 1.0)] * 2, vectorized=True), **(TINY | {"generations": 0, "final_race": False})
    )
    large = 8 * 5 * 10
    first = sizes.index(large)
    assert max(sizes[:first]) < large  # to measure its speed
    assert sizes[first : first + 6] == [large] * 6  # candidates x runs x population, once for each inner generation


@pytest.mark.parametrize("aggregate", ["rank", "log-gap"])
def test_several_problems(aggregate):
    found = design(["sphere", "ackley"], dim=3, aggregate=aggregate, **TINY)
    assert found.retested.shape == (2, 30)
    assert found.settings["problems"] == ["sphere", "ackley"]
    assert found.retested_means == {"sphere": found.retested[0].mean(), "ackley": found.retested[1].mean()}
    assert found.operator.provenance["retested_fitness"] == found.retested_means
    with pytest.raises(InputError, match="several training problems"):
        _ = found.retested_fitness
    assert same(found, design(["sphere", "ackley"], dim=3, aggregate=aggregate, workers=2, **TINY))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"form": "h9"}, "form"), ({"rows": 0}, "rows"), ({"draw": "x"}, "draw"), ({"population": 1}, "population"),
        ({"generations": -1}, "generations"), ({"preset": "huge"}, "preset"), ({"aggregate": "sum"}, "aggregate"),
        ({"workers": 0}, "workers"), ({"problem": []}, "none given"),
        ({"problem": sphere, "dim": None}, "bounds: needed"), ({"progress": True}, "progress: must be callable"),
        ({"form": "h1", "tie_bounds": True}, "tie_bounds"), ({"rng": -3}, "negative"),
        ({"trial": (10, 5, 1)}, "trial: must be a TrialBudget"), ({"speed": 3}, "unknown setting 'speed'"),
        ({"known": "yes"}, "known: must be True or False"), ({"early_stop": True}, "unknown setting 'early_stop'"),
        ({"retest_runs": 1}, "retest_runs"), ({"problem": "lsgo-f1"}, "dim: lsgo-f1 has 1000 variables, got 3"),
    ],
)  # fmt: skip
def test_bad_input_is_named(change, message):
    with pytest.raises(InputError, match=message):
        design(**({"problem": "sphere", "dim": 3} | TINY | change))


def test_paper_preset_is_the_paper():
    paper = PRESETS["paper"]
    assert (paper.search.population, paper.search.generations) == (100, 1000)
    assert paper.training.trial == TrialBudget(100, 100, 9)
    assert not paper.search.reevaluate
    assert not paper.race.final_race


def test_function_is_public():
    assert autov.design is design


def test_all_evaluations_are_counted():
    calls = []

    def counted(x):
        calls.append(len(x))
        return (x**2).sum(axis=1)

    found = design(counted, [(-1.0, 1.0)] * 2, vectorized=True, race_size=4, race_runs=6, retest_runs=9, **TINY)
    assert found.evaluations == sum(calls)
    # Re-tested with two known designs, and once more with the optimum elsewhere.
    spent = {"measure": 6, "search": found.history[-1, 1], "race": 4 * 6 * 60, "retest": (3 + 1) * 9 * 60}
    assert found.spent == spent
    assert found.retested.shape == (1, 9)
    assert found.operator.provenance["evaluations"] == sum(calls)


def test_presets_train_on_moved_instances_and_only_the_paper_does_not():
    assert PRESETS["quick"].training.family == PRESETS["standard"].training.family == ("translate",)
    assert PRESETS["paper"].training.family == ()
    options = {key: value for key, value in TINY.items() if key != "family"}
    found = design("sphere", dim=3, **options)
    assert found.settings["problems"] == ["sphere+family=translate"]
    assert found.translated is None
    centred = design("sphere", dim=3, preset="paper", **options)
    assert centred.settings["problems"] == ["sphere"]
    assert centred.translated.shape == (1, 30)
    assert centred.operator.provenance["translated_retest"] == [centred.translated.mean()]
    assert not np.array_equal(centred.translated, centred.retested)
    assert design("sphere+rotate=run", dim=3, **options).settings["problems"] == ["sphere+rotate=run"]
    with pytest.raises(InputError, match="is a family already"):
        design("sphere+rotate=run", dim=3, **(options | {"family": ("translate",)}))
    with pytest.raises(InputError, match=r"^family: "):
        design("sphere", dim=3, **(options | {"family": ("spin",)}))


def test_presets_and_overrides():
    assert design_settings() == PRESETS["quick"] == PRESETS["standard"].changed(generations=150)
    changed = design_settings("paper", generations=7, rows=None, trial={"runs": 2})
    assert changed == PRESETS["paper"].changed(generations=7, trial=TrialBudget(100, 100, 2))
    assert design_settings(changed, population=9).search.generations == 7
    assert not design_settings(form="h1").designed.tie_bounds, "there is nothing to tie"
    assert DesignSettings().changed(reevaluate=True).search.reevaluate == 1


def test_own_settings_in_place_of_a_preset():
    settings = design_settings(**{key: value for key, value in TINY.items() if key != "rng"})
    assert same(design("sphere", dim=3, preset=settings, rng=1), design("sphere", dim=3, **TINY))


def test_problems_bring_their_own_dimension(tmp_path):
    file = tmp_path / "seven_for_design.py"
    file.write_text("import autov\nproblem = autov.function_problem(lambda x: float(x.sum()), [(0, 1)] * 7)\n")
    tiny = TINY | {"generations": 0, "final_race": False, "retest_runs": 2}
    assert design(f"{file}:problem", workers=1, **tiny).settings["dims"] == [7]
    assert design("lsgo-f1+translate=1", **tiny).settings["dims"] == [1000]
    assert design("sphere", **tiny).settings["dims"] == [30]


def test_a_design_is_used_anywhere():
    found = design("sphere", dim=3, **TINY)
    options = {"maxfev": 200, "popsize": 20, "rng": 1}
    reference = autov.minimize("sphere", algorithm=found.operator, **options)
    assert autov.minimize("sphere", algorithm=found, **options).fun == reference.fun
    assert autov.minimize("sphere", algorithm=found.algorithm, **options).fun == reference.fun
    optimizer = autov.Optimizer([(-1, 1)] * 2, algorithm=found, popsize=10)
    assert optimizer.algorithm.operator == found.operator
    assert "re-tested runs, mean sphere" in repr(found)
    assert len(repr(found)) < 200


def test_fixed_variables_are_designed_around():
    bounds = [(-1.0, 1.0), (0.5, 0.5), (-1.0, 1.0)]
    found = design(sphere_batch, bounds, vectorized=True, **TINY)
    assert found.retested.min() >= 0.25
    assert found.retested.min() < 0.3


def test_known_operators_are_encoded_unchanged():
    genome = design_settings(tie_bounds=False).designed.genome
    assert genome.operator(genome.encode(load_operator("paper-h3"))) == load_operator("paper-h3")


def test_problems_are_resolved_as_everywhere():
    tiny = TINY | {"generations": 0, "final_race": False, "retest_runs": 2}
    assert design("f1..f2", dim=2, **tiny).settings["problems"] == ["f1", "f2"]
    assert list(design({"a": "f9", "b": "f10"}, dim=2, **tiny).retested_means) == ["a", "b"]
    with pytest.raises(InputError, match="'f1' occurs twice"):
        design(["f1", "f1"], dim=2, **tiny)
    with pytest.raises(InputError, match="has 3 variables, got 99"):
        design(autov.problem("f1", dim=3), dim=99, **tiny)
    assert design("f1", dim=2, **tiny).operator.provenance["preset"] == "quick"
    settings = design_settings(population=4, generations=0, trial=TrialBudget(5, 2, 1), final_race=False)
    assert design("f1", dim=2, preset=settings).provenance["preset"] == "own settings"


def test_a_place_that_cannot_be_written_is_found_at_once(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path, tmp_path / "file" / "search.npz", 5):
        with pytest.raises(InputError, match=r"^checkpoint: "):
            design("f1", dim=2, checkpoint=place, **TINY)


def test_what_is_reported_belongs_to_the_operator_that_is_returned():
    """With a race, the winner need not be the first by the search's figure; its own figures are reported."""
    others = 0
    for seed in range(1, 5):
        found = design("rastrigin", dim=3, **(TINY | {"rng": seed}))
        winner = found.population.index(found.operator)
        others += winner > 0
        settings = design_settings(**{key: value for key, value in TINY.items() if key != "rng"})
        with closing(Trials(resolve_problem("rastrigin", dim=3), TINY["trial"], 1)) as trials:
            search = Search(settings.designed.genome, [trials], settings, seed)
            assert np.array_equal(found.retested, search.retest([found.algorithm])[0])
            state = search.start()
            for _ in range(TINY["generations"]):
                state = search.step(state)
        assert found.fitness == state.fitness[winner] == found.operator.provenance["fitness"]
        assert found.population[0] == settings.designed.genome.operator(state.vectors[0])
    assert others > 0


def mixed(a, kind):
    return (a - 0.3) ** 2 + (kind != "c")


def test_with_categories_nothing_is_translated_and_their_algorithm_takes_part(tmp_path):
    problem = autov.function_problem(mixed, autov.space(a=(0, 1), kind=["a", "b", "c", "d"]), key="mixed")
    small = {"generations": 0, "population": 4, "race_size": 1, "race_runs": 2, "retest_runs": 5}
    found = autov.design(problem, trial={"evaluations": 30}, rng=1, workers=1, **small)
    assert found.settings["problems"] == ["mixed"]
    assert found.translated is None
    assert "cat-cma" in {*found.baselines, found.baseline}
    found.save(tmp_path / "optimizer.json")
    assert autov.minimize(problem, algorithm=str(tmp_path / "optimizer.json"), maxfev=40, rng=1).x["kind"] == "c"
    with pytest.raises(InputError, match=r"^family: mixed has categories"):
        autov.design(problem, family="translate", rng=1)
