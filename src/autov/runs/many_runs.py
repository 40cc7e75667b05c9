"""Several independent runs of one algorithm on one problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from autov.algorithms.base import Algorithm, Compiled
from autov.algorithms.evolution import Evolution
from autov.core import Array, whole_number
from autov.engines import Engine, Serial, engine_of
from autov.problems import PointFunction, Problem, instance_of, takes_points
from autov.runs.driver import Run, presented, solve
from autov.runs.evaluation import PointEvaluator, check_policy, engine_for, evaluation_of
from autov.runs.faults import DEFAULT, FaultCount, FaultPolicy
from autov.runs.point_scheduler import CheapEvaluations, Job, PointScheduler, run_scheduled

CHEAP = 1e-3  # seconds of an evaluation below which whole runs travel to the workers


@dataclass(frozen=True)
class Repeated:
    """The outcome: run r depends on (seed, r) and on nothing else."""

    problem: str
    dim: int
    algorithm: str
    operator: str | None
    maxfev: int
    popsize: int
    seed: int
    values: tuple[float, ...]
    best_x: tuple[float, ...]
    seconds: tuple[float, ...]
    nans: int
    failed: dict[str, int] = field(default_factory=dict)  # evaluations that counted as worst
    first_failure: str = ""
    noisy: bool = False  # values are known to be random: the smallest ones are optimistic

    def summary(self) -> dict[str, float]:
        """Best, mean, std (n - 1), median and worst."""
        values = np.array(self.values)
        with np.errstate(invalid="ignore"):
            std = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        return {
            "best": float(values.min()), "mean": float(values.mean()), "std": std,
            "median": float(np.median(values)), "worst": float(values.max()),
        }  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | self.summary()


class _Begun(NamedTuple):
    """A run that was begun elsewhere: the values of its first batches, and what failed in them."""

    batches: list[Array]
    faults: FaultCount


def _one(
    item: tuple[int, _Begun | None], problem: Problem, algorithm: Algorithm, options: dict[str, Any],
    policy: FaultPolicy,
) -> tuple[Run, FaultCount]:  # fmt: skip
    """A whole run in one worker, or the rest of one; what was evaluated is not evaluated again."""
    run, begun = item
    if begun is None:
        faults = FaultCount()
        with evaluation_of(problem, 1, run, policy, faults) as evaluate:
            return solve(problem, algorithm, run=run, evaluate=evaluate, **options), faults
    known, instance = iter(begun.batches), instance_of(problem, run)
    assert isinstance(instance, PointFunction)
    points = PointEvaluator(Serial(), policy, begun.faults)

    def evaluate_rest(x: Array) -> Array:
        values = next(known, None)
        return points(instance, x) if values is None else values

    return solve(problem, algorithm, run=run, evaluate=evaluate_rest, **options), begun.faults


def repeat(
    problem: Problem, algorithm: Algorithm, *, maxfev: int = 10_000, popsize: int = 100, runs: int = 30, seed: int = 1,
    workers: Any = None, operator: str | None = None, progress: Callable[[float], Any] | None = None,
    policy: FaultPolicy = DEFAULT, title: str | None = None,
) -> Repeated:  # fmt: skip
    """Run an algorithm several times, in threads where all is compiled and in processes elsewhere.

    The result calls it ``title``, or by its own name.

    On a slow Python function the points of all runs are spread over the workers, so that none waits at the end of a
    batch; on a fast one every run is made by one worker. ``progress`` is called with the best value of every run that
    has ended.

    Ctrl-C, or an error of a run, carries the runs that have ended, the best points of those that were being fed, and
    the compiled one that it cut in the thread of the caller: ``error.autov_repeated``.
    """
    runs = whole_number("runs", runs, 1)
    check_policy(problem, policy)
    options: dict[str, Any] = {"maxfev": maxfev, "popsize": popsize, "seed": seed}
    results: dict[int, Run] = {}
    begun: dict[int, tuple[float, Array]] = {}  # the best of runs that were fed when all was ended
    faults = FaultCount()

    def keep(index: int, result: Run, failed: FaultCount) -> None:
        results[index] = result
        faults.add(failed.counts, failed.first)
        if progress:
            progress(result.fun)

    work = partial(_one, problem=problem, algorithm=algorithm, options=options, policy=policy)

    def made(ended: list[Run]) -> Repeated:
        best = min(ended, key=lambda r: r.fun)
        return Repeated(
            problem.name, problem.box.dim, title or algorithm.name,
            operator if isinstance(algorithm, Evolution) else None, maxfev, popsize, seed,
            tuple(r.fun for r in ended), tuple(best.x.tolist()), tuple(r.seconds for r in ended),
            sum(r.nans for r in ended), faults.counts, faults.first, bool(getattr(problem, "noisy", None)),
        )  # fmt: skip

    try:
        _all_runs(problem, algorithm, runs, options, workers, policy, work, keep, begun)
    except (Exception, KeyboardInterrupt) as error:
        ended = [results[run] for run in sorted(results)]
        if (cut := getattr(error, "autov_run", None)) is not None:
            ended.append(cut)
        ended += [_cut(problem, run, *best) for run, best in begun.items() if run not in results]
        if ended:
            error.autov_repeated = made(ended)  # type: ignore[attr-defined]
        raise
    return made([results[run] for run in range(runs)])


def _all_runs(
    problem: Problem, algorithm: Algorithm, runs: int, options: dict[str, Any], workers: Any, policy: FaultPolicy,
    work: Callable[[Any], tuple[Run, FaultCount]], keep: Callable[[int, Run, FaultCount], None],
    begun: dict[int, tuple[float, Array]],
) -> None:  # fmt: skip
    if takes_points(instance_of(problem, 0)):
        with engine_for(workers, policy) as engine:
            jobs = [Job(0, algorithm, options | {"run": run}) for run in range(runs)]
            _repeat_points(problem, jobs, engine, policy, work, keep, begun)
        return
    compiled = isinstance(algorithm, Compiled) and algorithm.compiles and problem.objective() is not None
    first = 1 if compiled else 0
    if compiled:
        keep(0, *work((0, None)))  # compiles, or loads from the disk cache, once
    with engine_of(workers, "threads" if compiled else "processes") as engine:
        for index, found in engine.map(work, [(run, None) for run in range(first, runs)]):
            keep(first + index, *found)


def _cut(problem: Problem, run: int, fun: float, x: Array) -> Run:
    """A run that did not come to its end, of which only the best point is known."""
    none = np.empty(0)
    cut = Run(x, fun, 0, 0, x[None], np.array([fun]), none.astype(np.int64), none, 0, True, 0.0)
    return presented(instance_of(problem, run))(cut)


def _repeat_points(
    problem: Problem, jobs: list[Job], engine: Engine, policy: FaultPolicy, work: Callable[[Any], Any],
    keep: Callable[[int, Run, FaultCount], None], begun: dict[int, tuple[float, Array]],
) -> None:  # fmt: skip
    """Runs of a Python function of single points; the first one says how long an evaluation takes.

    What ends all of them leaves the best points of those that were being fed in ``begun``.
    """
    todo: list[tuple[int, _Begun | None]] = [(run, None) for run in range(len(jobs))]
    cheap = CHEAP if policy.timeout is None else 0.0
    scheduler = PointScheduler([problem], engine, policy, cheap)

    def feed(runs: list[int]) -> None:
        try:
            run_scheduled(scheduler, [jobs[run] for run in runs], lambda index, *made: keep(runs[index], *made))
        finally:
            begun.update({runs[index]: best for index, best in scheduler.best.items()})

    if not isinstance(engine, Serial):
        try:
            feed([0])
            del todo[0]
        except CheapEvaluations as error:
            todo[0] = 0, _Begun(error.batches, error.faults)
        scheduler.cheap = 0.0
        if scheduler.cost is None or scheduler.cost >= cheap:
            feed([run for run, _ in todo])
            return
    lost: list[int] = []  # runs that ended their worker; made point by point, they tell which point did it
    for index, found in engine.map(work, todo, lost=lambda index, _: lost.append(todo[index][0])):
        if found is not None:
            keep(todo[index][0], *found)
    if lost:
        feed(lost)
