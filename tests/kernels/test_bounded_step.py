"""Steps in a box and a ball against exact minima."""

import numpy as np
import pytest
from scipy.optimize import minimize

from autov.kernels.models.bounded_step import bounded_step


def step_of(hessian, gradient, low, high, radius):
    """The step, the decrease that is said, and the gradient at its end."""
    n = gradient.size
    step, slope = np.zeros(n), np.zeros(n)
    points, curvatures = np.zeros((1, n)), np.zeros(1)
    said, least = bounded_step(
        hessian, curvatures, points, gradient, low, high, radius, step, slope, np.zeros(n), np.zeros((2, n)),
        np.zeros(n, np.int64),
    )  # fmt: skip
    return step, said, slope, least


def decrease(hessian, gradient, step):
    return -(gradient @ step + 0.5 * step @ hessian @ step)


def random_case(seed, n, definite):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, n))
    hessian = a @ a.T if definite else a + a.T
    low, high = -rng.uniform(0, 1, n), rng.uniform(0, 1, n)
    low[rng.random(n) < 0.2] = 0.0
    return hessian, rng.normal(size=n), low, high, rng.uniform(0.1, 1.5)


def cauchy_decrease(hessian, gradient, low, high, radius):
    """The best of many points along the negative gradient of what may move, up to the first bound or the ball."""
    direction = np.where(((low >= 0) & (gradient >= 0)) | ((high <= 0) & (gradient <= 0)), 0.0, -gradient)
    steps = np.linspace(0, 100, 20_001)[:, None] * direction
    inside = (steps >= low).all(1) & (steps <= high).all(1) & (np.linalg.norm(steps, axis=1) <= radius)
    return max(decrease(hessian, gradient, step) for step in steps[inside])


@pytest.mark.parametrize("definite", [True, False])
def test_steps_stay_inside_and_decrease_the_model(definite):
    for seed in range(120):
        case = random_case(seed, 1 + seed % 9, definite)
        hessian, gradient, low, high, radius = case
        step, said, slope, _ = step_of(*case)
        assert (step >= low).all()
        assert (step <= high).all()
        assert np.linalg.norm(step) <= radius * (1 + 1e-9)
        np.testing.assert_allclose(said, decrease(hessian, gradient, step), rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(slope, gradient + hessian @ step, rtol=1e-6, atol=1e-9)
        assert said >= cauchy_decrease(*case) * (1 - 1e-9)


def test_a_convex_model_without_bounds_is_minimised():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(3, 3))
    hessian, gradient = a @ a.T + np.eye(3), rng.normal(size=3)
    wide = np.full(3, 1e3)
    _, said, _, least = step_of(hessian, gradient, -wide, wide, 1e3)
    exact = -np.linalg.solve(hessian, gradient)
    assert said > 0.98 * decrease(hessian, gradient, exact)
    assert np.linalg.eigvalsh(hessian)[0] <= least * (1 + 1e-9) <= np.linalg.eigvalsh(hessian)[-1] * (1 + 2e-9)
    diagonal = np.diag([1.0, 1.0, 1.0])
    step, _, _, _ = step_of(diagonal, gradient, -wide, wide, 1e3)
    np.testing.assert_allclose(step, -gradient, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # SLSQP of SciPy 1.15 leaves them by a rounding
def test_steps_are_nearly_as_good_as_the_exact_minimum():
    """SciPy as reference; variables that reach a bound are never released, which loses something in few cases."""
    parts = []
    for seed in range(30):
        hessian, gradient, low, high, radius = random_case(seed, 3, definite=True)
        _, said, _, _ = step_of(hessian, gradient, low, high, radius)
        ball = {"type": "ineq", "fun": lambda s, radius=radius: radius**2 - s @ s}
        found = minimize(
            lambda s, a=hessian, g=gradient: -decrease(a, g, s), np.zeros(3),
            bounds=list(zip(low, high, strict=True)), constraints=[ball], method="SLSQP",
        )  # fmt: skip
        assert said <= -found.fun * (1 + 1e-5) + 1e-9
        parts.append(said / max(-found.fun, 1e-12))
    assert np.mean(np.array(parts) > 0.95) > 0.7
    assert min(parts) > 0.4


def test_variables_at_a_bound_stay_there_and_the_others_move():
    gradient = np.array([-1.0, 1.0, -2.0])
    step, said, _, _ = step_of(np.eye(3), gradient, np.array([-1.0, 0.0, -1.0]), np.array([0.0, 1.0, 0.5]), 10.0)
    np.testing.assert_array_equal(step, [0.0, 0.0, 0.5])
    assert said == pytest.approx(2 * 0.5 - 0.5 * 0.25)


def test_a_step_turns_on_the_border_of_the_ball():
    """A negative curvature across the gradient: the exact minimum on the circle, by brute force."""
    hessian, gradient, wide = np.diag([2.0, -4.0]), np.array([-1.0, -0.1]), np.full(2, 5.0)
    step, said, _, _ = step_of(hessian, gradient, -wide, wide, 1.0)
    angles = np.linspace(0, 2 * np.pi, 20_001)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    best = max(decrease(hessian, gradient, s) for s in circle)
    assert np.linalg.norm(step) == pytest.approx(1, rel=1e-9)
    assert said >= 0.98 * best
