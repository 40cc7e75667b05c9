"""Several algorithms that share a budget: `Portfolio`.

No single algorithm serves all problems, and a little of the budget tells which one serves this one. Every member first
gets its ``trial``. Then come rounds of ``round`` of the budget: the leader, who has found the best value so far, gets
most of each, the others share ``hedge`` of it, because who leads early does not always win. The last ``polish`` of the
budget belongs to the leader alone. Where that is not an evolution strategy, one starts at its best point then, with
steps of ``polish_step`` times the spread of the leader's better half: it converges where others only come near.

Members work on their own; none sees the points of another. A member makes a batch when it fits into what it has been
allotted so far, so a large population waits until there is enough for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from autov.algorithms.allotment import allot_round, allot_trials, leader_of, polishing_step, spared
from autov.algorithms.base import Compiled, Metaheuristic, Outcome, Rotatable, at_work, next_state, renewed
from autov.algorithms.compiled import AnyRun, Resumable, Trace, Turns, run_to_end
from autov.algorithms.evolution import Evolution
from autov.algorithms.matrix_adaptation import (
    MatrixAdaptation,
    MatrixAdaptationState,
    StrategySettings,
    smallest_batch,
)
from autov.algorithms.population import initial_points, rows_for
from autov.compiler.precompile import precompile, start_worker
from autov.core import Array, Box, Generator, InputError, check_ranges, generator, values_of
from autov.kernels.evolution.many import derive
from autov.kernels.objective import Objective
from autov.problems import Problem, instance_of, without_fixed


@dataclass(frozen=True, eq=False)
class PortfolioState:
    """Arrays have one entry for each member; the last of ``states`` and ``asked`` is the polisher's, if there is one.

    ``turn`` is the member whose batch is next, ``final`` whether the last part of the budget has begun.
    """

    box: Box
    maxfev: int
    stream: np.ndarray  # two words from which the streams of the members derive
    allotted: np.ndarray
    used: np.ndarray
    best: Array
    best_x: Array
    turn: int
    final: bool
    states: tuple[Any, ...]
    asked: tuple[Array, ...]  # batches that were asked for and wait for their values or their turn
    told: int = 0  # the member that told a batch last

    @property
    def key(self) -> np.ndarray:
        """The stream of the member at work; noise comes from it."""
        return self.states[self.turn].key

    @property
    def generation(self) -> int:
        """Of the member at work."""
        return self.states[self.turn].generation


@dataclass(frozen=True)
class Portfolio:
    """Settings.

    Attributes:
        members: algorithms that can be asked, or their names; ``"ma-es/shade"`` is short for two names. By default a
            small evolution with uniform crossover, and ``ma-es``.
        trial: part of the budget that each member gets first; one for all, or one for each.
        hedge: part of each round for those who do not lead.
        round: part of the budget of a round.
        polish: part of the budget at the end for the leader alone, with local refinement if it is not an evolution
            strategy.
        polish_step: first step of the polisher, as a multiple of the spread of the leader's better half.
        polish_least: the least first step, as a part of the box: a population may converge far from any optimum.
        full_budget: with fewer evaluations than this for each variable there is less to spare: trials of all but the
            first member, and the hedge, are smaller in proportion. 0 for never.
    """

    name: ClassVar[str] = "portfolio"
    members: tuple[Any, ...] = ()
    trial: float | tuple[float, ...] = 0.1
    hedge: float = 0.2
    round: float = 0.06
    polish: float = 0.1
    polish_step: float = 1.0
    polish_least: float = 1e-3
    full_budget: float = 0.0

    def __post_init__(self) -> None:
        found = tuple(self.members) or hand_made()
        for member in found:
            if isinstance(member, (str, type)) or not isinstance(member, Metaheuristic):
                name = getattr(member, "name", member)
                raise InputError(f"members: must be algorithms that can be asked, got {name!r}")
        object.__setattr__(self, "members", found)
        trial = self.trial if isinstance(self.trial, (tuple, list)) else (self.trial,) * len(found)
        if len(trial) != len(found):
            raise InputError(f"trial: must be one number, or one for each of {len(found)} members, got {self.trial!r}")
        try:
            object.__setattr__(self, "trial", tuple(float(part) for part in trial))
        except (TypeError, ValueError):
            raise InputError(f"trial: must be numbers, got {self.trial!r}") from None
        check_ranges(
            self, hedge=(0, 0.9), round=(1e-3, 1), polish=(0, 1), polish_step=(1e-6, 1e3), polish_least=(1e-12, 1),
            full_budget=(0, 1e9),
        )  # fmt: skip
        if min(self._trial) < 0 or not sum(self._trial) + self.polish <= 1 + 1e-9:
            raise InputError(
                f"trial: parts of the budget must not be negative, nor exceed 1 with polish, got {self._trial}"
            )

    @property
    def _trial(self) -> tuple[float, ...]:
        return self.trial if isinstance(self.trial, tuple) else (self.trial,)

    @property
    def polisher(self) -> MatrixAdaptation:
        """The settings of the first evolution strategy among the members, or the default ones."""
        return next((m.strategy for m in self.members if isinstance(m, StrategySettings)), None) or MatrixAdaptation()

    @cached_property
    def runners(self) -> tuple[Any, ...]:
        """The members, and the polisher where it may be needed."""
        strategies = all(isinstance(m, StrategySettings) for m in self.members)
        return self.members if self.polish == 0 or strategies else (*self.members, self.polisher)

    def spared(self, maxfev: int, d: int) -> float:
        """What of the trials of others, and of the hedge, such a budget allows."""
        return spared(self.full_budget, maxfev, d)

    def trials(self, maxfev: int, d: int) -> Array:
        """Parts of a budget that the members get first."""
        first, *others = self._trial
        return np.array([first, *(self.spared(maxfev, d) * part for part in others)])

    def schedule(self, maxfev: int, d: int) -> Array:
        """As the kernels read it."""
        return np.array([self.round, self.spared(maxfev, d) * self.hedge, self.polish])

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> PortfolioState:
        """`start` with a key from the generator."""
        return self.start(rng.integers(0, 2**64, 2, dtype=np.uint64), box, popsize, maxfev, x0)

    def start(
        self, key: np.ndarray, box: Box, popsize: int, maxfev: int, x0: Array | None = None
    ) -> PortfolioState:  # fmt: skip
        """Each member with a stream of its own; points of x0 go to all of them, as many as their populations hold."""
        start_worker()
        given, count = initial_points(box, popsize, x0), len(self.members)
        states = []
        for i, member in enumerate(self.runners):
            own = derive(key, i, 0)
            first = None if x0 is None else rows_for(member, box, popsize, maxfev, given)
            if isinstance(member, Compiled):
                states.append(member.start(own, box, popsize, maxfev, first))
            else:
                states.append(member.init(box, popsize, maxfev, generator(int(own[0]), int(own[1])), first))
        allotted = np.zeros(count, np.int64)
        allot_trials(self.trials(maxfev, box.dim), maxfev, allotted)
        return PortfolioState(
            box, int(maxfev), key.copy(), allotted, np.zeros(count, np.int64), np.full(count, np.inf),
            np.zeros((count, box.dim)), 0, False, tuple(states), (np.empty((0, box.dim)),) * len(states),
        )  # fmt: skip

    def ask(self, state: PortfolioState, rng: Generator) -> tuple[Array, PortfolioState]:
        """The batch of the member whose turn it is; asking again gives the same."""
        while True:
            i = state.turn
            if i == len(self.members) and not state.final:
                state = self._next_round(state)
                continue
            if not len(state.asked[i]):
                if i == 0 and not state.used.any():  # while the first member waits for what it needs itself
                    precompile(call for m, own in self._others(state) for call in m.calls(own))
                x, own = self.runners[i].ask(state.states[i], rng)
                state = renewed(state, states=_put(state.states, i, own), asked=_put(state.asked, i, x))
            if state.final or state.used[i] + len(state.asked[i]) <= state.allotted[i]:
                return state.asked[i].copy(), state
            state = renewed(state, turn=i + 1)

    def _others(self, state: PortfolioState) -> list[tuple[Any, Any]]:
        """Members whose steps are kernels that the first one does not call, with their states."""
        kinds = {Evolution, MatrixAdaptation} - {type(self.members[0])}
        return [(m, own) for m, own in zip(self.members, state.states, strict=False) if type(m) in kinds]

    def tell(self, state: PortfolioState, x: Array, f: Array, rng: Generator) -> PortfolioState:
        """The member takes the values; it continues as long as its next batch fits."""
        return self._told(False, state, x, f, rng)

    def tell_over(self, state: PortfolioState, x: Array, f: Array, rng: Generator) -> PortfolioState:
        """As ``tell``; the given state is of no use afterwards."""
        return self._told(True, state, x, f, rng)

    def _told(self, over: bool, state: PortfolioState, x: Array, f: Array, rng: Generator) -> PortfolioState:
        i = state.turn
        states = _put(state.states, i, next_state(self.runners[i], over, state.states[i], x, f, rng))
        asked = _put(state.asked, i, state.asked[i][:0])
        if i == len(self.members):
            return renewed(state, states=states, asked=asked, told=i)
        used, best, best_x = state.used.copy(), state.best.copy(), state.best_x.copy()
        used[i] += len(f)
        first = int(np.argmin(f))
        if f[first] < best[i] or used[i] == len(f):
            best[i], best_x[i] = f[first], x[first]
        return renewed(state, states=states, asked=asked, used=used, best=best, best_x=best_x, told=i)

    def population(self, state: PortfolioState) -> tuple[Array, Array]:
        """That of the member that told a batch last."""
        return self.runners[state.told].population(state.states[state.told])

    def at_work(self, state: PortfolioState) -> str:
        """The name of the member whose batch is next."""
        i = state.turn
        return at_work(self.members[i], state.states[i]) if i < len(self.members) else "polish"

    def _next_round(self, state: PortfolioState) -> PortfolioState:
        allotted = state.allotted.copy()
        if allot_round(self.schedule(state.maxfev, state.box.dim), state.maxfev, state.best, allotted):
            return renewed(state, allotted=allotted, turn=0)
        leader = int(leader_of(state.best))
        if not self._polishes(leader, int(state.used[leader])):
            return renewed(state, turn=leader, final=True)
        place = len(self.members)
        x, f = self.members[leader].population(state.states[leader])
        own = self._start_polisher(state, x, f, state.best_x[leader])
        return renewed(state, turn=place, final=True, states=_put(state.states, place, own))

    def _polishes(self, leader: int, used: int) -> bool:
        """Whether the polisher takes over from a leader that has made this many evaluations."""
        return self.polish > 0 and used > 0 and not isinstance(self.members[leader], StrategySettings)

    def _start_polisher(self, state: PortfolioState, x: Array, f: Array, best_x: Array) -> MatrixAdaptationState:
        """An evolution strategy at the best point of a population, with steps of the size of its spread."""
        box, polisher = state.box, self.polisher
        most = max(polisher.sigma, polisher.longest)
        x, f = np.ascontiguousarray(x), np.ascontiguousarray(f)
        step = polishing_step(x, f, box.lower, box.upper, self.polish_step, self.polish_least, most)
        place = len(self.members)
        own = polisher.start(derive(state.stream, place, 1), box, 2, state.maxfev, best_x)
        own.scalars["sigma"] = step
        waiting = state.states[place]  # what it would have begun with: in a rotated run its axes are rotated
        return replace(own, matrix=waiting.matrix.copy(), basis=waiting.basis)

    @property
    def uses_popsize(self) -> bool:
        """Whether the popsize of a run counts for a member."""
        return any(getattr(member, "uses_popsize", True) for member in self.members)

    @property
    def compiles(self) -> bool:
        """Where all members do, and can be resumed."""
        return all(isinstance(m, Compiled) and m.compiles and isinstance(m, Resumable) for m in self.members)

    def run_compiled(
        self, state: PortfolioState, objective: Objective, maxfev: int, begun: list[AnyRun] | None = None
    ) -> Outcome:  # fmt: skip
        """A run from a state of ``start``, in compiled calls: identical to ask and tell.

        Fewer evaluations than the state was made for are the first ones of the whole run.
        """
        return run_to_end(self.resumable_run(state), objective, maxfev, begun)

    def resumable_run(self, state: PortfolioState) -> PortfolioRun:
        """The run that begins with a state, which can be resumed."""
        return PortfolioRun(self, state)

    def inside(self) -> Portfolio:
        """With members that stay away from the border, for checks."""
        return replace(self, members=tuple(m.inside() if isinstance(m, Rotatable) else m for m in self.members))

    def rotated(self, state: PortfolioState, rotation: Array) -> PortfolioState:
        """The state after the box was rotated about its centre; only where all members can be rotated."""
        for member in self.runners:
            if not isinstance(member, Rotatable):
                raise InputError(f"rotation: {member.name} cannot be rotated")
        centre = (state.box.lower + state.box.upper) / 2
        states = tuple(m.rotated(s, rotation) for m, s in zip(self.runners, state.states, strict=True))
        best_x = state.box.clip(centre + (state.best_x - centre) @ rotation)
        return renewed(state, states=states, best_x=best_x, asked=tuple(x[:0] for x in state.asked))


def hand_made() -> tuple[Any, ...]:
    """The default members: one for separable and rugged functions, one for smooth and ill-conditioned ones."""
    return Evolution("uniform-crossover", popsize=30), MatrixAdaptation()  # type: ignore[arg-type]


def _put(values: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])


class PortfolioRun(Turns):
    """Compiled runs of the members, in turns."""

    def __init__(self, algorithm: Portfolio, state: PortfolioState) -> None:
        super().__init__([m.resumable_run(s) for m, s in zip(algorithm.members, state.states, strict=False)])
        self._algorithm, self._state = algorithm, state
        self._allotted, self._values = state.allotted.copy(), state.best.copy()
        self._turn, self._final = 0, False
        waiting = [smallest_batch(own) for own in state.states[len(self.runs) :]]
        self.least = min([run.least for run in self.runs] + waiting)

    @property
    def batch(self) -> int:
        """Points of the next batch."""
        return self._next_run().batch

    def advance(self, objective: Objective, budget: int, final: bool, trace: Trace, traced: int) -> int:
        """Members in turns, until this many evaluations are made."""
        while self.nfev < budget:
            run, left = self._next_run(), budget - self.nfev
            if run.batch > left and not final:
                break
            most, told = run.nfev + left, run.batches
            own = most + 1 if self._final else int(self._allotted[self._turn])
            traced = self.advance_one(run, objective, min(own, most), final and most < own, trace, traced)
            if run.batches > told and not self._final:
                self._values[self._turn] = run.best
        return traced

    def _next_run(self) -> AnyRun:
        """The run whose batch is next: the first that fits into what its member has been allotted."""
        while not self._final:
            if self._turn == len(self._algorithm.members):
                self._next_round()
                continue
            run = self.runs[self._turn]
            if run.nfev + run.batch <= self._allotted[self._turn]:
                return run
            self._turn += 1
        return self.runs[self._turn]

    def _next_round(self) -> None:
        """One more round, or the last part: the leader, or the polisher from where the leader is."""
        algorithm, state = self._algorithm, self._state
        schedule = algorithm.schedule(state.maxfev, state.box.dim)
        if allot_round(schedule, state.maxfev, self._values, self._allotted):
            self._turn = 0
            return
        leader = int(leader_of(self._values))
        if algorithm._polishes(leader, self.runs[leader].nfev):
            x, f = self.runs[leader].population()
            own = algorithm._start_polisher(state, x, f, self.runs[leader].best_x)
            self.runs.append(algorithm.polisher.resumable_run(own))
            leader = len(self.runs) - 1
        self._turn, self._final = leader, True


def evaluating_members(
    algorithm: Portfolio, problem: Problem, maxfev: int, popsize: int, seed: int, run: int,
) -> np.ndarray:  # fmt: skip
    """For every evaluation of a run, the number of the member that made it; local refinement comes after them."""
    instance = without_fixed(instance_of(problem, run))
    rng, noise = generator(seed, run), generator(seed, run, 1)
    state = algorithm.init(instance.box, popsize, maxfev, rng)
    members = np.empty(0, np.int64)
    while len(members) < maxfev:
        x, state = algorithm.ask(state, rng)
        members = np.append(members, np.full(len(x), state.turn))
        f, _ = values_of(instance(x, noise), len(x))
        state = algorithm.tell(state, x, f, rng)
    return members[:maxfev]
