"""A run of `Memetic` on a compiled problem: compiled runs of points, local searches and the global search in turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autov.algorithms.compiled import AnyRun, Trace, Turns
from autov.algorithms.memetic_progress import POINTS, ended_and_infeasible
from autov.core import Array
from autov.kernels.evolution.run import evaluate_blocks
from autov.kernels.objective import Objective

if TYPE_CHECKING:
    from autov.algorithms.memetic import Memetic, MemeticState


class PointsRun:
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
        """The points evaluated; when all are, the best first, as local searches start at them."""
        x, f = self._x[: self.nfev], self._f[: self.nfev]
        order = np.argsort(f, kind="stable") if self.batches else np.arange(len(f))
        return x[order], f[order]

    def calls(self, objective: Objective, trace: Trace) -> list[tuple[Any, tuple[Any, ...]]]:  # noqa: ARG002
        """None that take long."""
        return []


class MemeticRun(Turns):
    """Compiled runs of points, of local searches one after another, and of the global search."""

    def __init__(self, algorithm: Memetic, state: MemeticState) -> None:
        self._algorithm, self._state, self._progress = algorithm, state, state.progress.copied()
        both = enumerate(zip(algorithm.runners, state.states, strict=True))
        self._waiting = {i: m.resumable_run(s) for i, (m, s) in both if s is not None}
        self._now: AnyRun = PointsRun(state.stream, state.given) if state.turn == POINTS else self._waiting[state.turn]
        super().__init__([self._now])
        self._places: dict[int, AnyRun] = {state.turn: self._now}  # the last run of each
        self.least = 1

    @property
    def batch(self) -> int:
        """Points of the next batch."""
        return self._next_run().batch

    def calls(self, objective: Objective, trace: Trace) -> list[tuple[Any, tuple[Any, ...]]]:
        """Kernels of all, in the order in which they are needed."""
        return Turns(list(self._waiting.values())).calls(objective, trace)

    def advance(self, objective: Objective, budget: int, final: bool, trace: Trace, traced: int) -> int:
        """Runs in turns, until this number of evaluations is made."""
        p = self._progress
        while self.nfev < budget:
            run, left = self._next_run(), budget - self.nfev
            if run.batch > left and not final:
                break
            before, most, told = run.nfev, run.nfev + left, run.batches
            traced = self.advance_one(run, objective, min(p.goal, most), final and most < p.goal, trace, traced)
            if run.batches > told:
                if isinstance(run, PointsRun):
                    p.note_points(*run.population())
                p.note(run.nfev - before, run.best, run.best_x)
        return traced

    def _next_run(self) -> AnyRun:
        """The run whose batch is next: that at work as long as its batch fits its goal, then the next one."""
        algorithm, state, p = self._algorithm, self._state, self._progress
        while True:
            run, points = self._now, p.turn == POINTS
            ended, infeasible = ended_and_infeasible(run.work.scalars) if p.is_local else (False, 0)  # type: ignore[attr-defined]
            done = points and (run.nfev > 0 or run.batch == 0)
            if not ended and not done and run.nfev + run.batch <= p.goal:
                return run
            searched = self._places.get(len(algorithm.local_searches), run)
            begun = algorithm.decide(state, p, ended, infeasible, searched.population)
            if begun is not None:
                self._add(algorithm.runners[p.turn].resumable_run(begun))
            elif p.turn == POINTS:
                self._add(PointsRun(state.stream, algorithm.points_of(state, p)))
            else:
                self._now = self._places[p.turn]

    def _add(self, run: AnyRun) -> None:
        """Another run is at work."""
        self._now = self._places[self._progress.turn] = run
        self.runs.append(run)
