"""The search: encoding, fitness, lossless shortcuts, seeds, several problems."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autov
from autov.core import InputError, generator, stream_key
from autov.designer import Encoding, Inner, design
from autov.designer.aggregate import fitness_of
from autov.designer.fitness import InnerRuns, median_bounds
from autov.designer.search import Search, SearchSettings
from autov.operators import FORMS, load_operator
from autov.problems import Classic, function_problem

TINY = {"population": 8, "generations": 5, "inner": Inner(10, 6, 5), "rng": 1, "rows": 3}


def sphere(x):
    return float((x**2).sum())


def sphere_batch(x):
    return (x**2).sum(axis=1)


@numba.njit
def sphere_compiled(x):
    return (x**2).sum()


def same(a, b):
    return a.operator == b.operator and a.fitness == b.fitness and np.array_equal(a.retested, b.retested)


@pytest.mark.parametrize("tie_bounds", [False, True])
@pytest.mark.parametrize("form", ["h2", "h3", "h5", ("x1", "x2", "best", "mean", "lower", "upper")])
def test_encoding_round_trip(form, tie_bounds):
    encoding = Encoding.of(form, 4, "variable", tie_bounds)
    vector = encoding.box.sample(1, generator(3))[0]
    operator = encoding.decode(vector)
    assert operator.rows == 4
    assert np.allclose(encoding.encode(operator), vector)
    if tie_bounds:
        assert (operator.mean[:, -1] == 0).all()
    genes = 4 * (2 * (len(operator.inputs) - 1) + 1)
    assert encoding.box.dim == genes - (3 * 4 if tie_bounds else 0)


def test_first_matrices_are_as_in_the_paper():
    encoding = Encoding.of("h3", 10, "variable", False)
    assert encoding.box.dim == 70
    lower = encoding.box.lower.reshape(10, 7)
    assert (lower == [-1, 0, -1, 0, -1, 0, 0]).all()
    assert (encoding.box.upper == 1).all()


def test_stack_runs_like_single_operators():
    encoding = Encoding.of("h3", 10, "variable", False)
    vectors = np.stack([encoding.encode(load_operator("paper-h3")), encoding.box.sample(1, generator(1))[0]])
    runs = InnerRuns(Classic("rastrigin", 5), Inner(20, 10, 3), 1)
    base = stream_key(1)
    both = runs(base, encoding.stack(vectors), np.array([0, 1]), np.array([7, 7]), np.array([2, 2]))
    alone = [runs(base, encoding.stack(v[None]), np.array([0]), np.array([7]), np.array([2]))[0] for v in vectors]
    assert both.tolist() == alone
    runs.close()


def test_a_vector_without_any_probability_still_works():
    encoding = Encoding.of("h1", 3, "variable", False)
    operator = encoding.decode(np.zeros(encoding.box.dim))
    assert operator.probability.tolist() == [1, 1, 1]
    assert encoding.stack(np.zeros((2, encoding.box.dim))).thresholds.shape == (2, 4)


@given(st.lists(st.lists(st.floats(-5, 5), min_size=9, max_size=9), min_size=1, max_size=5), st.integers(0, 9))
def test_median_bounds_enclose_the_median(rows, known):
    values = np.array(rows)
    part = values.copy()
    part[:, known:] = np.nan
    low, high = median_bounds(part)
    medians = np.median(values, axis=1)
    assert (low <= medians).all()
    assert (medians <= high).all()


@pytest.mark.parametrize("runs", [3, 4, 9])
@pytest.mark.parametrize("reevaluate", [0, 1])
def test_early_stop_changes_nothing_but_the_effort(runs, reevaluate):
    options = TINY | {"generations": 12, "inner": Inner(10, 8, runs), "reevaluate": reevaluate, "dim": 4}
    whole = design("rastrigin", early_stop=False, **options)
    short = design("rastrigin", early_stop=True, **options)
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


@pytest.mark.parametrize("form", FORMS)
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
    assert found.evaluations == found.history[-1, 1]
    provenance = found.operator.provenance
    assert provenance["seed"] == 1
    assert provenance["retested_fitness"] == found.retested_fitness
    assert provenance["settings"]["problems"] == ["sphere"]


def test_without_reevaluation_the_best_never_gets_worse():
    found = design("rastrigin", dim=4, reevaluate=False, final_race=False, **(TINY | {"generations": 10}))
    assert (np.diff(found.history[:, 2]) <= 0).all()
    assert found.fitness == found.history[-1, 2]


def test_kinds_of_functions_find_the_same_operator():
    bounds = [(-5.0, 5.0)] * 3
    found = [
        design(function_problem(sphere, bounds), workers=1, **TINY),
        design(function_problem(sphere, bounds), workers=2, **TINY),
        design(function_problem(sphere_batch, bounds, vectorized=True), **TINY),
        design(function_problem(sphere_compiled, bounds), **TINY),
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
    assert sizes[:6] == [8 * 5 * 10] * 6  # candidates x runs x population, once for each inner generation


@pytest.mark.parametrize("aggregate", ["rank", "log-gap"])
def test_several_problems(aggregate):
    found = design(["sphere", "ackley"], dim=3, aggregate=aggregate, **TINY)
    assert found.retested.shape == (2, 30)
    assert found.settings["problems"] == ["sphere", "ackley"]
    assert same(found, design(["sphere", "ackley"], dim=3, aggregate=aggregate, workers=2, **TINY))


def test_aggregates():
    medians = np.array([[1.0, 2.0, 3.0], [30.0, 10.0, 20.0]])
    assert fitness_of(medians, "rank", [0, 0], np.ones(2)).tolist() == [2.0, 1.5, 2.5]
    gaps = fitness_of(medians, "log-gap", [0.0, 0.0], np.array([1.0, 10.0]))
    assert np.allclose(gaps, [(0 + np.log10(3)) / 2, np.log10(2) / 2, (np.log10(3) + np.log10(2)) / 2])
    assert fitness_of(medians[:1], "rank", [None], np.ones(1)).tolist() == [1.0, 2.0, 3.0]


def test_race_picks_the_truly_better():
    encoding = Encoding.of("h3", 10, "variable", False)
    runs = InnerRuns(Classic("rastrigin", 10), Inner(40, 40, 3), 1)
    search = Search(encoding, [runs], SearchSettings(population=6, seed=3))
    state = search.start()
    vectors = state.vectors.copy()
    vectors[4] = encoding.encode(load_operator("paper-h3"))  # far better than random ones
    from dataclasses import replace

    assert search.race(replace(state, vectors=vectors)) == 4
    runs.close()


def test_reevaluation_adds_runs_up_to_the_memory():
    runs = InnerRuns(Classic("sphere", 3), Inner(10, 5, 3), 1)
    search = Search(Encoding.of("h1", 2, "variable", False), [runs], SearchSettings(5, seed=1, reevaluate=2, memory=7))
    state = search.start()
    for _ in range(6):
        state = search.step(state)
    made = (~np.isnan(state.values[0])).sum(axis=1)
    assert made.max() == 7
    assert made.min() >= 5
    assert np.allclose(state.fitness, np.nanmedian(state.values[0], axis=1))
    runs.close()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"form": "h9"}, "form"), ({"rows": 0}, "rows"), ({"draw": "x"}, "draw"), ({"population": 1}, "population"),
        ({"generations": -1}, "generations"), ({"preset": "huge"}, "preset"), ({"aggregate": "sum"}, "aggregate"),
        ({"workers": 0}, "workers"), ({"problem": []}, "at least one"), ({"problem": sphere}, "expected a name"),
        ({"form": "h1", "tie_bounds": True}, "tie_bounds"), ({"rng": -3}, "negative"),
    ],
)  # fmt: skip
def test_bad_input_is_named(change, message):
    with pytest.raises(InputError, match=message):
        design(**({"problem": "sphere", "dim": 3} | TINY | change))


def test_paper_preset_is_the_paper():
    from autov.designer import PRESETS

    paper = PRESETS["paper"]
    assert (paper["population"], paper["generations"]) == (100, 1000)
    assert paper["inner"] == Inner(100, 100, 9)
    assert not paper["reevaluate"]
    assert not paper["final_race"]


def test_function_is_public():
    assert autov.design is design
