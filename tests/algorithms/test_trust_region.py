"""Trust-region search: steps, restarts, odd values, and what NLopt's BOBYQA needs."""

import numpy as np
import pytest

from autov.algorithms import make_algorithm as make
from autov.core import Box, generator
from tests.algorithms.driver import BOX, drive, sphere


def evaluations(fun, box, x0=None, limit=4000, **settings):
    """Evaluations until a value of 1e-8 in the first search, infinity if it ends before."""
    algorithm, rng, made = make("trust-region", **settings), generator(1), 0
    state = algorithm.init(box, 20, limit, rng, x0)
    while made < limit and state.scalars["starts"][0] == 0:
        x, state = algorithm.ask(state, rng)
        f = fun(x)
        reached = np.flatnonzero(f <= 1e-8)
        if len(reached):
            return made + reached[0] + 1
        made += len(x)
        state = algorithm.tell(state, x, f, rng)
    return np.inf


def evaluations_of_nlopt(fun, box, x0, limit=4000):
    nlopt = pytest.importorskip("nlopt")
    values = []

    def call(u, _gradient):
        values.append(float(fun((box.lower + u * box.width)[None])[0]))
        return values[-1]

    solver = nlopt.opt(nlopt.LN_BOBYQA, box.dim)
    solver.set_min_objective(call)
    solver.set_lower_bounds(np.zeros(box.dim))
    solver.set_upper_bounds(np.ones(box.dim))
    solver.set_initial_step(np.full(box.dim, 0.1))
    solver.set_stopval(1e-8)
    solver.set_maxeval(limit)
    solver.optimize((x0 - box.lower) / box.width)
    return len(values) if values[-1] <= 1e-8 else np.inf


def rotation(d):
    return np.linalg.qr(np.random.default_rng(d).normal(size=(d, d)))[0]


def ellipsoid(d, condition, turned=False):
    weights, matrix = condition ** np.linspace(0, 1, d), rotation(d) if turned else np.eye(d)
    return lambda x: (weights * (x @ matrix) ** 2).sum(axis=1)


def discus(x):
    return 1e6 * x[:, 0] ** 2 + (x[:, 1:] ** 2).sum(axis=1)


def rosenbrock(x):
    return (100 * (x[:, 1:] + 1 - (x[:, :-1] + 1) ** 2) ** 2 + x[:, :-1] ** 2).sum(axis=1)


def powers(x):
    return (abs(x) ** np.linspace(2, 6, x.shape[1])).sum(axis=1)


def bowl(x):
    return np.log1p(ellipsoid(x.shape[1], 100.0, turned=True)(x))


def starts_of(fun, box, maxfev):
    return drive(make("trust-region"), fun, box, maxfev=maxfev)[2].scalars["starts"][0]


def test_the_first_model_is_one_batch_around_the_start():
    state = make("trust-region").init(BOX, 20, 1000, generator(1), np.full(5, 1.0))
    x, _ = make("trust-region").ask(state, generator(1))
    assert np.array_equal(x[0], np.full(5, 1.0))
    expected = np.vstack([np.zeros(5), 1.5 * np.eye(5), -1.5 * np.eye(5)])
    np.testing.assert_allclose(x - x[0], expected, atol=1e-12)


def test_one_step_goes_to_the_vertex_of_a_quadratic():
    """The first model of a separable quadratic is exact; its minimum lies in the trust region."""
    box, target, weights = Box.cube(0.0, 1.0, 3), np.array([0.52, 0.45, 0.5]), np.array([1.0, 3.0, 9.0])
    algorithm, rng = make("trust-region"), generator(1)
    state = algorithm.init(box, 20, 100, rng, np.full(3, 0.5))
    x, state = algorithm.ask(state, rng)
    state = algorithm.tell(state, x, (weights * (x - target) ** 2).sum(axis=1), rng)
    x, _ = algorithm.ask(state, rng)
    assert x.shape == (1, 3)
    np.testing.assert_allclose(x[0], target, atol=2e-3)


