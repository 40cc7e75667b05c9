"""lq-MA-ES: compiled runs, what a generation costs, ranks, invariance, restarts, sizes."""

import copy

import numpy as np
import pytest
from numba import njit

from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.surrogate_ma_es import SurrogateMatrixAdaptation
from autov.core import Box, InputError, generator, stream_key
from autov.invariance import check_algorithm
from autov.invariance.transformations import random_orthogonal
from autov.kernels.models.quadratic_model import DIAGONAL, FULL, LINEAR, NONE
from autov.problems import Classic, Rotated, Translated, function_problem
from tests.algorithms.driver import BOX, drive, sphere
from tests.algorithms.test_matrix_adaptation import Valley, stepwise

VALUES = pytest.mark.parametrize("values", ["function", "ranks"])


def ellipsoid(x):
    return (10.0 ** np.arange(x.shape[1]) * (x - 1) ** 2).sum(axis=1)


def rosenbrock(x):
    return (100 * (x[:, :-1] ** 2 - x[:, 1:]) ** 2 + (x[:, :-1] - 1) ** 2).sum(axis=1)


def evaluations(algorithm, fun, target=1e-8, maxfev=4000, box=BOX, seed=1):
    """How many it takes to reach a value."""
    points = drive(algorithm, fun, box, maxfev=maxfev, seed=seed)[1]
    hits = np.nonzero(fun(points) <= target)[0]
    return hits[0] + 1 if len(hits) else np.inf


@pytest.mark.parametrize("maxfev", [3, 700])
@pytest.mark.parametrize(
    ("problem", "settings"),
    [
        (Rotated(Translated(Classic("rastrigin", 5), 1.0), 3), {}),
        (Rotated(Translated(Classic("rastrigin", 5), 1.0), 3), {"values": "ranks", "restarts": "bipop", "tol_f": 1e-2}),
        (Classic("quartic", 7), {"middle": "round", "refit": 0.1}),  # noise from the stream
        (Translated(Classic("rosenbrock", 6), 1.0), {"portion": 0.4, "bounds": "clip"}),
    ],
)
def test_the_compiled_run_has_the_bits_of_its_steps(problem, settings, maxfev):
    algorithm = SurrogateMatrixAdaptation(**settings)
    x0 = None if settings else problem.box.sample(12, generator(3))
    state = algorithm.start(stream_key(8), problem.box, 100, maxfev, x0)
    run = algorithm.run_compiled(state, problem.objective(), maxfev)
    best_x, trace, x, f = stepwise(algorithm, copy.deepcopy(state), problem, maxfev)
    assert run.fun == trace[-1][1]
    assert np.array_equal(run.x, best_x)
    assert np.array_equal(run.trace_nfev, [row[0] for row in trace])
    assert np.array_equal(run.trace_best, [row[1] for row in trace])
    assert np.array_equal(run.population, x)
    assert np.array_equal(run.values, f)


def test_quadratic_functions_are_solved_as_soon_as_the_model_is_full():
    assert evaluations(SurrogateMatrixAdaptation(), ellipsoid) < 60
    assert evaluations(SurrogateMatrixAdaptation(middle="round"), ellipsoid) < 60
    assert evaluations(MatrixAdaptation(), ellipsoid) > 800


def test_models_become_more_complex_with_points():
    seen = []
    drive(SurrogateMatrixAdaptation(), rosenbrock, BOX, maxfev=120, watch=lambda s: seen.append(s.scalars[0].copy()))
    kinds = {int(s["archived"]): int(s["kind"]) for s in seen}
    assert {LINEAR, DIAGONAL, FULL} <= set(kinds.values())
    assert all(kind == LINEAR for held, kind in kinds.items() if 0.75 * held < 1.1 * 11)
    assert all(kind == DIAGONAL for held, kind in kinds.items() if 1.1 * 11 <= 0.75 * held < 1.1 * 21)
    assert all(kind == FULL for held, kind in kinds.items() if 0.75 * held >= 1.1 * 21)
    assert max(kinds) == 42  # two points for each term


