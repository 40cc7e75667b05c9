"""The AutoV search (Algorithm 1): operators that design operators.

Candidates are vectors in the box of a genome. Every generation, the operator of the best candidate found so far makes
offspring of the candidates (or another proposer does), and the better half of all
survives. Everything random is a function of (seed, generation)
or of (seed, candidate, run), so a search can be cut anywhere and resumed with any workers, with identical results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.state_arrays import state_from_arrays, state_to_arrays
from autov.core import Array, generator, stream_key
from autov.designer.fitness import fitness_of, mean_ranks, one_figure, panel_shares, reference_gaps
from autov.designer.genome import Genome, Given, VaryingGenome
from autov.designer.trial_runs import PANEL, RACE, RETEST, SEARCH, TRIAL
from autov.designer.trials import Stream, Tasks, Trials, try_candidates
from autov.kernels.evolution import run as kernels

if TYPE_CHECKING:
    from autov.designer.settings import DesignSettings

Memory = dict[str, np.ndarray]
FIRST_STEP = 0.1  # of the evolution strategy, in the unit box


class Proposer(Protocol):
    """Candidates from what is known; what it remembers is in arrays, so that a search can be cut and continue."""

    needs_all: bool  # whether it learns from the values of all candidates, hopeless ones included

    def propose(self, memory: Memory, generation: int, vectors: Array, fitness: Array) -> tuple[Memory, Array]:
        """As many new vectors as there are survivors (sorted, the best first)."""
        ...

    def learn(self, memory: Memory, vectors: Array, fitness: Array) -> Memory:
        """Take the fitness of the vectors just proposed."""
        ...


@dataclass(frozen=True)
class BestOperator:
    """Algorithm 1."""

    needs_all: ClassVar[bool] = False
    genome: VaryingGenome
    key: np.ndarray

    def propose(self, memory: Memory, generation: int, vectors: Array, fitness: Array) -> tuple[Memory, Array]:
        """Offspring by the operator of the best candidate."""
        box = self.genome.box
        best = self.genome.operator(vectors[0]).variation()
        offspring = np.empty_like(vectors)
        kernels.propose(self.key, generation, best, box.lower, box.upper, vectors, fitness, offspring)
        return memory, offspring

    def learn(self, memory: Memory, vectors: Array, fitness: Array) -> Memory:  # noqa: ARG002
        """Nothing to learn."""
        return memory


@dataclass(frozen=True)
class Strategy:
    """An evolution strategy on all genes."""

    needs_all: ClassVar[bool] = True
    genome: Genome
    key: np.ndarray

    def propose(self, memory: Memory, generation: int, vectors: Array, fitness: Array) -> tuple[Memory, Array]:  # noqa: ARG002
        """A sample; the first one around the best candidate."""
        algorithm = self._algorithm(len(vectors))
        state = algorithm.start(self.key, self.genome.box, len(vectors), 10**9, vectors[0])
        state = state_from_arrays(state, memory) if memory else state
        x, state = algorithm.ask(state, generator(0))
        return state_to_arrays(state), x

    def learn(self, memory: Memory, vectors: Array, fitness: Array) -> Memory:
        """Adapt."""
        algorithm = self._algorithm(len(vectors))
        like = algorithm.start(self.key, self.genome.box, len(vectors), 10**9, vectors[0])
        state = algorithm.tell(state_from_arrays(like, memory), vectors, fitness, generator(0))
        return state_to_arrays(state)

    def _algorithm(self, popsize: int) -> MatrixAdaptation:
        return MatrixAdaptation(popsize=popsize, sigma=FIRST_STEP, restarts="none", bounds="fold")


@dataclass(frozen=True)
class Uniform:
    """Random designs: the baseline that every other proposer must beat at equal cost."""

    needs_all: ClassVar[bool] = False
    genome: Genome
    key: np.ndarray

    def propose(self, memory: Memory, generation: int, vectors: Array, fitness: Array) -> tuple[Memory, Array]:  # noqa: ARG002
        """Uniform vectors in the box, whatever is known."""
        rng = generator(int(self.key[0]), int(self.key[1]), generation)
        return memory, self.genome.box.sample(len(vectors), rng)

    def learn(self, memory: Memory, vectors: Array, fitness: Array) -> Memory:  # noqa: ARG002
        """Nothing to learn."""
        return memory


PROPOSERS: dict[str, Any] = {"best-operator": BestOperator, "ma-es": Strategy, "random": Uniform}


KNOWN_IDS = 2**40  # numbers of baselines among candidates
HISTORY = ("generation", "evaluations", "best", "median", "worst")


@dataclass(frozen=True, eq=False)
class SearchState:
    """A search between two generations; candidates are sorted, the best first."""

    generation: int
    vectors: Array  # (population, genes)
    ids: np.ndarray  # (population,) numbers of the candidates, which choose their streams
    values: Array  # (problems, population, memory) best values of runs, NaN where none was made
    fitness: Array  # (population,)
    reference: Array  # (problems,) for log-gap
    next_id: int
    evaluations: int
    history: list[tuple[float, ...]] = field(default_factory=list)  # generation, evaluations, best, median, worst
    panel: Array = field(default_factory=lambda: np.empty((0, 0)))  # (problems, results) of other algorithms
    proposer: dict[str, np.ndarray] = field(default_factory=dict)  # what the proposer remembers
    tried: tuple[Array, Array] | None = None  # new vectors of this generation, and values (problems, n, runs)


class Search:
    """Algorithm 1 on a genome; ``start`` and ``step`` return states."""

    def __init__(
        self, genome: Genome, trials: Sequence[Trials], settings: DesignSettings, seed: int,
        panel: Sequence[Any] = (),
    ) -> None:  # fmt: skip
        self.genome, self.trials, self.settings, self.seed = genome, trials, settings, seed
        self.panel = Given(tuple(panel))
        self.proposer = PROPOSERS[settings.search.searcher](genome, stream_key(seed, SEARCH))
        self.minima: list[Any] = [t.problem.minimum for t in trials]
        self.runs = settings.training.trial.runs
        self.memory = max(settings.search.memory if settings.search.reevaluate else 0, self.runs)
        self._key = stream_key(seed, SEARCH)

    @property
    def evaluations(self) -> int:
        """All that were made by these trials, whatever for."""
        return sum(trials.evaluations for trials in self.trials)

    def start(self) -> SearchState:
        """The first population, evaluated (Algorithm 1, lines 1-3): random, after the baselines if wanted."""
        box, before = self.genome.box, self.evaluations
        vectors = np.empty((self.settings.search.population, box.dim))
        given = self.genome.known()[: len(vectors)] if self.settings.search.known else np.empty((0, box.dim))
        vectors[: len(given)] = given
        kernels.initial(self._key, box.lower, box.upper, vectors, len(given))
        ids = np.arange(len(vectors))
        values = self._try(vectors, ids, np.empty(0))
        reference = reference_gaps(np.nanmedian(values, axis=2), self.minima)
        state = SearchState(0, vectors, ids, values, np.empty(0), reference, len(ids), 0, panel=self._panel(),
                            tried=(vectors, values[:, :, : self.runs]))  # fmt: skip
        return self._finish(state, before)

    def _panel(self) -> Array:
        """Results of the panel, where the fitness is the share of them that is better."""
        if self.settings.fitness.aggregate != "panel":
            return np.empty((0, 0))
        runs = self.settings.fitness.panel_runs
        which = np.repeat(np.arange(len(self.panel.algorithms)), runs)
        tasks = Tasks(which, which, np.tile(np.arange(runs), len(self.panel.algorithms)))
        streams = [Stream(self.seed, PANEL, p) for p in range(len(self.trials))]
        pairs = zip(self.trials, streams, strict=True)
        return np.array([trials(stream, self.panel, self.panel.vectors, tasks) for trials, stream in pairs])

    def step(self, state: SearchState) -> SearchState:
        """One generation (Algorithm 1, lines 5-11)."""
        n, before = self.settings.search.population, self.evaluations
        generation = state.generation + 1
        memory, offspring = self.proposer.propose(state.proposer, generation, state.vectors, state.fitness)
        ids = state.next_id + np.arange(n)
        values = self._try(offspring, ids, state.fitness)
        union = replace(
            state, generation=generation, vectors=np.concatenate([state.vectors, offspring]),
            ids=np.concatenate([state.ids, ids]), values=np.concatenate([state.values, values], axis=1),
            next_id=state.next_id + n, tried=(offspring, values[:, :, : self.runs]),
        )  # fmt: skip
        memory = self.proposer.learn(memory, offspring, self._judged(union)[len(state.ids) :])
        return self._finish(replace(union, proposer=memory), before)

    def _try(self, vectors: Array, ids: np.ndarray, parents: Array) -> Array:
        # A proposer that learns from all candidates needs the values of all, and so do ranks and shares.
        relative = self.settings.fitness.aggregate == "panel" or self.settings.fitness.over_runs == "rank"
        early = len(self.trials) == 1 and not self.proposer.needs_all and not relative
        values = np.full((len(self.trials), len(vectors), self.memory), np.nan)
        for p, trials in enumerate(self.trials):
            stream = Stream(self.seed, TRIAL, p)
            figure = partial(self._figure, p) if early else None
            values[p, :, : self.runs] = try_candidates(trials, stream, self.genome, vectors, ids, parents, figure)
        return values

    def _finish(self, state: SearchState, before: int) -> SearchState:
        """Keep the better half, give it fresh runs if asked, sort it and note it in the history."""
        state = self._sorted(state, self.settings.search.population)
        if self.settings.search.reevaluate:
            state = self._sorted(replace(state, values=self._refresh(state)), self.settings.search.population)
        total = state.evaluations + self.evaluations - before
        row = (state.generation, total, state.fitness[0], float(np.median(state.fitness)), state.fitness[-1])
        return replace(state, evaluations=total, history=[*state.history, row])

    def _sorted(self, state: SearchState, keep: int) -> SearchState:
        """The best ``keep`` candidates in order; of equals, those that came first."""
        fitness = self._judged(state)
        order = np.argsort(fitness, kind="stable")[:keep]
        return replace(
            state, vectors=state.vectors[order], ids=state.ids[order], values=state.values[:, order],
            fitness=fitness[order],
        )  # fmt: skip

    def _judged(self, state: SearchState) -> Array:
        """The fitness of all candidates; infinite for those stopped early: they cannot be among those kept."""
        unfinished = np.asarray(np.isnan(state.values[:, :, : self.runs]).any(axis=(0, 2)))
        values = np.where(unfinished[:, None], np.inf, state.values)
        return np.where(unfinished, np.inf, self._fitness(values, state))

    def _fitness(self, values: Array, state: SearchState) -> Array:
        """One number for each candidate from values (problems, c, runs)."""
        if self.settings.fitness.aggregate == "panel":
            return panel_shares(values, state.panel, self.minima).mean(axis=0)
        if self.settings.fitness.over_runs == "rank":
            return np.mean([mean_ranks(each, low) for each, low in zip(values, self.minima, strict=True)], axis=0)
        figures = np.array([self._figure(p, each) for p, each in enumerate(values)])
        return fitness_of(figures, self.settings.fitness.aggregate, self.minima, state.reference)

    def _figure(self, place: int, values: Array) -> Array:
        """The figure (c,) of runs (c, runs) on one problem."""
        return one_figure(values, self.settings.fitness.over_runs, self.minima[place])

    def _refresh(self, state: SearchState) -> Array:
        """Values with fresh runs of every candidate whose memory is not full."""
        values = state.values.copy()
        made = (~np.isnan(values[0])).sum(axis=1)
        fresh = np.minimum(self.settings.search.reevaluate, self.memory - made)
        which = np.repeat(np.arange(len(made)), fresh)
        if not len(which):
            return values
        numbers = np.concatenate([np.arange(m, m + k) for m, k in zip(made, fresh, strict=True)])
        tasks = Tasks(which, state.ids[which], numbers)
        for p, trials in enumerate(self.trials):
            values[p, which, numbers] = trials(Stream(self.seed, TRIAL, p), self.genome, state.vectors, tasks)
        return values

    def race(self, state: SearchState, known: Sequence[Any] = ()) -> int:
        """The index of the winner of successive halving on fresh seeds among the best survivors and known algorithms.

        Each round keeps the better half and doubles the runs; all runs of a candidate count. Survivors have the numbers
        that they have in the state, known algorithms those behind the last survivor.
        """
        survivors = min(self.settings.race.race_size, len(state.ids))
        given = Given(tuple(known))
        alive = np.concatenate([np.arange(survivors), len(state.ids) + np.arange(len(known))])
        runs = self.settings.race.race_runs
        values = np.empty((len(self.trials), len(alive), 0))
        while True:
            numbers = np.arange(values.shape[2], values.shape[2] + runs)
            own, others = alive[alive < len(state.ids)], alive[alive >= len(state.ids)] - len(state.ids)
            fresh = [
                np.concatenate([
                    self._runs(trials, RACE, p, self.genome, state.vectors, own, state.ids[own], numbers),
                    self._runs(trials, RACE, p, given, given.vectors, others, KNOWN_IDS + others, numbers),
                ])
                for p, trials in enumerate(self.trials)
            ]  # fmt: skip
            values = np.concatenate([values, np.array(fresh)], axis=2)
            order = np.argsort(self._fitness(values, state), kind="stable")
            if len(alive) <= 4:
                return int(alive[order[0]])
            kept = np.sort(order[: (len(alive) + 1) // 2])
            alive, values = alive[kept], values[:, kept]
            runs *= 2

    def _runs(
        self, trials: Trials, purpose: int, place: int, genome: Genome, vectors: Array, which: np.ndarray,
        ids: np.ndarray, numbers: np.ndarray,
    ) -> Array:  # fmt: skip
        """Best values (candidates, runs) of runs with these numbers."""
        if not len(which):
            return np.empty((0, len(numbers)))
        tasks = Tasks(np.repeat(which, len(numbers)), np.repeat(ids, len(numbers)), np.tile(numbers, len(which)))
        made = trials(Stream(self.seed, purpose, place), genome, vectors, tasks)
        return made.reshape(len(which), len(numbers))

    def retest_one(self, algorithm: Any, trials: Trials, place: int) -> Array:
        """Best values (runs,) of an algorithm in the re-test of one problem, where `retest` has it at this place."""
        given, first = Given((algorithm,)), np.zeros(1, np.int64)
        numbers = np.arange(self.settings.race.retest_runs)
        return self._runs(trials, RETEST, place, given, given.vectors, first, first, numbers)[0]

    def retest(
        self, algorithms: Sequence[Any], trials: Sequence[Trials] | None = None, purpose: int = RETEST
    ) -> Array:  # fmt: skip
        """Best values (algorithms, problems, runs) on seeds and instances that the search never saw, the same for all.

        Args:
            algorithms: whatever can be run.
            trials: on other problems than those of the search.
            purpose: of the stream.
        """
        given, numbers = Given(tuple(algorithms)), np.arange(len(algorithms))
        runs = np.arange(self.settings.race.retest_runs)
        made = [
            self._runs(each, purpose, p, given, given.vectors, numbers, numbers, runs)
            for p, each in enumerate(self.trials if trials is None else trials)
        ]
        return np.swapaxes(np.array(made), 0, 1)
