"""Line searches along the axes: `coordinate`."""

import math

import numpy as np
import pytest

from autov.algorithms import make_algorithm
from autov.algorithms.coordinate import Coordinate
from autov.core import Box, InputError, generator
from autov.kernels.models.search_batch import EDGE
from autov.problems import resolve_problem
from autov.runs import solve
from tests.algorithms.driver import drive, rastrigin, sphere
from tests.naive_coordinate import minimize_axis

UNIT = Box.cube(0.0, 1.0, 1)


def search(fun, box, searches=1, seed=1, x0=None, maxfev=20_000, **settings):
    """Values of all evaluations, the number of batches, the last state, of so many searches."""
    algorithm, rng = Coordinate(**settings), generator(seed)
    state = algorithm.init(box, 20, maxfev, rng, x0)
    values, batches = [], 0
    while state.scalars["starts"][0] < searches and len(values) < maxfev:
        x, state = algorithm.ask(state, rng)
        f = np.asarray(fun(x), dtype=float)
        values.extend(f)
        batches += 1
        state = algorithm.tell(state, x, f, rng)
    return np.array(values), batches, state


def separable(state):
    return int(state.scalars["separable"][0])


def moved(fun, dim, seed):
    shift = generator(seed).uniform(-4, 4, dim)
    return lambda x: fun(x - shift)


def ellipsoid(x):
    return (10 ** np.linspace(0, 6, x.shape[1]) * x**2).sum(axis=1)


def rotated(fun, dim):
    q, _ = np.linalg.qr(generator(7).normal(size=(dim, dim)))
    return lambda x: fun(x @ q)