def test_the_next_point_is_the_optimum_of_the_model():
    """The first batch after a model was fitted is its optimum: that of a quadratic function."""
    algorithm, rng = SurrogateMatrixAdaptation(sigma=0.3, longest=0.3), generator(1)
    state = algorithm.init(BOX, 40, 500, rng, 1 + generator(2).uniform(-1, 1, (40, 5)))
    x, state = algorithm.ask(state, rng)
    state = algorithm.tell(state, x, ellipsoid(x), rng)
    assert int(state.scalars["kind"][0]) == FULL
    assert int(state.scalars["injected"][0]) == 1
    x, state = algorithm.ask(state, rng)
    assert len(x) == 1
    np.testing.assert_allclose(x[0], 1.0, rtol=0, atol=1e-5)


def test_bounds_are_approached_and_not_tried_for_nothing():
    box, noise, slope = Box.cube(-1.0, 1.0, 5), generator(6), np.linspace(1, 3, 5)
    _, points, _ = drive(SurrogateMatrixAdaptation(), lambda x: noise.random(len(x)), box, maxfev=600)
    assert np.abs(points).max() < 1
    best, _, _ = drive(SurrogateMatrixAdaptation(), lambda x: x @ slope, box, maxfev=600)
    assert best == pytest.approx(-slope.sum(), abs=1e-6)


def test_a_generation_costs_little_on_a_quadratic_and_all_points_on_noise():
    noise, algorithm = generator(5), SurrogateMatrixAdaptation(restarts="none")
    for fun, maxfev, low, high in ((ellipsoid, 45, 1.0, 4.0), (lambda x: noise.random(len(x)), 400, 6.5, 8.1)):
        _, _, state = drive(algorithm, fun, BOX, maxfev=maxfev)
        assert low < maxfev / int(state.strategy.scalars["generation"][0]) < high


@VALUES
def test_functions_that_are_not_quadratic_take_fewer_evaluations_than_without_a_model(values):
    needed = [
        np.median([evaluations(algorithm, rosenbrock, 1e-6, seed=s) for s in range(3)])
        for algorithm in (SurrogateMatrixAdaptation(values=values), MatrixAdaptation())
    ]
    assert needed[0] < 0.7 * needed[1]


@pytest.mark.parametrize("bend", [np.expm1, lambda f: f**3, lambda f: np.where(f < 1, f, 4 * f)])
def test_with_ranks_only_the_order_of_values_matters(bend):
    algorithm = SurrogateMatrixAdaptation(values="ranks")
    plain = drive(algorithm, sphere, BOX, maxfev=130)[1]
    assert np.array_equal(plain, drive(algorithm, lambda x: bend(sphere(x)), BOX, maxfev=130)[1])
    assert not np.array_equal(*(drive(SurrogateMatrixAdaptation(), f, BOX, maxfev=130)[1]
                                for f in (sphere, lambda x: sphere(x) ** 3)))  # fmt: skip


@VALUES
@pytest.mark.parametrize("middle", ["diagonal", "round"])
def test_certificates(values, middle):
    algorithm = SurrogateMatrixAdaptation(values=values, middle=middle)
    report = check_algorithm(algorithm, Valley(), runs=30, rng=1, generations=20)
    assert report.holds["translation"] is True
    assert report.holds["scale"] is True
    assert (report.holds["rotation"] is True) == (middle == "round")


def test_a_diagonal_model_that_a_short_run_does_not_use_is_not_certified():
    """In two variables ten points are enough for a full model at once."""
    report = check_algorithm(SurrogateMatrixAdaptation(), "rosenbrock", runs=30, rng=1)
    assert report.holds["rotation"] is not True


@VALUES
def test_a_turned_state_makes_the_turned_path(values):
    """Through linear, round and full models."""
    algorithm, problem = SurrogateMatrixAdaptation(values=values, middle="round", sigma=0.02), Valley()
    R = random_orthogonal(4, generator(2))
    x0 = generator(4).uniform(-2, 2, (3, 4))
    plain = algorithm.start(stream_key(3), problem.box, 100, 10_000, x0)
    turned = algorithm.rotated(plain, R)
    kinds = set()
    for batch in range(25):
        x, plain = algorithm.ask(plain, None)
        y, turned = algorithm.ask(turned, None)
        np.testing.assert_allclose(y, x @ R, rtol=0, atol=1e-5)
        if batch == 10:
            again = algorithm.ask(algorithm.rotated(turned, R.T), None)[0]
            np.testing.assert_allclose(again, x, rtol=0, atol=1e-5)
        f = problem(x, None)
        plain, turned = algorithm.tell(plain, x, f, None), algorithm.tell(turned, y, f, None)
        kinds.add(int(plain.scalars["kind"][0]))
    assert len(kinds) >= 3


