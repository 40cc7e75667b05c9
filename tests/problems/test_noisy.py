"""Functions with noise: what it does to values, and where it comes from."""

import numpy as np
import pytest

from autov.algorithms import resolve_algorithm
from autov.core import generator
from autov.kernels.evolution.run import evaluate_blocks
from autov.problems import NOISY_NAMES, expand_names, resolve_problem
from autov.problems.named_problems import problem_group
from autov.runs import solve
from tests import naive

ALL = pytest.mark.parametrize("name", NOISY_NAMES)


@ALL
def test_the_logarithm_of_the_noise_is_standard_normal(name):
    problem = resolve_problem(name, dim=3)
    x = problem.box.sample(20_000, generator(1))
    plain = naive.classic(name.removeprefix("noisy_"), x)
    z = np.sort(np.log(problem(x, generator(2)) / plain))
    assert z.mean() == pytest.approx(0, abs=0.03)
    assert z.std() == pytest.approx(1, abs=0.03)
    assert np.interp([0.02275, 0.97725], np.linspace(0, 1, len(z)), z) == pytest.approx([-2, 2], abs=0.1)


@ALL
def test_noise_vanishes_at_the_known_minimum(name):
    problem = resolve_problem(name, dim=5)
    assert problem.minimum == 0.0
    assert problem(problem.optimum[None], generator(3))[0] == pytest.approx(0.0, abs=1e-9)


def test_every_evaluation_has_its_own_noise_and_the_stream_decides_it():
    objective, x = resolve_problem("noisy_sphere", dim=2).objective(), np.ones((700, 2))
    values = np.empty((3, 700))
    for row, (word, generation) in zip(values, [(1, 4), (1, 4), (1, 5)], strict=True):
        evaluate_blocks(np.array([word, 2], np.uint64), generation, objective, x, row)
    assert values[0].tolist() == values[1].tolist()
    assert len(np.unique(values[1:])) == 1400
    assert abs(np.corrcoef(np.log(values[0, :-1]), np.log(values[0, 1:]))[0, 1]) < 0.12


def test_noisy_problems_can_do_what_others_can():
    problem = resolve_problem("noisy_rastrigin+family=translate-rotate", dim=4)
    runs = [solve(problem, resolve_algorithm("general"), maxfev=500, seed=1, run=run) for run in (0, 0, 1)]
    assert runs[0].fun == runs[1].fun != runs[2].fun
    assert expand_names("noisy") == list(NOISY_NAMES)
    assert problem_group("noisy_sphere+rotate=run") == "noisy"
