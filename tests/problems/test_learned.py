"""Functions that are learnt from evaluations: the fit, the samples, and their compiled form."""

import numpy as np
import pytest

import autov
from autov.core import Box, generator, identity
from autov.problems import Constrained, constraints_and_integers
from autov.problems.gaussian_process import fit, loss, matern, sample
from autov.problems.learned import FEATURE_COUNT, LearnedFamily

BOX = Box([-2.0, 0.0, 1.0], [3.0, 10.0, 2.0])


def data(n=60, d=3, rough=0.0, seed=1):
    u = np.random.default_rng(seed).random((n, d))
    return u, ((u - 0.3) ** 2).sum(axis=1) * np.exp(rough * np.sin(60 * u).sum(axis=1)) + 0.1


def test_the_gradient_of_the_fit_is_that_of_difference_quotients():
    u, f = data(30)
    theta = np.log([0.6, 0.9, 1.4, 0.2, 0.15, 0.1])
    _, gradient = loss(theta, u, f)
    for k in range(len(theta)):
        step = 1e-5 * np.eye(len(theta))[k]
        quotient = (loss(theta + step, u, f)[0] - loss(theta - step, u, f)[0]) / 2e-5
        assert gradient[k] == pytest.approx(quotient, rel=1e-4, abs=1e-4)


def test_roughness_is_fitted_as_structure():
    assert fit(*data(120)).share < 0.02
    assert fit(*data(120, rough=0.3)).share > 0.05


def test_samples_are_as_rough_as_the_function():
    u, f = data(120, rough=0.3)
    near = np.clip(u + 0.05 * np.random.default_rng(2).standard_normal(u.shape), 0, 1)

    def roughness(process):
        family = LearnedFamily("rough", Box.cube(0, 1, 3), process)
        made = family.instance(1)
        return float(np.abs(np.log(made(near, None)) - np.log(made(u, None))).mean())

    assert roughness(fit(u, f)) > 3 * roughness(fit(*data(120)))


def test_an_unimportant_variable_gets_a_long_length():
    u = np.random.default_rng(1).random((80, 3))
    process = fit(u, np.sin(9 * u[:, 0]) + u[:, 1] ** 2 + 1.2)
    assert process.lengths[2] > 2 * process.lengths[0]


def naive(family, x, run):
    """The sample by plain sums."""
    process, box = family.process, family.search_box
    if family.whole:
        whole = np.clip(np.rint(x), np.ceil(box.lower), np.floor(box.upper))
        x = np.where(family.whole, whole, x)
    w, a, b, v = sample(process, FEATURE_COUNT, generator(run, 3, box.dim))
    z, points = (x - box.lower) / box.width / process.lengths, process.u / process.lengths
    values = []
    for row in z:
        r = np.sqrt(((points - row) ** 2).sum(axis=1))
        k = (1 - process.share) * matern(r) + process.share * matern(r / process.ratio)
        values.append(process.floor + np.exp(process.mean + (a * np.cos(w @ row + b)).sum() + (v * k).sum()))
    return np.array(values)


@pytest.mark.parametrize("whole", [(), (False, True, False)])
def test_the_compiled_sample_equals_plain_sums(whole):
    family = LearnedFamily("mine", BOX, fit(*data(rough=0.3)), whole)
    x = BOX.sample(20, np.random.default_rng(3))
    assert family.instance(7)(x, None) == pytest.approx(naive(family, x, 7), rel=1e-9)


def test_a_sample_has_the_values_that_were_seen_and_others_elsewhere():
    u, f = data(rough=0.3)
    family = LearnedFamily("mine", BOX, fit(u, f))
    seen, anywhere = BOX.lower + u * BOX.width, BOX.sample(20, np.random.default_rng(3))
    one, two = family.instance(1), family.instance(2)
    assert one(seen, None) == pytest.approx(f, rel=0.02)
    assert two(seen, None) == pytest.approx(f, rel=0.02)
    assert np.abs(one(anywhere, None) / two(anywhere, None) - 1).max() > 0.02


def test_samples_run_compiled_and_repeat():
    family = LearnedFamily("mine", BOX, fit(*data()))
    runs = [autov.minimize(family.instance(5), maxfev=200, algorithm="ma-es", rng=1) for _ in range(2)]
    assert family.instance(5).objective() is not None
    assert runs[0].fun == runs[1].fun
    assert identity(family) == identity(LearnedFamily("mine", BOX, fit(*data())))
    assert identity(family) != identity(LearnedFamily("mine", BOX, fit(*data(seed=2))))


def test_constraints_hold_on_samples():
    constraints, whole = constraints_and_integers({"type": "ineq", "fun": lambda x: x[0]}, [0, 1, 0], BOX)
    outer = Constrained(autov.function_problem(np.sum, BOX), constraints, whole).box
    made = LearnedFamily("mine", outer, fit(*data()), whole, constraints).instance(1)
    found = autov.minimize(made, maxfev=300, algorithm="de", popsize=20, rng=1)
    assert found.x[0] >= 0
    assert found.x[1] == np.rint(found.x[1])
    assert made.box == outer
