"""A global search with local searches around it: `Memetic`.

P. Moscato, On evolution, search, optimization, genetic algorithms and martial arts: towards memetic algorithms, Caltech
Concurrent Computation Program report 826, 1989. Here:

1. Local searches start near the centre of the box, or at the best of the points that are given.
2. After ``cover_after`` of the budget, or when these have ended, points that cover the box are evaluated (a Latin
   hypercube). Where one of them is better, the search at work ends; a start in a bad basin costs no more than that.
3. Local searches start at the best of these points, until ``patience`` of them in a row have found nothing better or
   ``trial`` of the budget is spent. One that goes on finding better points may go on until ``most`` is spent, but not
   where it meets the border of the feasible points.
4. The global search works, with small budgets from the best point on. After each ``round`` of the budget a local
   search starts at its best point, if that is better than all before; these may spend ``refine`` of the evaluations
   made.

Under constraints whose values are told (`Memetic.with_constraints`) the local search is
`autov.algorithms.constrained_search`, the points that cover the box come after its first steps, and the global search
is told values with weighted violations where infeasible points have values.

A local search that cannot help on a function costs little: on noise, plateaus and steps it ends after a few evaluations
for each variable, and after ``patience`` failures it is tried after 1, 2, 4, ... rounds only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from autov.algorithms.base import Compiled, Metaheuristic, Outcome, at_work, next_state, renewed
from autov.algorithms.compiled import AnyRun, Resumable, run_to_end
from autov.algorithms.constrained_search import (
    ConstrainedSearch,
    ConstrainedSearchState,
    PointArchive,
    penalized,
    penalty_weights,
)
from autov.algorithms.local_search import LocalSearch
from autov.algorithms.memetic_progress import (
    POINTS,
    Population,
    Progress,
    Start,
    ended_and_infeasible,
    goes_on,
    meets_border,
    next_start,
)
from autov.algorithms.memetic_run import MemeticRun
from autov.algorithms.population import initial_points
from autov.algorithms.portfolio import Portfolio
from autov.algorithms.quasi_newton import QuasiNewton
from autov.compiler.precompile import precompile, start_worker
from autov.core import Array, Box, Generator, InputError, check_ranges, generator
from autov.kernels.evolution.many import derive
from autov.kernels.models.search_batch import JITTER
from autov.kernels.objective import Objective

MOST_VARIABLES = 60  # for which constraints are modelled
MODELLED = 15.0  # evaluations for each variable after which a search with models of constraints gives way
LEAST_MODELLED = 0.15  # the same as a part of the budget; the larger of both
LEAST_COVER, LEAST_PART = 5, 0.05  # least points that cover the box, but no more than this part of the budget


@dataclass(frozen=True, eq=False)
class MemeticState:
    """The progress, and the states of all: those of runs that have not begun are those of a run of their own."""

    stream: np.ndarray  # two words from which all streams derive
    box: Box
    popsize: int
    given: Array  # points of the caller
    progress: Progress
    states: tuple[Any, ...]  # of the local searches, None for those that are not used, then of the global one
    asked: Array  # a batch that waits for its values or its turn
    archive: PointArchive | None = None  # what is known of all points, where there are constraints
    weights: Array | None = None  # (m,) of constraints in the values that the global search is told

    @property
    def turn(self) -> int:
        """Whose batch is next."""
        return self.progress.turn

    @property
    def key(self) -> np.ndarray:
        """The stream of the run at work; noise comes from it."""
        return self.stream if self.turn == POINTS else self.states[self.turn].key

    @property
    def generation(self) -> int:
        """Of the run at work."""
        return 0 if self.turn == POINTS else self.states[self.turn].generation


@dataclass(frozen=True)
class Memetic:
    """Settings; parts are parts of the budget.

    Attributes:
        global_search: an algorithm that can be asked; by default a portfolio.
        local_searches: in the order in which they are tried; by default ``quasi-newton``.
        most_variables: for each of them, the most variables for which it is used, 0 for any number; () for all of them.
        cover: points that cover the box, as a part of the budget.
        cover_most: most of these points for each variable.
        cover_after: what is spent before they are evaluated; at least one gradient and one line.
        trial: what local searches may spend before the global search begins, and later if they find better points.
        refine: what they may spend besides, as a part of all evaluations made.
        most: what they may spend while they go on finding better points.
        most_separable: the same of a search along the axes, which goes on only where the function is separable.
        short: with fewer evaluations than this for each variable, `most_separable` holds for all local searches.
        patience: failures in a row after which a local search is tried more and more rarely.
        round: evaluations of the global search between two tries of local searches.
        inherit_below: with fewer evaluations than this for each variable the global search starts at the best point;
            with more at the best point that covers the box, which finds better optima of rugged functions.
    """

    name: ClassVar[str] = "memetic"
    global_search: Any = None
    local_searches: tuple[Any, ...] = ()
    most_variables: tuple[int, ...] = ()
    cover: float = 0.01
    cover_most: float = 2.0
    cover_after: float = 0.1
    trial: float = 0.05
    refine: float = 0.05
    most: float = 0.6
    most_separable: float = 0.95
    short: float = 30.0
    patience: int = 2
    round: float = 0.03
    inherit_below: float = 200.0

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
        most = tuple(self.most_variables)
        if most and (len(most) != len(self.local_searches) or any(type(n) is not int or n < 0 for n in most)):
            raise InputError(f"most_variables: must be one integer for each local search, got {self.most_variables!r}")
        object.__setattr__(self, "most_variables", most)
        check_ranges(
            self, cover=(0, 0.5), cover_most=(0, 1e3), cover_after=(0, 1), trial=(0, 1), refine=(0, 1), most=(0, 1),
            most_separable=(0, 1), short=(0, 1e9), patience=(1, 1000), round=(1e-3, 1), inherit_below=(0, 1e9),
        )  # fmt: skip

    def with_constraints(self, integrality: tuple[bool, ...], maxfev: int) -> Memetic:
        """For problems whose constraints are known at every point: the local search models them.

        It is told by `learn` what is known of points. A member that sees values only creeps along the constraints.
        """
        if len(integrality) > MOST_VARIABLES:
            return self
        scale = min(search.scale for search in self.local_searches)
        search = ConstrainedSearch(integrality, scale)
        part = max(LEAST_MODELLED, MODELLED * len(integrality) / maxfev)
        most = {"most": min(self.most, part), "most_separable": min(self.most_separable, part)}
        return replace(self, local_searches=(search,), most_variables=(), cover_after=0.0, **most)

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
        search = self.global_search
        return isinstance(search, Compiled) and search.compiles and isinstance(search, Resumable)

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> MemeticState:
        """`start` with a key from the generator."""
        return self.start(rng.integers(0, 2**64, 2, dtype=np.uint64), box, popsize, maxfev, x0)

    def start(
        self, key: np.ndarray, box: Box, popsize: int, maxfev: int, x0: Array | None = None
    ) -> MemeticState:  # fmt: skip
        """Points that are given come first; without them a local search starts near the centre."""
        start_worker()
        given, used = initial_points(box, popsize, x0), self._used(box.dim)
        p = Progress.of(int(maxfev), box.dim, used)
        stream = self._stream(key)
        centre = box.clip(box.lower + (0.5 + JITTER * (2 * stream.random(box.dim) - 1)) * box.width)
        first = Start(given[0] if len(given) else centre, np.inf, self.local_searches[int(np.argmax(used))].scale)
        states = [self._search(key, box, p, j, first) if used[j] else None for j in range(len(self.local_searches))]
        if len(given) or not used.any():
            p.begin(POINTS, len(given))
        else:
            p.begin(int(np.argmax(used)), self._first_chunk(box.dim))
            p.searches[p.turn] = 1
        base = self._start_global(key, box, popsize, int(maxfev), given)
        return MemeticState(key.copy(), box, popsize, given, p, (*states, base), given)

    def _first_chunk(self, d: int) -> int:
        """Evaluations before the first decision: a first model of constraints and as many steps are enough."""
        models = any(isinstance(search, ConstrainedSearch) for search in self.local_searches)
        return 2 * d if models else _chunk(d)

    def _used(self, d: int) -> np.ndarray:
        """Which local searches are used for this number of variables, (k,) bool."""
        most = self.most_variables or (0,) * len(self.local_searches)
        return np.array([n == 0 or d <= n for n in most])

    def _stream(self, key: np.ndarray) -> Generator:
        own = derive(key, len(self.runners), 0)
        return generator(int(own[0]), int(own[1]))

    def _cover_at(self, maxfev: int, d: int) -> int:
        """Evaluations before the points that cover the box."""
        return max(self._first_chunk(d), int(self.cover_after * maxfev))

    def _cover_count(self, maxfev: int, d: int) -> int:
        least = min(LEAST_COVER, int(LEAST_PART * maxfev)) if self.cover > 0 else 0
        return min(max(least, int(self.cover * maxfev)), int(self.cover_most * d))

    def _cover(self, p: Progress, d: int, suspend: bool) -> bool:
        """Give the turn to the points that cover the box, if they have not been evaluated."""
        count = self._cover_count(p.maxfev, d)
        if p.covered or not count:
            return False
        p.covered, p.suspended = True, p.run_nfev if suspend else 0
        p.suspended_turn = p.turn
        p.begin(POINTS, count)
        return True

    def cover_points(self, key: np.ndarray, box: Box, maxfev: int) -> Array:
        """A Latin hypercube."""
        count = self._cover_count(maxfev, box.dim)
        stream = self._stream(derive(key, len(self.runners), 1))
        cells = np.argsort(stream.random((count, box.dim)), axis=0)
        points = (cells + stream.random((count, box.dim))) / max(count, 1)
        return box.clip(box.lower + points * box.width)

    def _search(
        self, key: np.ndarray, box: Box, progress: Progress, j: int, start: Start, archive: PointArchive | None = None
    ) -> Any:  # fmt: skip
        """The state of a local search that ends when it has converged."""
        own, search = derive(key, j, int(progress.searches[j])), self.local_searches[j]
        given = own, box, progress.maxfev, start.x[None], np.array([start.f]), start.scale
        state = search.start_at(*given, archive) if isinstance(search, ConstrainedSearch) else search.start_at(*given)
        state.scalars["limit"] = 1
        return state

    def _start_global(self, key: np.ndarray, box: Box, popsize: int, maxfev: int, first: Array) -> Any:
        own, x0 = derive(key, len(self.local_searches), 0), first if len(first) else None
        if isinstance(self.global_search, Compiled):
            return self.global_search.start(own, box, popsize, maxfev, x0)
        return self.global_search.init(box, popsize, maxfev, generator(int(own[0]), int(own[1])), x0)

    def decide(
        self, state: MemeticState, p: Progress, ended: bool, infeasible: int, population: Population
    ) -> Any:  # fmt: skip
        """Whose turn it is next; the progress changes, and the state of a run that begins is returned, else None.

        Args:
            state: of the beginning of the run, or a later one.
            p: the progress, whose goal is reached, or whose local search has ended.
            ended: whether it has.
            infeasible: points that it has met.
            population: the last points of the global search.
        """
        key, box, k = state.stream, state.box, len(self.local_searches)
        if p.turn == POINTS and p.suspended:
            better = p.best < p.before
            p.resume(_chunk(box.dim))
            if not better:
                return None
            p.end_search(self.patience)
        elif p.is_local:
            border, time_to_cover = meets_border(p, infeasible), p.nfev >= self._cover_at(p.maxfev, box.dim)
            if time_to_cover and not ended and not border and self._cover(p, box.dim, True):
                return None
            if goes_on(self, p, ended, border):
                p.goal += _chunk(box.dim)
                return None
            p.end_search(self.patience)
        if p.nfev >= self._cover_at(p.maxfev, box.dim) and self._cover(p, box.dim, False):
            return None
        found = next_start(self, p, box, population)
        if found is None and self._cover(p, box.dim, False):
            return None
        if found is not None:
            j, start = found
            p.begin(j, _chunk(box.dim))
            p.searches[j] += 1
            return self._search(key, box, p, j, start, state.archive)
        p.global_goal += max(1, int(self.round * p.maxfev))
        p.turn, p.goal, p.run_nfev, p.rounds = k, p.global_goal, p.global_nfev, p.rounds + 1
        if p.global_maxfev:
            return None
        p.global_maxfev = max(1, int((p.maxfev - p.nfev) * (1 - self.refine)))
        return self._start_global(key, box, state.popsize, p.global_maxfev, self._first_of_global(state, p))

    def _first_of_global(self, state: MemeticState, p: Progress) -> Array:
        """Where the global search starts: at the best point, at given points, or at the best that covers the box."""
        if np.isfinite(p.best) and p.maxfev < self.inherit_below * state.box.dim:
            return p.best_x[None]
        covers = p.covered and not len(state.given) and np.isfinite(p.starts_f[0])
        return p.starts_x[:1] if covers else state.given

    def points_of(self, state: MemeticState, p: Progress) -> Array:
        """The points of the turn `POINTS`."""
        return self.cover_points(state.stream, state.box, p.maxfev) if p.covered else state.given

    def ask(self, state: MemeticState, rng: Generator) -> tuple[Array, MemeticState]:
        """The batch of whose turn it is; asking again gives the same."""
        while True:
            p, i = state.progress, state.turn
            if p.nfev == 0:
                precompile(call for m, s in zip(self.runners, state.states, strict=True)
                           if s is not None and hasattr(m, "calls") for call in m.calls(s))  # fmt: skip
            ended, infeasible = ended_and_infeasible(state.states[i].scalars) if p.is_local else (False, 0)
            if not ended and not len(state.asked) and p.run_nfev < p.goal:
                if i == POINTS:
                    state = renewed(state, asked=self.points_of(state, p))
                else:
                    x, own = self.runners[i].ask(state.states[i], rng)
                    state = renewed(state, states=_put(state.states, i, own), asked=x)
            if not ended and len(state.asked) and p.run_nfev + len(state.asked) <= p.goal:
                return state.asked.copy(), state
            p, base = p.copied(), state.states[-1]
            begun = self.decide(state, p, ended, infeasible, lambda s=base: self.global_search.population(s))
            states = state.states if begun is None else _put(state.states, p.turn, begun)
            kept = state.asked if begun is None and p.turn == i else state.asked[:0]
            state = renewed(state, progress=p, states=states, asked=kept)

    def learn(self, state: MemeticState, x: Array, rows: Array) -> MemeticState:
        """What is known of the points that are told next, (n, 1 + m): values and constraints, NaN if they are not."""
        u = (x - state.box.lower) / state.box.width
        archive = PointArchive(state.box.dim) if state.archive is None else state.archive
        return replace(state, archive=archive.added(u, rows))

    def tell(self, state: MemeticState, x: Array, f: Array, rng: Generator) -> MemeticState:
        """The run at work takes the values."""
        return self._told(False, state, x, f, rng)

    def tell_over(self, state: MemeticState, x: Array, f: Array, rng: Generator) -> MemeticState:
        """As ``tell``; the given state is of no use afterwards."""
        return self._told(True, state, x, f, rng)

    def _told(self, over: bool, state: MemeticState, x: Array, f: Array, rng: Generator) -> MemeticState:
        p, i = state.progress if over else state.progress.copied(), state.turn
        first, states = int(np.argmin(f)), state.states
        if i == POINTS:
            p.note_points(x, f)
        else:
            own = states[i]
            values = f
            if state.archive is not None and isinstance(own, ConstrainedSearchState):
                own = replace(own, archive=state.archive)
            elif state.archive is not None:
                rows, weights = state.archive.rows, state.weights
                if weights is None:
                    weights = penalty_weights(rows, states[0].weights)
                    state = replace(state, weights=weights)
                values = penalized(rows[-len(x) :], f, weights, p.best)
            states = _put(states, i, next_state(self.runners[i], over, own, x, values, rng))
        p.note(len(f), float(f[first]), x[first])
        return renewed(state, progress=p, states=states, asked=state.asked[:0])

    def population(self, state: MemeticState) -> tuple[Array, Array]:
        """The last points told by the run at work."""
        p = state.progress
        if state.turn == POINTS:
            return p.starts_x, p.starts_f
        return self.runners[state.turn].population(state.states[state.turn])

    def at_work(self, state: MemeticState) -> str:
        """The name of who asked for the batch."""
        return "points" if state.turn == POINTS else at_work(self.runners[state.turn], state.states[state.turn])

    def run_compiled(
        self, state: MemeticState, objective: Objective, maxfev: int, begun: list[AnyRun] | None = None
    ) -> Outcome:  # fmt: skip
        """A run from a state of ``start``, in compiled calls, bit-identical to ask and tell."""
        return run_to_end(self.resumable_run(state), objective, maxfev, begun)

    def resumable_run(self, state: MemeticState) -> MemeticRun:
        """The run that begins with a state, which can be resumed."""
        return MemeticRun(self, state)


def _chunk(d: int) -> int:
    """Evaluations of a local search between two decisions."""
    return 2 * d + 10


def _put(values: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])
