"""The CEC'2013 large-scale suite: golden values of the published code, the NumPy twin, optima, batches, names."""

import hashlib
import json
import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from autov.algorithms import Evolution
from autov.compiler.plain import FASTMATH
from autov.core import Box, InputError, generator, stream_key
from autov.kernels.evolution import run as runs
from autov.kernels.functions import lsgo as kernels
from autov.operators import load_operator
from autov.problems.classics import Classic
from autov.problems.large_scale import NAMES, LargeScale, arrays, large_scale
from autov.problems.problem import Problem
from autov.problems.transforms import Translated
from benchmarks import lsgo_numpy as twin

plain_kernel = njit(error_model="numpy", fastmath=FASTMATH)  # not cached: test modules have no fixed name

GOLDEN = json.loads((Path(__file__).parent / "data" / "cec2013_lsgo_golden.json").read_text())["functions"]
NUMBERS = range(1, 16)
RNG = generator(0)


def golden_points(number):
    entry = GOLDEN[f"f{number}"]
    rng = np.random.default_rng(2013 + number)
    points = {"zeros": np.zeros(entry["dim"]), "ones": np.ones(entry["dim"])}
    for k in range(3):
        points[f"uniform_{k}"] = rng.uniform(entry["lower"], entry["upper"], entry["dim"])
    return np.array(list(points.values())), np.array([entry["values"][name] for name in points])


@pytest.mark.parametrize("number", NUMBERS)
def test_values_of_the_published_code(number):
    points, values = golden_points(number)
    np.testing.assert_allclose(LargeScale(number)(points, RNG), values, rtol=1e-9)
    np.testing.assert_allclose(twin.evaluate(number, points), values, rtol=1e-11)


@pytest.mark.parametrize("variant", ["cpp", "paper"])
@pytest.mark.parametrize("number", NUMBERS)
def test_equals_the_twin(number, variant):
    problem = LargeScale(number, variant)
    x = problem.box.sample(20, generator(1, number))
    np.testing.assert_allclose(problem(x, RNG), twin.evaluate(number, x, variant), rtol=1e-9)


@pytest.mark.parametrize("variant", ["cpp", "paper"])
@pytest.mark.parametrize("number", [i for i in NUMBERS if i != 14])
def test_equals_the_twin_near_the_optimum(number, variant):
    problem = LargeScale(number, variant)
    x = problem.optimum + 1e-3 * generator(2, number).standard_normal((10, problem.dim))
    # Ackley and Rastrigin of NumPy subtract nearly equal numbers here, weighted by up to 1e7 and 1e6.
    np.testing.assert_allclose(problem(x, RNG), twin.evaluate(number, x, variant), rtol=1e-8)


@pytest.mark.parametrize("variant", ["cpp", "paper"])
@pytest.mark.parametrize("number", [i for i in NUMBERS if i != 14])
def test_minimum_is_at_the_optimum(number, variant):
    problem = LargeScale(number, variant)
    assert problem.minimum == 0.0
    assert ((problem.optimum >= problem.box.lower) & (problem.optimum <= problem.box.upper)).all()
    value = problem(problem.optimum[None], RNG)[0]
    # xopt + 1 - xopt is not 1 to the last bit for f12; everything else starts from exact zeros.
    assert 0.0 <= value < 1e-24 if number == 12 else value == 0.0


def test_optimum_of_f14_is_unknown():
    assert LargeScale(14).optimum is None
    assert LargeScale(14).minimum is None


@pytest.mark.parametrize("number", NUMBERS)
def test_variants_differ_where_the_paper_does(number):
    x = LargeScale(number).box.sample(3, generator(3))
    same = np.array_equal(LargeScale(number)(x, RNG), LargeScale(number, "paper")(x, RNG))
    assert same == (number not in (3, 6, 7, 10))


@pytest.mark.parametrize("number", NUMBERS)
def test_a_point_has_the_same_value_in_any_batch(number):
    problem = LargeScale(number)
    x = problem.box.sample(100, generator(4))
    whole = problem(x, RNG)
    for rows in (1, 2, 17):
        pieces = [problem(x[begin : begin + rows], RNG) for begin in range(0, 100, rows)]
        assert np.array_equal(np.concatenate(pieces), whole)


@pytest.mark.parametrize("number", NUMBERS)
def test_dimension_and_box(number):
    problem, entry = LargeScale(number), GOLDEN[f"f{number}"]
    assert problem.dim == entry["dim"] == (905 if number in (13, 14) else 1000)
    assert problem.box == Box.cube(entry["lower"], entry["upper"], entry["dim"])
    assert problem.box == LargeScale(number, "paper").box
    assert isinstance(problem, Problem)
    assert not problem.noisy


def test_names():
    assert len(NAMES) == len(set(NAMES)) == 30
    assert [large_scale(name).name for name in NAMES] == list(NAMES)
    assert large_scale("lsgo-f3") == LargeScale(3)
    assert large_scale("lsgo-paper-f13") == LargeScale(13, "paper")


