"""Recorded evaluations as problems to design on: what stores and tables hold, and families that are learnt from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from autov.core import Array, Box, InputError, generator
from autov.problems import Constrained, Problem, instance_of, unpenalized
from autov.problems.gaussian_process import fit, refitted
from autov.problems.learned import LearnedFamily
from autov.runs.known_points import leading, read_known
from autov.runs.sources import named_sources
from autov.runs.stored_runs import StoredRun, StoreReader, reading

SOURCES = 16  # problems that are learnt, at most: the last ones
POINTS = 300  # of a problem that are fitted, at most
READ = 2000  # points of a problem that are looked at, at most
APART = 0.01  # of the box: a point that is nearer to a better one says nothing of the shape
LEAST = 40  # points of a problem that are needed, and three for each variable
LONGEST = 60  # characters of the name of a problem
HELD_OUT = 0.2  # of the points, for the rank correlation


@dataclass(frozen=True, eq=False)
class Recording:
    """What is recorded of one problem.

    Attributes:
        label: its name.
        box: where optimisers searched.
        x: (n, d) points.
        f: (n,) values, infinite where an evaluation failed.
        whole: which variables are integers; empty for none.
        runs: of each run that started cold, the identity of its optimiser, and values in the order of evaluations.
        maxfev: budgets of the runs.
        popsize: populations of the runs.
    """

    label: str
    box: Box
    x: Array
    f: Array
    whole: tuple[bool, ...] = ()
    runs: tuple[tuple[str, Array], ...] = ()
    maxfev: tuple[int, ...] = ()
    popsize: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Learned:
    """Families that were learnt, and how well each of them orders points that its fit did not see."""

    families: list[LearnedFamily]
    correlations: Array
    recordings: list[Recording] = field(repr=False)  # of the same problems

    @property
    def maxfev(self) -> int:
        """Evaluations of a recorded run: the median."""
        every = [count for one in self.recordings for count in one.maxfev or (len(one.f),)]
        return int(np.median(every))

    @property
    def popsize(self) -> int:
        """Population of a recorded run: the median, 100 where none is recorded."""
        return int(np.median([size for one in self.recordings for size in one.popsize] or [100]))


def learned_from(given: Any, problem: Problem | None, bounds: Any = None) -> Learned:
    """Fit what was recorded.

    Args:
        given: stores, tables and so on, as `minimize` takes them.
        problem: one of the kind, for bounds, integers and constraints; None where stores tell what is needed.
        bounds: of tables, where there is no problem.
    """
    first = None if problem is None else instance_of(problem, 0)
    recordings = recordings_of(given, first, Box.of(bounds) if first is None and bounds is not None else None)
    if isinstance(first, Constrained) and first.returned:
        raise InputError(
            "learn_from: a design cannot learn constraints that the function returns with its value; give functions of "
            "their own, or use experience without a design (minimize with learn_from)"
        )
    constraints = first.constraints if isinstance(first, Constrained) else ()
    families, correlations, kept, most = [], [], [], 0
    for recording in recordings[-SOURCES:]:
        u, f = _chosen(recording, bool(constraints))
        most = max(most, len(f))
        if len(f) < _least(recording.box.dim) or not f.min() < f.max():
            continue
        family, correlation = _fitted(recording, u, f)
        families.append(
            LearnedFamily(f"learned {recording.label}", recording.box, family, recording.whole, constraints)
        )
        correlations.append(correlation)
        kept.append(recording)
    if not families:
        needed = _least(recordings[0].box.dim) if recordings else LEAST
        raise InputError(
            f"learn_from: a design needs {needed} different points of a problem, which lie at least {APART:.0%} of the "
            f"box apart; the most there are is {most}: record longer runs, or use experience without a design "
            "(minimize with learn_from)"
        )
    return Learned(families, np.array(correlations), kept)


def _least(dim: int) -> int:
    return max(LEAST, 3 * dim)


def _chosen(recording: Recording, constrained: bool) -> tuple[Array, Array]:
    """Points of the unit box that are apart, the best first, and their values; failed ones are as bad as the worst."""
    feasible = np.isfinite(unpenalized(recording.f)) | np.isinf(recording.f)
    if not feasible.all() and not constrained:
        raise InputError(
            f"learn_from: {recording.label} was recorded under constraints; give the problem, too, because a store "
            "does not hold their functions"
        )
    x, f = recording.x[feasible], recording.f[feasible]
    if not np.isfinite(f).any():
        return np.empty((0, recording.box.dim)), np.empty(0)
    f = np.where(np.isfinite(f), f, f[np.isfinite(f)].max())
    box = recording.box
    if recording.whole:
        inner = np.clip(np.rint(x), np.ceil(box.lower), np.floor(box.upper))
        x = np.where(recording.whole, inner, x)
    u = (x - box.lower) / np.where(box.width > 0, box.width, 1.0)
    kept: list[int] = []
    for i in np.argsort(f, kind="stable"):
        if not kept or np.abs(u[kept] - u[i]).max(axis=1).min() >= APART:
            kept.append(int(i))
    rows = np.array(kept, dtype=np.int64)
    rows = rows[leading(f[rows], POINTS)]
    return u[rows], f[rows]


def _fitted(recording: Recording, u: Array, f: Array) -> tuple[Any, float]:
    """The process of the points, and the rank correlation on points that were held out of its fit."""
    order = generator(len(f), 4, recording.box.dim).permutation(len(f))
    held, rest = order[: max(2, int(HELD_OUT * len(f)))], order[max(2, int(HELD_OUT * len(f))) :]
    process = fit(u[rest], f[rest])
    found: Any = spearmanr(process.predict(u[held]), f[held]) if np.ptp(f[held]) > 0 else (0.0,)
    return refitted(process, u, f), float(found[0])


def recordings_of(given: Any, problem: Problem | None, box: Box | None = None) -> list[Recording]:
    """What was recorded, by problem, in the order of the last evaluations."""
    found: list[Recording] = []
    for label, item, is_store in named_sources(given):
        if is_store:
            found += _of_store(Path(item), problem)
            continue
        if problem is None and box is None:
            raise InputError("learn_from: give the problem or its bounds, too: only a store tells them")
        own = problem if problem is not None else _Box(box)
        x, f = read_known(item, own, "learn_from")  # type: ignore[arg-type]
        if not own.box.holds(x):
            raise InputError(f"learn_from: points of {label} lie outside the bounds")
        found.append(Recording(label, own.box, x, f, _whole(problem)))
    if len({(tuple(one.box.lower), tuple(one.box.upper)) for one in found}) > 1:
        raise InputError("learn_from: all sources of a design must have the same bounds; give those of one kind")
    return found


@dataclass(frozen=True)
class _Box:
    """What `read_known` needs of a problem."""

    box: Any
    names: tuple[str, ...] = ()


def _whole(problem: Problem | None) -> tuple[bool, ...]:
    return tuple(bool(flag) for flag in problem.whole) if isinstance(problem, Constrained) else ()


def _of_store(path: Path, problem: Problem | None) -> list[Recording]:
    """The problems of a store whose bounds are those of the problem, or else of the last run."""
    with reading(path) as store:
        runs = [run for run in store.runs() if run.box is not None]
        wanted = problem.box if problem is not None else runs[-1].box if runs else None
        fitting = [run for run in runs if run.box == wanted]
        if not fitting or wanted is None:
            why = "has no run" if problem is None else "has no run with the bounds of the problem"
            raise InputError(f"learn_from: {path} {why}")
        groups: dict[str, list[StoredRun]] = {}
        for run in fitting:
            groups.setdefault(str(run.about.get("identity", run.problem)), []).append(run)
        return [_of_runs(store, some, wanted, problem) for some in groups.values()]


def _of_runs(store: StoreReader, runs: Sequence[StoredRun], box: Box, problem: Problem | None) -> Recording:
    """All runs on one problem; of very many evaluations the best, and others from best to worst."""
    made, x, f = [], [], []
    for run in runs:
        numbers, values = store.values(run)
        if "cold" in run.about and run.finished:
            made.append((str(run.about["cold"]), values))
        rows = np.sort(leading(values, READ // len(runs) + 1))
        x.append(box.clip(store.points(run, numbers[rows])))
        f.append(values[rows])
    told = runs[-1].about.get("integrality")
    whole = tuple(map(bool, told)) if isinstance(told, list) and len(told) == box.dim else ()
    return Recording(
        runs[-1].problem[:LONGEST], box, np.concatenate(x), np.concatenate(f), _whole(problem) or whole, tuple(made),
        _counts(runs, "maxfev"), _counts(runs, "popsize"),
    )  # fmt: skip


def _counts(runs: Sequence[StoredRun], name: str) -> tuple[int, ...]:
    values = (run.about.get(name) for run in runs)
    return tuple(value for value in values if type(value) is int and value > 0)
