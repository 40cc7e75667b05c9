"""What every algorithm of the registry must keep to."""

import copy
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from autov.algorithms import ALGORITHMS
from autov.algorithms import make_algorithm as make
from autov.core import Box, InputError, generator
from tests.algorithms.driver import BOX, drive, sphere

ALL = pytest.mark.parametrize("name", list(ALGORITHMS))
MODELS = ("quasi-newton", "memetic")  # differences and models amplify rounding from step to step
SKEWED = Box(np.array([-1e-3, 5.0, -1e6, 0.0]), np.array([2.0, 5.5, -1e5, 1e-9]))


def same(a, b):
    """Whether two states hold equal values."""
    for field in fields(a):
        one, other = getattr(a, field.name), getattr(b, field.name)
        pairs = zip(one, other, strict=True) if isinstance(one, tuple) else [(one, other)]
        for mine, theirs in pairs:
            equal = same(mine, theirs) if is_dataclass(mine) else np.array_equal(mine, theirs)
            if not equal:
                return False
    return True


@ALL
def test_names_match(name):
    assert make(name).name == name


@ALL
def test_points_stay_in_a_skewed_box(name):
    corner = SKEWED.lower  # pulls the search to a wall
    _, points, _ = drive(make(name), lambda x: ((x - corner) / SKEWED.width).sum(axis=1), SKEWED, maxfev=1500)
    assert (points >= SKEWED.lower).all()
    assert (points <= SKEWED.upper).all()


@ALL
def test_a_seed_gives_the_same_bits(name):
    first = drive(make(name), sphere, BOX, maxfev=500)
    again = drive(make(name), sphere, BOX, maxfev=500)
    other = drive(make(name), sphere, BOX, maxfev=500, seed=2)
    assert np.array_equal(first[1], again[1])
    assert not np.array_equal(first[1], other[1])


@ALL
def test_budget_is_exact(name):
    assert len(drive(make(name), sphere, BOX, maxfev=333)[1]) == 333


@ALL
def test_x0_point_and_population(name):
    point = np.full(BOX.dim, 1.25)
    _, points, _ = drive(make(name), sphere, BOX, maxfev=40, x0=point)
    assert np.array_equal(points[0], point)
    population = BOX.sample(20, generator(9))
    _, points, _ = drive(make(name), sphere, BOX, maxfev=40, x0=population)
    assert np.array_equal(points[:20], population)


@ALL
@pytest.mark.parametrize("x0", [np.zeros(3), np.zeros((21, 5)), np.full(5, 11.0), "middle"])
def test_bad_x0_is_refused(name, x0):
    with pytest.raises(InputError, match="x0"):
        make(name).init(BOX, 20, 100, generator(1), x0)


@ALL
def test_steps_return_new_states(name):
    """Neither ask nor tell changes the state or the arrays it is given, so two runs may branch from one state."""
    algorithm = make(name)
    kept = []
    drive(algorithm, sphere, BOX, maxfev=200, watch=kept.append)
    state = kept[-1]
    before = copy.deepcopy(state)
    x, asked = algorithm.ask(state, generator(5))
    f = sphere(x)
    mine, values = x.copy(), f.copy()
    told = algorithm.tell(asked, x, f, generator(6))
    assert same(state, before)
    assert np.array_equal(x, mine)
    assert np.array_equal(f, values)
    after = copy.deepcopy(told)
    x[:], f[:] = 0, 0  # what the caller does with its arrays later
    assert same(told, after)
    again, _ = algorithm.ask(state, generator(5))
    assert np.array_equal(again, mine)


@ALL
def test_the_first_batch_belongs_to_the_caller(name):
    algorithm = make(name)
    state = algorithm.init(BOX, 8, 100, generator(1))
    x, _ = algorithm.ask(state, generator(2))
    kept = x.copy()
    x[:] = 0
    again, _ = algorithm.ask(state, generator(2))
    assert np.array_equal(again, kept)


@ALL
@pytest.mark.parametrize(("dim", "popsize"), [(1, 4), (1, 7), (2, 5), (5, 6), (30, 4), (30, 20)])
def test_any_size_improves_on_the_sphere(name, dim, popsize):
    box = Box.cube(-5.0, 10.0, dim)
    best, points, state = drive(make(name), sphere, box, popsize=popsize, maxfev=60 * popsize)
    assert best < sphere(points[:popsize]).min()
    x, f = make(name).population(state)
    assert np.array_equal(sphere(x), f)
    if name not in ("ma-es", "cat-cma", "portfolio", "memetic", "coordinate"):  # which have batches of their own
        assert len(f) <= popsize


