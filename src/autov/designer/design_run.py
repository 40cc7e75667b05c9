"""A design from its first generation to its result: search, final race, re-test."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autov.algorithms.evolution import Evolution
from autov.algorithms.files import DEFAULT
from autov.core import Array, identity
from autov.designer.checkpoint import MEASURED, Checkpoint
from autov.designer.cost import FITTED
from autov.designer.design_result import Design, provenance_of
from autov.designer.fitness import unit_of
from autov.designer.genome import Genome, OperatorGenome
from autov.designer.memory import Memory, remember, remembers
from autov.designer.search import Search, SearchState
from autov.designer.search_files import SearchFiles
from autov.designer.trial_runs import MOVED
from autov.designer.trials import DesignTrials, Trials
from autov.operators import AffineOperator
from autov.problems import ProblemFamily
from autov.runs.described import CATEGORIES
from autov.runs.evaluation import FaultCount

# What may change when a search continues.
AFTER_THE_SEARCH = ("generations", "final_race", "race_size", "race_runs", "retest_runs", "random_baseline", "remember")
COLD = "without memory"  # what the result is called where another one, which remembers, takes its place


@dataclass(frozen=True, eq=False)
class SearchProgress:
    """What a display may show after each generation."""

    state: SearchState
    generations: int
    seconds: float  # of the whole search
    rate: float  # evaluations per second in this session
    seconds_left: float
    genome: Genome
    aggregate: str = ""  # what fitness is of several problems; else it is a best value


ProgressCallback = Callable[[SearchProgress], Any]


@dataclass(frozen=True, eq=False)
class Rivals:
    """Algorithms that the result is compared with, by label: baselines, and peers that the user names."""

    known: dict[str, Any]
    peers: dict[str, Any]

    @property
    def all(self) -> dict[str, Any]:
        """Known designs, then peers."""
        return {**self.known, **self.peers}


@dataclass(frozen=True, eq=False)
class Winner:
    """The winner of the final race; ``baseline`` is the label of a rival, None for a candidate of the search."""

    algorithm: Any
    baseline: str | None
    fitness: float


@dataclass(frozen=True, eq=False)
class DesignRun:
    """A search with its trials, its rivals and the files that it is kept in.

    Attributes:
        search: the generations.
        trials: what it runs on.
        rivals: what the result is compared with.
        files: where it is kept.
        described: problems, seed and settings, as files have them.
        measured: evaluations that told what it may cost.
    """

    search: Search
    trials: DesignTrials
    rivals: Rivals
    files: SearchFiles
    described: Mapping[str, Any]
    measured: int

    def run(self, preset: str, progress: ProgressCallback | None = None) -> Design:
        """Search from the checkpoint or from the beginning, then choose and re-test the result."""
        begun = self.files.begin(self.search, self._beginning())
        for trials in self.trials.each:
            trials.journal = self.files.journal
        last = self._generations(begun, progress)
        return self._finish(last, begun.faults, preset)

    def _beginning(self) -> Checkpoint:
        """The search before its first population, with all that must be the same when it continues."""
        settings = {name: value for name, value in self.described.items() if name not in AFTER_THE_SEARCH}
        settings["identities"] = self.files.trained
        designed = self.search.settings.designed
        own = [one for one in (designed.space, *designed.members) if not isinstance(one, str)]
        if own and self.files.path is not None:
            settings["own"] = [identity(one) for one in own]
        sizes = {name: value for name, value in self.search.settings.values().items() if name in FITTED}
        return Checkpoint(settings, sizes | {MEASURED: self.measured})

    def _generations(self, begun: Checkpoint, progress: ProgressCallback | None) -> Checkpoint:
        """Run the generations, with checkpoints and progress."""
        now, start, most = begun, clock.perf_counter(), self.search.settings.search.generations
        try:
            while True:
                state = self._next(now.state)
                if state.tried is not None:
                    self.files.candidates.add(*state.tried)
                # What fails later belongs to a generation that is made anew.
                faults = _failed(begun.faults, self.search.trials)
                session = clock.perf_counter() - start
                now = replace(now, state=state, seconds=begun.seconds + session, faults=faults)
                self.files.keep(now, last=state.generation >= most)
                if progress:
                    made = state.evaluations - (begun.state.evaluations if begun.state else 0)
                    progress(self._progress(state, now.seconds, made / max(session, 1e-9)))
                if state.generation >= most:
                    return now
        except KeyboardInterrupt:
            self.files.write(replace(now, seconds=begun.seconds + clock.perf_counter() - start))
            raise

    def _next(self, state: SearchState | None) -> SearchState:
        if state is None:
            return self.search.start()
        return self.search.step(state) if state.generation < self.search.settings.search.generations else state

    def _progress(self, state: SearchState, seconds: float, rate: float) -> SearchProgress:
        settings = self.search.settings
        share = (state.generation + 1) / (settings.search.generations + 1)
        measure = unit_of(settings.fitness.aggregate, settings.fitness.over_runs, len(self.search.trials))
        left = seconds / share - seconds
        return SearchProgress(state, settings.search.generations, seconds, rate, left, self.search.genome, measure)

    def _finish(self, last: Checkpoint, before: FaultCount, preset: str) -> Design:
        """Choose the result, re-test it and the baselines, also on translated instances, and note its provenance."""
        start, state, trials = clock.perf_counter(), last.state, self.trials
        assert state is not None
        spent = {"measure": self.measured, "search": state.evaluations}
        made = trials.evaluations
        winner = self._winner(state)
        spent["race"], made = trials.evaluations - made, trials.evaluations
        others = {label: one for label, one in self.rivals.all.items() if label != winner.baseline}
        if self.search.settings.race.random_baseline:
            others |= self._random_baseline()
            spent["random baseline"], made = trials.evaluations - made, trials.evaluations
        values = self.search.retest([winner.algorithm, *others.values()], trials.held_out)
        spent["retest"], made = trials.evaluations - made, trials.evaluations
        memory = self._memory(winner.algorithm, values[0])
        if memory is not None:
            spent["memory"], made = trials.evaluations - made, trials.evaluations
        own, beside = values[0], dict(zip(others, values[1:], strict=True))
        if memory is not None and memory.offered:
            beside, others = {COLD: own, **beside}, {COLD: winner.algorithm, **others}
            own, winner = memory.values if len(memory.values) else own, replace(winner, algorithm=memory.algorithm)
        moved = self.search.retest([winner.algorithm], trials.moved, MOVED)[0] if trials.moved else None
        spent["retest"] += trials.evaluations - made
        failed = _failed(before, trials.each)
        found = Design(
            winner.algorithm, winner.baseline, winner.fitness, own, beside, others, np.array(state.history),
            self._population(state.vectors), spent, last.seconds, dict(self.described),
            tuple(each.problem for each in trials.search), tuple(each.problem for each in trials.held_out),
            tuple(each.budget.maxfev for each in trials.held_out), {}, moved, failed.counts, failed.first,
            memory=memory, candidates=self.files.candidates.candidates(),
        )  # fmt: skip
        found = _with_provenance(found, provenance_of(found, preset, self._instances()))
        return replace(found, seconds=last.seconds + clock.perf_counter() - start)

    def _winner(self, state: SearchState) -> Winner:
        """The winner of the final race, the best of the search if there is none."""
        settings = self.search.settings
        rivals = self.rivals.all if settings.search.known else {}
        if settings.designed.space == "operator":  # of which the defaults are none; the re-test has them
            rivals = {label: one for label, one in rivals.items() if label not in (DEFAULT, CATEGORIES)}
        winner = self.search.race(state, list(rivals.values())) if settings.race.final_race else 0
        if winner >= len(state.ids):
            label = list(rivals)[winner - len(state.ids)]
            return Winner(rivals[label], label, float("nan"))
        return Winner(self.search.genome.decode(state.vectors[winner]), None, float(state.fitness[winner]))

    def _memory(self, algorithm: Any, cold: Array) -> Memory | None:
        """What the result may remember, tried on the instances of the re-test; None where it may not."""
        settings = self.search.settings
        if not remembers(settings.race.remember, settings.designed.space, self.search.trials):
            return None
        return remember(algorithm, self.search, self.trials, cold, settings.race.remember)

    def _random_baseline(self) -> dict[str, Any]:
        """The best of as many random designs, chosen with the evaluations of the search and of its race."""
        settings = self.search.settings.changed(searcher="random", known=False)
        search = Search(
            self.search.genome, self.trials.search, settings, self.search.seed, self.search.panel.algorithms
        )
        state = search.start()
        while state.generation < settings.search.generations:
            state = search.step(state)
        best = search.race(state) if settings.race.final_race else 0
        count = settings.search.population * (settings.search.generations + 1)
        return {f"best of {count:,} random designs": search.genome.decode(state.vectors[best])}

    def _population(self, vectors: Array) -> list[Any]:
        genome = self.search.genome
        shown = genome.operator if isinstance(genome, OperatorGenome) else genome.decode
        return [shown(vector) for vector in vectors]

    def _instances(self) -> str:
        """Which instances it has seen, in words."""
        if not any(isinstance(trials.problem, ProblemFamily) for trials in self.search.trials):
            return "the problem as it is, in the search as in the re-test"
        seed = self.search.seed
        return f"drawn from (seed {seed}, purpose, problem, run); search, race and re-test are three purposes"


def _failed(before: FaultCount, trials: Sequence[Trials]) -> FaultCount:
    """Evaluations that failed, in earlier sessions and in these trials."""
    found = FaultCount()
    for each in (before, *(one.evaluator.faults for one in trials)):
        found.add(each.counts, each.first)
    return found


def _with_provenance(found: Design, provenance: dict[str, Any]) -> Design:
    """The design, and its operator where one was designed, with where it comes from."""
    algorithm = found.algorithm
    designed = found.settings["space"] == "operator" and isinstance(algorithm, Evolution)
    if designed and isinstance(algorithm.operator, AffineOperator):
        algorithm = replace(algorithm, operator=replace(algorithm.operator, provenance=provenance))
    return replace(found, algorithm=algorithm, provenance=provenance)