LINES = {
    "parabola": lambda u: 3 * (u - 0.3) ** 2 + 7,
    "slope": lambda u: 2 - u,
    "cosines": lambda u: math.cos(40 * u) + 5 * (u - 0.6) ** 2,
    "kink": lambda u: abs(u - 1 / 3),
    "quartic": lambda u: (u - 0.7) ** 4 + 0.1 * u,
    "constant": lambda u: 1.0 + 0 * u,
    "stairs": lambda u: math.floor(abs(12 * u - 5) + 0.5),
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("start", [0.5, 0.0, 0.8371])
@pytest.mark.parametrize("edge", [0.0, EDGE])
def test_one_variable_equals_the_twin(name, start, edge):
    line = LINES[name]
    expected = np.array(minimize_axis(line, start, Coordinate(), edge=edge))
    fun = lambda x: np.array([line(u) for u in x[:, 0]])  # noqa: E731
    planned = 200 if edge else 199
    _, points, _ = drive(Coordinate(), fun, UNIT, maxfev=len(expected), x0=np.array([start]), planned=planned)
    # Of stairs rounding decides between intervals that are equally easy.
    sure = len(expected) if name != "stairs" else 4 if edge else 12
    np.testing.assert_allclose(points[:sure, 0], expected[:sure], atol=1e-9)  # compiled code fuses products and sums


@pytest.mark.parametrize("planned", [1_000, 20_000])
def test_only_the_ends_of_long_runs_lie_inside(planned):
    dim, rng = 10, generator(4)
    _, first, _ = drive(Coordinate(), lambda x: rng.random(len(x)), Box.cube(-5, 5, dim), maxfev=60, planned=planned)
    assert np.any(np.abs(first) == 5) == (planned < 200 * dim), "random values are no reason to try a bound"
    slope = np.linspace(-1, 2, dim)
    best, _, _ = drive(Coordinate(), lambda x: x @ slope, Box.cube(-5, 5, dim), maxfev=60, planned=planned)
    assert best == pytest.approx(-5 * abs(slope).sum(), abs=1e-12), "a slope is one"


@pytest.mark.parametrize("dim", [1, 2, 10, 40])
@pytest.mark.parametrize("fun", [sphere, ellipsoid])
def test_quadratic_functions_take_few_evaluations(fun, dim):
    values, batches, state = search(moved(fun, dim, 3), Box.cube(-5, 5, dim))
    assert values.min() < 1e-12
    assert len(values) <= 6 * dim + 10
    assert batches <= 8
    assert separable(state) == 1


@pytest.mark.parametrize("seed", range(5))
def test_rastrigin_is_solved(seed):
    values, _, state = search(moved(rastrigin, 10, seed), Box.cube(-5, 5, 10), seed=seed)
    assert values[:400].min() < 1e-8
    assert len(values) < 700
    assert separable(state) == 1


def test_a_hundred_variables():
    values, batches, _ = search(moved(rastrigin, 100, 1), Box.cube(-5, 5, 100))
    assert values.min() < 1e-8
    assert batches < 80


@pytest.mark.parametrize("fun", [rotated(rastrigin, 10), rotated(ellipsoid, 10), lambda x: np.sqrt(sphere(x))])
def test_a_coupled_function_ends_the_search_with_its_first_batch(fun):
    values, batches, state = search(fun, Box.cube(-5, 4, 10))
    assert (len(values), batches, separable(state)) == (12, 1, 0)


def test_a_coupling_of_two_among_many_is_noticed():
    _, _, state = search(lambda x: sphere(x) + 1e-3 * x[:, 3] * x[:, 7], Box.cube(-5, 4, 10))
    assert separable(state) == 0


def test_a_coupling_near_the_optimum_is_noticed_later():
    fun = lambda x: sphere(x) + np.where(sphere(x) < 1, x.prod(axis=1) + 0.1, 0)  # noqa: E731
    values, _, state = search(fun, Box.cube(-5, 4, 3), x0=np.full(3, 3.0))
    assert separable(state) == 0
    assert 5 < len(values) < 60


def test_points_of_a_batch_differ_from_the_context_in_one_variable():
    _, points, _ = drive(Coordinate(), moved(rastrigin, 6, 2), Box.cube(-5, 5, 6), maxfev=200)
    assert ((points[2:8] != points[0]).sum(axis=1) == 1).all()
    assert (points[1] != points[0]).all()


@pytest.mark.parametrize("value", [0.0, -3.5, np.inf, np.nan])
def test_a_constant_ends_quickly(value):
    values, _, state = search(lambda x: np.full(len(x), value), Box.cube(-5, 5, 10))
    assert len(values) <= 50
    assert separable(state) == -1


def test_values_that_are_no_numbers_are_walls():
    values, _, _ = search(lambda x: np.where(x[:, 1] < -1, np.nan, sphere(x - 2)), Box.cube(-5, 5, 3))
    assert np.nanmin(values) < 1e-10
    assert len(values) < 250


def test_noise_ends_quickly():
    rng = generator(4)
    values, _, _ = search(lambda x: sphere(x) + rng.normal(size=len(x)), Box.cube(-5, 5, 10))
    assert len(values) == 12


def test_stairs_end():
    values, _, _ = search(lambda x: np.floor(abs(x - 0.3) + 0.5).sum(axis=1), Box.cube(-5, 5, 4))
    assert values.min() == 0
    assert len(values) <= 81 * 4


def test_infinite_values_are_walls():
    fun = lambda x: np.where((x < -1).any(axis=1) | (x > 4.7).any(axis=1), np.inf, sphere(x - 2))  # noqa: E731
    values, _, state = search(fun, Box.cube(-5, 5, 3))
    assert values.min() < 1e-10
    assert separable(state) == 1


def test_a_function_that_falls_without_limit_ends():
    values, _, _ = search(lambda x: np.where(x[:, 0] > 2, -np.inf, sphere(x)), Box.cube(-5, 5, 3))
    assert len(values) < 300


def test_the_corner_of_a_slope_is_found_exactly():
    box = Box(np.array([-0.1, 1e-3, -7.7]), np.array([0.7, 0.3, 1e6]))
    seen = []
    fun = lambda x: (seen.extend(x), (x * [1, -2, -1e-3]).sum(axis=1))[1]  # noqa: E731
    values, _, _ = search(fun, box)
    best = seen[int(values.argmin())]
    assert best.tolist() == [-0.1, 0.3, 1e6]
    assert len(values) < 40


def test_bounds_are_exact_after_rounding():
    box = Box.cube(-1.08, 1.76, 2)
    assert box.lower[0] + (box.upper[0] - box.lower[0]) < box.upper[0]
    _, points, _ = drive(Coordinate(), lambda x: -x.sum(axis=1), box, maxfev=30)
    assert (points.max(axis=0) == box.upper).all()


def test_a_start_at_the_optimum_stays_there():
    x0 = np.full(4, 1.5)
    values, _, _ = search(lambda x: sphere(x - 1.5), Box.cube(-5, 5, 4), x0=x0)
    assert values[0] == values.min() == 0
    assert len(values) < 30


def test_the_best_of_several_given_points_is_the_start():
    x0 = np.array([[4.0, 4, 4], [1, 1, 1], [-3, 2, 2]])
    _, points, _ = drive(Coordinate(), sphere, Box.cube(-5, 5, 3), maxfev=20, x0=x0)
    assert np.array_equal(points[:3], x0)
    assert ((abs(points[4:7] - 1) > 1e-12).sum(axis=1) == 1).all()  # the unit box rounds


def test_a_scale_keeps_the_search_near_its_start():
    x0 = np.array([1.0, 2, -3])
    _, points, _ = drive(Coordinate(scale=0.01), moved(sphere, 3, 1), Box.cube(-5, 5, 3), maxfev=15, x0=x0)
    assert abs(points - x0).max() <= 0.1 + 1e-12


def test_a_search_that_ended_goes_on_with_more_detail_and_then_elsewhere():
    fun = moved(rastrigin, 2, 1)
    first, _, one = search(fun, Box.cube(-5, 5, 2))
    second, _, two = search(fun, Box.cube(-5, 5, 2), searches=2)
    last, _, five = search(fun, Box.cube(-5, 5, 2), searches=5)
    assert [int(s.scalars["level"][0]) for s in (one, two, five)] == [1, 2, 1]
    assert len(first) < len(second) < len(last)
    assert (second[: len(first)] == first).all()


@pytest.mark.parametrize("name", ["rastrigin+translate=run", "rosenbrock", "schwefel_2_26", "quartic"])
@pytest.mark.parametrize("maxfev", [5, 77, 2000])
def test_compiled_and_asked_runs_have_the_same_bits(name, maxfev):
    problem = resolve_problem(name, dim=6)
    fast = solve(problem, Coordinate(), maxfev=maxfev, seed=3, run=2)
    asked = solve(problem, Coordinate(), maxfev=maxfev, seed=3, run=2, watch=lambda _: False)
    for field in ("x", "fun", "nfev", "nit", "population", "values", "trace_nfev", "trace_best", "nans"):
        assert np.array_equal(getattr(fast, field), getattr(asked, field)), field
    assert fast.nfev == maxfev


def test_large_batches_are_cut(monkeypatch):
    whole = search(moved(rastrigin, 12, 1), Box.cube(-5, 5, 12))
    monkeypatch.setattr(Coordinate.kernels, "CELLS", 12 * 5)
    cut = search(moved(rastrigin, 12, 1), Box.cube(-5, 5, 12))
    assert cut[0].min() < 1e-8
    assert cut[1] > 2 * whole[1]
    assert separable(cut[2]) == 1


def test_settings_are_checked():
    with pytest.raises(InputError, match="points: must be"):
        make_algorithm("coordinate", points=2)
