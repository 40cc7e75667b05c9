"""Compiled objectives: all of one type, so that kernels are compiled once for all problems."""

import pickle

import numba
import pytest

from autov.problems import Classic, instance_of, resolve_problem


@pytest.mark.parametrize(
    "name",
    [
        "sphere+translate=1+rotate=2+scale=3", "sphere+family=translate-rotate-scale", "schwefel_2_26+family=translate",
        "schwefel_2_26+family=rotate", "lsgo-f1",
    ],
)  # fmt: skip
def test_transformations_keep_the_type(name):
    problem = instance_of(resolve_problem(name, dim=None if name.startswith("lsgo") else 3), 1)
    plain = numba.typeof(Classic("sphere", 3).objective())
    assert numba.typeof(problem.objective()) == plain
    sent = pickle.loads(pickle.dumps(problem))  # as worker processes get it
    assert numba.typeof(sent.objective()) == plain
    assert numba.typeof((sent.box.lower, sent.box.upper)) == numba.typeof((problem.box.lower, problem.box.upper))
