"""What a design will cost, said before it is spent, and settings that fit into what one has."""

from __future__ import annotations

import dataclasses
import re
import time as clock
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autov.algorithms.evaluation import PointEvaluator
from autov.algorithms.faults import DEFAULT
from autov.core import InputError, generator, whole_number
from autov.designer.genome import Genome
from autov.designer.runs import Stream, Tasks
from autov.designer.settings import DesignSettings
from autov.designer.trials import Trials
from autov.problems import PointFunction, to_base

MEASURED_POINTS = 3  # of a Python function; all but the first are timed
MEASURED_EVALUATIONS, MOST_RUNS = 100_000, 64  # of compiled runs: some hundredths of a second, the same on all machines
SHORT = 0.02  # seconds
MEASURE = 6  # what their stream is for, beside those of `search`
WARN_SECONDS = 3600.0  # a search that is expected to last longer says so
FITTED = ("generations", "population", "race_size", "race_runs", "retest_runs", "panel_runs")  # what is made to fit
SCALES = np.geomspace(64, 1e-4, 121)  # sizes of a search that are tried, as multiples of the settings


def expected_evaluations(
    settings: DesignSettings, budgets: Sequence[int], others: int, moved: bool = False
) -> dict[str, int]:  # fmt: skip
    """Evaluations of the search, the final race and the re-test, at most.

    Args:
        settings: of the design.
        budgets: evaluations of a run on each training problem.
        others: known designs and peers that the result is compared with.
        moved: the result is re-tested with the optimum elsewhere, too.
    """
    each, n = sum(budgets), settings.population
    survivors = (settings.generations + 1) * n * settings.reevaluate
    most = max(settings.memory - settings.trial.runs, 0) * (settings.generations + 1) * n
    runs = (settings.generations + 1) * n * settings.trial.runs + min(survivors, most)
    if settings.aggregate == "panel":
        runs += others * settings.panel_runs
    race, alive, count = 0, min(settings.race_size, n) + (others if settings.known else 0), settings.race_runs
    while settings.final_race:
        race += alive * count
        if alive <= 4:
            break
        alive, count = (alive + 1) // 2, 2 * count
    return {"search": runs * each, "race": race * each, "retest": (1 + others + moved) * settings.retest_runs * each}


def fitted(
    settings: DesignSettings, cost: Callable[[DesignSettings], float], limit: float,
    said: Callable[[float], str] = "{:.3g} evaluations".format,
) -> DesignSettings:  # fmt: skip
    """The settings with the largest search whose cost, which is said in its unit, stays below a limit."""
    for scale in SCALES:
        smaller = _scaled(settings, float(scale))
        if cost(smaller) <= limit:
            return smaller
    least = cost(_scaled(settings, float(SCALES[-1])))
    raise InputError(
        f"evaluations, time: the smallest design needs {said(least)}, there are {said(limit)}; shorten the runs (as "
        "with budgets 2000), or design on a cheap model of it (surrogate)"
    )


def _scaled(settings: DesignSettings, scale: float) -> DesignSettings:
    """A longer search, or a smaller one in every respect."""
    if scale >= 1:
        return dataclasses.replace(settings, generations=round(settings.generations * scale))
    part = scale**0.5

    def less(value: int, least: int) -> int:
        return min(value, max(least, round(value * part)))

    return dataclasses.replace(
        settings, generations=less(settings.generations, 3), population=less(settings.population, 6),
        race_size=less(settings.race_size, 2), race_runs=less(settings.race_runs, 2),
        retest_runs=less(settings.retest_runs, 5), panel_runs=less(settings.panel_runs, 2),
    )  # fmt: skip


