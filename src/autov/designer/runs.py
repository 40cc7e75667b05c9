"""Single runs that try candidates: their budget, their streams, and compiled runs of many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, cast

import numpy as np

from autov.algorithms import solve
from autov.algorithms.base import Compiled
from autov.core import Array, Box, check_ranges, stream_key, whole_number
from autov.designer.genome import Genome, PackedGenome
from autov.kernels.many import Tasks as KernelTasks
from autov.kernels.many import derive
from autov.kernels.objective import stack_objectives
from autov.problems import MayRaise, Problem, ProblemFamily, instance_of, to_base, without_fixed

KEPT = 20_000_000  # numbers of transformations that are kept for the instances of a family


@dataclass(frozen=True)
class TrialBudget:
    """What a candidate is tried with: a population, generations (the initial population is the first) and runs."""

    popsize: int = 100
    generations: int = 100
    runs: int = 9
    evaluations: int | None = None  # of a run, instead of those of so many generations
    stop: float = 1.0  # share of them after which a run is cut off, without having known it: how good it is on its way

    def __post_init__(self) -> None:
        for name, least in (("popsize", 2), ("generations", 1), ("runs", 1)):
            object.__setattr__(self, name, whole_number(f"trial {name}", getattr(self, name), least))
        if self.evaluations is not None:
            object.__setattr__(self, "evaluations", whole_number("trial evaluations", self.evaluations, 1))
        check_ranges(self, stop=(1e-6, 1))

    @property
    def maxfev(self) -> int:
        """Evaluations that a run is told it has."""
        return self.evaluations or self.popsize * self.generations

    @property
    def made(self) -> int:
        """Evaluations that it makes."""
        return max(1, round(self.stop * self.maxfev))


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


class Tasks(NamedTuple):
    """Runs to be made, all arrays (n,) int64: which candidate of those given, its number, the number of its run."""

    which: np.ndarray
    candidates: np.ndarray
    runs: np.ndarray

    def part(self, piece: slice) -> Tasks:
        """Some of them."""
        return Tasks(*(array[piece] for array in self))


@dataclass(frozen=True, eq=False)
class CompiledTrials:
    """A call for engines: best values of tasks, each as one compiled run; it can be sent to other processes."""

    problem: Problem
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
        return self._packed(tasks) if isinstance(self.genome, PackedGenome) else self._one_by_one(tasks)

    def _one_by_one(self, tasks: Tasks) -> Array:
        best = np.empty(len(tasks.which))
        # A check against a protocol looks at every property: not once for each run.
        family, prepare = isinstance(self.problem, ProblemFamily), preparing(self.problem)
        for i, (which, candidate, run) in enumerate(zip(*tasks, strict=True)):
            key = derive(self.stream.key, candidate, run)
            instance = prepare(self.problem, self.stream.instance(run) if family else 0)
            best[i] = run_alone(instance, self.decoded[which], self.budget, key)
        return best

    def _packed(self, tasks: Tasks) -> Array:
        assert isinstance(self.genome, PackedGenome)
        best = np.empty(len(tasks.which))
        family = isinstance(self.problem, ProblemFamily)
        numbers, instance = np.unique(tasks.runs if family else np.zeros_like(tasks.runs), return_inverse=True)
        prepare = preparing(self.problem)
        found = [prepare(self.problem, self.stream.instance(run) if family else 0).objective for run in numbers]
        objectives = stack_objectives(found)
        noting = to_base(instance_for(self.problem, 0), np.empty((0, self.problem.box.dim)))[0]
        if isinstance(noting, MayRaise):  # kept objectives are shared by several calls, notes are not
            objectives = objectives._replace(context=np.zeros_like(objectives.context))
        todo = KernelTasks(tasks.which, instance.astype(np.int64), tasks.candidates, tasks.runs)
        self.genome.run_packed(self.packed, objectives, self.problem.box, self.budget, self.stream.key, todo, best)
        if isinstance(noting, MayRaise):
            noting.raise_noted(objectives.context)
        return best


@dataclass(frozen=True, eq=False)
class SentTrials:
    """The same for workers that keep the function they got: candidates, which change, travel with their tasks."""

    problem: Problem
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
        return CompiledTrials(self.problem, self.genome, vectors, self.budget, self.stream)(tasks)


class Prepared(NamedTuple):
    """What a run on an instance needs."""

    problem: Problem
    box: Box
    objective: Any
    may_raise: Any  # who raises what a compiled run noted, or None


def run_alone(instance: Prepared, algorithm: Any, budget: TrialBudget, key: np.ndarray) -> float:
    """The best value of one run of any algorithm on an instance, compiled if both can be."""
    compiled: bool = isinstance(algorithm, Compiled) and algorithm.compiles
    if not compiled or instance.objective is None:
        seed = int(key[0] >> np.uint64(1))
        return solve_alone(instance.problem, algorithm, budget, seed)
    objective = instance.objective
    if instance.may_raise is not None:  # kept objectives are shared by several calls, notes are not
        objective = objective._replace(context=np.zeros_like(objective.context))
    state = algorithm.start(key, instance.box, budget.popsize, budget.maxfev)
    best = algorithm.run_compiled(state, objective, budget.made).fun
    if instance.may_raise is not None:
        instance.may_raise.raise_noted(objective.context)
    return best


def solve_alone(problem: Problem, algorithm: Any, budget: TrialBudget, seed: int, evaluate: Any = None) -> float:
    """The best value of one run that is asked for points, or of another library."""
    cut = budget.made < budget.maxfev
    run = solve(
        problem, cast(Any, algorithm), maxfev=budget.maxfev, popsize=budget.popsize, seed=seed, evaluate=evaluate,
        watch=(lambda run: run.nfev >= budget.made) if cut else None,
    )  # fmt: skip
    if not cut or run.improved is None:
        return run.fun
    counts, values = run.improved  # the batch in which it was cut off may have gone further
    return float(values[max(int(np.searchsorted(counts, budget.made, side="right")) - 1, 0)])


def instance_for(problem: Problem, number: int) -> Problem:
    """What a run gets: the instance of a family, without fixed variables."""
    return without_fixed(instance_of(problem, number))


def _prepare(problem: Problem, number: int) -> Prepared:
    instance = instance_for(problem, number)
    base = to_base(instance, np.empty((0, instance.box.dim)))[0]
    return Prepared(instance, instance.box, instance.objective(), base if isinstance(base, MayRaise) else None)


_kept = lru_cache(maxsize=256)(_prepare)


def preparing(problem: Problem) -> Callable[[Problem, int], Prepared]:
    """What prepares its instances: those of a family are kept, where they do not need much memory."""
    return _kept if isinstance(problem, ProblemFamily) and problem.box.dim**2 * 256 <= KEPT else _prepare
