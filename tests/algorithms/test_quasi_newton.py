"""Projected BFGS with difference quotients: steps by hand, noise, restarts, and SciPy as the reference."""

import numpy as np
import pytest

import autov
from autov.algorithms.quasi_newton import QuasiNewton
from autov.core import Box, InputError, generator
from autov.kernels.models import differences, second_derivatives
from autov.kernels.models.quasi_newton_work import workspace
from tests.algorithms.driver import drive

UNIT = Box.cube(0.0, 1.0, 4)
WIDE = Box.cube(-5.0, 5.0, 10)
SCALES = np.logspace(0, 3, 10)


def quadratic(x):
    return (SCALES * (x - 0.7) ** 2).sum(axis=1)


def rosenbrock(x):
    return (100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1 - x[:, :-1]) ** 2).sum(axis=1)


def batches(algorithm, fun, box, count, x0=None):
    rng, found = generator(1), []
    state = algorithm.init(box, 20, 10_000, rng, x0)
    for _ in range(count):
        x, state = algorithm.ask(state, rng)
        found.append(x)
        state = algorithm.tell(state, x, fun(x), rng)
    return found


def test_a_gradient_is_one_batch_of_forward_differences():
    start = np.array([0.2, 0.4, 0.6, 1.0])
    first = batches(QuasiNewton(), lambda x: x.sum(axis=1), UNIT, 1, start)[0]
    assert np.array_equal(first[0], start)
    np.testing.assert_allclose(first[1:] - start, np.diag([1e-8, 1e-8, 1e-8, -1e-8]), rtol=1e-6, atol=1e-15)


def test_the_first_step_has_the_length_of_the_scale():
    """Of a linear function: along the negative gradient, its largest part as long as ``scale``."""
    slope, start = np.array([1.0, -2.0, 0.5, 4.0]), np.full(4, 0.5)
    _, line = batches(QuasiNewton(scale=0.2), lambda x: x @ slope, UNIT, 2, start)
    np.testing.assert_allclose(line[0], start - 0.2 * slope / 4, atol=1e-6)


def test_points_of_a_line_are_one_batch_if_wanted():
    start = np.full(4, 0.5)
    _, line = batches(QuasiNewton(line_points=3), lambda x: (x**2).sum(axis=1), UNIT, 2, start)
    steps = np.linalg.norm(line - start, axis=1)
    np.testing.assert_allclose(steps / steps[0], [1, 0.25, 0.0625], rtol=1e-6)


def test_a_quadratic_of_ten_variables_within_400_evaluations():
    for seed in range(5):
        assert drive(QuasiNewton(), quadratic, WIDE, maxfev=400, seed=seed)[0] < 1e-8


def test_a_rotated_quadratic_of_ten_variables_within_150_evaluations():
    for seed in range(5):
        rotation = np.linalg.qr(generator(seed).normal(size=(10, 10)))[0]
        fun = lambda x, R=rotation: (SCALES * ((x - 0.7) @ R) ** 2).sum(axis=1)  # noqa: E731
        assert drive(QuasiNewton(), fun, WIDE, maxfev=150, seed=seed)[0] < 1e-8


def test_smooth_functions_of_two_variables_within_100_evaluations():
    box = Box.cube(-5.0, 5.0, 2)
    bowl = lambda x: np.log1p(((x - 1.2) ** 2).sum(axis=1)) + 0.1 * (x[:, 0] - 1.2) ** 4  # noqa: E731
    for seed in range(5):
        assert drive(QuasiNewton(), bowl, box, maxfev=100, seed=seed)[0] < 1e-8


def test_an_optimum_in_a_corner_is_found_exactly():
    best, points, _ = drive(QuasiNewton(), lambda x: x @ np.arange(1.0, 11.0), WIDE, maxfev=40)
    assert best == -5.0 * 55
    assert (points == -5.0).all(axis=1).any()


@pytest.mark.parametrize("fun", [quadratic, rosenbrock])
def test_reaches_targets_about_as_soon_as_slsqp(fun):
    """Evaluations for 1e-6, median of five starts, at most twice those of SciPy's SLSQP."""

    def needed(algorithm, seed):
        values = []

        def counted(x):
            values.append(float(fun(x[None])[0]))
            return values[-1]

        x0 = WIDE.sample(1, generator(seed))[0]
        bounds = [(-5, 5)] * 10
        autov.minimize(counted, bounds, algorithm=algorithm, x0=x0, maxfev=2500, target=1e-6, rng=seed)
        return next((i for i, value in enumerate(values) if value <= 1e-6), 5000)

    ours, theirs = (np.median([needed(a, seed) for seed in range(5)]) for a in ("quasi-newton", "scipy:slsqp"))
    assert ours <= 2 * theirs


@pytest.mark.parametrize("strong", [[0], range(1, 10)], ids=["one strong", "one weak"])
def test_weak_directions_are_not_taken_to_be_as_strong_as_the_first_ones(strong):
    """Curvatures of 1 and 1000, rotated: a first step sees the strong ones only."""
    scales = np.where(np.isin(np.arange(10), strong), 1000.0, 1.0)
    for seed in range(5):
        rotation = np.linalg.qr(generator(seed).normal(size=(10, 10)))[0]
        fun = lambda x, R=rotation: (scales * ((x - 0.7) @ R) ** 2).sum(axis=1)  # noqa: E731
        assert drive(QuasiNewton(), fun, WIDE, maxfev=120, seed=seed)[0] < 1e-8


