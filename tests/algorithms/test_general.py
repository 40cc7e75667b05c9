"""What the default promises on small smooth problems, and that it goes through files, texts and states."""

import numpy as np
import pytest

import autov
from autov.algorithms import resolve_algorithm
from autov.algorithms.files import algorithm_from_dict, algorithm_to_dict
from autov.algorithms.text import explain
from autov.core import generator

SMOOTH = {
    "quadratic": lambda x: (x[0] - 1) ** 2 + 3 * (x[1] + 2 + 0.5 * x[0]) ** 2,
    "rosenbrock": lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2,
    "cosh": lambda x: 2 * np.cosh(0.3 * (x[0] - 1)) - 2 + (x[1] - x[0]) ** 2,
    "quartic": lambda x: (x[0] - 1) ** 2 + (x[1] - 0.3) ** 4 + (x[0] * x[1] - 0.3) ** 2,
}


def needed(fun, bounds, seed, maxfev=1000):
    """Evaluations until 1e-8."""
    values = []

    def counted(x):
        values.append(float(fun(x)))
        return values[-1]

    autov.minimize(counted, bounds, maxfev=maxfev, target=1e-8, rng=seed)
    return len(values)


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_functions_of_two_variables_need_at_most_100_evaluations(name):
    assert max(needed(SMOOTH[name], [(-5, 5)] * 2, seed) for seed in range(5)) <= 100


@pytest.mark.parametrize("condition", [1, 2, 3])
def test_quadratics_of_ten_variables_need_at_most_200_evaluations(condition):
    for seed in range(4):
        rng = generator(seed)
        rotation, centre = np.linalg.qr(rng.normal(size=(10, 10)))[0], rng.uniform(-4, 4, 10)
        scales = np.logspace(0, condition, 10)
        fun = lambda x, R=rotation, c=centre, s=scales: (s * ((x - c) @ R) ** 2).sum()  # noqa: E731
        assert needed(fun, [(-5, 5)] * 10, seed) <= 200


def test_it_goes_through_a_file():
    general = resolve_algorithm("general")
    assert algorithm_from_dict(algorithm_to_dict(general), "here") == general


@pytest.mark.parametrize("name", ["quasi-newton", "trust-region", "coordinate", "lq-ma-es", "memetic", "general"])
def test_words_say_all_settings_that_decide(name):
    text = explain(resolve_algorithm(name))
    assert "(" not in text.split("\n")[0].replace("(up to", "").replace("(4 +", "").replace("(evaluations", "")
    for search in getattr(resolve_algorithm(name), "local_searches", ()):
        assert f"{search.name}:" in text
