"""Kernels borrow their arrays: they neither keep nor free any of them, also where Numba counts references."""

import sys

import numpy as np
import pytest

from autov.algorithms import Evolution
from autov.algorithms.allotment import polishing_step
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.core import stream_key
from autov.kernels.evolution import run as kernels
from autov.kernels.matrix_adaptation import steps as es
from autov.operators import load_operator
from autov.problems import Classic


def arrays_in(value):
    if isinstance(value, np.ndarray):
        return [value]
    return [array for one in value for array in arrays_in(one)] if isinstance(value, tuple) else []


def counts(arguments):
    return [sys.getrefcount(array) for array in arrays_in(arguments)]


def evolution(frame="axes"):
    problem = Classic("rastrigin", 5)
    plan = Evolution(load_operator("paper-h3"), frame=frame).plan()
    work = kernels.evolution_work(stream_key(1), plan, 10, 10, 5)
    lower, upper = problem.box.lower, problem.box.upper
    kernels.evolution_start(plan, work, lower, upper, 0)
    trace = np.empty(9, np.int64), np.empty(9)
    return kernels.evolve, (plan, work, problem.objective(), lower, upper, 80, True, *trace, 0)


def strategy():
    problem = Classic("rastrigin", 5)
    lower, upper = problem.box.lower, problem.box.upper
    plan = MatrixAdaptation().plan()
    work = es.workspace(stream_key(1), 5, 100, 100, np.empty((0, 5)), np.empty((0, 0)))
    es.es_start(plan, work, lower, upper, 100, 1000)
    trace = np.empty(9, np.int64), np.empty(9)
    return es.es_run, (plan, work, problem.objective(), lower, upper, 80, True, *trace, 0)


CALLS = {
    "matrix adaptation": strategy,
    "evolve": evolution,
    "evolve along learned axes": lambda: evolution(frame="learned"),
    "evaluate": lambda: (
        kernels.evaluate_blocks,
        (stream_key(1), 0, Classic("ackley", 5).objective(), np.ones((40, 5)), np.empty(40)),
    ),
    "polishing step": lambda: (
        polishing_step,
        (np.ones((4, 5)), np.arange(4.0), np.zeros(5), np.ones(5), 1.0, 1e-9, 1.0),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_kernels_leave_the_counts_of_references_as_they_were(name):
    call, arguments = CALLS[name]()
    before = counts(arguments)
    for _ in range(10):
        call(*arguments)
    assert counts(arguments) == before
