"""Who works when in a `autov.algorithms.memetic.Memetic`: what has been spent and found, and the next turn.

`Progress` is the same for runs that are asked and for compiled ones, so that both decide alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from autov.algorithms.allotment import polishing_step
from autov.algorithms.base import renewed
from autov.core import Array, Box
from autov.kernels.models.search_batch import INFEASIBLE

POINTS = -1  # the turn of points that are evaluated once; others are places of local searches, the last the global one
NEVER = 10**6  # failures of a local search that is not used
LATEST = 4  # doublings of the rounds between two tries of a local search that fails
NEAR = 0.1  # first steps of a local search that starts where another one ended, as a part of its own
LEAST = 1e-4  # first steps of one that starts at the best point of a population, as a part of the box

Population = Callable[[], tuple[Array, Array]]  # the last points of the global search, and their values


class Start(NamedTuple):
    """Where a local search starts."""

    x: Array
    f: float  # infinity if it is not known
    scale: float  # first step, as a part of the box width


@dataclass(eq=False)
class Progress:
    """What has been spent and found, and whose turn it is; arrays of k have one entry for each local search."""

    maxfev: int
    searches: np.ndarray  # (k,) int64, begun
    failures: np.ndarray  # (k,) int64, in a row
    next_round: np.ndarray  # (k,) int64, in which one that failed may be tried again
    origin: Array  # (k,) the best value at which it last started
    best_x: Array
    starts_x: Array  # (n, d) evaluated points at which local searches may start
    starts_f: Array  # (n,)
    turn: int = 0
    covered: bool = False  # whether the points that cover the box were evaluated
    explored: int = 0  # starts that were used, best first
    suspended: int = 0  # evaluations of the local search that waits for them, 0 if none does
    suspended_turn: int = 0
    nfev: int = 0
    best: float = np.inf
    by: int = POINTS  # who found it
    goal: int = 0  # evaluations of the run at work after which it is decided anew
    run_nfev: int = 0  # evaluations of the run at work
    before: float = np.inf  # the best value when the local search began
    checked: float = np.inf  # the best value when it was last decided
    local_nfev: int = 0  # of all local searches
    global_nfev: int = 0
    global_goal: int = 0
    global_maxfev: int = 0  # 0 until it starts
    rounds: int = 0  # of the global search
    arrays: tuple[str, ...] = field(default=("searches", "failures", "next_round", "origin"), repr=False)

    @classmethod
    def of(cls, maxfev: int, d: int, used: np.ndarray) -> Progress:
        """That of a run before its first evaluation; local searches that are not ``used`` never start."""
        searches, failures, next_round = (np.zeros(len(used), np.int64) for _ in range(3))
        failures[~used] = NEVER
        origin = np.where(used, np.inf, -np.inf)
        return cls(
            maxfev, searches, failures, next_round, origin, np.zeros(d), np.empty((0, d)), np.empty(0)
        )  # fmt: skip

    def copied(self) -> Progress:
        """A copy; arrays that are changed in place are copied, too."""
        return renewed(self, **{name: getattr(self, name).copy() for name in self.arrays})

    @property
    def is_local(self) -> bool:
        """Whether it is the turn of a local search."""
        return 0 <= self.turn < len(self.searches)

    def note(self, count: int, best: float, best_x: Array) -> None:
        """The run at work has made this number of further evaluations, with this best value of its own."""
        if best < self.best or not self.nfev:
            self.best, self.best_x, self.by = float(best), np.array(best_x), self.turn
        self.nfev += count
        self.run_nfev += count
        if self.is_local:
            self.local_nfev += count
        elif self.turn == len(self.searches):
            self.global_nfev += count

    def note_points(self, x: Array, f: Array) -> None:
        """Points were evaluated: local searches may start at them, the best ones first."""
        left_x, left_f = self.starts_x[self.explored :], self.starts_f[self.explored :]
        every_x, every_f = np.concatenate([left_x, x]), np.concatenate([left_f, f])
        order = np.argsort(every_f, kind="stable")
        self.starts_x, self.starts_f, self.explored = every_x[order], every_f[order], 0

    def begin(self, turn: int, goal: int) -> None:
        """Another run is at work."""
        self.turn, self.goal, self.run_nfev, self.before, self.checked = turn, goal, 0, self.best, self.best

    def resume(self, chunk: int) -> None:
        """The local search that was suspended is at work again."""
        self.turn, self.run_nfev, self.goal = self.suspended_turn, self.suspended, self.suspended + chunk
        self.suspended, self.checked = 0, self.best

    def end_search(self, patience: int) -> None:
        """The local search at work has ended, or is ended."""
        j = self.turn
        self.failures[j] = 0 if self.best < self.before else self.failures[j] + 1
        if self.failures[j] >= patience:
            self.next_round[j] = self.rounds + 2 ** min(int(self.failures[j]) - patience, LATEST)


def allowed(settings: Any, p: Progress) -> float:
    """Evaluations that local searches may have made by now."""
    return settings.trial * p.maxfev + settings.refine * p.nfev


def ended_and_infeasible(scalars: np.ndarray) -> tuple[bool, int]:
    """Whether a local search has ended, and how many infeasible points it has met."""
    return int(scalars["starts"][0]) > 0, int(scalars["infeasible"][0])


def meets_border(p: Progress, infeasible: int) -> bool:
    """Whether the local search at work, with this number of infeasible points, is at the border of the feasible ones.

    Its difference quotients and models are of no use there, and it creeps along the border.
    """
    return infeasible > 0 and p.best < INFEASIBLE


def goes_on(settings: Any, p: Progress, ended: bool, border: bool) -> bool:
    """Whether the local search at work may go on: it finds better points, or there is something left to spend.

    At the ``border`` of the feasible points, where its gains are small, better points are no reason.
    """
    gained, p.checked = p.best < p.checked, p.best
    long = settings.local_searches[p.turn].starts_near and p.maxfev >= settings.short * p.best_x.size
    most = settings.most if long else settings.most_separable
    return not ended and p.local_nfev < (most * p.maxfev if gained and not border else allowed(settings, p))


def next_start(settings: Any, p: Progress, box: Box, population: Population) -> tuple[int, Start] | None:
    """Which local search may start now, and where; None if all have to wait.

    One starts at the best point of all, if another run found it; else at the next of the points that cover the box.
    Each is tried once, whatever the others have spent.
    """
    if not np.isfinite(p.best):
        return None
    searches, spent = settings.local_searches, p.local_nfev >= allowed(settings, p)
    trusted = p.failures < settings.patience
    for j, search in enumerate(searches):
        if spent and p.searches[j] > 0:
            continue
        if p.by != j and p.best < p.origin[j] and (trusted[j] or p.rounds >= p.next_round[j]):
            p.origin[j] = p.best
            scale = _first_step(p, searches, search.scale, box, population) if search.starts_near else search.scale
            return j, Start(p.best_x, p.best, scale)
    for j, search in enumerate(searches):
        if not spent and trusted[j] and p.explored < len(p.starts_x):
            p.explored += 1
            return j, Start(p.starts_x[p.explored - 1], float(p.starts_f[p.explored - 1]), search.scale)
    return None


def _first_step(p: Progress, searches: Any, scale: float, box: Box, population: Population) -> float:
    """Of a local search that starts at the best point: as large as what found it was spread."""
    if p.by == len(p.searches):
        x, f = (np.ascontiguousarray(part) for part in population())
        return float(polishing_step(x, f, box.lower, box.upper, 1.0, LEAST, scale))
    if p.by == POINTS:
        p.explored = max(p.explored, 1)  # the best point is the first of them
        return scale
    return scale * NEAR if searches[p.by].starts_near else scale
