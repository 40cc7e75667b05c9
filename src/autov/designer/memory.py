"""Whether a design should remember where optima lie, and what it remembers.

Where the runs of the result end on the training problems is a start distribution (`autov.algorithms.warm_start`). It is
worth something where optima of other problems of the kind lie there, too. So the result is run with a memory on the
instances of the re-test: on a training problem that is no family with the ends on all other training problems, and
otherwise with all ends. It is offered if it is significantly better there than without.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.algorithms.base import Metaheuristic
from autov.algorithms.warm_start import MOST, WarmStart
from autov.core import Array, Box, InputError
from autov.designer.trial_runs import Stream
from autov.designer.trials import DesignTrials, Trials
from autov.problems import ProblemFamily
from autov.problems.families import Family
from autov.problems.learned import LearnedFamily
from autov.stats import floored, signed_rank

ENDS = 7  # purpose of their stream, next to those of `search` and `cost`
RUNS, LEAST = 16, 2  # runs whose ends are remembered: of all training problems, and of each, at least
LEVEL = 0.05  # of the test


@dataclass(frozen=True, eq=False)
class Memory:
    """What was tried, and whether it is offered.

    Attributes:
        algorithm: the result with its memory.
        offered: whether that is the result of the design.
        values: (problems, runs) best values with a memory of other problems; empty where nothing was held out.
        cold: (problems, runs) those without a memory, on the same instances.
        line: all this in a sentence.
    """

    algorithm: WarmStart
    offered: bool
    values: Array
    cold: Array
    line: str


def ends_per_problem(problems: int) -> int:
    """Runs of the result on each training problem whose ends are remembered."""
    return max(LEAST, math.ceil(RUNS / problems))


def remembers(wanted: bool | None, space: Any, trials: Sequence[Trials]) -> bool:
    """Whether a memory is tried: where optima may have one place, and something is held out unless it is wanted."""
    if wanted is False:
        return False
    reason = ""
    if space == "operator":
        reason = "an operator has no start"
    elif any(isinstance(one.problem, Family) for one in trials):
        reason = "instances of a family have their optimum anywhere (--family none designs for problems as they are)"
    elif len({_place(one.box) for one in trials}) > 1:
        reason = "the training problems have different bounds"
    elif len(trials) > MOST // RUNS:
        reason = f"for at most {MOST // RUNS} training problems"
    if reason and wanted:
        raise InputError(f"remember: {reason}")
    return not reason and (wanted is True or len(_distinct(trials)) > 1 or isinstance(trials[0].problem, ProblemFamily))


def ends_of(algorithm: Any, trials: Sequence[Trials], seed: int) -> list[Array]:
    """Where runs end, (k, d) in the unit box for each training problem: all of a family, else the best one.

    Of a problem that was learnt it is the best point recorded, once: a sample may have its optimum elsewhere.
    """
    found: list[Array] = []
    for p, one in enumerate(trials):
        if isinstance(one.problem, LearnedFamily):
            again = any(other.problem is one.problem for other in trials[:p])
            found.append(one.problem.recorded[None][int(again) :])
            continue
        runs = [one.end(Stream(seed, ENDS, p), run, algorithm) for run in range(ends_per_problem(len(trials)))]
        if not isinstance(one.problem, ProblemFamily):
            runs = [min(runs, key=lambda run: run[1])]
        width = np.where(one.box.width > 0, one.box.width, 1.0)
        points = np.array([x for x, f in runs if np.isfinite(f)]).reshape(-1, one.box.dim)
        found.append(np.clip((points - one.box.lower) / width, 0, 1))
    return found


def with_memory(algorithm: Any, ends: Sequence[Array]) -> WarmStart | None:
    """The algorithm that starts there; None where nothing is remembered."""
    if not any(len(one) for one in ends):
        return None
    points, spreads = np.concatenate([*ends]), [one.std(axis=0) for one in ends if len(one) > 1]
    spread = np.mean(spreads, axis=0) if spreads else np.zeros(points.shape[1])
    return WarmStart(algorithm, tuple(map(tuple, points.tolist())), tuple(np.clip(spread, 0, 1).tolist()))


def remember(algorithm: Any, search: Any, trials: DesignTrials, cold: Array, wanted: bool | None) -> Memory | None:
    """Try a memory; None where the algorithm cannot have one.

    Args:
        algorithm: the result.
        search: the `Search` of the design.
        trials: its trials.
        cold: (problems, runs) values of the re-test without a memory.
        wanted: True keeps the memory whatever comes out; None where it is better.
    """
    if isinstance(algorithm, WarmStart) or not isinstance(algorithm, Metaheuristic):
        return None
    ends = ends_of(algorithm, trials.search, search.seed)
    whole = with_memory(algorithm, ends)
    if whole is None:
        return None
    apart = _distinct(trials.search)
    tested: list[WarmStart | None] = []
    for p, one in enumerate(trials.held_out):
        left = ends
        if p < len(ends) and (len(apart) > 1 or not isinstance(one.problem, ProblemFamily)):
            left = [each for k, each in enumerate(ends) if trials.search[k].problem is not trials.search[p].problem]
        tested.append(with_memory(algorithm, left))
    values = np.empty((0, cold.shape[1]))
    if all(tested):
        pairs = zip(tested, trials.held_out, strict=True)
        values = np.array([search.retest_one(found, one, p) for p, (found, one) in enumerate(pairs)])
    minima = [one.problem.minimum for one in trials.held_out][: len(values)]
    better, told = _judged(values, cold[: len(values)], minima)
    used = "is used" if better else "is used because it was asked for" if wanted else "is not used"
    line = f"a memory of {len(whole.points)} ends of training runs {used}; {told}"
    return Memory(whole, wanted is True or better, values, cold, line)


def _judged(values: Array, cold: Array, minima: Sequence[float | None]) -> tuple[bool, str]:
    """Whether the memory is significantly better, and in words; differences count in the spread of a problem.

    Values within 1e-8 of a known minimum are equal.
    """
    if not len(values):
        return False, "nothing was held out to test it"
    both = np.stack([floored(row, low) for row, low in zip(np.hstack([values, cold]), minima, strict=True)])
    if not np.isfinite(both).all():
        return False, "some runs found no finite value"
    warm, without = np.split(both, 2, axis=1)
    spread = both.std(axis=1, keepdims=True)
    away = ((warm - without) / np.where(spread > 0, spread, 1.0)).ravel()
    ahead, (p, _) = int((away < 0).sum()), signed_rank(away, np.zeros(len(away)))
    better = p < LEVEL and float(away.mean()) < 0 and 2 * ahead > int((away != 0).sum())
    return better, f"held out, it was better than a cold start in {ahead} of {len(away)} pairs of runs (p = {p:.2g})"


def _distinct(trials: Sequence[Trials]) -> set[int]:
    """Training problems; one may be there with several budgets."""
    return {id(one.problem) for one in trials}


def _place(box: Box) -> tuple[bytes, bytes]:
    return box.lower.tobytes(), box.upper.tobytes()
