"""Repeated runs: run r is that of (seed, r), and the best point is that of the best run."""

import os
import time

import numpy as np
import pytest

from autov.algorithms import Evolution, make_algorithm
from autov.core import generator
from autov.problems import Classic, function_problem
from autov.runs import solve
from autov.runs.many_runs import ManyRuns, repeat

PROBLEM = Classic("rosenbrock", 3)


@pytest.mark.parametrize("algorithm", [Evolution(), make_algorithm("ga")], ids=["compiled", "asked"])
def test_runs_are_those_of_their_numbers(algorithm):
    options = {"maxfev": 60, "popsize": 10, "seed": 5}
    found = repeat(PROBLEM, algorithm, runs=4, workers=1, **options)
    alone = [solve(PROBLEM, algorithm, run=run, **options) for run in range(4)]
    assert found.values == tuple(run.fun for run in alone)
    assert len(set(found.values)) == 4
    assert PROBLEM(np.array([found.best_x]), generator(0))[0] == min(found.values)
    assert found.summary()["best"] == min(found.values)
    assert found.summary()["std"] == pytest.approx(np.std(found.values, ddof=1))


def process_of(x):  # noqa: ARG001
    time.sleep(0.005)
    return float(os.getpid())


def test_fewer_runs_than_workers_spread_their_points():
    """The value of a point is the process that evaluated it: both workers, and not this process."""
    problem = function_problem(process_of, [(0.0, 1.0)] * 2)
    seen = set()

    class Noted(Evolution):
        def tell(self, state, x, f, rng):
            seen.update(f.tolist())
            return super().tell(state, x, f, rng)

    repeat(problem, Noted(), maxfev=80, popsize=40, runs=1, workers=2)
    assert len(seen) == 2
    assert os.getpid() not in seen


def test_cheap_runs_are_made_by_workers_and_no_point_is_evaluated_twice(tmp_path):
    def noting(x):
        with (tmp_path / "log").open("a") as file:
            file.write(f"{os.getpid()} {x.tobytes().hex()}\n")
        return float((x**2).sum())

    problem, options = function_problem(noting, [(0.0, 1.0)] * 2), {"maxfev": 75, "popsize": 10, "runs": 3}
    found = repeat(problem, make_algorithm("pso"), workers=2, **options)
    processes, points = zip(*(line.split() for line in (tmp_path / "log").read_text().splitlines()), strict=True)
    assert len(points) == 3 * 75
    assert str(os.getpid()) not in processes
    assert found.values == repeat(problem, make_algorithm("pso"), workers=1, **options).values


def test_what_was_found_is_there_when_runs_are_ended():
    """Those that have ended, and the best points of those that have not."""
    seen = []

    def interrupt(value):
        seen.append(value)
        if len(seen) == 2:
            raise KeyboardInterrupt

    problem, options = function_problem(process_of, [(0.0, 1.0)] * 2), {"maxfev": 40, "popsize": 10, "runs": 5}
    work = ManyRuns(problem, make_algorithm("pso"), workers=2, progress=interrupt, **options)
    assert work.so_far() is None
    with pytest.raises(KeyboardInterrupt):
        work.run()
    found = work.so_far()
    assert len(found.values) > len(seen) == 2
    assert set(seen) <= set(found.values)

    def breaking(x):
        time.sleep(0.002)
        if x[1] < 0.01:
            raise ArithmeticError("too low")
        return float(x.sum())

    problem = function_problem(breaking, [(0.0, 1.0)] * 2)
    work = ManyRuns(problem, make_algorithm("ga"), workers=2, maxfev=4000, popsize=10, runs=1)
    with pytest.raises(ArithmeticError, match="too low"):
        work.run()
    found = work.so_far()
    assert len(found.values) == 1
    assert found.values[0] == sum(found.best_x)
    assert found.best_x[1] >= 0.01


@pytest.mark.parametrize("least", [2, 99])
def test_runs_that_were_cut_are_seen_as_whole_ones_are(tmp_path, least):
    """Whole numbers, and infinity where no point is feasible."""

    def counted():
        with (tmp_path / "calls").open("a") as file:
            file.write(".")
            file.flush()
            if file.tell() > 60:
                raise ArithmeticError("enough")

    def constraint(x):
        counted()
        time.sleep(0.002)
        return x[0] - least

    limit = {"type": "ineq", "fun": constraint}
    problem = function_problem(np.sum, [(0.0, 9.0)] * 2, integrality=[True, False], constraints=limit)
    work = ManyRuns(problem, make_algorithm("ga"), workers=2, maxfev=4000, popsize=10, runs=2)
    with pytest.raises(ArithmeticError, match="enough"):
        work.run()
    found = work.so_far()
    assert float(found.best_x[0]).is_integer()
    assert min(found.values) == (sum(found.best_x) if least == 2 else np.inf)