def test_a_restart_forgets_the_archive():
    seen = []
    drive(SurrogateMatrixAdaptation(tol_x=0.05), sphere, BOX, maxfev=300, watch=seen.append)
    runs = [int(s.strategy.scalars["runs"][0]) for s in seen]
    assert runs[-1] > 2
    for before, after, state in zip(runs[:-1], runs[1:], seen[1:], strict=True):
        if after > before:
            assert int(state.scalars["archived"][0]) == 0
            assert int(state.scalars["kind"][0]) == NONE
            assert len(state.waiting) >= 4


@VALUES
def test_nan_and_infinite_values(values):
    problem = function_problem(njit(lambda x: x[0] if x[0] > 0 else np.nan), [(-1.0, 1.0)] * 2)
    algorithm = SurrogateMatrixAdaptation(values=values)
    run = algorithm.run_compiled(algorithm.start(stream_key(8), problem.box, 9, 500), problem.objective(), 500)
    assert 0 < run.nans < 500
    assert 0 < run.fun < 1e-2
    fun = lambda x: np.where(x[:, 0] < 0, np.inf, sphere(x - 1))  # noqa: E731
    assert drive(algorithm, fun, BOX, maxfev=600)[0] < 1e-3
    _, points, _ = drive(algorithm, lambda x: np.where(x[:, 0] < 0, -np.inf, sphere(x)), BOX, maxfev=200)
    assert np.isfinite(points).all()


@VALUES
@pytest.mark.parametrize("middle", ["diagonal", "round"])
@pytest.mark.parametrize("dim", [1, 2, 40, 260, 600])
def test_any_number_of_variables(dim, middle, values):
    box = Box.cube(-5.0, 10.0, dim)
    algorithm = SurrogateMatrixAdaptation(middle=middle, values=values, refit=0.1)
    best, points, _ = drive(algorithm, sphere, box, maxfev=200)
    assert np.isfinite(points).all()
    assert best < sphere(points[:5]).min()


def test_beyond_the_largest_model_it_is_the_plain_strategy():
    box = Box.cube(-5.0, 10.0, 510)
    settings = {"first_mean": "centre", "sigma": 0.01}  # means outside the box would be mirrored
    with_model, without = (kind(**settings) for kind in (SurrogateMatrixAdaptation, MatrixAdaptation))
    assert np.array_equal(*(drive(algorithm, sphere, box, maxfev=100)[1] for algorithm in (with_model, without)))


def test_portion_keeps_batches_large():
    sizes = []
    drive(SurrogateMatrixAdaptation(popsize=20, portion=0.5), rosenbrock, BOX, maxfev=400,
          watch=lambda s: sizes.append((int(s.scalars["known"][0]), len(s.waiting))))  # fmt: skip
    assert all(size >= 10 for known, size in sizes if known == 0)


def test_only_the_whole_batch_can_be_told():
    algorithm = SurrogateMatrixAdaptation()
    state = algorithm.init(BOX, 20, 100, generator(1))
    x, state = algorithm.ask(state, generator(1))
    with pytest.raises(InputError, match=f"tell: needs the {len(x)} points"):
        algorithm.tell(state, x[:1], sphere(x[:1]), generator(1))


@pytest.mark.parametrize("settings", [{"tau": 2}, {"portion": -1}, {"refit": 11}, {"values": "f"}, {"middle": "full"}])
def test_bad_settings_are_refused(settings):
    with pytest.raises(InputError, match=f"^{next(iter(settings))}: must be"):
        SurrogateMatrixAdaptation(**settings)


def test_it_reaches_what_the_package_cma_reaches():
    pytest.importorskip("cma")
    from autov.peers.surrogate_cma import SurrogateCMA
    from autov.runs import solve

    problem = Translated(Classic("rosenbrock", 5), 1.0)
    mine, theirs = (
        np.median([solve(problem, algorithm, maxfev=300, popsize=10, seed=s).fun for s in range(3)])
        for algorithm in (SurrogateMatrixAdaptation(), SurrogateCMA())
    )
    assert mine < 10 * theirs + 1e-6
