"""MA-ES: the contract of all algorithms, the compiled run, quality, and invariance with turned draws."""

import copy
from dataclasses import fields

import numpy as np
import pytest
from numba import njit

from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.core import Box, InputError, generator, stream_key
from autov.invariance import check_algorithm
from autov.invariance.transformations import random_orthogonal
from autov.kernels.evolution.run import evaluate_blocks
from autov.problems import Classic, Rotated, Translated, function_problem
from tests.algorithms.driver import BOX, drive, sphere

SKEWED = Box(np.array([-1e-3, 5.0, -1e6, 0.0]), np.array([2.0, 5.5, -1e5, 1e-9]))
BOUNDS = pytest.mark.parametrize("bounds", ["fold", "smooth", "clip"])


def same(a, b):
    names = [field.name for field in fields(a) if field.name != "box"]
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)


@BOUNDS
def test_points_stay_in_a_skewed_box(bounds):
    corner = SKEWED.lower
    pull = lambda x: ((x - corner) / SKEWED.width).sum(axis=1)  # noqa: E731
    best, points, _ = drive(MatrixAdaptation(bounds=bounds), pull, SKEWED, maxfev=1500)
    assert (points >= SKEWED.lower).all()
    assert (points <= SKEWED.upper).all()
    assert best < 1e-3


def test_a_seed_gives_the_same_bits():
    first, again, other = (drive(MatrixAdaptation(), sphere, BOX, maxfev=500, seed=s) for s in (1, 1, 2))
    assert np.array_equal(first[1], again[1])
    assert not np.array_equal(first[1], other[1])


def test_init_draws_the_key_and_nothing_else():
    rng, twin = generator(5), generator(5)
    state = MatrixAdaptation().init(BOX, 20, 100, rng)
    key = twin.integers(0, 2**64, 2, dtype=np.uint64)
    assert same(state, MatrixAdaptation().start(key, BOX, 20, 100))
    assert rng.random() == twin.random()


def test_budget_is_exact():
    assert len(drive(MatrixAdaptation(), sphere, BOX, maxfev=333)[1]) == 333


@BOUNDS
def test_x0_point_and_population(bounds):
    algorithm = MatrixAdaptation(bounds=bounds)
    for point in (np.full(BOX.dim, 1.25), BOX.lower, BOX.upper):
        _, points, _ = drive(algorithm, sphere, BOX, maxfev=40, x0=point)
        assert np.array_equal(points[0], point)
    population = BOX.sample(20, generator(9))
    sizes = []
    _, points, _ = drive(algorithm, sphere, BOX, maxfev=40, x0=population, watch=lambda s: sizes.append(len(s.f)))
    assert np.array_equal(points[:20], population)
    assert sizes == [20, 8, 8]  # the first sample holds all given points, the next has its own size


def test_a_given_point_is_the_first_mean():
    state = MatrixAdaptation().init(BOX, 10, 100, generator(1), np.array([-5.0, 10.0, 2.5, 1.0, 4.0]))
    np.testing.assert_allclose(state.mean[2:5], [0.5, 0.4, 0.6])


@pytest.mark.parametrize("x0", [np.zeros(3), np.zeros((21, 5)), np.full(5, 11.0), "middle"])
def test_bad_x0_is_refused(x0):
    with pytest.raises(InputError, match="x0"):
        MatrixAdaptation().init(BOX, 20, 100, generator(1), x0)


def test_steps_return_new_states():
    algorithm, kept = MatrixAdaptation(), []
    drive(algorithm, sphere, BOX, maxfev=200, watch=kept.append)
    for state in (algorithm.init(BOX, 20, 100, generator(1), np.ones(5)), kept[-1]):
        before = copy.deepcopy(state)
        x, asked = algorithm.ask(state, generator(5))
        f = sphere(x)
        mine, values = x.copy(), f.copy()
        told = algorithm.tell(asked, x, f, generator(6))
        assert same(state, before)
        assert np.array_equal(x, mine)
        assert np.array_equal(f, values)
        after = copy.deepcopy(told)
        x[:], f[:] = 0, 0
        assert same(told, after)
        again, _ = algorithm.ask(state, generator(7))  # the generator does not matter
        assert np.array_equal(again, mine)


