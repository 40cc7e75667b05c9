"""The AutoV search (Algorithm 1): operators that design operators.

Candidates are vectors in the box of an encoding. Every generation, the best operator found so far makes offspring of
the candidates, and the better half of all survives. Everything random is a function of (seed, generation) or of
(seed, candidate, run), so a search can be cut anywhere and go on, on any number of workers, with the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autov.core import Array, stream_key
from autov.designer.aggregate import fitness_of, reference_gaps
from autov.designer.encoding import Encoding
from autov.designer.fitness import InnerRuns, evaluate_candidates
from autov.kernels import run as kernels

OUTER, INNER, RACE, RETEST = range(4)  # what the streams of a seed are for


@dataclass(frozen=True)
class SearchSettings:
    """What decides the course of a search, besides the encoding, the problems and the inner metaheuristic."""

    population: int = 100
    generations: int = 1000
    seed: int = 0
    aggregate: str = "rank"
    early_stop: bool = True
    reevaluate: int = 0  # fresh runs that every survivor gets each generation
    memory: int = 99  # runs after which a candidate is known well enough


@dataclass(frozen=True, eq=False)
class SearchState:
    """A search between two generations; candidates are sorted, the best first."""

    generation: int
    vectors: Array  # (population, genes)
    ids: np.ndarray  # (population,) numbers of the candidates, which choose their streams
    values: Array  # (problems, population, memory) best values of inner runs, NaN where none was made
    fitness: Array  # (population,)
    reference: Array  # (problems,) for log-gap
    next_id: int
    evaluations: int
    history: list[tuple[float, ...]] = field(default_factory=list)  # generation, evaluations, best, median, worst


HISTORY = ("generation", "evaluations", "best", "median", "worst")


class Search:
    """Algorithm 1 on an encoding; ``start`` and ``step`` return states."""

    def __init__(self, encoding: Encoding, inner_runs: Sequence[InnerRuns], settings: SearchSettings) -> None:
        self.encoding = encoding
        self.inner_runs = inner_runs
        self.settings = settings
        self.minima: list[Any] = [runs.problem.minimum for runs in inner_runs]
        self._outer = stream_key(settings.seed, OUTER)
        self._inner = [stream_key(settings.seed, INNER, p) for p in range(len(inner_runs))]
        self.runs = inner_runs[0].inner.runs
        self.memory = max(settings.memory if settings.reevaluate else 0, self.runs)

    def start(self) -> SearchState:
        """The random first population, evaluated (Algorithm 1, lines 1-3)."""
        box = self.encoding.box
        vectors = np.empty((self.settings.population, box.dim))
        kernels.initial(self._outer, box.lower, box.upper, vectors, 0)
        ids = np.arange(len(vectors))
        values = self._evaluate(vectors, ids, np.empty(0))
        medians = np.nanmedian(values, axis=2)
        reference = reference_gaps(medians, self.minima)
        state = SearchState(0, vectors, ids, values, np.empty(0), reference, len(ids), 0)
        return self._finish(state, self._made(values))

    def step(self, state: SearchState) -> SearchState:
        """One generation (Algorithm 1, lines 5-11)."""
        box, n = self.encoding.box, self.settings.population
        best = self.encoding.decode(state.vectors[0]).variation()
        generation = state.generation + 1
        offspring = np.empty_like(state.vectors)
        kernels.propose(self._outer, generation, best, box.lower, box.upper, state.vectors, state.fitness, offspring)
        ids = state.next_id + np.arange(n)
        values = self._evaluate(offspring, ids, state.fitness)
        union = replace(
            state, generation=generation, vectors=np.concatenate([state.vectors, offspring]),
            ids=np.concatenate([state.ids, ids]), values=np.concatenate([state.values, values], axis=1),
            next_id=state.next_id + n,
        )  # fmt: skip
        return self._finish(union, self._made(values))

    def _evaluate(self, vectors: Array, ids: np.ndarray, parents: Array) -> Array:
        stack = self.encoding.stack(vectors)
        early = self.settings.early_stop and len(self.inner_runs) == 1
        values = np.full((len(self.inner_runs), len(vectors), self.memory), np.nan)
        for p, runs in enumerate(self.inner_runs):
            values[p, :, : self.runs] = evaluate_candidates(runs, self._inner[p], stack, ids, parents, early)
        return values

    def _made(self, values: Array) -> int:
        return int((~np.isnan(values)).sum()) * self.inner_runs[0].inner.maxfev

    def _finish(self, state: SearchState, evaluations: int) -> SearchState:
        """Keep the better half, give it fresh runs if asked, sort it and note it in the history."""
        state = self._sorted(state, self.settings.population)
        if self.settings.reevaluate:
            values = self._refresh(state)
            evaluations += self._made(values) - self._made(state.values)
            state = self._sorted(replace(state, values=values), self.settings.population)
        total = state.evaluations + evaluations
        row = (state.generation, total, state.fitness[0], float(np.median(state.fitness)), state.fitness[-1])
        return replace(state, evaluations=total, history=[*state.history, row])

    def _sorted(self, state: SearchState, keep: int) -> SearchState:
        """The best ``keep`` candidates in order; of equals, those that came first."""
        values = state.values
        # A candidate stopped early is hopeless: it cannot be among those kept.
        unfinished = np.isnan(values[:, :, : self.runs]).any(axis=(0, 2))
        medians = np.where(unfinished, np.inf, np.nanmedian(values, axis=2))
        fitness = fitness_of(medians, self.settings.aggregate, self.minima, state.reference)
        order = np.argsort(np.where(unfinished, np.inf, fitness), kind="stable")[:keep]
        return replace(
            state, vectors=state.vectors[order], ids=state.ids[order], values=values[:, order], fitness=fitness[order]
        )

    def _refresh(self, state: SearchState) -> Array:
        """Values with fresh runs of every candidate whose memory is not full."""
        values = state.values.copy()
        made = (~np.isnan(values[0])).sum(axis=1)
        fresh = np.minimum(self.settings.reevaluate, self.memory - made)
        which = np.repeat(np.arange(len(made)), fresh)
        if not len(which):
            return values
        numbers = np.concatenate([np.arange(m, m + k) for m, k in zip(made, fresh, strict=True)])
        stack = self.encoding.stack(state.vectors)
        for p, runs in enumerate(self.inner_runs):
            values[p, which, numbers] = runs(self._inner[p], stack, which, state.ids[which], numbers)
        return values

    def race(self, state: SearchState, start: int = 32, runs: int = 16) -> int:
        """The index of the candidate that wins successive halving on fresh seeds among the best survivors.

        Each round keeps the better half and doubles the runs; all runs of a candidate count.
        """
        base = [stream_key(self.settings.seed, RACE, p) for p in range(len(self.inner_runs))]
        alive = np.arange(min(start, len(state.ids)))
        stack = self.encoding.stack(state.vectors)
        values = np.empty((len(self.inner_runs), len(alive), 0))
        while True:
            first = values.shape[2]
            numbers = np.arange(first, first + runs)
            which = np.repeat(alive, runs)
            fresh = [
                r(base[p], stack, which, state.ids[which], np.tile(numbers, len(alive))).reshape(len(alive), runs)
                for p, r in enumerate(self.inner_runs)
            ]
            values = np.concatenate([values, np.array(fresh)], axis=2)
            score = fitness_of(np.median(values, axis=2), self.settings.aggregate, self.minima, state.reference)
            order = np.argsort(score, kind="stable")
            if len(alive) <= 4:
                return int(alive[order[0]])
            kept = np.sort(order[: (len(alive) + 1) // 2])
            alive, values = alive[kept], values[:, kept]
            runs *= 2

    def retest(self, vector: Array, runs: int = 30) -> Array:
        """Best values (problems, runs) of one candidate on seeds that the search never saw."""
        stack = self.encoding.stack(vector[None])
        zero, numbers = np.zeros(runs, np.int64), np.arange(runs)
        return np.array(
            [
                r(stream_key(self.settings.seed, RETEST, p), stack, zero, zero, numbers)
                for p, r in enumerate(self.inner_runs)
            ]
        )
