"""A global search with local searches around it: who works when, and that nobody is fooled by a start."""

import itertools

import numpy as np
import pytest

import autov
from autov.algorithms import make_algorithm, memetic_progress
from autov.algorithms.coordinate import Coordinate
from autov.algorithms.files import algorithm_from_dict, algorithm_to_dict
from autov.algorithms.memetic import Memetic
from autov.algorithms.memetic_progress import POINTS, Progress
from autov.algorithms.quasi_newton import QuasiNewton
from autov.algorithms.trust_region import TrustRegion
from autov.core import Box, InputError, generator
from autov.kernels.models.search_batch import INFEASIBLE
from autov.problems.feasibility import LEVEL
from tests.algorithms.driver import drive

BOX = Box.cube(0.0, 1.0, 6)
MA_ES = make_algorithm("ma-es")
ALL = Memetic(MA_ES, (Coordinate(), TrustRegion(), QuasiNewton()))


def bowl(x):
    return ((x - 0.3) ** 2).sum(axis=1)


def crater(x):
    """A broad basin around the centre whose bottom is far above all that is outside."""
    r = np.sqrt(((x - 0.5) ** 2).sum(axis=1))
    return np.where(r < 0.55, 26 + r**2, 9 + ((x - 0.9) ** 2).sum(axis=1))


def turns(algorithm, fun, maxfev, box=BOX, x0=None, seed=1):
    """Who made each evaluation, and the points."""
    rng, found, points = generator(seed), [], []
    state = algorithm.init(box, 20, maxfev, rng, x0)
    while len(found) < maxfev:
        x, state = algorithm.ask(state, rng)
        found += [state.turn] * len(x)
        points.append(x)
        state = algorithm.tell(state, x, fun(x), rng)
    return np.array(found[:maxfev]), np.concatenate(points)[:maxfev]


def test_local_search_then_points_that_cover_the_box_then_the_global_search():
    who, points = turns(Memetic(MA_ES, cover=0.05, cover_most=5), crater, 600)
    order = [name for name, _ in itertools.groupby(who)]
    assert order[:2] == [0, POINTS]
    assert 1 in order
    assert abs(points[0] - 0.5).max() < 2e-3, "it starts near the centre"
    covering = points[who == POINTS]
    assert len(covering) == 30
    for column in covering.T:  # a Latin hypercube: one point in each of 30 cells
        assert np.array_equal(np.sort((column * 30).astype(int)), np.arange(30))


def test_a_search_that_was_interrupted_goes_on_if_nothing_better_was_found():
    who, _ = turns(
        Memetic(MA_ES, cover_after=0.01), lambda x: (np.arange(1, 7) ** 4 * (x - 0.51) ** 2).sum(axis=1), 400
    )
    order = [name for name, _ in itertools.groupby(who)]
    assert order[:3] == [0, POINTS, 0]
    assert who[: list(who).index(POINTS)].size <= 2 * 22, "chunks of 2 d + 10"


def test_one_that_is_beaten_by_them_ends():
    who, points = turns(Memetic(MA_ES, cover_after=0.01), crater, 400)
    after = np.flatnonzero(who == POINTS)[-1] + 1
    covering = points[who == POINTS]
    best = covering[crater(covering).argmin()]
    np.testing.assert_allclose(points[after], best, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["general", "memetic"])
def test_a_bad_basin_at_the_centre_fools_nobody(name, seed):
    fun = lambda x: float(crater(x[None])[0])  # noqa: E731
    found = autov.minimize(fun, [(0, 1)] * 6, algorithm=name, maxfev=300, rng=seed)
    random = crater(BOX.sample(300, generator(seed))).min()
    assert found.fun <= random


@pytest.mark.parametrize(
    "fun", [lambda x: np.floor(8 * x).sum(axis=1), lambda x: np.sin(1e6 * x).sum(axis=1), lambda x: np.zeros(len(x))],
    ids=["steps", "rough", "plateau"],
)  # fmt: skip
def test_local_searches_that_cannot_help_cost_little(fun):
    who, _ = turns(Memetic(MA_ES), fun, 3000)
    assert (who == 0).mean() < 0.15
    assert (who == 1).mean() > 0.8


