"""How good candidates are: best values of short runs of the algorithms they represent (Algorithm 2)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from autov.algorithms.base import Compiled
from autov.core import Array, canonical, describe, generator, values_of
from autov.core.blas import one_blas_thread
from autov.designer.genome import Genome, Given
from autov.designer.journal import Journal, Values
from autov.designer.trial_instances import Instances, Prepared
from autov.designer.trial_runs import (
    CompiledTrials,
    Course,
    InstancePoints,
    SentTrials,
    Stream,
    Tasks,
    TrialBudget,
    groups_of,
    solve_alone,
)
from autov.engines import Engine, Processes, Serial, Threads, engine_of
from autov.engines.engine import Found
from autov.kernels.evolution.many import derive
from autov.problems import PointFunction, Problem, to_base
from autov.runs import solve
from autov.runs.evaluation import DEFAULT, FaultPolicy, PointEvaluator, check_policy

STACKED = 4_000_000  # numbers in one stacked call of a Python function, at most


class Trials:
    """Best values of runs of candidates on one problem; every (candidate, run) has its own stream."""

    def __init__(
        self, problem: Problem, budget: TrialBudget, workers: Any = None, policy: FaultPolicy = DEFAULT,
        one_minimum: bool = False,
    ) -> None:  # fmt: skip
        self.problem, self.budget = problem, budget
        self.instances = Instances(problem, one_minimum)
        self.box, self.compiled, self.by_point, self.uses_rng = self.instances.traits
        check_policy(self.instances.first.problem, policy)
        self.engine: Engine = engine_of(workers if self.compiled or self.by_point else 1,
                                        "threads" if self.compiled else "processes")  # fmt: skip
        if policy.timeout is not None and isinstance(self.engine, Serial):
            self.engine = Processes(1)
        self.evaluator = PointEvaluator(self.engine, policy)
        self._own: InstancePoints | None = None  # of instances with functions of their own
        self.evaluations = 0
        self._cost: float | None = None  # seconds of a compiled run, measured
        self._sent: SentTrials | None = None  # what workers elsewhere have got
        self.journal = Journal()  # values as they arrive, where a search is kept on disk

    def __call__(self, stream: Stream, genome: Genome, vectors: Array, tasks: Tasks) -> Array:
        """Best values (n,) of the tasks."""
        tasks = Tasks(*(np.ascontiguousarray(array, dtype=np.int64) for array in tasks))
        count = len(tasks.which)
        self.evaluations += count * self.budget.made
        best = np.empty(count)
        if self.compiled:
            # Small pieces, so that no worker waits long for the other at the end; their order does not matter.
            step = max(1, min(self._together_at_most(), count // (8 * self.engine.workers)))
            begun = time.perf_counter()
            pieces = [slice(i, i + step) for i in range(0, count, step)]
            made = self.journal.batch(count, stream.key, *self._told(genome), *tasks, vectors)
            todo = [k for k, piece in enumerate(pieces) if not _known(made, best, piece)]
            for index, values in self._map_runs(genome, stream, vectors, [tasks.part(pieces[k]) for k in todo]):
                best[pieces[todo[index]]] = values
                for i, value in enumerate(values.tolist(), pieces[todo[index]].start):
                    made.keep(i, value)
            if todo:
                self._cost = (time.perf_counter() - begun) * self.engine.workers / (len(todo) * step)
            return best
        step = max(1, STACKED // (self.budget.popsize * self.box.dim))
        algorithms = {w: genome.decode(vectors[w]) for w in np.unique(tasks.which).tolist()}
        with one_blas_thread():
            for begin in range(0, count, step):
                piece = slice(begin, begin + step)
                made = self._together(stream, algorithms, tasks.part(piece))
                best[piece] = [course.fun for course in made]
        return best

    def courses(self, stream: Stream, algorithms: Sequence[Any], shown: Sequence[int], runs: int) -> list[list[Course]]:
        """The first runs of some of the algorithms that were tried together, again and with their courses.

        Args:
            stream: theirs.
            algorithms: all that were tried.
            shown: places of those to run again.
            runs: of each.
        """
        given, numbers = Given(tuple(algorithms)), np.repeat(np.asarray(shown, np.int64), runs)
        tasks = Tasks(numbers, numbers, np.tile(np.arange(runs), len(shown)))
        if self.compiled:
            call = CompiledTrials(self.instances, given, given.vectors, self.budget, stream)
            made: list[Any] = [None] * len(numbers)
            for index, (course,) in self.engine.map(
                call.courses, [tasks.part(slice(i, i + 1)) for i in range(len(numbers))]
            ):
                made[index] = course
        else:
            with one_blas_thread():
                made = self._together(stream, dict(enumerate(algorithms)), tasks)
        return [made[i : i + runs] for i in range(0, len(made), runs)]

    def _map_runs(self, genome: Genome, stream: Stream, vectors: Array, parts: list[Tasks]) -> Found[Array]:
        """Compiled runs on the engine; workers elsewhere keep what they got for the next candidates."""
        if self._is_here():
            return self.engine.map(CompiledTrials(self.instances, genome, vectors, self.budget, stream), parts)
        if self._sent is None or self._sent.genome is not genome or self._sent.stream != stream:
            self._sent = SentTrials(self.instances, genome, self.budget, stream)
        return self.engine.map(self._sent, (SentTrials.item(vectors, part) for part in parts))

    def _is_here(self) -> bool:
        """Whether the engine works in this process."""
        return isinstance(getattr(self.engine, "engine", self.engine), (Serial, Threads))  # what a borrowed one is

    def _told(self, genome: Genome) -> list[np.ndarray]:
        """What vectors do not say, for the journal: numbers of algorithms do not tell which ones they are."""
        if self.journal.path is None or not isinstance(genome, Given):
            return []
        return [np.frombuffer(canonical(describe(genome.algorithms)).encode(), dtype=np.uint8)]

    def _together_at_most(self) -> int:
        """Runs in one piece: few in threads; about a second's where a piece travels."""
        if self._is_here() or self._cost is None:
            return 8
        return max(1, int(1.0 / self._cost))

    def _together(self, stream: Stream, algorithms: Mapping[int, Any], tasks: Tasks) -> list[Course]:
        """Runs on a Python function: in lockstep if all algorithms can be, not those of other libraries."""
        together = all(isinstance(one, Compiled) for one in algorithms.values())
        return (self._in_lockstep if together else self._alone)(stream, algorithms, tasks)

    def _in_lockstep(self, stream: Stream, algorithms: Mapping[int, Any], tasks: Tasks) -> list[Course]:
        """Each batch of all runs is one call of the Python function."""
        box, budget = self.box, self.budget
        chosen = [algorithms[w] for w in tasks.which]
        keys = [derive(stream.key, c, r) for c, r in zip(tasks.candidates, tasks.runs, strict=True)]
        states = [a.start(key, box, budget.popsize, budget.maxfev) for a, key in zip(chosen, keys, strict=True)]
        best, left = np.full(len(chosen), np.inf), np.full(len(chosen), budget.made)
        improved: list[list[tuple[int, float]]] = [[] for _ in chosen]
        met = [stream.met(self.instances, int(run)) for run in tasks.runs]  # kept until the last one ends
        unused = generator(0)
        step = 0
        while (active := np.flatnonzero(left)).size:
            asked = []
            for i in active:
                x, states[i] = chosen[i].ask(states[i], unused)
                asked.append(x)
            cut = [x[: left[i]] for i, x in zip(active, asked, strict=True)]
            values = self._values(cut, stream, tasks, active, step, [met[i] for i in active])
            for i, x, f in zip(active, asked, values, strict=True):
                if f.min() < best[i]:
                    lowest = np.minimum.accumulate(np.append(best[i], f))
                    better = np.flatnonzero(lowest[1:] < lowest[:-1])
                    improved[i] += zip((budget.made - left[i] + 1 + better).tolist(), f[better].tolist(), strict=True)
                    best[i] = lowest[-1]
                left[i] -= len(f)
                if len(f) == len(x):
                    states[i] = chosen[i].tell(states[i], x, f, unused)
            step += 1
        return [
            Course(float(fun), np.array([n for n, _ in falls], np.int64), np.array([f for _, f in falls]))
            for fun, falls in zip(best, improved, strict=True)
        ]

    def _alone(self, stream: Stream, algorithms: Mapping[int, Any], tasks: Tasks) -> list[Course]:
        """One run after the other, points on all workers."""
        found = []
        for w, c, r in zip(*tasks, strict=True):
            instance, seed = stream.met(self.instances, r), int(derive(stream.key, c, r)[0] >> np.uint64(1))
            points = None if self.uses_rng else partial(self._points, stream, instance, int(r))
            found.append(solve_alone(instance.problem, algorithms[w], self.budget, seed, points))
        return found

    def end(self, stream: Stream, run: int, algorithm: Any) -> tuple[Array, float]:
        """Where one run ends, and the value there."""
        instance, seed = stream.met(self.instances, run), int(derive(stream.key, 0, run)[0] >> np.uint64(1))
        points = None if self.compiled or self.uses_rng else partial(self._points, stream, instance, run)
        self.evaluations += self.budget.made
        found = solve(
            instance.problem, algorithm, maxfev=self.budget.made, popsize=self.budget.popsize, seed=seed,
            evaluate=points,
        )  # fmt: skip
        return found.x, found.fun

    def _points(self, stream: Stream, instance: Prepared, run: int, x: Array) -> Array:
        points = to_base(instance.problem, x)[1]
        if self._has_own_functions([instance]):
            return self._own_points(stream, np.full(len(points), run), points)
        return self._function(stream, instance.base, points)

    def _has_own_functions(self, met: list[Prepared]) -> bool:
        """Whether points belong to several Python functions of points."""
        return self.by_point and any(one.base is not self.instances.first.base for one in met)

    def _function(self, stream: Stream, base: Problem, points: Array) -> Array:
        """Values of points of a function without random numbers: those that the journal knows, the rest evaluated."""
        recorded = self.journal.batch(len(points), stream.key, points)
        if self.by_point:
            assert isinstance(base, PointFunction)
            return self.evaluator(base, points, recorded)
        made = recorded.all(len(points))
        if made is None:
            made = values_of(base(points, generator(0)), len(points))[0]
            recorded.keep_all(made)
        return made

    def _own_points(self, stream: Stream, runs: np.ndarray, points: Array) -> Array:
        """The same for points of the instances of runs: one call for engines, which know a function by its object."""
        if self._own is None or self._own.stream != stream:
            self._own = InstancePoints(self.instances, stream)
        rows = np.column_stack([runs, points])
        return self.evaluator(self._own, rows, self.journal.batch(len(rows), stream.key, rows), points)

    def _values(
        self, batches: list[Array], stream: Stream, tasks: Tasks, active: np.ndarray, step: int, met: list[Prepared]
    ) -> list[Array]:  # fmt: skip
        """Values of each batch on the instance of its run.

        All batches of one function are one call, whatever its transformations; a problem of another kind may be noisy,
        and then each run has its own stream.
        """
        if self.uses_rng:
            found = []
            for i, instance, batch in zip(active, met, batches, strict=True):
                own = generator(int(stream.key[0]), int(tasks.candidates[i]), int(tasks.runs[i]), step)
                found.append(values_of(instance.problem(batch, own), len(batch))[0])
            return found
        points = [to_base(one.problem, batch)[1] for one, batch in zip(met, batches, strict=True)]
        sizes = np.array([len(x) for x in points])
        if self._has_own_functions(met):
            made = self._own_points(stream, np.repeat(tasks.runs[active], sizes), np.concatenate(points))
            return np.split(values_of(made, len(made))[0], np.cumsum(sizes)[:-1])
        values: list[Array] = [np.empty(0)] * len(batches)
        for group in groups_of(id(one.base) for one in met):
            made = self._function(stream, met[group[0]].base, np.concatenate([points[k] for k in group]))
            parts = np.split(values_of(made, len(made))[0], np.cumsum(sizes[group])[:-1])
            for k, part in zip(group, parts, strict=True):
                values[k] = part
        return values

    def close(self) -> None:
        """End the workers."""
        self.engine.close()