def test_the_radius_follows_the_quality_of_the_model():
    algorithm, rng, box = make("trust-region"), generator(1), Box.cube(0.0, 1.0, 2)
    state = algorithm.init(box, 20, 100, rng, np.full(2, 0.5))
    x, state = algorithm.ask(state, rng)
    state = algorithm.tell(state, x, x.sum(axis=1), rng)
    x, state = algorithm.ask(state, rng)
    assert state.scalars["length"][0] == pytest.approx(0.1)
    good = algorithm.tell(state, x, x.sum(axis=1), rng)
    assert good.scalars["delta"][0] == pytest.approx(0.2)
    assert good.scalars["points"][0] == 6
    bad = algorithm.tell(state, x, np.array([9.0]), rng)
    assert bad.scalars["rho"][0] == pytest.approx(0.01)  # it could not fall otherwise
    assert bad.scalars["delta"][0] == pytest.approx(0.05)
    assert np.allclose(bad.work.centre + bad.work.base, state.work.centre + state.work.base)


@pytest.mark.parametrize("dim", [1, 2, 10])
def test_models_interpolate_all_their_points(dim):
    states = []
    box = Box.cube(-3.0, 2.0, dim)
    drive(make("trust-region"), bowl if dim > 1 else powers, box, maxfev=15 * dim + 10, watch=states.append)
    for state in states[:: max(1, len(states) // 8)]:
        work, m = state.work, int(state.scalars["points"][0])
        if state.scalars["phase"][0] < 2:
            continue
        points = work.points[:m]
        hessian = work.hessian + (points.T * work.curvatures[:m]) @ points
        steps = points - work.centre
        model = work.values[state.scalars["opt"][0]] + steps @ work.gradient
        model += 0.5 * np.einsum("ki,ij,kj->k", steps, hessian, steps)
        np.testing.assert_allclose(model, work.values[:m], atol=1e-3 * abs(work.values[:m]).max())  # rounding adds up


@pytest.mark.parametrize(("dim", "maxfev"), [(1, 150), (2, 400), (20, 500), (70, 500), (200, 700)])
def test_a_compiled_run_gives_the_bits_of_ask_and_tell(dim, maxfev):
    from autov.problems import resolve_problem

    problem = resolve_problem("rastrigin", dim=dim)
    algorithm = make("trust-region")
    state = algorithm.init(problem.box, 20, maxfev, generator(4))
    outcome = algorithm.run_compiled(state, problem.objective(), maxfev)
    best, points, _ = drive(algorithm, lambda x: problem(x, generator(0)), problem.box, maxfev=maxfev, seed=4)
    assert outcome.fun == best
    assert (points == outcome.x).all(axis=1).any()


@pytest.mark.parametrize("seed", range(3))
def test_x0_comes_first_to_the_bit(seed):
    box = Box(np.array([1e6, -1e-3, 5.0]), np.array([1e6 + 1, 1e3, 5.1]))
    x0 = box.sample(1 + 3 * (seed % 2), generator(seed))
    _, points, _ = drive(make("trust-region"), sphere, box, maxfev=40, x0=x0)
    assert np.array_equal(points[: len(x0)], x0)


@pytest.mark.parametrize(
    "values",
    [
        lambda x: np.zeros(len(x)),
        lambda x: np.full(len(x), np.inf),
        lambda x: np.floor(5 * x).sum(axis=1),
        lambda x: np.modf(1e4 * np.sin(1e5 * x.sum(axis=1)))[0],  # as good as noise
    ],
    ids=["constant", "infinite", "steps", "noise"],
)
def test_values_without_a_model_end_a_search_soon(values):
    assert starts_of(values, Box.cube(-5.0, 5.0, 5), 1500) >= 3


def test_infinite_values_do_not_keep_it_from_a_minimum_beside_them():
    fun = lambda x: np.where(x[:, 0] < -0.5, np.inf, ((x - 0.2) ** 2).sum(axis=1))  # noqa: E731
    best, points, _ = drive(make("trust-region"), fun, Box.cube(-1.0, 1.0, 3), maxfev=300, x0=np.full(3, -0.45))
    assert best < 1e-10
    assert np.isfinite(points).all()


@pytest.mark.parametrize("dim", [1, 2, 70, 200])
def test_any_number_of_variables(dim):
    fun = lambda x: ((x - 0.3) ** 2).sum(axis=1)  # noqa: E731
    best, points, _ = drive(make("trust-region"), fun, Box.cube(-1.0, 2.0, dim), maxfev=12 * dim + 60)
    assert best < 1e-3 * fun(points[:1])[0]


@pytest.mark.parametrize(
    "box",
    [Box(np.array([0.0, -1e-6, -1e6]), np.array([1.0, 1e-6, 3e6])), Box.cube(1e6, 1e6 + 1, 3)],
    ids=["widths", "far"],
)
def test_boxes_of_any_width_and_place(box):
    target = box.lower + 0.7 * box.width
    best, _, _ = drive(make("trust-region"), lambda x: (((x - target) / box.width) ** 2).sum(axis=1), box, maxfev=60)
    assert best < 1e-12


def test_a_minimum_in_a_corner_is_reached():
    slopes = np.array([1.0, -2.0, 3.0])
    best, _, _ = drive(make("trust-region"), lambda x: x @ slopes, Box.cube(-1.0, 1.0, 3), maxfev=60)
    assert best == -6


@pytest.mark.parametrize("turned", [False, True])
def test_a_quadratic_of_ten_variables_takes_few_evaluations(turned):
    fun = ellipsoid(10, 1e3, turned)
    assert evaluations(lambda x: fun(x - 0.7), Box.cube(-5.0, 5.0, 10)) < 150


def test_a_smooth_function_of_two_variables_takes_few_evaluations():
    assert evaluations(lambda x: bowl(x - 0.7), Box.cube(-5.0, 5.0, 2)) < 100


@pytest.mark.parametrize(
    ("fun", "dim", "factor"),
    [
        (sphere, 2, 1.2), (sphere, 20, 1.2), (discus, 10, 1.2), (discus, 20, 1.2), (rosenbrock, 2, 1.0),
        (ellipsoid(2, 1e6), 2, 1.5), (ellipsoid(10, 1e6), 10, 2.0), (ellipsoid(20, 1e3), 20, 1.5),
        (ellipsoid(2, 1e6, True), 2, 0.5), (ellipsoid(10, 1e3, True), 10, 0.3), (ellipsoid(20, 1e3, True), 20, 0.9),
        (powers, 2, 1.2), (powers, 10, 1.0), (bowl, 2, 1.2), (bowl, 10, 1.2), (bowl, 20, 1.3),
    ],
)  # fmt: skip
def test_evaluations_beside_those_of_nlopt(fun, dim, factor):
    """Medians of five starts."""
    box = Box.cube(-5.0, 5.0, dim)
    rng = np.random.default_rng(dim)
    moved = lambda x: fun(x - np.linspace(-1.7, 1.3, dim))  # noqa: E731
    pairs = []
    for _ in range(5):
        x0 = rng.uniform(-4, 4, dim)
        pairs.append((evaluations(moved, box, x0), evaluations_of_nlopt(moved, box, x0)))
    ours, theirs = np.median(pairs, axis=0)
    assert ours <= factor * theirs


def test_long_runs_approach_bounds():
    box, slope = Box.cube(-1.0, 1.0, 3), np.linspace(1, 3, 3)
    for planned, on_a_bound in ((599, True), (600, False)):
        best, points, _ = drive(make("trust-region"), lambda x: x @ slope, box, maxfev=60, planned=planned)
        assert (np.abs(points) == 1).any() == on_a_bound
        assert best == pytest.approx(-slope.sum(), rel=1e-7)
