"""Runs that are fed point by point: the same bits as alone, and no worker without work while there is some."""

import threading
import time

import numpy as np
import pytest

from autov.algorithms.registry import ALGORITHMS
from autov.algorithms.resolve import resolve_algorithm
from autov.engines import WAIT, Engine, OnDask, Processes, Serial, Threads, engine_of
from autov.problems import function_problem, resolve_problem
from autov.runs import solve
from autov.runs.evaluation import FaultPolicy, in_message
from autov.runs.point_scheduler import CheapEvaluations, Job, PointScheduler, run_scheduled

BOX = [(-1, 1)] * 3
OPTIONS = {"maxfev": 37, "popsize": 8, "seed": 5}


def bowl(x):
    return float((x**2).sum())


def raising(x):
    if x[0] > 0.9:
        raise ArithmeticError("too high")
    return bowl(x)


def jobs_of(count, name="ga"):
    return [Job(0, resolve_algorithm(name), OPTIONS | {"run": run}) for run in range(count)]


def fed(engine, problems, jobs, **options):
    found = {}
    run_scheduled(
        PointScheduler(problems, engine, **options), jobs, lambda index, run, _: found.__setitem__(index, run)
    )
    return [found[index] for index in range(len(jobs))]


@pytest.mark.parametrize(
    "make", [Serial, lambda: Threads(3), lambda: Processes(2)], ids=["serial", "threads", "processes"]
)
def test_runs_have_the_same_bits_as_alone(make):
    problems = [function_problem(bowl, BOX), function_problem(bowl, [(-2, 3)] * 4)]
    jobs = [Job(i % 2, resolve_algorithm(name), OPTIONS | {"run": i}) for i, name in enumerate(ALGORITHMS)]
    with make() as engine:
        found = fed(engine, problems, jobs)
    for job, run in zip(jobs, found, strict=True):
        alone = solve(problems[job.problem], job.algorithm, **job.options)
        assert (run.fun, run.x.tolist(), run.nfev) == (alone.fun, alone.x.tolist(), alone.nfev)
        assert np.array_equal(run.trace_best, alone.trace_best)


def test_instances_are_those_of_the_runs(tmp_path):
    (tmp_path / "own.py").write_text("def valley(x):\n    return float((x**2).sum())\n")
    problem = resolve_problem(f"{tmp_path}/own.py:valley+translate=run", dim=3, lower=-1, upper=1)
    with Threads(2) as engine:
        found = fed(engine, [problem], jobs_of(3))
    assert [run.fun for run in found] == [
        solve(problem, resolve_algorithm("ga"), **job.options).fun for job in jobs_of(3)
    ]


def test_a_run_of_cheap_points_is_given_up_after_its_first_batch():
    """What was evaluated comes back with it, so that a worker can make the rest of the run."""
    calls = []

    def noting(x):
        calls.append(tuple(x))
        return bowl(x)

    with Threads(2) as engine:
        scheduler = PointScheduler([function_problem(noting, BOX)], engine, cheap=10.0)
        ((index, (run, error, _)),) = scheduler.map(jobs_of(1))
    assert scheduler.cost < 10
    assert (index, run, type(error)) == (0, None, CheapEvaluations)
    assert len(calls) == OPTIONS["popsize"]
    (values,) = error.batches
    assert sorted(values) == sorted(bowl(np.array(x)) for x in calls)


class Slots(Engine):
    """Workers on paper: durations are given, time is counted, and every moment without work is noted."""

    def __init__(self, workers, durations):
        self.workers, self.durations = workers, durations
        self.busy = self.end = 0.0

    def map(self, call, items, *, chunk=1, timeout=None, lost=None):  # noqa: ARG002
        rest, free, running, index, now = iter(items), self.workers, [], 0, 0.0
        over = False
        while True:
            while free and not over:
                item = next(rest, None)
                if item is None:
                    over = True
                elif item is WAIT:
                    break
                else:
                    running.append((now + self.durations[index], index, item))
                    self.busy += self.durations[index]
                    index, free = index + 1, free - 1
            if not running:
                self.end = now
                return
            running.sort(key=lambda entry: entry[:2])
            now, done, item = running.pop(0)
            free += 1
            yield done, call(item)

    def close(self):
        pass


def test_workers_are_busy_with_evaluations_of_different_length():
    """Evaluations of 10 to 100 ms on two workers: with a barrier after every batch of eight a tenth would be lost."""
    durations = np.random.default_rng(1).uniform(0.01, 0.1, 10_000)
    engine = Slots(2, durations)
    fed(engine, [function_problem(bowl, BOX)], jobs_of(20))
    assert engine.busy / (2 * engine.end) > 0.95
    alone = Slots(2, durations)
    fed(alone, [function_problem(bowl, BOX)], jobs_of(1))
    assert alone.busy / (2 * alone.end) < 0.95


def test_an_error_fails_its_run_alone():
    with Threads(2) as engine:
        outcomes = dict(PointScheduler([function_problem(raising, BOX)], engine).map(jobs_of(6)))
        failed = [index for index, outcome in outcomes.items() if outcome.error is not None]
        assert 0 < len(failed) < 6
        assert all("too high" in str(outcomes[index].error) for index in failed)
        worst = PointScheduler([function_problem(raising, BOX)], engine, FaultPolicy(on_error="worst")).map(jobs_of(6))
        assert sum(outcome.faults.counts.get("raised", 0) for _, outcome in worst) >= len(failed)


def test_threads_end_when_nobody_waits_any_more():
    before = threading.active_count()
    with Threads(2) as engine:
        found = PointScheduler([function_problem(bowl, BOX)], engine).map(jobs_of(50))
        next(found)
        found.close()
    deadline = time.monotonic() + 30
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_points_travel_together_where_they_are_cheap():
    """120 ms in a message to Dask and 20 ms elsewhere, but four messages for each worker."""

    class Two(Serial):
        workers = 2

    assert [in_message(Two(), cost, 800) for cost in (None, 1.0, 0.02, 0.005, 0.001, 1e-9)] == [1, 1, 1, 4, 20, 100]
    assert in_message(Two(), 0.001, 16) == 2
    on_dask = OnDask.__new__(OnDask)  # without a cluster
    on_dask._workers, on_dask._counted = 2, np.inf
    for engine in (on_dask, engine_of(on_dask, "processes")):
        assert [in_message(engine, cost, 800) for cost in (0.055, 0.03, 0.001)] == [2, 4, 100]


def test_fed_points_travel_together_when_their_cost_is_known():
    sizes = []

    class Noting(Serial):
        def map(self, call, items, *, chunk=1, **options):
            sizes.append(chunk)
            return super().map(call, items, **options)

    scheduler = PointScheduler([function_problem(bowl, BOX)], Noting())
    for _ in range(2):
        run_scheduled(scheduler, jobs_of(4), lambda *_: None)
    assert sizes == [1, 8]  # four runs of 8 points: four messages for the one worker
