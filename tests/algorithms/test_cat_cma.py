"""CatCMA with margin: its parts beside slow versions, and what it does with categories and integers."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm

from autov.algorithms.cat_cma import CatCMA
from autov.algorithms.categorical import STAYS, Categorical, margin
from autov.algorithms.integer_margin import with_margin
from autov.algorithms.mixed_kinds import Kinds
from autov.algorithms.mixed_model import MixedModel, scores
from autov.core import Box, InputError, generator
from tests.algorithms.driver import drive

SIZES = np.array([2, 4, 3])
BOX = Box(np.array([-5.0, -0.5, -0.5, -0.5, 0.5]), np.array([5.0, 3.5, 2.5, 9.5, 4.5]))
CATEGORIES, INTEGERS = (0, 4, 3, 0, 0), (False, True, True, True, True)


def test_samples_have_the_probabilities():
    q = Categorical.uniform(SIZES).with_margin()
    q = q.toward(np.array([[1, 2, 0], [1, 3, 0]]), np.array([0.7, 0.3]))
    drawn = q.sample(40_000, generator(1))
    for i, size in enumerate(SIZES):
        found = np.bincount(drawn[:, i], minlength=size) / len(drawn)
        assert found == pytest.approx(q.q[i, :size], abs=5 * math.sqrt(0.25 / len(drawn)))


def test_a_step_has_the_length_of_the_trust_region_in_the_fisher_metric():
    start = Categorical.uniform(SIZES)
    moved = Categorical(SIZES, start.q, start.path, delta=50.0).toward(
        np.array([[0, 1, 2], [1, 1, 0]]), np.array([0.6, 0.4])
    )
    step = [(moved.q - start.q)[i, :size] for i, size in enumerate(SIZES)]
    length = math.sqrt(sum((part**2 / (1 / size)).sum() for part, size in zip(step, SIZES, strict=True)))
    assert length == pytest.approx(1 / 50)  # no probability reaches its margin
    assert step[1][1] > 0 > step[1][0]
    assert step[0][0] == pytest.approx(-step[0][1])
    assert step[0][0] > 0


def test_the_trust_region_grows_with_steps_of_one_direction_and_shrinks_with_noise():
    steady = noisy = Categorical.uniform(SIZES)
    steady = noisy = Categorical(SIZES, steady.q, steady.path, delta=100.0)
    rng = generator(1)
    for _ in range(60):
        steady = steady.toward(np.array([[0, 0, 0]]), np.ones(1))
        noisy = noisy.toward(rng.integers(0, SIZES, (1, 3)), np.ones(1))
    assert steady.delta < 100 < noisy.delta


def test_no_category_is_lost():
    q = Categorical.uniform(SIZES)
    for _ in range(200):
        q = q.toward(np.array([[0, 0, 0]]), np.ones(1))
    least = margin(SIZES)
    for i, size in enumerate(SIZES):
        assert q.q[i, :size].sum() == pytest.approx(1.0)
        assert q.q[i, 1:size] == pytest.approx(least[i])
    assert np.prod([q.q[i, 0] for i in range(3)]) == pytest.approx(STAYS)


@pytest.mark.parametrize(
    ("mean", "std"), [(0.05, 1e-3), (0.999, 1e-6), (0.55, 1e-4), (0.501, 1e-3), (0.45, 0.5), (1.0, 1e-9)]
)
def test_margins_of_integers(mean, std):
    alpha, count = 0.06, 10
    found, width = with_margin(np.array([mean]), np.array([std]), np.array([count]), alpha)
    cell = min(int(mean * count), count - 1)
    low, high = cell / count, (cell + 1) / count
    below = norm.cdf(low, found[0], width[0]) if cell else 0.0
    above = norm.sf(high, found[0], width[0]) if cell < count - 1 else 0.0
    assert below + above >= alpha * (1 - 1e-6)
    if 0 < cell < count - 1:
        assert min(below, above) >= alpha / 2 * (1 - 1e-6)
    if std == 0.5:
        assert (found[0], width[0]) == (mean, std)  # nothing is stuck


def quadratic(t, chosen):
    return (
        3
        + t @ [1.0, -2.0]
        + 2 * t[:, 0] ** 2
        + t[:, 1] ** 2
        + t[:, 0] * t[:, 1]
        + np.array([0.5, 0.0, 2.0])[chosen[:, 0]]
    )


def test_the_model_of_a_quadratic_function_is_exact():
    rng = generator(1)
    t, chosen = rng.standard_normal((40, 2)), rng.integers(0, 3, (40, 1))
    model = MixedModel.fitted(t, chosen, quadratic(t, chosen), np.array([3]))
    others, kinds = rng.standard_normal((20, 2)), rng.integers(0, 3, (20, 1))
    wanted = quadratic(others, kinds)
    assert np.ptp(model.expected(others, kinds) - wanted) < 1e-4
    at, best = model.minimum(10.0)
    assert at == pytest.approx(np.linalg.solve([[4, 1], [1, 2]], [-1, 2]), abs=1e-4)
    assert best.tolist() == [1]
    near, _ = model.minimum(0.1)
    assert np.linalg.norm(near) == pytest.approx(0.1, rel=1e-3)
    angles = np.linspace(0, 2 * np.pi, 2000)
    ring = 0.1 * np.column_stack([np.cos(angles), np.sin(angles)])
    assert model.expected(near[None], best[None])[0] <= model.expected(ring, np.ones((2000, 1), int)).min() + 1e-6


def test_a_model_without_minimum_ends_at_the_radius():
    model = MixedModel(np.array([1.0, 0.1]), np.diag([0.0, -1.0]), [])
    at, best = model.minimum(2.0)
    assert np.linalg.norm(at) == pytest.approx(2.0, rel=0.02)
    assert len(best) == 0


def test_few_points_give_no_model():
    t, chosen = np.zeros((4, 2)), np.zeros((4, 1), int)
    assert MixedModel.fitted(t, chosen, np.arange(4.0), np.array([3])) is None


def test_scores_are_quantiles_of_ranks():
    f = np.array([3.0, 1e50, -2.0, 3.0])
    found = scores(f)
    assert found[0] == found[3]
    assert np.array_equal(np.argsort(found, kind="stable"), [2, 0, 3, 1])
    assert np.array_equal(found, scores(np.exp(np.minimum(f, 50))))


def test_points_are_of_their_kinds():
    algorithm = CatCMA().with_variables(CATEGORIES, INTEGERS)
    _, points, _ = drive(algorithm, lambda x: (x**2).sum(axis=1), BOX, maxfev=400)
    for i, values in ((1, range(4)), (2, range(3)), (3, range(10)), (4, range(1, 5))):
        assert set(points[:, i].tolist()) == set(map(float, values))
    assert len(np.unique(points[:, 0])) > 300


def test_parts_and_points_are_inverse():
    kinds = Kinds.of(BOX, CATEGORIES, INTEGERS)
    x = np.array([[1.0, 2, 0, 7, 4], [-5.0, 3, 2, 0, 1]])
    u, chosen = kinds.split(x)
    assert chosen.tolist() == [[2, 0], [3, 2]]
    full = np.empty((2, 5))
    full[:, kinds.ordered], full[:, kinds.unordered] = u, (chosen + 0.5) / kinds.sizes
    assert kinds.points(full) == pytest.approx(x)


def right_categories(x):
    return (x[:, 0] - 2) ** 2 + (x[:, 1] != 2) + (x[:, 2] != 0) + 0.1 * (x[:, 3] - 7) ** 2 + np.abs(x[:, 4] - 3)


def test_finds_categories_integers_and_numbers():
    algorithm = CatCMA().with_variables(CATEGORIES, INTEGERS)
    for seed in range(5):
        best, _, _ = drive(algorithm, right_categories, BOX, maxfev=400, seed=seed)
        assert best < 1e-6


def test_the_names_of_categories_do_not_matter():
    """A permutation of categories permutes the run; integers in disguise would take another course."""
    algorithm = CatCMA(candidates=1).with_variables((0, 0, 3), (False, False, True))
    box = Box(np.array([-1.0, -1.0, -0.5]), np.array([1.0, 1.0, 2.5]))
    table = np.array([0.0, 5.0, 1.0])
    medians = []
    for order in itertools.permutations(range(3)):
        cost = table[list(order)]
        best = [
            drive(algorithm, lambda x, c=cost: (x[:, :2] ** 2).sum(axis=1) + c[x[:, 2].astype(int)], box, maxfev=150,
                  seed=seed)[0]
            for seed in range(20)
        ]  # fmt: skip
        medians.append(np.median(np.log10(best)))
    assert np.ptp(medians) < 1.5  # of some four to ten powers of ten
    assert max(medians) < -3


def test_only_categories():
    algorithm = CatCMA().with_variables((4,) * 6, (True,) * 6)
    box = Box.cube(-0.5, 3.5, 6)
    best, points, _ = drive(algorithm, lambda x: (x != 2).sum(axis=1) + 0.0, box, maxfev=300)
    assert best == 0
    assert np.array_equal(points, np.rint(points))


def test_begins_anew_when_it_has_contracted():
    algorithm, sizes = CatCMA(), []
    drive(algorithm, lambda x: np.abs(x).sum(axis=1), Box.cube(-1, 1, 2), maxfev=6000,
          watch=lambda state: sizes.append(state.popsize))  # fmt: skip
    assert len(set(sizes)) >= 2
    assert sizes == sorted(sizes)


def test_infinite_and_penalized_values():
    algorithm = CatCMA().with_variables(CATEGORIES, INTEGERS)
    for bad in (np.inf, 3e50):
        best, _, _ = drive(algorithm, lambda x, b=bad: np.where(x[:, 0] > 0, right_categories(x), b), BOX, maxfev=400)
        assert best < 0.01
    drive(algorithm, lambda x: np.full(len(x), np.inf), BOX, maxfev=200)


@pytest.mark.parametrize("settings", [{"sigma": 0}, {"candidates": 0}, {"popsize_factor": 0.1}])
def test_bad_settings(settings):
    with pytest.raises(InputError, match=f"^{next(iter(settings))}: "):
        CatCMA(**settings)


def test_kinds_must_fit_the_box():
    with pytest.raises(InputError, match=r"^categories: "):
        CatCMA(categories=(2, 0)).init(BOX, 10, 100, generator(1))