@dataclass(frozen=True, eq=False)
class DesignTrials:
    """Trials of the search, of the re-test (the same, unless there are surrogates) and with translated optima."""

    search: list[Trials]
    held_out: list[Trials]
    moved: list[Trials]

    @property
    def each(self) -> list[Trials]:
        """All of them, each once."""
        return [*self.search, *(one for one in self.held_out if one not in self.search), *self.moved]

    @property
    def left_out(self) -> list[Trials]:
        """Those on problems that only the re-test has."""
        return self.held_out[len(self.search) :]

    @property
    def evaluations(self) -> int:
        """All that were made, whatever for."""
        return sum(trials.evaluations for trials in self.each)


def _known(made: Values, best: Array, piece: slice) -> bool:
    """Whether all values of a piece are known from before; they are put into place."""
    places = range(len(best))[piece]
    if not all(i in made.known for i in places):
        return False
    best[piece] = [made.known[i] for i in places]
    return True


def bounds_of(figure: Callable[[Array], Array], values: Array) -> tuple[Array, Array]:
    """Smallest and largest possible figure of each row, where NaN means a run that is not made yet.

    Args:
        figure: from (c, runs) to (c,), never smaller where a value is larger.
        values: (c, runs).
    """
    missing = np.isnan(values)
    return figure(np.where(missing, -np.inf, values)), figure(np.where(missing, np.inf, values))


