"""``x0_std``: how far a run looks from its first point."""

import numpy as np
import pytest

import autov
from autov.algorithms import resolve_algorithm
from autov.algorithms.first_step import with_first_step
from autov.core import InputError

BOX = [(0.0, 10.0)] * 6
X0 = [4.0] * 6


def distances(algorithm, **options):
    """Of the first points from x0, as parts of the box."""
    optimizer = autov.Optimizer(BOX, algorithm=algorithm, x0=X0, rng=1, maxfev=60, **options)
    found = []
    while len(found) < 20:
        x = optimizer.ask()
        found.extend(np.abs(x - 4).max(axis=1) / 10)
        optimizer.tell(x, ((x - 5) ** 2).sum(axis=1))
    return np.array(found[:20])


@pytest.mark.parametrize("algorithm", ["general", "ma-es", "lq-ma-es", "cma-es", "quasi-newton", "coordinate"])
def test_first_points_are_as_near_as_asked_for(algorithm):
    near, far = distances(algorithm, x0_std=1e-3), distances(algorithm)
    assert near[:8].max() < 0.01
    assert far.max() > 5 * near[:8].max()


def test_minimize_and_optimizer_do_the_same():
    points = []

    def cost(x):
        points.append(x.copy())
        return float(((x - 5) ** 2).sum())

    autov.minimize(cost, BOX, algorithm="ma-es", x0=X0, x0_std=0.02, maxfev=30, rng=3)
    optimizer = autov.Optimizer(BOX, algorithm="ma-es", x0=X0, x0_std=0.02, maxfev=30, rng=3)
    assert np.array_equal(optimizer.ask(), points[: len(optimizer.ask())])


@pytest.mark.parametrize("std", [0.0, -0.1, 0.5, np.nan, "wide", True])
def test_a_part_of_the_box(std):
    with pytest.raises(InputError, match=r"^x0_std: "):
        with_first_step(resolve_algorithm("ma-es"), X0, std)


def test_it_needs_a_first_point_and_an_algorithm_with_a_first_step():
    with pytest.raises(InputError, match=r"^x0_std: needs x0"):
        autov.minimize(lambda x: x.sum(), BOX, x0_std=0.1)
    with pytest.raises(InputError, match=r"^x0_std: de has no first step"):
        autov.minimize(lambda x: x.sum(), BOX, algorithm="de", x0=X0, x0_std=0.1)


def test_a_saved_optimizer_keeps_it(tmp_path):
    optimizer = autov.Optimizer(BOX, x0=X0, x0_std=1e-3, rng=1, maxfev=60)
    x = optimizer.ask()
    optimizer.tell(x, ((x - 5) ** 2).sum(axis=1))
    optimizer.save(tmp_path / "run.json")
    assert np.array_equal(autov.Optimizer.load(tmp_path / "run.json").ask(), optimizer.ask())