def seconds_per_evaluation(trials: Trials, genome: Genome) -> float:
    """Measured: compiled runs of known designs on all workers, or some calls of a Python function for each of them."""
    instance = trials.instances.first.problem
    if trials.compiled:
        known = genome.known()
        vectors = known if len(known) else genome.box.lower[None]
        stream, first = Stream(0, MEASURE, 0), np.arange(len(vectors))
        trials(stream, genome, vectors, Tasks(first, first, 0 * first))  # compiles
        count = max(len(vectors), min(MOST_RUNS, MEASURED_EVALUATIONS // trials.budget.made))
        runs = np.arange(count)
        begun = clock.perf_counter()
        trials(stream, genome, vectors, Tasks(runs % len(vectors), runs, runs))
        return (clock.perf_counter() - begun) / (count * trials.budget.made)
    trials.evaluations += MEASURED_POINTS
    points = instance.box.sample(MEASURED_POINTS, generator(0))
    policy = trials.evaluator.policy
    if policy != DEFAULT:  # calls may hang or raise
        base, at = to_base(instance, points)
        assert isinstance(base, PointFunction)
        measured = PointEvaluator(trials.engine, policy)
        measured(base, at)
        return (measured.cost or policy.timeout or 0.0) / trials.engine.workers
    instance(points[:1], generator(0))  # the first call may compile or load something
    seconds = []
    for point in points[1:]:
        begun = clock.perf_counter()
        instance(point[None], generator(0))
        seconds.append(clock.perf_counter() - begun)
    # A short call that takes longer than another was interrupted by other work of the machine.
    return float(min(seconds) if max(seconds) < SHORT else np.mean(seconds)) / trials.engine.workers


def affordable(
    chosen: DesignSettings, trials: Sequence[Trials], judges: Sequence[Trials], others: int,
    evaluations: float | None = None, time: str | float | None = None, say: Callable[[str], Any] | None = None,
    moved: bool = False,
) -> DesignSettings:  # fmt: skip
    """Settings that fit into the evaluations or the time that there is; the cost is said, or warned of once."""
    given, budgets = chosen, [each.budget.made for each in trials]

    def parts(settings: DesignSettings) -> dict[str, int]:
        return expected_evaluations(settings, budgets, others, moved)

    most = np.inf if evaluations is None else whole_number("evaluations", evaluations, 1)
    if evaluations is not None:
        chosen = fitted(chosen, lambda settings: sum(parts(settings).values()), most)
    if time is None and say is None and all(each.compiled for each in judges):
        return chosen
    genome = chosen.genome
    speed = float(np.average([seconds_per_evaluation(each, genome) for each in trials], weights=budgets))
    judged = speed
    if judges is not trials:
        judged = float(np.average([seconds_per_evaluation(each, genome) for each in judges], weights=budgets))

    def seconds(settings: DesignSettings) -> float:
        found = parts(settings)
        return speed * (found["search"] + found["race"]) + judged * found["retest"]

    if evaluations is not None:  # what was measured is spent
        most -= sum(each.evaluations for each in {id(each): each for each in (*trials, *judges)}.values())
        chosen = fitted(given, lambda settings: sum(parts(settings).values()), most)
    if time is not None:
        limit = seconds_of(time)
        chosen = fitted(given, lambda some: seconds(some) if sum(parts(some).values()) <= most else np.inf, limit,
                        duration)  # fmt: skip
    line = (
        f"up to {counted(sum(parts(chosen).values()))} evaluations ({chosen.generations} generations of "
        f"{chosen.population} candidates), about {duration(seconds(chosen))} at {moment(judged)} an evaluation"
    )
    if say is not None:
        say(line)
    elif evaluations is None and time is None and seconds(chosen) > WARN_SECONDS:
        advice = "limit it with time= or evaluations=, or train on a cheap model of it (surrogate=)"
        warnings.warn(f"design: {line}; {advice}", stacklevel=3)
    return chosen


def seconds_of(text: str | float) -> float:
    """``90``, ``"90s"``, ``"10m"``, ``"1.5h"`` or ``"2d"`` in seconds."""
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(s|m|h|d|)\s*", str(text))
    if match is None or not float(match[1]) > 0:
        raise InputError(f"time: expected seconds, or a number with s, m, h or d, got {text!r}")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[match[2]]


def counted(number: float) -> str:
    """A count that can be read at a glance: 950, 12,300, 58.5 million."""
    for size, name in ((1e9, "billion"), (1e6, "million")):
        if number >= 0.9995 * size:
            return f"{number / size:.3g} {name}"
    return f"{number:,.0f}"


def moment(seconds: float) -> str:
    """The time of one evaluation, in the unit that fits."""
    for size, name in ((1.0, "seconds"), (1e-3, "milliseconds"), (1e-6, "microseconds")):
        if seconds >= 0.995 * size:
            return f"{seconds / size:.2g} {name}" if seconds < 99.5 * size else f"{seconds / size:.0f} {name}"
    return f"{seconds / 1e-9:.0f} nanoseconds"


def duration(seconds: float) -> str:
    """In the unit that a person would use."""
    for unit, size in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} seconds"