@pytest.mark.parametrize("name", ["lsgo-f0", "lsgo-f16", "lsgo-f03", "lsgo-paper-f", "f3", "", None, 3])
def test_bad_names_fail_in_one_line(name):
    with pytest.raises(InputError, match="unknown name") as caught:
        large_scale(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("arguments", [(0,), (16,), (True,), (3.0,), ("3",), (3, "matlab"), (3, None)])
def test_bad_arguments_fail(arguments):
    with pytest.raises(InputError, match=r"number: |variant: "):
        LargeScale(*arguments)


@pytest.mark.parametrize("shape", [(2, 905), (1000, 2), (2, 2, 1000), (0,)])
def test_points_of_another_dimension_fail(shape):
    with pytest.raises(InputError, match="1000 variables"):
        LargeScale(1)(np.zeros(shape), RNG)


def test_one_point_and_no_points():
    x = LargeScale(1).box.sample(1, generator(5))
    assert LargeScale(1)(x[0], RNG) == LargeScale(1)(x, RNG)
    assert LargeScale(1)(np.empty((0, 1000)), RNG).shape == (0,)


@pytest.mark.parametrize("number", NUMBERS)
def test_points_that_are_not_finite_are_never_good(number):
    problem = LargeScale(number)
    x = problem.box.sample(4, generator(6))
    good = problem(x, RNG)
    x[1, 500], x[2, 500], x[3, 500] = np.nan, np.inf, -1e308
    values = problem(x, RNG)
    assert values[0] == good[0]
    assert not np.isnan(values).any()
    assert values[1] == np.inf
    if number not in (3, 6, 10):  # Ackley is bounded
        assert (values[2:] > 1e300).all()


def test_input_is_left_alone():
    x = LargeScale(9).box.sample(9, generator(7))
    before = x.copy()
    LargeScale(9)(x, RNG)
    assert np.array_equal(x, before)


@plain_kernel
def _elementary(x, log, power, small, sine):
    for i in range(x.size):
        log[i] = kernels.log2(x[i])
        power[i] = kernels.exp2(log[i])
        small[i] = kernels.exp_small(0.098 * math.sin(x[i]))
        sine[i] = kernels.sine(log[i])


@plain_kernel
def _power(y, power):
    for i in range(y.size):
        power[i] = kernels.exp2(y[i])


def test_elementary_functions():
    x = np.concatenate([10.0 ** generator(8).uniform(-300, 300, 20000), 2.0 ** np.arange(-1022, 1024.0)])
    log, power, small, sine = (np.empty_like(x) for _ in range(4))
    _elementary(x, log, power, small, sine)
    np.testing.assert_allclose(log, np.log2(x), rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose(power, np.exp2(log), rtol=2e-15)
    np.testing.assert_allclose(small, np.exp(0.098 * np.sin(x)), rtol=5e-15)
    exact = np.sin(np.pi * (log - 2.0 * np.rint(0.5 * log)))
    np.testing.assert_allclose(sine, exact, atol=1e-15)


def test_logarithm_of_extreme_numbers_is_finite():
    x = np.array([0.0, 5e-324, np.inf])
    log, power, small, sine = (np.empty(3) for _ in range(4))
    _elementary(x, log, power, small, sine)
    assert np.isfinite(log).all()
    assert (np.abs(sine) <= 1.0 + 1e-15).all()


def test_power_overflows_to_infinity():
    x = np.array([1.0])
    log, power, small, sine = (np.empty(1) for _ in range(4))
    for exponent in (1023.6, 1e5, np.inf):
        _power(np.array([exponent]), power)
        assert power[0] == np.inf
    _elementary(x, log, power, small, sine)
    assert (log[0], power[0], sine[0]) == (0.0, 1.0, 0.0)


@pytest.mark.parametrize(("number", "variant"), [(1, "cpp"), (7, "paper"), (9, "cpp"), (10, "cpp"), (14, "cpp")])
def test_compiled_run(number, variant):
    problem = LargeScale(number, variant)
    box = problem.box
    plan, nfev, trace = Evolution(load_operator("paper-h3")).plan(), np.empty(12, np.int64), np.empty(12)
    work = runs.evolution_work(stream_key(1, 0, 0), plan, 20, 20, problem.dim)
    runs.run(plan, work, problem.objective(), box.lower, box.upper, 210, nfev, trace)
    x, f, best_x, best = work.pool[:20], work.f, work.best, work.scalars[0].best
    assert np.array_equal(problem(x, RNG), f)
    assert np.array_equal(problem(best_x[None], RNG), [best])
    assert (np.diff(trace[:11]) <= 0).all()
    assert trace[9] == f.min()  # the last generation is cut short: it does not enter the population
    assert trace[10] == best < trace[0]
    assert ((x >= box.lower) & (x <= box.upper)).all()


def test_objectives_share_one_compiled_run():
    """Another type of context would compile the run anew."""
    assert [a.flags.writeable for a in LargeScale(4).objective()[1:]] == [
        a.flags.writeable for a in Classic("sphere").objective()[1:]
    ]


def test_transformations_wrap_it():
    moved = Translated(LargeScale(5), 0.5)
    x = moved.box.sample(3, generator(9))
    assert np.array_equal(moved(x, RNG), LargeScale(5)(x + 0.5, RNG))


def test_data_file_and_its_source():
    folder = files("autov.problems") / "data"
    readme = (folder / "README.md").read_text()
    assert hashlib.sha256((folder / "cec2013_lsgo.npz").read_bytes()).hexdigest() in readme
    assert "Li, K. Tang, M. N. Omidvar, Z. Yang and K. Qin" in readme
    data = arrays()
    assert len(data) == 75
    for number in NUMBERS:
        key = f"f{number:02d}"
        assert data[f"{key}_xopt"].shape == (1000 if number == 14 else LargeScale(number).dim,)
        if f"{key}_p" in data:
            assert np.array_equal(np.sort(data[f"{key}_p"]), np.arange(1, LargeScale(number).dim + 1))
        for size in (25, 50, 100):
            matrix = data.get(f"{key}_R{size}", np.eye(size))
            np.testing.assert_allclose(matrix @ matrix.T, np.eye(size), atol=1e-12)
    for name in ("p", "R25", "R50", "R100"):
        assert np.array_equal(data[f"f04_{name}"], data[f"f05_{name}"])
