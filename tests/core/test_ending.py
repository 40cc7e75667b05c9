"""Long work that is asked to end."""

from __future__ import annotations

import threading

import pytest

from autov.algorithms import resolve_algorithm
from autov.core import WorkerError
from autov.core.ending import end_if_asked, ended_by
from autov.engines import Processes, Serial, Threads
from autov.problems import function_problem
from autov.runs import minimize, solve


def test_only_work_inside_the_block_and_of_this_thread_ends():
    flag, other = threading.Event(), []
    flag.set()
    end_if_asked()
    with ended_by(flag):
        with pytest.raises(WorkerError, match="closed before all work was done"):
            end_if_asked()
        thread = threading.Thread(target=lambda: other.append(end_if_asked()))
        thread.start()
        thread.join()
    end_if_asked()
    assert other == [None]


def test_the_inner_of_two_blocks_counts():
    outer, inner = threading.Event(), threading.Event()
    outer.set()
    with ended_by(outer, KeyboardInterrupt):
        with ended_by(inner):
            end_if_asked()
        with pytest.raises(KeyboardInterrupt):
            end_if_asked()


def same(x):
    return x


@pytest.mark.parametrize("engine", [Serial, lambda: Threads(2), lambda: Processes(2)])
def test_a_map_ends_soon(engine):
    flag, found = threading.Event(), []

    def mapped(opened):
        for index, _ in opened.map(same, range(1000)):
            found.append(index)
            flag.set()

    with engine() as opened, ended_by(flag, KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        mapped(opened)
    assert len(found) < 10


@pytest.mark.parametrize("algorithm", ["ga", "scipy:de"])
def test_a_run_of_a_python_function_ends_after_a_batch(algorithm):
    flag, seen = threading.Event(), []

    def bowl(x):
        seen.append(len(x))
        flag.set()
        return (x**2).sum(axis=1)

    problem = function_problem(bowl, [(-1, 1)] * 3, vectorized=True)
    with ended_by(flag, KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        solve(problem, resolve_algorithm(algorithm), maxfev=1000, popsize=20)
    assert len(seen) == 1


def test_a_run_of_a_function_of_points_ends_after_a_point():
    flag, seen = threading.Event(), []

    def bowl(x):
        seen.append(x)
        flag.set()
        return float((x**2).sum())

    with ended_by(flag, KeyboardInterrupt), pytest.raises(KeyboardInterrupt) as caught:
        minimize(bowl, [(-1, 1)] * 3, algorithm="ga", maxfev=1000, popsize=20, rng=1)
    assert len(seen) == 1
    assert caught.value.autov_result.nfev == 1