def test_a_state_is_arrays_numbers_and_the_box():
    state = drive(MatrixAdaptation(), sphere, BOX, maxfev=100)[2]
    kinds = {field.name: type(getattr(state, field.name)) for field in fields(state)}
    assert set(kinds.values()) == {np.ndarray, int, Box}
    assert state.generation == 12  # 8 points each, the last four of 100 are not told


def test_only_the_whole_batch_can_be_told():
    algorithm = MatrixAdaptation()
    state = algorithm.init(BOX, 20, 100, generator(1))
    x, state = algorithm.ask(state, generator(1))
    with pytest.raises(InputError, match="tell: needs the 8 points"):
        algorithm.tell(state, x[:5], sphere(x[:5]), generator(1))


@pytest.mark.parametrize("dim", [1, 2, 5, 30])
@pytest.mark.parametrize("popsize", [None, 2, 3, 4, 7, 20])
def test_any_size_improves_on_the_sphere(dim, popsize):
    box, algorithm = Box.cube(-5.0, 10.0, dim), MatrixAdaptation(popsize=popsize)
    best, points, state = drive(algorithm, sphere, box, maxfev=1200)
    size = int(state.scalars[0].popsize)
    assert size == (popsize or 4 + int(3 * np.log(dim)))
    assert best < sphere(points[:size]).min()
    x, f = algorithm.population(state)
    assert np.array_equal(sphere(x), f)


@BOUNDS
@pytest.mark.parametrize("restarts", ["none", "ipop", "bipop"])
def test_a_plateau_and_infinite_values_are_survived(restarts, bounds):
    algorithm = MatrixAdaptation(restarts=restarts, bounds=bounds)
    for fun in (lambda x: np.zeros(len(x)), lambda x: np.full(len(x), np.inf)):
        _, points, state = drive(algorithm, fun, BOX, maxfev=3000)
        assert np.isfinite(points).all()
        assert (state.scalars[0].runs > 1) == (restarts != "none")
    best, _, _ = drive(algorithm, lambda x: np.where(x[:, 0] < 0, np.inf, sphere(x)), BOX, maxfev=1000)
    assert np.isfinite(best)


@pytest.mark.parametrize("restarts", ["none", "ipop", "bipop"])
def test_long_convergence_stays_finite(restarts):
    box = Box.cube(-1.0, 1.0, 2)
    best, points, state = drive(MatrixAdaptation(restarts=restarts), sphere, box, maxfev=12_000)
    assert np.isfinite(points).all()
    assert best < 1e-20
    assert (state.scalars[0].runs > 1) == (restarts != "none")


def test_numbers_that_leave_their_range_start_again():
    """Without restarts, too: the step size of a run that has long converged underflows in the end."""
    box, algorithm = Box.cube(-1.0, 1.0, 1), MatrixAdaptation(restarts="none")
    state = algorithm.init(box, 10, 10_000, generator(1))
    state.scalars[0].sigma = 1.01e-150
    for _ in range(30):
        x, state = algorithm.ask(state, generator(1))
        state = algorithm.tell(state, x, sphere(x), generator(1))
    assert state.scalars[0].runs >= 2
    assert 1e-9 < state.scalars[0].sigma < 1
    assert np.isfinite(state.matrix).all()


def test_only_the_order_of_values_matters():
    plain = drive(MatrixAdaptation(), sphere, BOX, maxfev=600)[1]
    bend = lambda x: np.where(sphere(x) < 1, sphere(x), 4 * sphere(x))  # noqa: E731 (monotone without rounding)
    assert np.array_equal(plain, drive(MatrixAdaptation(), bend, BOX, maxfev=600)[1])