@ALL
def test_solves_the_sphere(name):
    best, points, _ = drive(make(name), sphere, BOX, popsize=30, maxfev=9000)
    assert best < 1e-2 * np.median(sphere(points[:30]))


@ALL
def test_a_plateau_and_infinite_values_are_survived(name):
    for value in (0.0, np.inf):
        best, points, state = drive(make(name), lambda x, value=value: np.full(len(x), value), BOX, maxfev=1000)
        assert best == value
        assert len(points) == 1000
        assert np.isfinite(points).all()
        assert (make(name).population(state)[1] == value).all()
    best, _, _ = drive(make(name), lambda x: np.where(x[:, 0] < 0, np.inf, sphere(x)), BOX, maxfev=1000)
    assert np.isfinite(best)


@ALL
def test_long_convergence_stays_finite(name):
    _, points, _ = drive(make(name), sphere, Box.cube(-1.0, 1.0, 2), popsize=8, maxfev=12_000)
    assert np.isfinite(points).all()


@pytest.mark.parametrize(
    "settings",
    [("fep", {"opponents": 2.7}), ("shade", {"H": 1.5}), ("imode", {"minimum_popsize": 4.9}),
     ("imode", {"weighted": "no"}), ("imode", {"memory_start": 0, "spread": 0}), ("pso", {"inertia": 2.5})],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(settings):
    name, values = settings
    with pytest.raises(InputError, match=f"{next(iter(values))}: must be"):
        make(name, **values)


@pytest.mark.parametrize("name", ["ga", "pso", "de", "cma-es", "fep", "cso"])
def test_only_the_order_of_values_matters(name):
    """SHADE and IMODE weigh improvements, so they are left out."""
    plain = drive(make(name), sphere, BOX, maxfev=600)[1]
    bend = lambda x: np.where(sphere(x) < 1, sphere(x), 4 * sphere(x))  # noqa: E731 (monotone without rounding)
    bent = drive(make(name), bend, BOX, maxfev=600)[1]
    assert np.array_equal(plain, bent)


@pytest.mark.parametrize("name", [*sorted(set(ALGORITHMS) - {"fep", "imode"}), "imode-unweighted"])
def test_translation_and_scale_invariance(name):
    """A moved and stretched box with a moved and stretched function: the same run (FEP's steps have a fixed size)."""
    algorithm = make("imode", weighted=False) if name == "imode-unweighted" else make(name)
    moved = Box(BOX.lower * 4 + 32, BOX.upper * 4 + 32)  # powers of two: no rounding to speak of
    maxfev, error = (12, 1e-3) if name in MODELS else (200, 1e-6)
    plain = drive(algorithm, sphere, BOX, maxfev=maxfev)[1]
    other = drive(algorithm, lambda x: sphere((x - 32) / 4), moved, maxfev=maxfev)[1]
    count = np.argmax(np.append(sphere(plain) < 1e-6, True))  # near the optimum rounding decides about a model
    np.testing.assert_allclose(other[:count], plain[:count] * 4 + 32, rtol=error, atol=error)


def test_imode_is_drawn_to_the_origin():
    """Its weighted mutation scales points: a moved function is another problem for it."""
    moved = Box(BOX.lower * 4 + 32, BOX.upper * 4 + 32)
    plain = drive(make("imode"), sphere, BOX, maxfev=200)[1]
    other = drive(make("imode"), lambda x: sphere((x - 32) / 4), moved, maxfev=200)[1]
    assert not np.allclose(other, plain * 4 + 32, rtol=1e-3)


@pytest.mark.parametrize(("name", "least"), [("de", 4), ("shade", 4), ("imode", 4), ("cma-es", 2), ("cso", 2)])
def test_too_small_a_population_is_refused(name, least):
    with pytest.raises(InputError, match=f"popsize: {name} needs at least {least}"):
        make(name).init(BOX, least - 1, 100, generator(1))


def test_unknown_names_and_settings_are_refused():
    with pytest.raises(InputError, match=r"^algorithm: .*'gaa'.*'ga'"):
        make("gaa")
    with pytest.raises(InputError, match="de has no setting 'f'; one of F, CR"):
        make("de", f=0.5)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("ga", {"crossover_probability": 2}),
        ("ga", {"mutation_index": None}),
        ("pso", {"draw": "row"}),
        ("de", {"F": "half"}),
        ("de", {"CR": float("nan")}),
        ("cma-es", {"sigma": 0}),
        ("fep", {"opponents": 0}),
        ("cso", {"phi": -1}),
        ("shade", {"H": True}),
        ("imode", {"minimum_popsize": 3}),
    ],
)
def test_bad_settings_are_refused(name, settings):
    with pytest.raises(InputError, match=next(iter(settings))):
        make(name, **settings)
