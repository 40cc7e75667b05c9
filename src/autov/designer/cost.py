"""What a design will cost, said before it is spent, and settings that fit into what one has."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import time as clock
import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.core import Array, InputError, generator, whole_number
from autov.designer.advice import ways
from autov.designer.durations import counted, duration, evaluations, moment, seconds_of
from autov.designer.genome import Genome, Given
from autov.designer.memory import ends_per_problem, remembers
from autov.designer.settings import DesignSettings
from autov.designer.trial_runs import Stream, Tasks
from autov.designer.trials import DesignTrials, Trials
from autov.problems import PointFunction, to_base
from autov.runs.evaluation import DEFAULT, PointEvaluator

MEASURED_POINTS = 3  # of a Python function, each called twice
MEASURED_EVALUATIONS, MOST_RUNS = 100_000, 64  # of compiled runs: some hundredths of a second, the same on all machines
ALL_RUNS = 100  # with those that compile, about
SHORT = 0.02  # seconds
CHEAP = 0.0025  # seconds of a call, below which what is between the calls counts, too
LOCKSTEP_RUNS, LOCKSTEP_BATCHES = 8, 4  # of a Python function, at most
MEASURE = 6  # what their stream is for, next to those of `search`
WARN_SECONDS = 3600.0  # a search that is expected to last longer says so
FITTED = {  # what is made to fit, and the least that it may become
    "generations": 3, "population": 6, "race_size": 2, "race_runs": 2, "retest_runs": 5, "panel_runs": 2,
}  # fmt: skip
SCALES = np.geomspace(64, 1e-4, 121)  # sizes of a search that are tried, as multiples of the settings


def expected_evaluations(
    settings: DesignSettings, budgets: Sequence[int], others: int, moved: bool = False, memory: bool = False,
) -> dict[str, int]:  # fmt: skip
    """Evaluations of the search, the final race and the re-test, at most.

    Args:
        settings: of the design.
        budgets: evaluations of a run on each training problem.
        others: baselines and peers that the result is compared with.
        moved: the result is re-tested on translated instances, too.
        memory: it is tried whether the result should remember.
    """
    search, final, trial = settings.search, settings.race, settings.training.trial
    each, n = sum(budgets), search.population
    survivors = (search.generations + 1) * n * search.reevaluate
    most = max(search.memory - trial.runs, 0) * (search.generations + 1) * n
    runs = (search.generations + 1) * n * trial.runs + min(survivors, most)
    if settings.fitness.aggregate == "panel":
        runs += others * settings.fitness.panel_runs
    race, alive, count = 0, min(final.race_size, n) + (others if search.known else 0), final.race_runs
    while final.final_race:
        race += alive * count
        if alive <= 4:
            break
        alive, count = (alive + 1) // 2, 2 * count
    if final.random_baseline:  # a search and a race among random designs
        others, runs, race = others + 1, 2 * runs, 2 * race
    found = {"search": runs * each, "race": race * each, "retest": (1 + others + moved) * final.retest_runs * each}
    return found | ({"memory": (ends_per_problem(len(budgets)) + final.retest_runs) * each} if memory else {})


def fitted(
    settings: DesignSettings, cost: Callable[[DesignSettings], float], limit: float,
    said: Callable[[float], str] = evaluations, budget: int = 0, least_budget: int = 0, kept: Collection[str] = (),
    measured: float = 0.0,
) -> DesignSettings:  # fmt: skip
    """The settings with the largest search whose cost stays below a limit.

    Args:
        settings: of the design.
        cost: of settings.
        limit: of the cost.
        said: the cost in its unit.
        budget: evaluations of the longest run, for advice.
        least_budget: with fewer evaluations, a run is pointless.
        kept: names of settings that stay, because they were given.
        measured: cost of measuring the speed, which is still to come.
    """
    for scale in SCALES:
        smaller = _scaled(settings, float(scale), kept)
        if cost(smaller) <= limit:
            return smaller
    least = cost(_scaled(settings, float(SCALES[-1]), kept))
    shorter = int(float(f"{0.8 * budget * limit / (least + measured):.0e}"))  # the cost is that of the evaluations
    fixed = [name for name in FITTED if name in kept]
    given = f" with {' and '.join(fixed)} as given" if fixed else ""
    error = InputError(f"evaluations, time: the smallest design{given} needs {said(least)}, you allow {said(limit)}")
    fits = f"make runs of {shorter:,} evaluations (budgets=), or " if shorter >= least_budget > 0 else ""
    error.add_note(f"{fits}design on a cheap model of the problem (surrogate=)")
    raise error


def _scaled(settings: DesignSettings, scale: float, kept: Collection[str]) -> DesignSettings:
    """A longer search, or a smaller one in every respect but what is kept."""
    if scale >= 1:
        sizes = {"generations": round(settings.search.generations * scale)}
    else:
        now = settings.values()
        sizes = {name: min(now[name], max(least, round(now[name] * scale**0.5))) for name, least in FITTED.items()}
    return settings.changed(**{name: size for name, size in sizes.items() if name not in kept})


def seconds_per_evaluation(trials: Trials, genome: Genome, calls_only: bool = False) -> float:
    """Measured on runs as the search makes them: of baselines and of random candidates.

    Whatever is compiled or loaded at the first call is not measured. Of a slow Python function, the calls alone are.

    Args:
        trials: on a problem.
        genome: what is designed.
        calls_only: measure no runs on a Python function.
    """
    known = genome.known()
    vectors = np.concatenate([known, genome.box.sample(max(1, len(known)), generator(0))])
    if trials.compiled:
        count = max(len(vectors), min(MOST_RUNS, MEASURED_EVALUATIONS // trials.budget.made))
        return _timed(trials, genome, vectors, np.arange(len(vectors)), np.arange(count))
    seconds = _call_seconds(trials)
    if calls_only or seconds > CHEAP:
        return seconds / trials.engine.workers
    short, runs = _shortened(trials, LOCKSTEP_BATCHES * trials.budget.popsize), np.arange(LOCKSTEP_RUNS)
    found = _timed(short, genome, vectors, runs, runs)
    trials.evaluations = short.evaluations
    return found


def _shortened(trials: Trials, most: int) -> Trials:
    """The same with runs that are cut off after some evaluations; their faults are not those of the design."""
    short = copy.copy(trials)
    short.budget = dataclasses.replace(trials.budget, stop=min(trials.budget.made, most) / trials.budget.maxfev)
    short.evaluator = PointEvaluator(trials.engine, trials.evaluator.policy)
    return short


def _timed(trials: Trials, genome: Genome, vectors: Array, first: np.ndarray, runs: np.ndarray) -> float:
    """Seconds of an evaluation in runs of all candidates in turn, after first runs that compile."""
    stream, count = Stream(0, MEASURE, 0), len(vectors)
    trials(stream, genome, vectors, Tasks(first % count, first, 0 * first))
    begun = clock.perf_counter()
    trials(stream, genome, vectors, Tasks(runs % count, runs, runs))
    return (clock.perf_counter() - begun) / (len(runs) * trials.budget.made)


def _call_seconds(trials: Trials) -> float:
    """Seconds of one call of a Python function, on one worker."""
    instance, policy = trials.instances.first.problem, trials.evaluator.policy
    points = instance.box.sample(MEASURED_POINTS, generator(0))
    trials.evaluations += 2 * len(points)
    if policy != DEFAULT:  # calls may hang or raise
        base, at = to_base(instance, points)
        assert isinstance(base, PointFunction)
        measured = PointEvaluator(trials.engine, policy)
        for _ in range(2):
            measured(base, at)
        return measured.cost or policy.timeout or 0.0
    # Every point twice: a first call may compile or load something, and an infeasible point calls the constraints only.
    seconds = np.empty((2, len(points)))
    for i, j in itertools.product(range(2), range(len(points))):
        begun = clock.perf_counter()
        instance(points[j][None], generator(0))
        seconds[i, j] = clock.perf_counter() - begun
    # A short call that takes longer than another was interrupted by other work of the machine.
    return float(seconds[1].min() if seconds[1].max() < SHORT else seconds.min(axis=0).mean())


def _rivals_seconds(trials: Trials, rivals: Given) -> float:
    """Seconds of an evaluation in runs of other algorithms, which are compiled or not."""
    numbers = np.arange(len(rivals.algorithms))
    short = _shortened(trials, MEASURED_EVALUATIONS // len(numbers))
    found = _timed(short, rivals, rivals.vectors, numbers, numbers)
    trials.evaluations = short.evaluations
    return found


@dataclasses.dataclass(frozen=True)
class Speed:
    """Seconds of an evaluation in runs of candidates, and in runs of the algorithms that they are compared with."""

    own: float
    rivals: float


def measured_speed(trials: Sequence[Trials], genome: Genome, rivals: Given, calls_only: bool) -> Speed:
    """The mean over problems, weighted by the evaluations of their runs."""
    own = [seconds_per_evaluation(each, genome, calls_only) for each in trials]
    theirs = [
        _rivals_seconds(each, rivals) if each.compiled and rivals.algorithms else seconds
        for each, seconds in zip(trials, own, strict=True)
    ]
    weights = [each.budget.made for each in trials]
    return Speed(float(np.average(own, weights=weights)), float(np.average(theirs, weights=weights)))


@dataclass(frozen=True)
class Limits:
    """What a design may cost, who is told in one line what it will cost, and which settings stay as they are."""

    evaluations: float | None = None
    time: str | float | None = None
    log: Callable[[str], Any] | None = None
    kept: Collection[str] = ()


@dataclass(frozen=True)
class Cost:
    """What a design costs.

    Attributes:
        budgets: evaluations of a run on each training problem.
        others: baselines and peers that the result is compared with.
        moved: the result is re-tested on translated instances, too.
        speed: of the search and the race.
        judged: speed of the re-test.
        left_out: evaluations of a run on each problem that only the re-test has.
        memory: it is tried whether the result should remember.
    """

    budgets: tuple[int, ...]
    others: int
    moved: bool
    speed: Speed = Speed(0.0, 0.0)
    judged: Speed = Speed(0.0, 0.0)
    left_out: tuple[int, ...] = ()
    memory: bool = False

    def evaluations(self, settings: DesignSettings) -> int:
        """All of them, at most."""
        return sum(self.by_purpose(settings).values())

    def seconds(self, settings: DesignSettings) -> float:
        """The time that they take."""
        found, others = self.by_purpose(settings), self.others
        survivors = min(settings.race.race_size, settings.search.population)
        raced = others / (others + survivors) if settings.search.known else 0.0
        retested = others / (1 + others + self.moved)
        return (
            self.speed.own * found["search"]
            + ((1 - raced) * self.speed.own + raced * self.speed.rivals) * found["race"]
            + ((1 - retested) * self.judged.own + retested * self.judged.rivals) * found["retest"]
            + self.judged.own * found.get("memory", 0)
        )

    def by_purpose(self, settings: DesignSettings) -> dict[str, int]:
        """Evaluations by what they are for, at most."""
        found = expected_evaluations(settings, self.budgets, self.others, self.moved, self.memory)
        if self.memory:
            found["memory"] += settings.race.retest_runs * sum(self.left_out)
        more = (1 + self.others + self.moved) * settings.race.retest_runs * sum(self.left_out)
        return found | {"retest": found["retest"] + more}


def affordable(chosen: DesignSettings, trials: DesignTrials, rivals: Given, limits: Limits) -> DesignSettings:
    """Settings that fit into the evaluations or the time that there is; the cost is said, or warned of once."""
    advice = (max(each.budget.made for each in trials.search), 2 * max(each.box.dim for each in trials.search))
    cost = Cost(tuple(each.budget.made for each in trials.search), len(rivals.algorithms), bool(trials.moved),
                left_out=tuple(each.budget.made for each in trials.left_out),
                memory=remembers(chosen.race.remember, chosen.designed.space, trials.search))  # fmt: skip
    most, found = np.inf, chosen
    if limits.evaluations is not None:
        most = whole_number("evaluations", limits.evaluations, 1)
        found = fitted(chosen, cost.evaluations, most, evaluations, *advice, limits.kept, ALL_RUNS * advice[0])
    calls_only = limits.time is None and limits.log is None
    if calls_only and all(each.compiled for each in trials.held_out):
        return found
    speed = judged = measured_speed(trials.search, chosen.designed.genome, rivals, calls_only)
    if trials.held_out is not trials.search:
        judged = measured_speed(trials.held_out, chosen.designed.genome, rivals, calls_only)
    cost = dataclasses.replace(cost, speed=speed, judged=judged)
    if limits.evaluations is not None:  # what was measured is spent
        most -= trials.evaluations
        found = fitted(chosen, cost.evaluations, most, evaluations, *advice, limits.kept)
    if limits.time is not None:
        found = fitted(chosen, lambda some: cost.seconds(some) if cost.evaluations(some) <= most else np.inf,
                       seconds_of(limits.time), duration, *advice, limits.kept)  # fmt: skip
    _tell_cost(found, cost, limits, trials)
    return found


def _tell_cost(settings: DesignSettings, cost: Cost, limits: Limits, trials: DesignTrials) -> None:
    """Say what a design will cost to who wants to know it, and what fits better if it is much; or else warn of it."""
    search = settings.search
    seconds, parts = cost.seconds(settings), cost.by_purpose(settings)
    most = sum(parts.values()) + trials.evaluations  # those that measured the speed are made already
    line = (
        f"up to {counted(most)} evaluations ({search.generations} generations of "
        f"{search.population} candidates), about {duration(seconds)} at {moment(cost.judged.own)} an evaluation"
    )
    if limits.log is not None:
        limits.log(line)
    if seconds <= WARN_SECONDS or (limits.log is None and (limits.evaluations is not None or limits.time is not None)):
        return
    slow = trials.search is trials.held_out and not trials.search[0].compiled
    better = ways(trials.search, parts, cost.speed.own) if slow else []
    if limits.log is None:
        hint = "limit it with time= or evaluations=, or train on a cheap model of it (surrogate=)"
        better = "".join(f"; {'what fits' if i == 0 else 'or'}: {way}" for i, way in enumerate(better))
        warnings.warn(f"design: {line}; {hint}{better}", stacklevel=5)
    for i, way in enumerate(better if limits.log is not None else ()):
        limits.log(f"{'what fits' if i == 0 else 'or'}: {way}")  # type: ignore[misc]
