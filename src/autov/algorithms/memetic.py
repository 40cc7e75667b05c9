"""A global search with local searches around it: `Memetic`.

P. Moscato, On evolution, search, optimization, genetic algorithms and martial arts: towards memetic algorithms, Caltech
Concurrent Computation Program report 826, 1989. Here: first points cover the box. A local search starts at the best of
them, others at the next ones, until ``patience`` of them in a row have found nothing better or ``trial`` of the budget
is spent. Then a global search (``global_search``) works. After each ``round`` of the budget a local search starts at its best
point, if that is better than all before; these may spend ``refine`` of the evaluations made. A local search that goes
on finding better points may go on until all of them have spent ``most`` of the budget.

Whatever cannot help on a function therefore costs little: on noise, plateaus and steps a local search ends after a few
evaluations for each variable, and after ``patience`` failures it is tried after 1, 2, 4, ... rounds only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from autov.algorithms.allotment import polishing_step
from autov.algorithms.base import Compiled, Metaheuristic, Outcome
from autov.algorithms.compiled import AnyRun, Resumable, Trace, Turns, run_to_end
from autov.algorithms.local_search import LocalSearch
from autov.algorithms.population import initial_points
from autov.algorithms.portfolio import Portfolio
from autov.algorithms.quasi_newton import QuasiNewton
from autov.compiler.precompile import precompile, start_worker
from autov.core import Array, Box, Generator, InputError, check_ranges, generator
from autov.kernels.evolution.many import derive
from autov.kernels.evolution.run import evaluate_blocks
from autov.kernels.models.local_search import JITTER
from autov.kernels.objective import Objective

SAMPLE = -1  # whose turn it is: first points, a local search by its place, or the global search behind the last one
LATEST = 4  # doublings of the rounds between two tries of a local search that fails
NEAR = 0.1  # first steps of a local search that starts where another one ended, as a part of its own
LEAST = 1e-4  # first steps of one that starts at the best point of a population, as a part of the box

Points = Callable[[], tuple[Array, Array]]  # the last points of the global search


@dataclass(eq=False)
class Progress:
    """What has been spent and found, and whose turn it is; arrays of k have one entry for each local search."""

    maxfev: int
    sample: Array  # (n, d) first points
    sample_f: Array  # (n,) their values
    explored: int  # first points at which a local search has started
    nfev: int
    best: float
    best_x: Array
    by: int  # who found it
    turn: int
    goal: int  # evaluations of the run at work after which it is decided anew
    run_nfev: int  # evaluations of the run at work
    before: float  # the best value when the local search began
    checked: float  # the best value when it was last decided
    local_nfev: int  # of all local searches
    base_nfev: int
    base_goal: int
    base_maxfev: int  # 0 until it starts
    rounds: int  # of the global search
    searches: np.ndarray  # (k,) int64, begun
    failures: np.ndarray  # (k,) int64, in a row
    next_round: np.ndarray  # (k,) int64, in which one that failed may be tried again
    origin: Array  # (k,) the best value at which it last started

    def copied(self) -> Progress:
        """A copy; arrays that are changed in place are copied, too."""
        names = ("searches", "failures", "next_round", "origin")
        return replace(self, **{name: getattr(self, name).copy() for name in names})

    def note(self, count: int, best: float, best_x: Array) -> None:
        """The run at work has made so many more evaluations, with this best value of its own."""
        if best < self.best or not self.nfev:
            self.best, self.best_x, self.by = float(best), np.array(best_x), self.turn
        self.nfev += count
        self.run_nfev += count
        if 0 <= self.turn < len(self.searches):
            self.local_nfev += count
        elif self.turn == len(self.searches):
            self.base_nfev += count

    def end_search(self, patience: int) -> None:
        """The local search at work has ended, or is ended."""
        j = self.turn
        self.failures[j] = 0 if self.best < self.before else self.failures[j] + 1
        if self.failures[j] >= patience:
            self.next_round[j] = self.rounds + 2 ** min(int(self.failures[j]) - patience, LATEST)


@dataclass(frozen=True, eq=False)
class MemeticState:
    """The progress, and the states of all: those of runs that have not begun are those of a run of their own."""

    key: np.ndarray
    box: Box
    popsize: int
    given: Array  # points of the caller
    progress: Progress
    states: tuple[Any, ...]  # of the local searches, then of the global one
    asked: Array  # a batch that waits for its values or its turn

    @property
    def turn(self) -> int:
        """Whose batch is next."""
        return self.progress.turn

    @property
    def generation(self) -> int:
        """Of the run at work."""
        return 0 if self.turn == SAMPLE else self.states[self.turn].generation


@dataclass(frozen=True)
class Memetic:
    """Settings; parts are parts of the budget.

    Attributes:
        global_search: an algorithm that can be asked; by default a portfolio.
        local_searches: in the order in which they are tried; by default ``quasi-newton``.
        sample: first points, the centre among them, as a part of the budget.
        sample_most: most first points for each variable.
        trial: what local searches may spend before the global search begins, and later if they find better points.
        refine: what they may spend besides, as a part of all evaluations made.
        most: what they may spend while they go on finding better points.
        patience: failures in a row after which a local search is tried more and more rarely.
        round: evaluations of the global search between two tries of local searches.
        inherit: whether the global search starts at the best point.
    """

    name: ClassVar[str] = "memetic"
    global_search: Any = None
    local_searches: tuple[Any, ...] = ()
    sample: float = 0.005
    sample_most: float = 0.5
    trial: float = 0.05
    refine: float = 0.05
    most: float = 0.6
    patience: int = 2
    round: float = 0.03
    inherit: bool = False

    def __post_init__(self) -> None:
        if self.global_search is None:
            object.__setattr__(self, "global_search", Portfolio())
        if isinstance(self.global_search, (str, type)) or not isinstance(self.global_search, Metaheuristic):
            name = getattr(self.global_search, "name", self.global_search)
            raise InputError(f"global_search: must be an algorithm that can be asked, got {name!r}")
        object.__setattr__(self, "local_searches", tuple(self.local_searches) or (QuasiNewton(),))
        for search in self.local_searches:
            if not isinstance(search, LocalSearch):
                raise InputError(f"local_searches: must be local searches, got {getattr(search, 'name', search)!r}")
        check_ranges(
            self, sample=(0, 0.5), sample_most=(0, 1e3), trial=(0, 1), refine=(0, 1), most=(0, 1), patience=(1, 1000),
            round=(1e-3, 1),
        )  # fmt: skip

    @property
    def runners(self) -> tuple[Any, ...]:
        """All algorithms, in the order of their places."""
        return (*self.local_searches, self.global_search)

    @property
    def uses_popsize(self) -> bool:
        """Whether the popsize of a run counts for the global search."""
        return getattr(self.global_search, "uses_popsize", True)

    @property
    def compiles(self) -> bool:
        """Where the global search does, and can be resumed."""
        return (
            isinstance(self.global_search, Compiled)
            and self.global_search.compiles
            and isinstance(self.global_search, Resumable)
        )

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> MemeticState:
        """`start` with a key from the generator."""
        return self.start(rng.integers(0, 2**64, 2, dtype=np.uint64), box, popsize, maxfev, x0)

    def start(
        self, key: np.ndarray, box: Box, popsize: int, maxfev: int, x0: Array | None = None
    ) -> MemeticState:  # fmt: skip
        """First points: those given, or the centre, then a Latin hypercube."""
        start_worker()
        given, k = initial_points(box, popsize, x0), len(self.local_searches)
        sample = self._first_points(key, box, int(maxfev), given)
        progress = Progress(
            int(maxfev), sample, np.full(len(sample), np.inf), 1, 0, np.inf, np.zeros(box.dim), SAMPLE, SAMPLE,
            len(sample), 0, np.inf, np.inf, 0, 0, 0, 0, 0, np.zeros(k, np.int64), np.zeros(k, np.int64),
            np.zeros(k, np.int64), np.full(k, np.inf),
        )  # fmt: skip
        states = [
            self._search(key, box, progress, j, sample[0], np.inf, s.scale) for j, s in enumerate(self.local_searches)
        ]
        base = self._start_base(key, box, popsize, int(maxfev), given)
        return MemeticState(key.copy(), box, popsize, given, progress, (*states, base), sample)

    def _first_points(self, key: np.ndarray, box: Box, maxfev: int, given: Array) -> Array:
        count = max(1, min(int(self.sample * maxfev), int(self.sample_most * box.dim)))
        own = derive(key, len(self.runners), 0)
        rng = generator(int(own[0]), int(own[1]))
        cells = np.argsort(rng.random((count, box.dim)), axis=0)
        points = (cells + rng.random((count, box.dim))) / count
        points[0] = 0.5 + JITTER * (2 * rng.random(box.dim) - 1)
        points = box.clip(box.lower + points * box.width)
        return np.concatenate([given, points[: max(0, count - len(given))]]) if len(given) else points

    def _search(
        self, key: np.ndarray, box: Box, progress: Progress, j: int, x: Array, f: float, scale: float
    ) -> Any:  # fmt: skip
        """The state of a local search that starts at a point, and ends when it has converged."""
        own = derive(key, j, int(progress.searches[j]))
        state = self.local_searches[j].start_at(own, box, progress.maxfev, x[None], np.array([f]), scale)
        state.scalars["limit"] = 1
        return state

    def _start_base(self, key: np.ndarray, box: Box, popsize: int, maxfev: int, first: Array) -> Any:
        own, x0 = derive(key, len(self.local_searches), 0), first if len(first) else None
        if isinstance(self.global_search, Compiled):
            return self.global_search.start(own, box, popsize, maxfev, x0)
        return self.global_search.init(box, popsize, maxfev, generator(int(own[0]), int(own[1])), x0)

    def decide(
        self, key: np.ndarray, box: Box, popsize: int, given: Array, progress: Progress, ended: bool, points: Points
    ) -> Any:  # fmt: skip
        """Whose turn it is next; the progress changes, and the state of a run that begins is returned, else None.

        Args:
            key: of the run.
            box: where to search.
            popsize: of the run.
            given: points of the caller.
            progress: whose goal is reached, or whose local search has ended.
            ended: whether it has.
            points: the last points of the global search.
        """
        p, k = progress, len(self.local_searches)
        chunk = 2 * box.dim + 10
        if 0 <= p.turn < k:
            gained, p.checked = p.best < p.checked, p.best
            spent = p.local_nfev >= (self.most * p.maxfev if gained else self._allowed(p))
            if not ended and not spent:
                p.goal += chunk
                return None
            p.end_search(self.patience)
        for j, search in enumerate(self.local_searches):
            found = self._start_of(p, j, search, box, points)
            if found is not None:
                p.searches[j] += 1
                p.turn, p.goal, p.run_nfev, p.before, p.checked = j, chunk, 0, p.best, p.best
                return self._search(key, box, p, j, *found)
        p.base_goal += max(1, int(self.round * p.maxfev))
        p.turn, p.goal, p.run_nfev, p.rounds = k, p.base_goal, p.base_nfev, p.rounds + 1
        if p.base_maxfev:
            return None
        p.base_maxfev = max(1, int((p.maxfev - p.nfev) * (1 - self.refine)))
        first = p.best_x[None] if self.inherit and np.isfinite(p.best) else given
        return self._start_base(key, box, popsize, p.base_maxfev, first)

    def _allowed(self, p: Progress) -> float:
        """What local searches may spend by now."""
        return self.trial * p.maxfev + self.refine * p.nfev

    def _start_of(
        self, p: Progress, j: int, search: Any, box: Box, points: Points
    ) -> tuple[Array, float, float] | None:  # fmt: skip
        """Where a local search may start now: a point, its value, and the first step; None if it has to wait."""
        if p.local_nfev >= self._allowed(p) or not np.isfinite(p.best):
            return None
        trusted = p.failures[j] < self.patience
        if p.by != j and p.best < p.origin[j] and (trusted or p.rounds >= p.next_round[j]):
            p.origin[j] = p.best
            scale = search.scale
            if p.by == len(self.local_searches):
                x, f = (np.ascontiguousarray(part) for part in points())
                scale = polishing_step(x, f, box.lower, box.upper, 1.0, LEAST, search.scale)
            elif p.by != SAMPLE:
                scale *= NEAR
            return p.best_x, p.best, float(scale)
        if trusted and p.explored < len(p.sample):
            place = int(np.argsort(p.sample_f, kind="stable")[p.explored])
            p.explored += 1
            return p.sample[place], float(p.sample_f[place]), search.scale
        return None

    def ask(self, state: MemeticState, rng: Generator) -> tuple[Array, MemeticState]:
        """The batch of whose turn it is; asking again gives the same."""
        while True:
            p, i = state.progress, state.turn
            if p.nfev == 0:
                precompile(call for m, s in zip(self.runners, state.states, strict=True) if hasattr(m, "calls")
                           for call in m.calls(s))  # fmt: skip
            ended = 0 <= i < len(self.local_searches) and int(state.states[i].scalars["starts"][0]) > 0
            if not ended and i != SAMPLE and not len(state.asked):
                x, own = self.runners[i].ask(state.states[i], rng)
                state = replace(state, states=_put(state.states, i, own), asked=x)
            if not ended and len(state.asked) and p.run_nfev + len(state.asked) <= p.goal:
                return state.asked.copy(), state
            p = p.copied()
            base = state.states[-1]
            begun = self.decide(
                state.key,
                state.box,
                state.popsize,
                state.given,
                p,
                ended,
                lambda s=base: self.global_search.population(s),
            )
            states = state.states if begun is None else _put(state.states, p.turn, begun)
            kept = state.asked if begun is None and p.turn == i else state.asked[:0]
            state = replace(state, progress=p, states=states, asked=kept)

    def tell(self, state: MemeticState, x: Array, f: Array, rng: Generator) -> MemeticState:
        """The run at work takes the values."""
        p, i = state.progress.copied(), state.turn
        first = int(np.argmin(f))
        states = state.states
        if i == SAMPLE:
            p.sample_f = np.array(f)
        else:
            states = _put(states, i, self.runners[i].tell(states[i], x, f, rng))
        p.note(len(f), float(f[first]), x[first])
        return replace(state, progress=p, states=states, asked=state.asked[:0])

    def population(self, state: MemeticState) -> tuple[Array, Array]:
        """The last points told by the run at work."""
        if state.turn == SAMPLE:
            return state.progress.sample, state.progress.sample_f
        return self.runners[state.turn].population(state.states[state.turn])

    def run_compiled(
        self, state: MemeticState, objective: Objective, maxfev: int, begun: list[AnyRun] | None = None
    ) -> Outcome:  # fmt: skip
        """A run from a state of ``start``, in compiled calls: the same bits as by ask and tell."""
        return run_to_end(self.resumable_run(state), objective, maxfev, begun)

    def resumable_run(self, state: MemeticState) -> MemeticRun:
        """The run that begins with a state, which can be resumed."""
        return MemeticRun(self, state)


class SampleRun:
    """A compiled run that evaluates given points once."""

    def __init__(self, key: np.ndarray, x: Array) -> None:
        self._key, self._x, self._f = key, np.ascontiguousarray(x), np.full(len(x), np.inf)
        self.nfev = self.batches = self.nans = 0
        self.best, self.best_x, self.least, self.batch = np.inf, np.zeros(x.shape[1]), 1, len(x)

    def advance(self, objective: Objective, budget: int, final: bool, trace: Trace, traced: int) -> int:
        """Evaluate the points, if they fit."""
        count = min(self.batch, budget - self.nfev)
        if self.nfev or (count < self.batch and not final):
            return traced
        self.nans = int(evaluate_blocks(self._key, 0, objective, self._x[:count], self._f[:count]))
        first = int(np.argmin(self._f[:count]))
        self.nfev, self.batches = count, int(count == self.batch)
        self.best, self.best_x = float(self._f[first]), self._x[first]
        trace.nfev[traced], trace.best[traced] = count, self.best
        return traced + 1

    def population(self) -> tuple[Array, Array]:
        """The points evaluated."""
        return self._x[: self.nfev].copy(), self._f[: self.nfev].copy()

    def calls(self, objective: Objective, trace: Trace) -> list[tuple[Any, tuple[Any, ...]]]:  # noqa: ARG002
        """None that take long."""
        return []


class MemeticRun(Turns):
    """Compiled runs of the first points, of local searches one after another, and of the global search."""

    def __init__(self, algorithm: Memetic, state: MemeticState) -> None:
        self._now: AnyRun = SampleRun(state.key, state.progress.sample)
        super().__init__([self._now])
        self._algorithm, self._state, self._progress = algorithm, state, state.progress.copied()
        self._base: AnyRun | None = None
        self._waiting = [m.resumable_run(s) for m, s in zip(algorithm.runners, state.states, strict=True)]
        self.least = 1

    @property
    def batch(self) -> int:
        """Points of the next batch."""
        return self._next_run().batch

    def calls(self, objective: Objective, trace: Trace) -> list[tuple[Any, tuple[Any, ...]]]:
        """Kernels of all, in the order in which they are needed."""
        return Turns(self._waiting).calls(objective, trace)

    def advance(self, objective: Objective, budget: int, final: bool, trace: Trace, traced: int) -> int:
        """Runs in turns, until so many evaluations are made."""
        p = self._progress
        while self.nfev < budget:
            run, left = self._next_run(), budget - self.nfev
            if run.batch > left and not final:
                break
            before, most, told = run.nfev, run.nfev + left, run.batches
            traced = self.advance_one(run, objective, min(p.goal, most), final and most < p.goal, trace, traced)
            if isinstance(run, SampleRun):
                p.sample_f = run.population()[1]
            if run.batches > told:
                p.note(run.nfev - before, run.best, run.best_x)
        return traced

    def _next_run(self) -> AnyRun:
        """The run whose batch is next: that at work as long as its batch fits its goal, then whoever is next."""
        algorithm, state, p = self._algorithm, self._state, self._progress
        while True:
            run = self._now
            local = 0 <= p.turn < len(algorithm.local_searches)
            ended = local and int(run.work.scalars["starts"][0]) > 0  # type: ignore[attr-defined]
            sampled = isinstance(run, SampleRun) and run.nfev > 0
            if not ended and not sampled and run.nfev + run.batch <= p.goal:
                return run
            points = self._base.population if self._base is not None else run.population
            begun = algorithm.decide(state.key, state.box, state.popsize, state.given, p, ended, points)
            if begun is not None:
                self._now = algorithm.runners[p.turn].resumable_run(begun)
                self.runs.append(self._now)
                if p.turn == len(algorithm.local_searches):
                    self._base = self._now
            elif p.turn == len(algorithm.local_searches):
                assert self._base is not None
                self._now = self._base


def _put(values: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])
