"""The AutoV search (Algorithm 1): operators that design operators.

Candidates are vectors in the box of a genome. Every generation, the operator of the best candidate found so far makes
offspring of the candidates, and the better half of all survives. Everything random is a function of (seed, generation)
or of (seed, candidate, run), so a search can be cut anywhere and go on, on any number of workers, with the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autov.core import Array, stream_key
from autov.designer.aggregate import fitness_of, reference_gaps
from autov.designer.genome import Genome
from autov.designer.settings import DesignSettings
from autov.designer.trials import Stream, Tasks, Trials, try_candidates
from autov.kernels import run as kernels

SEARCH, TRIAL, RACE, RETEST, MOVED = range(5)  # what the streams of a seed are for
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


class Search:
    """Algorithm 1 on a genome; ``start`` and ``step`` return states."""

    def __init__(self, genome: Genome, trials: Sequence[Trials], settings: DesignSettings, seed: int) -> None:
        self.genome, self.trials, self.settings, self.seed = genome, trials, settings, seed
        self.minima: list[Any] = [t.problem.minimum for t in trials]
        self.runs = settings.trial.runs
        self.memory = max(settings.memory if settings.reevaluate else 0, self.runs)
        self._key = stream_key(seed, SEARCH)

    @property
    def evaluations(self) -> int:
        """All that were made by these trials, whatever for."""
        return sum(trials.evaluations for trials in self.trials)

    def start(self) -> SearchState:
        """The first population, evaluated (Algorithm 1, lines 1-3): random, behind known designs if wanted."""
        box, before = self.genome.box, self.evaluations
        vectors = np.empty((self.settings.population, box.dim))
        given = self.genome.known()[: len(vectors)] if self.settings.known else np.empty((0, box.dim))
        vectors[: len(given)] = given
        kernels.initial(self._key, box.lower, box.upper, vectors, len(given))
        ids = np.arange(len(vectors))
        values = self._try(vectors, ids, np.empty(0))
        medians = np.nanmedian(values, axis=2)
        reference = reference_gaps(medians, self.minima)
        state = SearchState(0, vectors, ids, values, np.empty(0), reference, len(ids), 0)
        return self._finish(state, before)

    def step(self, state: SearchState) -> SearchState:
        """One generation (Algorithm 1, lines 5-11)."""
        box, n, before = self.genome.box, self.settings.population, self.evaluations
        best = self.genome.operator(state.vectors[0]).variation()
        generation = state.generation + 1
        offspring = np.empty_like(state.vectors)
        kernels.propose(self._key, generation, best, box.lower, box.upper, state.vectors, state.fitness, offspring)
        ids = state.next_id + np.arange(n)
        values = self._try(offspring, ids, state.fitness)
        union = replace(
            state, generation=generation, vectors=np.concatenate([state.vectors, offspring]),
            ids=np.concatenate([state.ids, ids]), values=np.concatenate([state.values, values], axis=1),
            next_id=state.next_id + n,
        )  # fmt: skip
        return self._finish(union, before)

    def _try(self, vectors: Array, ids: np.ndarray, parents: Array) -> Array:
        early = self.settings.early_stop and len(self.trials) == 1
        values = np.full((len(self.trials), len(vectors), self.memory), np.nan)
        for p, trials in enumerate(self.trials):
            stream = Stream(self.seed, TRIAL, p)
            values[p, :, : self.runs] = try_candidates(trials, stream, self.genome, vectors, ids, parents, early)
        return values

    def _finish(self, state: SearchState, before: int) -> SearchState:
        """Keep the better half, give it fresh runs if asked, sort it and note it in the history."""
        state = self._sorted(state, self.settings.population)
        if self.settings.reevaluate:
            state = self._sorted(replace(state, values=self._refresh(state)), self.settings.population)
        total = state.evaluations + self.evaluations - before
        row = (state.generation, total, state.fitness[0], float(np.median(state.fitness)), state.fitness[-1])
        return replace(state, evaluations=total, history=[*state.history, row])

    def _sorted(self, state: SearchState, keep: int) -> SearchState:
        """The best ``keep`` candidates in order; of equals, those that came first."""
        values = state.values
        # A candidate stopped early is hopeless: it cannot be among those kept.
        unfinished = np.isnan(values[:, :, : self.runs]).any(axis=(0, 2))
        medians = np.where(unfinished, np.inf, np.nanmedian(values, axis=2))
        fitness = self._fitness(medians, state)
        order = np.argsort(np.where(unfinished, np.inf, fitness), kind="stable")[:keep]
        return replace(
            state, vectors=state.vectors[order], ids=state.ids[order], values=values[:, order], fitness=fitness[order]
        )

    def _fitness(self, medians: Array, state: SearchState) -> Array:
        return fitness_of(medians, self.settings.aggregate, self.minima, state.reference)

    def _refresh(self, state: SearchState) -> Array:
        """Values with fresh runs of every candidate whose memory is not full."""
        values = state.values.copy()
        made = (~np.isnan(values[0])).sum(axis=1)
        fresh = np.minimum(self.settings.reevaluate, self.memory - made)
        which = np.repeat(np.arange(len(made)), fresh)
        if not len(which):
            return values
        numbers = np.concatenate([np.arange(m, m + k) for m, k in zip(made, fresh, strict=True)])
        tasks = Tasks(which, state.ids[which], numbers)
        for p, trials in enumerate(self.trials):
            values[p, which, numbers] = trials(Stream(self.seed, TRIAL, p), self.genome, state.vectors, tasks)
        return values

    def race(self, state: SearchState) -> int:
        """The index of the candidate that wins successive halving on fresh seeds among the best survivors.

        Each round keeps the better half and doubles the runs; all runs of a candidate count.
        """
        alive = np.arange(min(self.settings.race_size, len(state.ids)))
        runs = self.settings.race_runs
        values = np.empty((len(self.trials), len(alive), 0))
        while True:
            first = values.shape[2]
            numbers = np.arange(first, first + runs)
            which = np.repeat(alive, runs)
            tasks = Tasks(which, state.ids[which], np.tile(numbers, len(alive)))
            fresh = [
                trials(Stream(self.seed, RACE, p), self.genome, state.vectors, tasks).reshape(len(alive), runs)
                for p, trials in enumerate(self.trials)
            ]
            values = np.concatenate([values, np.array(fresh)], axis=2)
            order = np.argsort(self._fitness(np.median(values, axis=2), state), kind="stable")
            if len(alive) <= 4:
                return int(alive[order[0]])
            kept = np.sort(order[: (len(alive) + 1) // 2])
            alive, values = alive[kept], values[:, kept]
            runs *= 2

    def retest(self, vector: Array, trials: Sequence[Trials] | None = None, purpose: int = RETEST) -> Array:
        """Best values (problems, runs) of one candidate on seeds that the search never saw.

        Args:
            vector: the candidate.
            trials: on other problems than those of the search.
            purpose: of the stream.
        """
        runs = self.settings.retest_runs
        zero = np.zeros(runs, np.int64)
        tasks = Tasks(zero, zero, np.arange(runs))
        made = [
            each(Stream(self.seed, purpose, p), self.genome, vector[None], tasks)
            for p, each in enumerate(self.trials if trials is None else trials)
        ]
        return np.array(made)