def try_candidates(
    trials: Trials, stream: Stream, genome: Genome, vectors: Array, candidates: np.ndarray, parents: Array,
    figure: Callable[[Array], Array] | None,
) -> Array:  # fmt: skip
    """Values (c, runs) of new candidates; with a figure, NaN for runs that could not save a hopeless candidate.

    A candidate is hopeless once its figure is certain to lie above the len(parents)-th smallest of all upper bounds
    (parents included): that many others survive before it. Those that survive have all their runs, so the search
    continues as without early stops.
    """
    count, runs = len(candidates), trials.budget.runs
    values = np.full((count, runs), np.nan)
    alive = np.arange(count)
    done = 0
    step = runs // 2 + 1 if figure is not None and len(parents) else runs
    while done < runs and len(alive):
        numbers = np.arange(done, done + step)
        which = np.repeat(alive, step)
        made = trials(stream, genome, vectors, Tasks(which, candidates[which], np.tile(numbers, len(alive))))
        values[np.ix_(alive, numbers)] = made.reshape(len(alive), step)
        done, step = done + step, 1
        if done < runs and figure is not None:
            low, high = bounds_of(figure, values)
            limit = np.partition(np.concatenate([parents, high]), len(parents) - 1)[len(parents) - 1]
            alive = alive[low[alive] <= limit]
    return values


__all__ = ["DesignTrials", "Stream", "Tasks", "TrialBudget", "Trials", "bounds_of", "try_candidates"]
