"""A run that keeps all workers busy: a worker that is idle gets a point at once, values are told as they come.

The points are those of the algorithm's batch, and while it waits for the last of them, others next to it
(`Optimizer.ask`). Which points are asked for depends on the order in which values arrive. That order is stored with the
values, so that a stored run is repeated to the bit, whatever the workers do.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np

from autov.algorithms.base import AnyMetaheuristic, External
from autov.core import Array, InputError, values_of
from autov.core.blas import one_blas_thread
from autov.engines import WAIT
from autov.problems import Constrained, PointFunction, Problem, instance_of, kinds_of, takes_points, without_fixed
from autov.runs.budget import BudgetedObjective, Evaluations
from autov.runs.constraint_rows import modelling
from autov.runs.described import fitted
from autov.runs.evaluation import PointEvaluator, giving_rows
from autov.runs.evaluation_journal import Journal, number_of
from autov.runs.live_run import LiveRun, Run, Watch, presented, run_so_far
from autov.runs.optimizer import Optimizer
from autov.runs.run_store import OtherPointError, SavedRun, Told

BATCHES, ASYNCHRONOUS = "batches", "asynchronous"
AHEAD = 8  # workers for each point that waits, so that a message costs nobody time
SHORT = 0.1  # seconds of an evaluation below which half as many points as there are workers wait, at least one
EXTRA = "extra points"  # drawn in addition to the batch of the algorithm: their name in shares of members


def check_schedule(schedule: Any, problem: Problem, algorithm: Any) -> bool:
    """Whether values are told as they come."""
    if schedule not in (BATCHES, ASYNCHRONOUS):
        raise InputError(f"schedule: must be {BATCHES!r} or {ASYNCHRONOUS!r}, got {schedule!r}")
    if schedule == BATCHES:
        return False
    if not takes_points(instance_of(problem, 0)):
        raise InputError(f"schedule: {ASYNCHRONOUS!r} is for Python functions of single points")
    if isinstance(algorithm, External):
        raise InputError(f"schedule: {algorithm.name} runs as a whole and cannot take values as they come")
    return True


class AsynchronousRun:
    """One run; ``saved`` is where its evaluations are kept, and what it has is not evaluated again."""

    def __init__(
        self, problem: Problem, algorithm: AnyMetaheuristic, *, maxfev: int, popsize: int, seed: int,
        journal: Journal, saved: SavedRun | None, x0: Array | None = None, known: Evaluations | None = None,
    ) -> None:  # fmt: skip
        self.problem = instance_of(problem, 0)
        box, algorithm = self.problem.box, fitted(algorithm, without_fixed(self.problem))
        bounds, self.limits = box, _modelled(self.problem, algorithm, maxfev)
        rules: dict[str, Any] = {}
        if self.limits is not None:
            bounds, rules = self.limits.problem.box, {"constraints": "returned", "integrality": self.limits.whole}
        self.optimizer = Optimizer(
            np.column_stack([bounds.lower, bounds.upper]), algorithm=algorithm, maxfev=maxfev, rng=seed, x0=x0,
            known=known, popsize=popsize if getattr(algorithm, "uses_popsize", True) else None, **rules,
        )  # fmt: skip
        self.optimizer.categories = np.array(kinds_of(self.problem)[0])
        self.spent = BudgetedObjective(_never, box, maxfev, before=known)
        self.journal, self.saved = journal, saved
        self.points: list[Array] = []  # in the order they were asked for
        self.open: dict[int, Array] = {}  # those of them that have no value yet
        self.stopped = False
        self.arrived, self.began = 0, 0.0  # values that workers sent, and when the first of them was asked for

    def solve(self, evaluator: PointEvaluator, watch: Watch | None, live: LiveRun) -> Run:
        """Run until the budget is used up, or until ``watch(run so far)`` is true."""
        present = presented(self.problem)
        live.show(present)
        live.follow(lambda: self._run() if self.spent.found else None)
        assert isinstance(self.problem, PointFunction)

        def seen() -> None:
            self.stopped = watch is not None and bool(watch(present(self._run())))

        with one_blas_thread():
            for number, asked, x, value in () if self.saved is None else self.saved.arrivals(self.problem.box.dim):
                while len(self.points) < asked and self._ask() is not None:
                    pass
                if number not in self.open or self.open[number].tobytes() != x.tobytes():
                    raise OtherPointError(
                        f"evaluation {number + 1} of the stored run was at another point; the algorithm or a library "
                        "is another one: use another file"
                    )
                self._tell(number, value, stored=True)
                seen()
            sent: list[int] = []
            self.began = time.perf_counter()
            with closing(evaluator.as_they_come(giving_rows(self.problem), self._items(evaluator, sent))) as found:
                for index, value in found:
                    self.arrived += 1
                    self._tell(sent[index], value, stored=False)
                    seen()
                    if self.stopped:
                        break
            return present(self._run())

    def _items(self, evaluator: PointEvaluator, sent: list[int]) -> Iterator[Array]:
        """Points for workers that are idle: first those that an interrupted run waited for."""
        for number, x in list(self.open.items()):
            sent.append(number)
            yield x
        while not self.stopped:
            if len(self.open) > (workers := evaluator.engine.workers) + self._ahead(workers):
                yield WAIT
                continue
            number = self._ask()
            if number is not None:
                sent.append(number)
                yield self.points[number]
            elif self.open:
                yield WAIT
            else:
                return

    def _ahead(self, workers: int) -> int:
        """Points that wait for a worker: more where evaluations take little time."""
        seconds = (time.perf_counter() - self.began) * workers / self.arrived if self.arrived else np.inf
        return max(1, workers // 2) if seconds < SHORT else workers // AHEAD

    def _ask(self) -> int | None:
        """The number of another point; None if there is none."""
        drawn = self.optimizer.drawn
        x = self.optimizer.ask(1)
        if not len(x):
            return None
        extra = self.optimizer.drawn > drawn
        self.spent.credit(EXTRA if extra else self.optimizer.at_work, 1)
        self.points.append(x[0])
        self.open[len(self.points) - 1] = x[0]
        return len(self.points) - 1

    def _tell(self, number: int, value: Told, stored: bool) -> None:
        x = self.open.pop(number)
        place = self.spent.nfev
        if self.saved is not None and not stored:
            self.saved.add_arrival(place, number, len(self.points), x, value)
        f, nans = values_of(np.array([number_of(value)]), 1)
        self.journal.note(x, value, stored)
        if self.limits is None:
            self.optimizer.tell(x[None], f)
        elif isinstance(value, np.ndarray) and value.size > 1:
            self.optimizer.tell(x[None], value[1:2], constraints=value[None, 2:])
        else:  # it failed
            self.optimizer.tell(x[None], [np.inf])
        self.spent.note(x[None], f, nans)

    def _run(self) -> Run:
        x, f = self.optimizer.population
        return run_so_far(self.spent, x, f, self.stopped)


def _modelled(problem: Problem, algorithm: Any, maxfev: int) -> Constrained | None:
    """The problem, if the algorithm models its constraints."""
    if not isinstance(problem, Constrained) or not problem.gives_rows:
        return None
    free = problem.box.width > 0
    return problem if modelling(algorithm, tuple(problem.whole[free].tolist()), maxfev) is not None else None


def _never(x: Array) -> Array:
    raise AssertionError(x)
