"""Optimisers that come with the package, and the default among them."""

from __future__ import annotations

import numpy as np
import pytest

import autov
from autov.algorithms import resolve_algorithm
from autov.algorithms.files import DEFAULT, algorithm_to_dict, shipped_data, shipped_names
from autov.algorithms.memetic import Memetic
from autov.algorithms.resolve import find_algorithm
from autov.core import InputError


def bowl(x):
    return float(((x - 0.3) ** 2).sum())


def _never_stop(intermediate_result):
    return intermediate_result.nfev < 0


@pytest.mark.parametrize("name", shipped_names())
def test_a_shipped_optimiser_says_where_it_comes_from_and_is_what_its_file_says(name):
    algorithm, provenance = find_algorithm(name)
    assert {"what", "problem", "seed", "autov", "date", "settings"} <= set(provenance)
    assert algorithm_to_dict(algorithm) == shipped_data(name)["algorithm"]
    assert algorithm.compiles


def test_the_default_is_general():
    assert DEFAULT == "general"
    assert algorithm_to_dict(resolve_algorithm()) == shipped_data("general")["algorithm"]
    box = [(-1.0, 1.0)] * 3
    default = autov.minimize(bowl, box, maxfev=200, rng=1)
    assert default.fun == autov.minimize(bowl, box, maxfev=200, rng=1, algorithm="general").fun
    assert autov.minimize(bowl, box, maxfev=200, rng=1, algorithm="paper-h3").fun != default.fun
    assert isinstance(autov.Optimizer(box, rng=1).algorithm, Memetic)


def test_settings_behind_a_shipped_name_change_it():
    changed = resolve_algorithm("general+refine=0.11")
    assert changed.refine == 0.11
    assert changed.global_search == resolve_algorithm("general").global_search
    with pytest.raises(InputError, match=r"^algorithm: "):
        resolve_algorithm("general+F=0.7")


@pytest.mark.parametrize(
    ("d", "maxfev"), [(1, 1), (1, 1500), (2, 77), (7, 10), (7, 1500), (40, 1500), (300, 77), (1000, 1), (1000, 1500)]
)
def test_the_default_keeps_its_promises_in_any_size(d, maxfev):
    """Exactly the budget, inside the bounds, and never worse than the best of the first sample."""
    box = np.column_stack([np.linspace(-3, -1, d), np.linspace(0.1, 5, d)])
    found = autov.minimize(bowl, box, maxfev=maxfev, rng=2, history=True)
    points, values = found.history.x, found.history.fun
    assert found.nfev == maxfev == len(points)
    assert (points >= box[:, 0]).all()
    assert (points <= box[:, 1]).all()
    assert found.fun == values.min() <= values[: max(1, min(maxfev, 10))].min()
    assert np.array_equal(points[values.argmin()], found.x)


@pytest.mark.parametrize("problem", ["sphere+translate=run", "rastrigin+rotate=run"])
def test_a_million_evaluations_of_a_compiled_problem(problem):
    found = autov.minimize(problem, dim=2, maxfev=1_000_000, rng=1)
    assert found.nfev == 1_000_000
    assert found.fun < 1e-12


def test_the_compiled_run_of_the_default_has_the_bits_of_its_steps():
    problem = autov.problem("rastrigin+translate=1.3+rotate=2", dim=6)
    compiled = autov.minimize(problem, maxfev=3000, rng=5)
    watched = autov.minimize(problem, maxfev=3000, rng=5, callback=_never_stop)
    assert (compiled.fun, compiled.nfev) == (watched.fun, watched.nfev)
    assert np.array_equal(compiled.x, watched.x)
