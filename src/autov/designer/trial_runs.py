"""Single runs that try candidates: their budget, their streams, and compiled runs of many."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from autov.algorithms.base import Compiled
from autov.core import Array, check_ranges, stream_key, whole_number
from autov.designer.genome import Genome, PackedGenome
from autov.designer.trial_instances import Instances, Prepared
from autov.kernels.evolution.many import Tasks as KernelTasks
from autov.kernels.evolution.many import derive
from autov.kernels.objective import Objective, stack_objectives, stacking_key
from autov.problems import PointFunction, Problem
from autov.problems.generated import Split
from autov.runs import solve


@dataclass(frozen=True)
class TrialBudget:
    """The trial of a candidate: a population, generations (the initial population is the first) and runs."""

    popsize: int = 100
    generations: int = 100
    runs: int = 9
    evaluations: int | None = None  # of a run, instead of those of this many generations
    stop: float = 1.0  # share of them after which a run is cut off, without having known it: how good it is on its way

    def __post_init__(self) -> None:
        for name, least in (("popsize", 2), ("generations", 1), ("runs", 1)):
            object.__setattr__(self, name, whole_number(f"trial {name}", getattr(self, name), least))
        if self.evaluations is not None:
            object.__setattr__(self, "evaluations", whole_number("trial evaluations", self.evaluations, 1))
        check_ranges(self, stop=(1e-6, 1))

    @property
    def maxfev(self) -> int:
        """Evaluations that a run plans with."""
        return self.evaluations or self.popsize * self.generations

    @property
    def made(self) -> int:
        """Evaluations that it makes."""
        return max(1, round(self.stop * self.maxfev))


SEARCH, TRIAL, RACE, RETEST, MOVED, PANEL = range(6)  # what the streams of a seed are for
# Of a user's family; else the training.
SPLIT_OF: dict[int, Split] = {RACE: "validation", RETEST: "test", MOVED: "test"}


@dataclass(frozen=True)
class Stream:
    """Where the random numbers and the instances of runs come from: one stream for each purpose and problem."""

    seed: int
    purpose: int
    problem: int

    @cached_property
    def key(self) -> np.ndarray:
        """From which every (candidate, run) derives its own."""
        return stream_key(self.seed, self.purpose, self.problem)

    def instance(self, run: int) -> int:
        """The number of the instance of a run; the same for all candidates, so that they meet the same instances."""
        words = np.random.SeedSequence(self.seed, spawn_key=(self.purpose, self.problem, int(run), 1))
        return int(words.generate_state(1, np.uint64)[0] >> np.uint64(1))

    def met(self, instances: Instances, run: int) -> Prepared:
        """The instance that a run meets."""
        if not instances.is_family:
            return instances.first
        return instances[instances.number(SPLIT_OF.get(self.purpose, "train"), self.instance(run))]


class Course(NamedTuple):
    """The best value of a run, and how it was reached."""

    fun: float
    nfev: np.ndarray  # counts of evaluations
    best: Array  # the best value so far at each of them


class Tasks(NamedTuple):
    """Runs to be made, all arrays (n,) int64: which candidate of those given, its number, the number of its run."""

    which: np.ndarray
    candidates: np.ndarray
    runs: np.ndarray

    def part(self, piece: slice) -> Tasks:
        """Some of them."""
        return Tasks(*(array[piece] for array in self))


@dataclass(frozen=True, eq=False)
class InstancePoints:
    """Python functions of points as one: a row holds the number of a run, whose instance is meant, and a point."""

    instances: Instances
    stream: Stream

    def point(self, row: Array) -> float:
        """The value of the point on the instance of the run."""
        base = self.stream.met(self.instances, int(row[0])).base
        assert isinstance(base, PointFunction)
        return base.point(row[1:])


@dataclass(frozen=True, eq=False)
class CompiledTrials:
    """A call for engines: best values of tasks, each as one compiled run; it can be sent to other processes."""

    instances: Instances
    genome: Genome
    vectors: Array
    budget: TrialBudget
    stream: Stream

    @cached_property
    def packed(self) -> Any:
        """The candidates as the compiled run reads them."""
        assert isinstance(self.genome, PackedGenome)
        return self.genome.pack(self.vectors)

    @cached_property
    def decoded(self) -> list[Any]:
        """The algorithms of the candidates."""
        return [self.genome.decode(vector) for vector in self.vectors]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("packed", "decoded")}

    def __call__(self, tasks: Tasks) -> Array:
        """Task i runs candidate which[i] with the stream of (candidates[i], runs[i])."""
        if isinstance(self.genome, PackedGenome):
            return self._packed(tasks)
        return np.array([course.fun for course in self.courses(tasks)])

    def courses(self, tasks: Tasks) -> list[Course]:
        """Each task as a run of its own, with its course."""
        return [
            run_alone(
                self.stream.met(self.instances, run), self.decoded[which], self.budget,
                derive(self.stream.key, candidate, run),
            )
            for which, candidate, run in zip(*tasks, strict=True)
        ]  # fmt: skip

    def _packed(self, tasks: Tasks) -> Array:
        """One compiled call for all instances of one function; instances with functions of their own get their own."""
        assert isinstance(self.genome, PackedGenome)
        best = np.empty(len(tasks.which))
        numbers, place = np.unique(tasks.runs, return_inverse=True)
        met = [self.stream.met(self.instances, run) for run in numbers]
        for group in groups_of(stacking_key(cast(Objective, one.objective)) for one in met):
            members = np.flatnonzero(np.isin(place, group))
            instance = np.searchsorted(group, place[members])
            objectives = stack_objectives([cast(Objective, met[k].objective) for k in group])
            noting = met[group[0]].may_raise
            if noting is not None:  # prepared objectives are shared by several calls, notes are not
                objectives = objectives._replace(context=_without_note(objectives.context))
            todo = KernelTasks(tasks.which[members], instance, tasks.candidates[members], tasks.runs[members])
            found = np.empty(len(members))
            self.genome.run_packed(
                self.packed, objectives, self.instances.traits.box, self.budget, self.stream.key, todo, found
            )
            best[members] = found
            if noting is not None:
                noting.raise_noted(objectives.context)
        return best


@dataclass(frozen=True, eq=False)
class SentTrials:
    """The same for workers that keep the function they got: candidates, which change, travel with their tasks."""

    instances: Instances
    genome: Genome
    budget: TrialBudget
    stream: Stream

    @staticmethod
    def item(vectors: Array, tasks: Tasks) -> tuple[Array, Tasks]:
        """What is sent: the tasks, and the candidates that they need."""
        used, which = np.unique(tasks.which, return_inverse=True)
        return vectors[used], tasks._replace(which=which.astype(np.int64))

    def __call__(self, item: tuple[Array, Tasks]) -> Array:
        """Best values of the tasks."""
        vectors, tasks = item
        return CompiledTrials(self.instances, self.genome, vectors, self.budget, self.stream)(tasks)


def _without_note(context: Array) -> Array:
    """A context of its own for a call: the first number notes whether the function raised, the rest is read."""
    own = context.copy()
    own[0] = 0.0
    return own


def run_alone(instance: Prepared, algorithm: Any, budget: TrialBudget, key: np.ndarray) -> Course:
    """One run of any algorithm on an instance, compiled if both can be."""
    compiled: bool = isinstance(algorithm, Compiled) and algorithm.compiles
    if not compiled or instance.objective is None:
        seed = int(key[0] >> np.uint64(1))
        return solve_alone(instance.problem, algorithm, budget, seed)
    objective = instance.objective
    if instance.may_raise is not None:  # prepared objectives are shared by several calls, notes are not
        objective = objective._replace(context=_without_note(objective.context))
    state = algorithm.start(key, instance.box, budget.popsize, budget.maxfev)
    made = algorithm.run_compiled(state, objective, budget.made)
    if instance.may_raise is not None:
        instance.may_raise.raise_noted(objective.context)
    return Course(made.fun, made.trace_nfev, made.trace_best)


def solve_alone(problem: Problem, algorithm: Any, budget: TrialBudget, seed: int, evaluate: Any = None) -> Course:
    """One run that is asked for points, or of another library."""
    cut = budget.made < budget.maxfev
    run = solve(
        problem, cast(Any, algorithm), maxfev=budget.maxfev, popsize=budget.popsize, seed=seed, evaluate=evaluate,
        watch=(lambda run: run.nfev >= budget.made) if cut else None,
    )  # fmt: skip
    if run.improved is None:
        return Course(run.fun, run.trace_nfev, run.trace_best)
    counts, values = run.improved  # the batch in which it was cut off may have gone further
    last = max(int(np.searchsorted(counts, budget.made, side="right")) - 1, 0)
    return Course(float(values[last]) if cut else run.fun, counts[: last + 1], values[: last + 1])


def groups_of(keys: Iterable[Hashable]) -> list[np.ndarray]:
    """The places of equal keys, in increasing order; groups are ordered by their first place."""
    found: dict[Hashable, list[int]] = {}
    for i, key in enumerate(keys):
        found.setdefault(key, []).append(i)
    return [np.array(places) for places in found.values()]