@pytest.mark.parametrize(("best", "infeasible", "may"), [(1.0, 0, True), (1.0, 3, False), (2.5 * INFEASIBLE, 3, True)])
def test_a_local_search_does_not_creep_along_the_border_of_the_feasible_points(best, infeasible, may):
    p = Progress.of(1000, 2, np.ones(1, bool))
    p.begin(0, 10)
    p.note(200, best, np.zeros(2))  # more than `trial` and `refine` allow, and better than before
    assert memetic_progress.goes_on(ALL, p, False, memetic_progress.meets_border(p, infeasible)) == may


def test_values_of_infeasible_points_are_those_of_the_penalty():
    assert INFEASIBLE == LEVEL


@pytest.mark.parametrize(("maxfev", "count"), [(20, 1), (100, 5), (400, 5), (800, 8)])
def test_small_budgets_have_five_points_that_cover_the_box(maxfev, count):
    assert len(Memetic(MA_ES).cover_points(np.zeros(2, np.uint64), BOX, maxfev)) == count
    assert len(Memetic(MA_ES, cover=0).cover_points(np.zeros(2, np.uint64), BOX, maxfev)) == 0


def test_the_share_of_local_searches_is_kept():
    rough = lambda x: bowl(x) + 0.05 * np.cos(60 * x).sum(axis=1)  # noqa: E731
    settings = {"trial": 0.1, "refine": 0.02, "most": 0.2}
    who, _ = turns(Memetic(MA_ES, **settings), rough, 4000)
    assert (who == 0).sum() <= 0.2 * 4000 + 30


def test_one_that_gains_may_go_on():
    valley = lambda x: (100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (0.9 - x[:, :-1]) ** 2).sum(axis=1)  # noqa: E731
    who, _ = turns(Memetic(MA_ES, trial=0.01, refine=0.0, most=0.5), valley, 400)
    assert (who == 0).mean() > 0.2


@pytest.mark.parametrize(
    ("search", "short", "share"), [(Coordinate(), 30, 0.9), (QuasiNewton(), 30, 0.5), (QuasiNewton(), 70, 0.9)]
)
def test_only_a_search_that_knows_the_function_to_be_separable_may_spend_nearly_all(search, short, share):
    """One that goes on finding better points by quotients leaves the global search its part, but not of a short run."""
    valleys = lambda x: ((x - 0.37) ** 2 - 0.02 * np.cos(40 * (x - 0.37))).sum(axis=1)  # noqa: E731
    p = Progress.of(400, 6, np.ones(1, bool))
    p.begin(0, 10)
    algorithm = Memetic(MA_ES, (search,), most=0.5, most_separable=0.9, short=short)
    for nfev in range(10, 400, 10):  # every batch finds better points
        p.note(10, -float(nfev), np.zeros(6))
        assert memetic_progress.goes_on(algorithm, p, False, False) == (nfev < share * 400)
    who, _ = turns(Memetic(MA_ES, (Coordinate(),), trial=0.01, refine=0.0, most=0.1), valleys, 150)
    assert (who == 0).mean() > 0.8


def test_the_global_search_starts_at_the_best_point():
    who, points = turns(Memetic(MA_ES), crater, 600)
    first = np.flatnonzero(who == 1)[0]
    before = points[:first]
    np.testing.assert_array_equal(points[first], before[crater(before).argmin()])


@pytest.mark.parametrize("given", [0, 3])
def test_in_long_runs_it_starts_at_given_points_or_at_the_best_that_covers_the_box(given):
    x0 = BOX.sample(given, generator(7)) if given else None
    who, points = turns(Memetic(MA_ES), crater, 2000, x0=x0)
    first = points[np.flatnonzero(who == 1)[0]]
    covering = points[who == POINTS]
    wanted = x0 if given else covering[[crater(covering).argmin()]]
    assert first.tolist() in wanted.tolist()


