"""Evaluations that fail: raised, hung, or the end of their process."""

import os
import signal
import time

import numpy as np
import pytest

from autov.algorithms.resolve import resolve_algorithm
from autov.core import InputError, WorkerError
from autov.problems import function_problem
from autov.runs.evaluation import FaultPolicy, sentence
from autov.runs.many_runs import repeat
from autov.runs.minimization import minimize

BOX = [(-1, 1)] * 2
SMALL = {"maxfev": 60, "popsize": 10, "rng": 3, "algorithm": "paper-h3"}
WORST = FaultPolicy(on_error="worst")


def bowl(x):
    return float((x**2).sum())


def raising(x):
    if x[0] < -0.5:
        raise ArithmeticError("too\nlow")
    return bowl(x)


def killing(x):
    if x[0] < -0.5:
        os.kill(os.getpid(), signal.SIGKILL)
    return bowl(x)


HERE = os.getpid()


def killing_workers(x):
    """Does not end the tests where it is evaluated in their process, but says so."""
    if os.getpid() == HERE:
        raise AssertionError("evaluated by the parent")
    return killing(x)


def hanging(x):
    if x[0] < -0.8:
        time.sleep(600)
    return bowl(x)


def as_worst(limit):
    def with_worst(x):
        return np.inf if x[0] < limit else bowl(x)

    return with_worst


@pytest.mark.parametrize("workers", [1, 2])
def test_exceptions_count_as_worst(workers):
    found = minimize(raising, BOX, workers=workers, faults=WORST, **SMALL)
    expected = minimize(as_worst(-0.5), BOX, **SMALL)
    assert (found.fun, found.x.tolist()) == (expected.fun, expected.x.tolist())
    assert found.failed["raised"] > 0
    assert f"{found.failed['raised']} evaluations failed and counted as worst" in found.message
    assert "ArithmeticError: too low (objective failed at x = [" in found.message
    assert found.message.count("at x = [") == 1
    assert "\n" not in found.message
    assert expected.failed == {}
    with pytest.raises(ArithmeticError, match="objective failed at"):
        minimize(raising, BOX, workers=workers, **SMALL)


@pytest.mark.cold
def test_a_point_that_ends_its_worker_is_named_or_counts_as_worst():
    with pytest.raises(WorkerError, match=r"signal 9 \(killed; out of memory\?\), twice, at x = \[-0\.[5-9]"):
        minimize(killing, BOX, workers=2, **SMALL)
    found = minimize(killing, BOX, workers=2, faults=WORST, **SMALL)
    expected = minimize(as_worst(-0.5), BOX, **SMALL)
    assert (found.fun, found.x.tolist()) == (expected.fun, expected.x.tolist())
    assert found.failed["worker lost"] > 0


@pytest.mark.cold
@pytest.mark.parametrize("workers", [1, 2])
def test_evaluations_that_hang_count_as_worst(workers):
    small = {"maxfev": 16, "popsize": 8, "rng": 4, "algorithm": "paper-h3"}
    found = minimize(hanging, BOX, workers=workers, faults=FaultPolicy(timeout=0.7), **small)
    expected = minimize(as_worst(-0.8), BOX, **small)
    assert found.failed == {"timed out": found.failed["timed out"]}
    assert (found.fun, found.x.tolist()) == (expected.fun, expected.x.tolist())
    assert "took longer than 0.7 s at x = [" in found.message


@pytest.mark.parametrize("workers", [1, 2])
def test_repeated_runs_count_failures(workers):
    options = {"maxfev": 40, "popsize": 10, "runs": 3, "seed": 1, "workers": workers}
    algorithm = resolve_algorithm("ga")
    found = repeat(function_problem(raising, BOX), algorithm, policy=WORST, **options)
    expected = repeat(function_problem(as_worst(-0.5), BOX), algorithm, **(options | {"workers": 1}))
    assert found.values == expected.values
    assert found.failed["raised"] > 0
    assert "too low" in found.first_failure


@pytest.mark.cold
def test_repeated_runs_of_a_cheap_function_that_ends_its_worker():
    """Whole runs travel, but the point is named, or counts as worst alone; the parent evaluates nothing."""
    problem = function_problem(killing_workers, BOX)
    algorithm = resolve_algorithm("ga")
    options = {"maxfev": 40, "popsize": 10, "runs": 3, "seed": 1}
    with pytest.raises(WorkerError, match=r"signal 9 \(killed; out of memory\?\), twice, at x = \[-0\.[5-9]"):
        repeat(problem, algorithm, workers=2, **options)
    found = repeat(problem, algorithm, workers=2, policy=WORST, **options)
    expected = repeat(function_problem(as_worst(-0.5), BOX), algorithm, workers=1, **options)
    assert found.values == expected.values
    assert list(found.failed) == ["worker lost"]
    assert "twice at x = [-0." in found.first_failure


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"timeout": 0}, "timeout: must be a positive number of seconds or None, got 0"),
        ({"timeout": "1"}, "timeout: must be"),
        ({"timeout": True}, "timeout: must be"),
        ({"timeout": float("nan")}, "timeout: must be"),
        ({"on_error": "ignore"}, "on_error: must be 'raise' or 'worst', got 'ignore'"),
    ],
)
def test_settings_that_are_none(options, text):
    with pytest.raises(InputError, match=text):
        FaultPolicy(**options)


@pytest.mark.parametrize("problem", ["sphere", function_problem(lambda x: (x**2).sum(1), BOX, vectorized=True)])
def test_only_single_evaluations_can_fail_alone(problem):
    with pytest.raises(InputError, match=r"^timeout: "):
        minimize(problem, faults=FaultPolicy(timeout=1.0), **SMALL)


def test_a_sentence_of_counts():
    assert sentence({}) == ""
    assert sentence({"raised": 2, "timed out": 1}, "why") == (
        "3 evaluations failed and counted as worst (2 raised, 1 timed out): why."
    )
