"""Several independent runs of one algorithm on one problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from autov.algorithms.base import Algorithm, Compiled
from autov.core import Array, whole_number
from autov.engines import Engine, Serial, engine_of
from autov.problems import PointFunction, Problem, instance_of, space_of, takes_points
from autov.runs.budget import Evaluations
from autov.runs.driver import solve
from autov.runs.evaluation import (
    DEFAULT,
    FaultCount,
    FaultPolicy,
    PointEvaluator,
    check_policy,
    engine_for,
    evaluating_here,
    giving_rows,
)
from autov.runs.experience import Experience
from autov.runs.live_run import LiveRun, Run, presented
from autov.runs.point_scheduler import CheapEvaluations, Job, PointScheduler, run_scheduled

CHEAP = 1e-3  # seconds of an evaluation below which whole runs travel to the workers


@dataclass(frozen=True)
class Repeated:
    """The outcome: run r depends on (seed, r) and on nothing else."""

    problem: str
    dim: int
    algorithm: str
    maxfev: int
    popsize: int
    seed: int
    values: tuple[float, ...]
    best_x: Any  # a tuple of numbers, or a point as its variables are described
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
    policy: FaultPolicy, lives: dict[int, LiveRun] | None = None,
) -> tuple[Run, FaultCount]:  # fmt: skip
    """A whole run in one worker, or the rest of one; what was evaluated is not evaluated again."""
    run, begun = item
    live = LiveRun()
    if lives is not None:
        lives[run] = live
    faults, instance = FaultCount() if begun is None else begun.faults, instance_of(problem, run)
    if begun is None:
        with evaluating_here(instance, policy, faults) as evaluate:
            return solve(problem, algorithm, run=run, evaluate=evaluate, rows=True, live=live, **options), faults
    known, points = iter(begun.batches), PointEvaluator(Serial(), policy, faults)
    assert isinstance(instance, PointFunction)
    function = giving_rows(instance)

    def evaluate_rest(x: Array) -> Array:
        values = next(known, None)
        return points(function, x) if values is None else values

    return solve(problem, algorithm, run=run, evaluate=evaluate_rest, rows=True, live=live, **options), faults


class ManyRuns:
    """Several runs of an algorithm on a problem, in threads where all is compiled and in processes elsewhere.

    On a slow Python function the points of all runs are spread over the workers, so that none waits at the end of a
    batch; on a fast one every run is made by one worker. What has been found is always there, also after Ctrl-C or an
    error: `so_far`.
    """

    def __init__(
        self, problem: Problem, algorithm: Algorithm, *, maxfev: int = 10_000, popsize: int = 100, runs: int = 30,
        seed: int = 1, workers: Any = None, progress: Callable[[float], Any] | None = None,
        policy: FaultPolicy = DEFAULT, title: str | None = None, known: Evaluations | None = None,
        experience: Experience | None = None,
    ) -> None:  # fmt: skip
        """Prepare them.

        Args:
            problem: a family gives every run an instance of its own.
            algorithm: settings.
            maxfev: evaluations of a run.
            popsize: of algorithms that have none of their own.
            runs: how many.
            seed: run r depends on (seed, r) and on nothing else.
            workers: as engines take them.
            progress: called with the best value of every run that has ended.
            policy: what is done about evaluations that fail.
            title: what the result calls the algorithm, instead of its name.
            known: evaluations that all runs begin with.
            experience: of earlier runs, for all of them.
        """
        self.runs = whole_number("runs", runs, 1)
        check_policy(problem, policy)
        self.problem, self.algorithm, self.workers, self.policy = problem, algorithm, workers, policy
        self.options: dict[str, Any] = {
            "maxfev": maxfev, "popsize": popsize, "seed": seed, "known": known, "experience": experience,
        }  # fmt: skip
        self.progress, self.title = progress, title or algorithm.name
        self.faults = FaultCount()
        self._ended: dict[int, Run] = {}
        self._lives: dict[int, LiveRun] = {}  # of compiled runs in this process
        self._begun: dict[int, tuple[float, Array]] = {}  # the best of runs whose points were at the workers

    def run(self) -> Repeated:
        """Make all of them."""
        if takes_points(instance_of(self.problem, 0)):
            with engine_for(self.workers, self.policy) as engine:
                self._run_points(engine)
        else:
            self._run_whole()
        return self._repeated([self._ended[run] for run in range(self.runs)])

    def so_far(self) -> Repeated | None:
        """The runs that have ended, and what the others have found until now."""
        found = dict(sorted(self._ended.items()))
        for number, live in sorted(self._lives.items()):
            if number not in found and (run := live.run) is not None:
                found[number] = run
        for number, best in self._begun.items():
            if number not in found:
                found[number] = _cut(self.problem, number, *best)
        return self._repeated(list(found.values())) if found else None

    def _repeated(self, ended: list[Run]) -> Repeated:
        best, space = min(ended, key=lambda r: r.fun), space_of(instance_of(self.problem, 0))
        best_x: Any = best.x if space is None else space.point(best.x)
        best_x = best_x if isinstance(best_x, dict) else tuple(getattr(best_x, "tolist", lambda: best_x)())
        return Repeated(
            self.problem.name, self.problem.box.dim, self.title, self.options["maxfev"],
            self.options["popsize"], self.options["seed"],
            tuple(r.fun for r in ended), best_x, tuple(r.seconds for r in ended),
            sum(r.nans for r in ended), self.faults.counts, self.faults.first,
            bool(getattr(self.problem, "noisy", None)),
        )  # fmt: skip

    def _keep(self, index: int, result: Run, failed: FaultCount) -> None:
        self._ended[index] = result
        self.faults.add(failed.counts, failed.first)
        if self.progress:
            self.progress(result.fun)

    @property
    def _work(self) -> Callable[..., tuple[Run, FaultCount]]:
        given = {"problem": self.problem, "algorithm": self.algorithm, "options": self.options, "policy": self.policy}
        return partial(_one, **given)

    def _run_whole(self) -> None:
        algorithm = self.algorithm
        compiled = isinstance(algorithm, Compiled) and algorithm.compiles and self.problem.objective() is not None
        work, first = self._work, 0
        if compiled:
            work, first = partial(work, lives=self._lives), 1
            self._keep(0, *work((0, None)))  # compiles, or loads from the disk cache, once
        with engine_of(self.workers, "threads" if compiled else "processes") as engine:
            for index, found in engine.map(work, [(run, None) for run in range(first, self.runs)]):
                self._keep(first + index, *found)

    def _run_points(self, engine: Engine) -> None:
        """Runs of a Python function of single points; the first one says how long an evaluation takes."""
        todo: list[tuple[int, _Begun | None]] = [(run, None) for run in range(self.runs)]
        cheap = CHEAP if self.policy.timeout is None else 0.0
        scheduler = PointScheduler([self.problem], engine, self.policy, cheap)

        def feed(runs: list[int]) -> None:
            jobs = [Job(0, self.algorithm, self.options | {"run": run}) for run in runs]
            try:
                run_scheduled(scheduler, jobs, lambda index, *made: self._keep(runs[index], *made))
            finally:
                self._begun.update({runs[index]: best for index, best in scheduler.best.items()})

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
        for index, found in engine.map(self._work, todo, lost=lambda index, _: lost.append(todo[index][0])):
            if found is not None:
                self._keep(todo[index][0], *found)
        if lost:
            feed(lost)


def repeat(problem: Problem, algorithm: Algorithm, **options: Any) -> Repeated:
    """Run an algorithm several times; options are those of `ManyRuns`."""
    return ManyRuns(problem, algorithm, **options).run()


def _cut(problem: Problem, run: int, fun: float, x: Array) -> Run:
    """A run that did not come to its end, of which only the best point is known."""
    none = np.empty(0)
    cut = Run(x, fun, 0, 0, x[None], np.array([fun]), none.astype(np.int64), none, 0, True, 0.0)
    return presented(instance_of(problem, run))(cut)