@BOUNDS
def test_translation_and_scale_invariance(bounds):
    algorithm = MatrixAdaptation(bounds=bounds)
    moved = Box(BOX.lower * 4 + 32, BOX.upper * 4 + 32)
    plain = drive(algorithm, sphere, BOX, maxfev=300)[1]
    other = drive(algorithm, lambda x: sphere((x - 32) / 4), moved, maxfev=300)[1]
    np.testing.assert_allclose(other, plain * 4 + 32, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    "settings",
    [
        {"popsize": 1}, {"popsize": 4.5}, {"popsize_factor": 0}, {"sigma": 0}, {"c_mu_factor": -1}, {"growth": 0.5},
        {"negative": float("nan")}, {"bounds": "wrap"}, {"restarts": True}, {"paths": 2}, {"tol_f": "small"},
        {"margin": 0.6}, {"restart_mean": "centre"}, {"patience": 0},
    ],
)  # fmt: skip
def test_bad_settings_are_refused(settings):
    with pytest.raises(InputError, match=f"^{next(iter(settings))}: must be"):
        MatrixAdaptation(**settings)


def stepwise(algorithm, state, problem, maxfev):
    """The driver's rule with a compiled objective: trace, best point and the last points told."""
    objective, nfev, best, best_x = problem.objective(), 0, np.inf, None
    trace = []
    while nfev < maxfev:
        asked, state = algorithm.ask(state, None)
        x = asked[: maxfev - nfev]
        f = np.empty(len(x))
        evaluate_blocks(state.key, state.generation, objective, x, f)
        nfev += len(x)
        i = int(np.argmin(f))
        if best_x is None or f[i] < best:
            best, best_x = f[i], x[i].copy()
        trace.append((nfev, best))
        if len(x) == len(asked):
            state = algorithm.tell(state, x, f, None)
        elif len(trace) == 1:
            return best_x, trace, x, f
    return best_x, trace, *algorithm.population(state)


@pytest.mark.parametrize("maxfev", [3, 8, 1000, 6001])
@pytest.mark.parametrize(
    ("problem", "settings"),
    [
        (Rotated(Translated(Classic("rastrigin", 5), 1.0), 3), {}),
        (Rotated(Translated(Classic("rastrigin", 5), 1.0), 3), {"restarts": "bipop", "paths": "two"}),
        (Classic("quartic", 7), {"bounds": "fold", "restart_mean": "best"}),  # noise from the stream
        (Translated(Classic("schwefel_2_26", 6), 50.0), {"bounds": "clip"}),
        (Classic("step", 4), {"popsize": 30}),
    ],
)
def test_the_compiled_run_has_the_bits_of_its_steps(problem, settings, maxfev):
    algorithm = MatrixAdaptation(**settings)
    x0 = None if settings else problem.box.sample(12, generator(3))
    state = algorithm.start(stream_key(8), problem.box, 100, maxfev, x0)
    before = copy.deepcopy(state)
    run = algorithm.run_compiled(state, problem.objective(), maxfev)
    assert same(state, before)
    best_x, trace, x, f = stepwise(algorithm, state, problem, maxfev)
    assert run.fun == trace[-1][1]
    assert np.array_equal(run.x, best_x)
    assert np.array_equal(run.trace_nfev, [row[0] for row in trace])
    assert np.array_equal(run.trace_best, [row[1] for row in trace])
    assert (run.trace_nfev[-1], run.nit, run.nans) == (maxfev, len(trace) - 1, 0)
    assert np.array_equal(run.population, x)
    assert np.array_equal(run.values, f)


def test_nan_counts_as_worst_and_is_counted():
    problem = function_problem(njit(lambda x: x[0] if x[0] > 0 else np.nan), [(-1.0, 1.0)] * 2)
    algorithm = MatrixAdaptation()
    state = algorithm.start(stream_key(8), problem.box, 100, 500)
    run = algorithm.run_compiled(state, problem.objective(), 500)
    assert 0 < run.nans < 500
    assert 0 < run.fun < 1e-3
    assert not np.isnan(run.values).any()