def test_a_curved_valley_of_twenty_variables_within_400_evaluations():
    """Steps in directions not taken yet are as long as what is known of the others says, not as long as the box."""
    box = Box.cube(-5.0, 5.0, 20)
    for seed in range(5):
        assert drive(QuasiNewton(), rosenbrock, box, maxfev=400, seed=seed)[0] < 25


def test_the_rest_is_lowered_where_no_step_went():
    """What the matrix says of earlier steps stays, and the basis of steps is orthonormal."""
    rng, d = np.random.default_rng(4), 6
    work = workspace(QuasiNewton().plan(), np.zeros(2, np.uint64), d, 100, np.empty((0, d)), np.empty(0))
    work.scalars["explored"] = 0
    steps = rng.normal(size=(3, d))
    for s in (*steps, 2 * steps[0] - steps[2]):  # the last one explores nothing
        second_derivatives.explore(work, s, float(s @ s))
    assert work.scalars["explored"][0] == 3
    basis = work.explored[:3]
    np.testing.assert_allclose(basis @ basis.T, np.eye(3), atol=1e-12)
    root = rng.normal(size=(d, d))
    before = root @ root.T + 5 * np.eye(d)
    after = before.copy()
    second_derivatives.lower_rest(after, work.explored, 3, 4.0)
    np.testing.assert_allclose(after @ steps.T, before @ steps.T, atol=1e-12)
    other = rng.normal(size=d)
    other -= basis.T @ (basis @ other)
    np.testing.assert_allclose(after @ other, before @ other - 4.0 * other, atol=1e-12)


@pytest.mark.parametrize(("noise", "reached"), [(1e-9, 1e-5), (1e-4, 1e-1), (1e-2, 5.0)])
def test_differences_are_as_wide_as_the_noise_demands(noise, reached):
    rng = np.random.default_rng(5)
    fun = lambda x: quadratic(x) + noise * rng.normal(size=len(x))  # noqa: E731
    _, points, _ = drive(QuasiNewton(), fun, WIDE, maxfev=1000)
    assert np.sort(quadratic(points))[0] < reached


@pytest.mark.parametrize(
    "fun",
    [
        lambda x: np.floor(3 * x).sum(axis=1),
        lambda x: np.zeros(len(x)),
        lambda x: np.sin(1e10 * x**2).sum(axis=1),  # rough for differences of 1e-7, too
        lambda x: np.where(x[:, 0] > 0.2, np.inf, x.sum(axis=1)),
    ],
    ids=["steps", "plateau", "rough", "infinite"],
)
def test_where_it_cannot_help_a_search_ends_soon(fun):
    """After some 20 evaluations a variable and 60, then it starts elsewhere."""
    state = drive(QuasiNewton(), fun, WIDE, maxfev=1000)[2]
    assert int(state.scalars["starts"][0]) >= 1000 // (20 * 10 + 60)


def test_restarts_are_far_from_where_searches_ended():
    two = lambda x: np.minimum(((x - 0.2) ** 2).sum(axis=1), ((x - 0.9) ** 2).sum(axis=1) - 0.1)  # noqa: E731
    assert min(drive(QuasiNewton(), two, UNIT, maxfev=600, seed=s)[0] for s in range(3)) < -0.0999


def test_several_given_points_are_evaluated_first_and_used_best_first():
    given = UNIT.sample(6, generator(4))
    fun = lambda x: ((x - 0.3) ** 2).sum(axis=1)  # noqa: E731
    first, second = batches(QuasiNewton(), fun, UNIT, 2, given)
    assert np.array_equal(first, given)
    np.testing.assert_allclose(second[0], given[fun(given).argmin()], atol=2e-8)


def test_noise_width_by_hand():
    class Scalars:
        f, highest = 0.0, 2.0

    class Work:
        scalars, u, second = [Scalars()], np.zeros(3), np.sqrt(6.0) * np.array([4e-6, 4e-6, 1.0])

    width = differences.noise_width.py_func if hasattr(differences.noise_width, "py_func") else differences.noise_width
    assert width(Work()) == pytest.approx((4e-6 / 4) ** (1 / 3))


@pytest.mark.parametrize("settings", [{"scale": 0}, {"line_points": 0}, {"first_curvature": -1}, {"tries": "many"}])
def test_bad_settings_are_refused(settings):
    with pytest.raises(InputError, match=next(iter(settings))):
        QuasiNewton(**settings)


@pytest.mark.parametrize("d", [1, 3, 40])
@pytest.mark.parametrize("line_points", [1, 3])
def test_compiled_and_asked_runs_are_the_same(d, line_points):
    settings = {"dim": d, "algorithm": QuasiNewton(line_points=line_points), "maxfev": 400, "rng": 2}
    compiled = autov.minimize("ackley+translate=run", **settings)
    asked = autov.minimize("ackley+translate=run", callback=lambda _: False, **settings)
    assert np.array_equal(compiled.x, asked.x)
    assert compiled.fun == asked.fun


def test_long_runs_approach_bounds():
    """Random values are no reason to try a bound; a slope is one."""
    box, noise, slope = Box.cube(-1.0, 1.0, 3), generator(6), np.linspace(1, 3, 3)
    for planned, on_a_bound in ((599, True), (600, False)):
        _, points, _ = drive(QuasiNewton(), lambda x: noise.random(len(x)), box, maxfev=590, planned=planned)
        assert (np.abs(points) == 1).any() == on_a_bound
        best, points, _ = drive(QuasiNewton(), lambda x: ((x + 2) ** 2) @ slope, box, maxfev=200, planned=planned)
        assert best == pytest.approx(slope.sum(), rel=1e-7)