def test_given_points_come_first_and_the_best_is_refined():
    given = BOX.sample(8, generator(7))
    who, points = turns(Memetic(MA_ES), bowl, 100, x0=given)
    assert np.array_equal(points[:8], given)
    assert (who[:8] == POINTS).all()
    np.testing.assert_allclose(points[8], given[bowl(given).argmin()], atol=1e-6)


def test_each_local_search_gets_one_try_and_failures_make_them_rare():
    p = Progress.of(1000, 2, np.ones(1, bool))
    p.note(10, 1.0, np.zeros(2))
    for tried in range(1, 4):
        p.begin(0, 10)
        p.end_search(2)
        assert p.failures[0] == tried
    assert p.next_round[0] == p.rounds + 2
    p.begin(0, 10)
    p.note(1, 0.5, np.zeros(2))
    p.end_search(2)
    assert p.failures[0] == 0


@pytest.mark.parametrize("d", [3, 12])
def test_searches_are_left_out_for_many_variables(d):
    algorithm = Memetic(MA_ES, (TrustRegion(), QuasiNewton()), most_variables=(10, 0))
    who, _ = turns(algorithm, lambda x: ((x - 0.2) ** 2).sum(axis=1), 60, Box.cube(0.0, 1.0, d))
    assert who[0] == (0 if d <= 10 else 1)
    assert (d <= 10) == (who == 0).any()


def test_without_any_local_search_the_box_is_covered_first():
    algorithm = Memetic(MA_ES, (QuasiNewton(),), most_variables=(2,), cover=0.1)
    who, _ = turns(algorithm, bowl, 200)
    assert set(who) == {POINTS, 1}
    assert who[0] == POINTS
    same = autov.minimize("ackley+translate=run", dim=6, algorithm=algorithm, maxfev=200, rng=1)
    assert same.nfev == 200


@pytest.mark.parametrize("maxfev", [1, 7, 40, 333, 2500])
@pytest.mark.parametrize("problem", ["rosenbrock+translate=run", "rastrigin+translate=run", "step+translate=run"])
@pytest.mark.parametrize("algorithm", [ALL, "general"], ids=["all", "general"])
def test_compiled_and_asked_runs_are_the_same(algorithm, problem, maxfev):
    settings = {"dim": 5, "algorithm": algorithm, "maxfev": maxfev, "rng": 3}
    compiled = autov.minimize(problem, **settings)
    asked = autov.minimize(problem, callback=lambda _: False, **settings)
    assert (compiled.fun, compiled.nfev) == (asked.fun, asked.nfev)
    assert np.array_equal(compiled.x, asked.x)
    assert np.array_equal(compiled.population, asked.population)


def test_a_shorter_budget_is_not_a_part_of_a_longer_one_but_a_cut_run_is():
    algorithm = Memetic(MA_ES)
    long = drive(algorithm, bowl, BOX, maxfev=300)[1]
    rng = generator(1)
    state, points = algorithm.init(BOX, 20, 300, rng), []
    while sum(map(len, points)) < 120:
        x, state = algorithm.ask(state, rng)
        points.append(x)
        state = algorithm.tell(state, x, bowl(x), rng)
    cut = np.concatenate(points)
    assert np.array_equal(cut, long[: len(cut)])


def test_files():
    again = algorithm_from_dict(algorithm_to_dict(ALL), "here")
    assert again == ALL


@pytest.mark.parametrize(
    "settings",
    [
        {"global_search": "de"},
        {"local_searches": (MA_ES,)},
        {"cover": 0.7},
        {"patience": 0},
        {"most_variables": (1, 2)},
    ],
)
def test_bad_settings_are_refused(settings):
    with pytest.raises(InputError, match=next(iter(settings))):
        Memetic(**settings)