def median(problem, maxfev, runs=9, **settings):
    algorithm = MatrixAdaptation(**settings)
    keys = [stream_key(2, r) for r in range(runs)]
    return np.median([
        algorithm.run_compiled(algorithm.start(key, problem.box, 100, maxfev), problem.objective(), maxfev).fun
        for key in keys
    ])  # fmt: skip


def test_quality_on_classic_functions():
    """Orders of magnitude that a wrong rate or sign misses by far; 30 variables, 10,000 evaluations."""
    assert median(Translated(Classic("sphere"), 20.0), 10_000) < 1e-13
    rotated = Rotated(Translated(Classic("schwefel_1_2"), 20.0), 3)
    assert median(rotated, 10_000) < 1e-3
    assert median(rotated, 10_000, negative=0.0) > 10 * median(rotated, 10_000)  # active weights matter
    assert median(Rotated(Translated(Classic("ackley"), 5.0), 1), 10_000) < 1e-6
    assert median(Translated(Classic("rosenbrock", 10), 5.0), 20_000) < 1e-9


def test_an_optimum_at_the_border_is_found():
    problem = Translated(Classic("sphere", 10), np.array([100.0, -100.0] * 5))
    for bounds, limit in (("smooth", 1e-9), ("fold", 1e-9), ("clip", 1e-3)):
        assert median(problem, 6000, bounds=bounds) < limit, bounds


class Valley:
    name = "valley"
    box = Box.cube(-10.0, 10.0, 4)
    minimum = optimum = None

    def __call__(self, x, rng):  # noqa: ARG002
        a, b, c, d = x.T
        return (a - 1) ** 2 + 10 * (b - 0.05 * a**2) ** 2 + 3 * (c + d) ** 2 + c**2

    def objective(self):
        return None


def test_translation_and_scale_are_certified():
    report = check_algorithm(MatrixAdaptation(sigma=0.05), Valley(), runs=2, rng=1)
    assert report.holds["translation"] is True
    assert report.holds["scale"] is True
    assert report.holds["rotation"] is not False  # another path of the same law


def test_turned_draws_make_the_turned_path():
    """30 generations on a rotated problem from the turned state: the points are the turned points."""
    algorithm, problem = MatrixAdaptation(sigma=0.02, longest=0.5), Valley()
    R = random_orthogonal(4, generator(2))
    x0 = generator(4).uniform(-2, 2, (3, 4))
    plain = algorithm.start(stream_key(3), problem.box, 100, 10_000, x0)
    turned = algorithm.rotated(plain, R)
    for generation in range(31):
        x, plain = algorithm.ask(plain, None)
        y, turned = algorithm.ask(turned, None)
        assert (np.abs(np.concatenate([x, y])) < 9.9).all()  # nothing near the border
        np.testing.assert_allclose(y, x @ R, rtol=0, atol=1e-9)
        if generation == 10:  # at any time, and back
            again = algorithm.ask(algorithm.rotated(turned, R.T), None)[0]
            np.testing.assert_allclose(again, x, rtol=0, atol=1e-9)
        plain = algorithm.tell(plain, x, problem(x, None), None)
        turned = algorithm.tell(turned, y, problem(y @ R.T, None), None)
    assert plain.scalars[0].runs == 1
    assert not np.allclose(plain.matrix[:4, :4], np.eye(4), atol=0.1)  # something was learnt


def test_only_cubes_turn():
    state = MatrixAdaptation().start(stream_key(1), SKEWED, 10, 100)
    with pytest.raises(InputError, match="rotation: the box must be a cube"):
        MatrixAdaptation().rotated(state, np.eye(4)[::-1])
    MatrixAdaptation().rotated(state, np.diag([1.0, -1.0, 1.0, 1.0]))  # mirrored
    state = MatrixAdaptation().start(stream_key(1), BOX, 10, 100)
    with pytest.raises(InputError, match="rotation: must be an orthogonal matrix"):
        MatrixAdaptation().rotated(state, 2 * np.eye(5))
