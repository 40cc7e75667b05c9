"""Ask and tell, for people who run the evaluations themselves."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from autov.algorithms.base import Injectable, Metaheuristic
from autov.algorithms.first_step import with_first_step
from autov.algorithms.population import initial_points
from autov.algorithms.resolve import resolve_algorithm
from autov.core import (
    Array,
    Box,
    FileError,
    InputError,
    Seed,
    canonical,
    digest,
    generator,
    inferred_bounds,
    real_numbers,
    seed_of,
    values_of,
    whole_number,
)
from autov.core.locks import held
from autov.problems import (
    Constrained,
    Function,
    ValueFunction,
    constraints_and_integers,
    kinds_of,
    penalized,
    space_of_bounds,
    unpenalized,
    without_fixed,
)
from autov.problems.feasibility import described_rules, total_excess
from autov.runs import optimizer_state
from autov.runs.budget import Evaluations, budget_of, point_cache_for, population_of
from autov.runs.described import default_algorithm, fitted, shown_result
from autov.runs.known_points import distinct, first_points_of, known_points
from autov.runs.stopping import BUDGET, CONVERGED, UNFINISHED, Seen, Stopping, has_converged, stopping_of, verdict
from autov.runs.told_points import TRIES, ToldPoints, check_asked, filling_points

if TYPE_CHECKING:
    from autov.runs.result import Result

CONTRACTED = 50  # batches of nothing but known points after which the algorithm begins anew
REDRAWS = 2000  # and after which points are asked for again rather than none
TELL, INJECT, BEGIN = range(3)  # events of a history


class Optimizer:
    """An algorithm with ask and tell; "general" by default.

    >>> optimizer = Optimizer([(-5, 5)] * 3, rng=1)
    >>> while not optimizer.stop():
    ...     x = optimizer.ask()
    ...     optimizer.tell(x, (x**2).sum(axis=1))
    >>> optimizer.result.fun < 0.01
    True

    Args:
        bounds: a (min, max) pair for each variable, equal ones for a fixed one, or what else `minimize` takes. Points
            of described variables (`autov.space`) are asked and told as they were described: lists of dicts.
        algorithm: a name such as "shade" or "de+F=0.7", settings with init, ask, tell and population, a design, or an
            operator, which then runs in the paper's metaheuristic.
        x0: a first point or population.
        maxfev: how many evaluations; None: until it has converged, at most 1,000 (d + 10).
        target: `stop` is true when a value is as small as this.
        stop: `autov.Stopping` with further criteria; its clock starts with the optimizer.
        popsize: size of the population, for algorithms that do not have their own; None for 100.
        rng: seed.
        constraints: in SciPy's forms; `tell` evaluates them. Give violations to `tell` where you measure them yourself.
        integrality: a truth value for each variable, or one for all: whether it is an integer. Where all are, no
            point is asked for twice.
        known: evaluations that were made before, as `minimize` takes them; they are never asked for.
        x0_std: the standard deviation of first steps around x0, as a part of the box.
    """

    def __init__(
        self, bounds: Any, *, algorithm: Any = None, x0: Array | None = None, maxfev: int | None = None,
        target: float | None = None, stop: Stopping | None = None, popsize: int | None = None, rng: Seed = None,
        constraints: Any = None, integrality: Any = None, known: Any = None, x0_std: float | None = None,
    ) -> None:  # fmt: skip
        self.space = space_of_bounds(bounds)
        if self.space is None:
            box, objective = Box.of(inferred_bounds(bounds, x0)[0]), _unused
        else:
            box, objective = self.space.box, ValueFunction(_unused, self.space)
            x0 = None if x0 is None else self.space.several("x0", x0)
        self._free = box.width > 0
        if not self._free.any():
            raise InputError("bounds: every variable is fixed (lower equals upper), nothing is left to search")
        # A problem without an objective: it rounds points and puts values and violations into one order.
        problem = Function(objective, box)
        if self.space is None:
            self._rules = Constrained(problem, *constraints_and_integers(constraints, integrality, box))
        else:
            self._rules = described_rules(problem, self.space, constraints, integrality)
        chosen = resolve_algorithm(default_algorithm(self._rules) if algorithm is None else algorithm)
        chosen = with_first_step(chosen, x0, x0_std)
        if not isinstance(chosen, Metaheuristic):
            raise InputError(f"algorithm: {chosen.name} can only be run as a whole, not asked; use minimize")
        if self.space is not None or self._rules.integrality:  # else nothing is known of the variables
            chosen = fitted(chosen, without_fixed(self._rules))
        self.categories = np.array(kinds_of(self._rules)[0])  # how many each variable has, 0 for what has an order
        self._points: dict[str, Array] = {}  # described points that were handed out
        self._restricted = bool(self._rules.constraints or self._rules.integrality)
        before = known_points(known, self._rules if self._restricted else self._rules.problem)
        self._known = point_cache_for(self._rules, 1, before)
        self.stopping, self.until_converged = stopping_of(stop, target), maxfev is None
        self._started, self._improved = time.perf_counter(), 0
        self.algorithm, self.box = chosen, box
        self.popsize, self.maxfev = population_of(popsize, chosen), budget_of(maxfev, box.dim)
        self._rng = generator(seed_of(rng), 0)
        self._seed = self._rng.bit_generator.state  # with it and what was told, a run can be repeated
        inner = self._rules.box
        self._inner = Box(inner.lower[self._free], inner.upper[self._free])  # what the algorithm knows
        self._given = x0 if x0 is None or self._free.all() else initial_points(inner, self.popsize, x0)[:, self._free]
        self._begun = False  # whether anything was asked for
        self._begin_with(before)
        self._history: list[tuple[int, Array, Array]] = []  # what the algorithm was told: event, points, values
        self._nfev = self._nans = self._batches = 0
        self._warned = self._handed_out = False
        self._missed = 0  # how often in a row nothing that was told had been asked for
        self._best, self._best_x = np.inf, np.empty((0, box.dim))
        self._trace: list[tuple[int, float]] = []  # evaluations, and the best value then, when it got better
        self._told = ToldPoints(box.dim)
        if before is not None:
            self._note_best(before.x, self._told.add(before.x, before.fun)[0])
        self._asked, self._values = np.empty((0, box.dim)), np.empty(0)  # the batch being evaluated; NaN: not told yet
        self._out = np.empty(0, bool)  # which points of it are handed out
        self._extra = np.empty((0, box.dim))  # points beside the batch that are handed out and not told
        self._drawn = 0  # how often such points were drawn

    def _begin_with(self, before: Evaluations | None) -> None:
        """A state before anything is asked for, with what is known: first points, and evaluations to plan with."""
        x0, self._planned = self._given, self.maxfev
        if before is not None:
            inner = Evaluations(self._reduced(self._rules.box.clip(before.x)), before.fun)
            x0, free = first_points_of(inner, self.algorithm, self._inner, self.popsize, self.maxfev, x0)
            self._planned += free
        self._x0 = initial_points(self._inner, max(self.popsize, 1), x0)
        self._begin(self._x0 if len(self._x0) else None)

    def _note_best(self, x: Array, f: Array) -> None:
        """Take note of means; that of the best point so far may have become worse."""
        i = int(np.argmin(f))
        again = len(self._best_x) > 0 and (x == self._best_x).all(axis=1)
        if np.any(again) and (f[again] > self._best).any():
            point, self._best = self._told.best()
            if (point != self._rules.rounded(self._best_x)[0]).any():
                self._best_x = point[None]
            self._trace = [(nfev, max(value, self._best)) for nfev, value in self._trace]
        elif f[i] < self._best or not len(self._best_x):
            self._best, self._best_x, self._improved = float(f[i]), x[i : i + 1].copy(), self._nfev
            self._trace.append((self._nfev, self._best))

    def ask(self, n: int | None = None) -> Any:
        """Points to evaluate next, shape (m, d), or a list of m described points.

        Without n they are those of the algorithm's batch that are not told, the same ones until some of them are: the
        algorithm goes on when its whole batch is told. With n they are exactly n points that nobody evaluates yet, at
        any time: the rest of the batch, and then points drawn from the normal distribution of the best of the last
        ones told, far from those that are pending. There are fewer only where the budget, or a box of integers, has no
        more.
        """
        return self._handed(self._ask(n))

    def _handed(self, x: Array) -> Any:
        """Points as they were described; of these it is remembered where they lie."""
        if self.space is None:
            return x
        self._points.update(zip(map(self.space.key, x), x, strict=True))
        return self.space.points(x)

    def _coordinates(self, what: str, given: Any) -> Any:
        """Coordinates (m, d) of points as people give them; of those that were handed out the same bits."""
        if self.space is None:
            return given
        return np.array([self._points.get(self.space.key(x), x) for x in self.space.several(what, given)])

    def _ask(self, n: int | None) -> Array:
        left = self.maxfev - self._nfev - len(self._extra)
        self._begun = self._handed_out = True
        self._fetch()
        if n is None:
            places = self._distinct(np.flatnonzero(np.isnan(self._values)))[: max(left, 0)]
            self._out[places] = True
            return self._rules.rounded(self._asked[places]).copy()
        count = min(whole_number("n", n, 1), max(left - int(self._pending().sum()), 0))
        places = self._distinct(np.flatnonzero(np.isnan(self._values) & ~self._out), self._asked[self._pending()])[
            :count
        ]
        self._out[places] = True
        own = self._rules.rounded(self._asked[places])
        more = self._drawn_points(count - len(own))
        self._extra = np.concatenate([self._extra, more])
        return np.concatenate([own, more])

    def _fetch(self) -> None:
        """See to it that there is a batch with points that are not told."""
        if not len(self._asked):
            self._next_batch()
            for known in range(1, REDRAWS):
                if np.isnan(self._values).any():
                    break
                self._advance()  # all of it is known
                if known % CONTRACTED == 0:
                    self._history.append((BEGIN, self._inner.lower[None][:0], np.empty(0)))
                    self._begin(None)
                self._next_batch()
        if not np.isnan(self._values).any():
            self._values[:] = np.nan

    def _distinct(self, places: np.ndarray, out: Array | None = None) -> np.ndarray:
        """Of integer points that are there twice the first, and none that is handed out beside the batch or in out."""
        if self._known is None or not self._known.grows:
            return places
        taken = set(self._known.keys(self._extra if out is None else np.concatenate([self._extra, out])))
        first = {key: i for i, key in reversed(list(zip(places, self._known.keys(self._asked[places]), strict=True)))}
        return np.array(sorted(i for key, i in first.items() if key not in taken), np.int64)

    def _pending(self) -> np.ndarray:
        """Which points of the batch are handed out and not told."""
        return self._out & np.isnan(self._values)

    @property
    def pending(self) -> Any:
        """Points (m, d) without a value, or a list of described ones; forgotten points are not among them."""
        return self._handed(self._waiting())

    def _waiting(self) -> Array:
        return np.concatenate([self._rules.rounded(self._asked[self._pending()]), self._extra])

    def _drawn_points(self, count: int) -> Array:
        """Points beside the batch; none that is told or waits, and those that break constraints only if all do."""
        found = self._extra[:0]
        if count < 1:
            return found
        self._drawn += 1
        rng = generator(int(digest(canonical(self._seed)), 16), self._drawn)
        waiting = np.concatenate([self._rules.rounded(self._asked[np.isnan(self._values)]), self._extra])
        for last in [False] * TRIES + [True]:
            around = np.concatenate([waiting, found])
            fresh = self._rules.rounded(filling_points(self._told, around, self.box, count, rng, self.categories))
            if self._rules.constraints and not last:
                fresh = fresh[self._rules.violation(fresh) <= 0]
            for point in fresh:
                if point not in self._told and not (np.concatenate([waiting, found]) == point).all(axis=1).any():
                    found = np.concatenate([found, point[None]])
            if len(found) >= count:
                break
        return found[:count]

    def forget(self, points: Array | None = None) -> None:
        """Give up points that were handed out and whose values will never come; None for all of them.

        They do not count as evaluations and are not asked for again. The algorithm, which waits for its whole batch,
        takes such a point to be as good as the nearest one that was told. An experiment that failed because of what
        was tried is told as NaN instead: it counts as worst.
        """
        points = self._coordinates("forget", points) if points is not None else self._waiting()
        x = np.atleast_2d(np.asarray(points, dtype=np.float64))
        if x.ndim != 2 or x.shape[1] != self.box.dim:
            raise InputError(f"forget: expected points of shape (m, {self.box.dim}), got {x.shape}")
        asked = self._rules.rounded(self._asked)
        for point in x:
            beside = (self._extra == point).all(axis=1)
            match = np.flatnonzero(self._pending() & (asked == point).all(axis=1))
            check_asked(bool(beside.any() or len(match)), point)
            if len(match):
                self._values[match[:1]] = self._told.nearest(point[None], self.box)
            else:
                self._extra = self._extra[~beside]
        if len(self._values) and not np.isnan(self._values).any():
            self._advance()

    def _begin(self, x0: Array | None) -> None:
        """A new state of the algorithm."""
        planned = self.maxfev if x0 is None else self._planned
        self._state = self.algorithm.init(self._inner, self.popsize, planned, self._rng, x0)

    def _completed(self, x: Array) -> Array:
        """Points of the algorithm with the fixed variables put in."""
        if self._free.all():
            return x
        full = np.tile(self.box.lower, (len(x), 1))
        full[:, self._free] = x
        return full

    def _reduced(self, x: Array) -> Array:
        """Points as the algorithm knows them."""
        return x if self._free.all() else np.ascontiguousarray(x[:, self._free])

    def _next_batch(self) -> None:
        asked, self._state = self.algorithm.ask(self._state, self._rng)
        self._asked = self._completed(asked)
        self._values, self._out = np.full(len(self._asked), np.nan), np.zeros(len(self._asked), bool)
        self._fill_known()

    def _fill_known(self) -> None:
        if self._known is not None:
            for i, key in enumerate(self._known.keys(self._asked)):
                value = self._known.value(key)
                if value is not None and np.isnan(self._values[i]):
                    self._values[i] = value

    def tell(
        self, x: Any, f: Any, violation: Array | None = None, *, constraints: Array | None = None
    ) -> None:  # fmt: skip
        """Values of points: those asked for, some of them in any order, or others. NaN counts as worst.

        A point that you tell again has the mean of its values, here and in the result, and counts as one evaluation.

        The algorithm continues when all points of its batch have a value; give them exactly as `ask` returned them.
        Other points may become the best point of the result and meet the target. They do not count as evaluations of
        ``maxfev`` and ``nfev``. Points before the first `ask` are known points, as in ``Optimizer(known=...)``.
        Later the algorithm does not use them, and a UserWarning says so once, with two exceptions: they join the
        population of "paper-h3" after its first batch (see `takes_points`), and where all variables are integers
        a known point is not asked for again.

        Args:
            x: points (m, d), or described ones.
            f: their values (m,).
            violation: how far each point is from being feasible, 0 if it is; the value of an infeasible point does
                not matter.
            constraints: instead of a violation, what must not be above 0 at a feasible point, (m,) or (m, k). An
                equality h = 0 is ``abs(h) - 1e-4``.
        """
        x = self._coordinates("tell", x)
        try:
            x, f = np.atleast_2d(np.asarray(x, dtype=np.float64)), np.atleast_1d(real_numbers(f))
            broken = np.zeros(len(f)) if violation is None else np.atleast_1d(real_numbers(violation))
            if constraints is not None:
                broken = _violation_told(violation, real_numbers(constraints), len(f))
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"tell: points and values must be numbers ({error})") from None
        if x.shape != (len(f), self.box.dim) or f.ndim != 1:
            raise InputError(
                f"tell: expected x of shape (m, {self.box.dim}) and f of shape (m,), got {x.shape} and {f.shape}"
            )
        if broken.shape != f.shape or not (broken >= 0).all():
            raise InputError(f"tell: violation must hold one number of at least 0 for each of {len(f)} points")
        if not self.box.holds(x):
            raise InputError("tell: all points must lie inside the bounds")
        if not len(f):
            return
        self._restricted = self._restricted or violation is not None or constraints is not None
        if self._restricted:
            rounded = self._rules.rounded(x)
            f = penalized(f, self._rules.violation(rounded, broken))
        f, nans = values_of(f, len(f))
        if not self._begun:
            self._learn_before(x, f)
            return
        own = self._fill(x, f)  # not of the batch
        beside = own & self._taken_beside(x)
        foreign = own & ~beside & ~np.array([point in self._told for point in self._rules.rounded(x)])
        self._check_matched(own & ~beside)
        self._nfev += len(f) - int((own & ~beside).sum())
        self._nans += nans
        f, counts = self._told.add(self._rules.rounded(x), f)
        if (counts > 1).any():
            self._fill_again(x[counts > 1], f[counts > 1])
        self._note_best(x, f)
        if self._known is not None and self._known.grows:
            self._known.learn(x, f)
            self._fill_known()
        if len(self._values) and not np.isnan(self._values).any():
            self._advance()
        if own.any() and self.takes_points and isinstance(self.algorithm, Injectable):
            self._history.append((INJECT, self._reduced(x[own]), f[own]))
            self._state = self.algorithm.inject(self._state, *self._history[-1][1:])
        elif foreign.any() and not (self._known is not None and self._known.grows) and not self._warned:
            self._warned = True
            warnings.warn(
                "tell: the algorithm does not use points that it did not ask for"
                f"{' before its first batch is evaluated' if isinstance(self.algorithm, Injectable) else ''}: they may "
                "become the best point, and do not count as evaluations; those that it asked for must be given exactly "
                "as ask returned them",
                stacklevel=2,
            )

    def _learn_before(self, x: Array, f: Array) -> None:
        """Take points that were told before anything was asked for: the algorithm begins with them."""
        f, _ = self._told.add(self._rules.rounded(x), f)
        if self._known is not None:
            told, values = self._known.arrays(self.box.dim)
            x, f = np.concatenate([told, x]), np.concatenate([values, f])
        self._note_best(x, f)
        before = distinct(x, f)
        self._known = point_cache_for(self._rules, 1, before)
        self._rng.bit_generator.state = self._seed
        self._begin_with(before)

    def _check_matched(self, own: np.ndarray) -> None:
        """Refuse what would never end: points that are asked for again and again and come back as others.

        Where the algorithm uses points of other origin, people may tell as many of them as they like.
        """
        if self._handed_out:
            self._missed = self._missed + 1 if own.all() and not self.takes_points else 0
        self._handed_out = False
        if self._missed > 1:
            raise InputError("tell: none of these points was asked for; give them exactly as ask returned them")

    @property
    def takes_points(self) -> bool:
        """Whether the algorithm uses points it did not ask for: those with `inject`, after a batch."""
        return self._batches > 0 and isinstance(self.algorithm, Injectable)

    def _advance(self) -> None:
        """Tell the algorithm its batch."""
        self._history.append((TELL, self._reduced(self._asked), self._values))
        self._state = self.algorithm.tell(self._state, *self._history[-1][1:], self._rng)
        self._asked, self._values, self._out = self._asked[:0], self._values[:0], self._out[:0]
        self._batches += 1

    def repeat_event(self, event: int, x: Array, f: Array) -> None:
        """Let the algorithm repeat an event of a saved history; its values are not evaluations of this optimizer.

        Raises:
            ValueError: where the algorithm does not ask for these points.
        """
        if event == BEGIN:
            self._begin(None)
        elif event == INJECT and self.takes_points and isinstance(self.algorithm, Injectable):
            self._state = self.algorithm.inject(self._state, x, f)
        elif event == TELL:
            asked, self._state = self.algorithm.ask(self._state, self._rng)
            if not np.array_equal(asked, x):
                raise ValueError("this version of the algorithm asks for another batch")
            self._state = self.algorithm.tell(self._state, x, f, self._rng)
            self._batches += 1
        else:
            raise ValueError(f"event {event} cannot be repeated")
        self._history.append((event, x, f))

    def _fill(self, x: Array, f: Array) -> np.ndarray:
        """Put values to the points that were asked for; which points of x are none of them, (m,) bool."""
        asked = self._rules.rounded(self._asked)
        waiting = np.flatnonzero(np.isnan(self._values))[: len(x)]
        if len(waiting) == len(x) and np.array_equal(asked[waiting], x):  # in the order they were asked for
            self._values[waiting] = f
            return np.zeros(len(x), dtype=bool)
        own = np.ones(len(x), dtype=bool)
        for i, point in enumerate(x):
            open_ = np.flatnonzero(np.isnan(self._values))
            match = open_[(asked[open_] == point).all(axis=1)]
            if len(match):
                self._values[match[0]] = f[i]
                own[i] = False
        return own

    def _fill_again(self, x: Array, f: Array) -> None:
        """Put means to points of the batch that were told before."""
        asked = self._rules.rounded(self._asked)
        for point, mean in zip(x, f, strict=True):
            self._values[(asked == point).all(axis=1) & ~np.isnan(self._values)] = mean

    def _taken_beside(self, x: Array) -> np.ndarray:
        """Which points of x were handed out beside the batch, (m,) bool; they are no longer pending."""
        beside = np.zeros(len(x), bool)
        for i, point in enumerate(x if len(self._extra) else x[:0]):
            match = (self._extra == point).all(axis=1)
            beside[i] = match.any()
            self._extra = self._extra[~match]
        return beside

    def stop(self) -> bool:
        """Whether the budget is used up, a stopping criterion is met, or all points are known."""
        return self._reason() is not None

    def _reason(self) -> tuple[int, str] | None:
        """Status and message, if it is over."""
        met = self._met() if len(self._best_x) and self.stopping.active else None
        if met is not None:
            return met
        if self._known is not None and self._known.exhausted:
            return BUDGET, f"All points are known after {self._nfev} of {self.maxfev} evaluations."
        if self.until_converged and self._converged():
            return CONVERGED, f"Converged: the last evaluations of {self._nfev} brought no better value."
        if self._nfev >= self.maxfev:
            return BUDGET, f"The budget is used up{'' if self._converged() else ' before the run converged'}."
        return None

    def _met(self) -> tuple[int, str] | None:
        x, f = self._population()
        seconds = time.perf_counter() - self._started
        return self.stopping.met(
            Seen(float(self._unpenalized(self._best)), self._nfev, self._improved, x, f, self.box, seconds)
        )

    def _converged(self) -> bool:
        if self._known is not None and self._known.exhausted:
            return True
        trace = np.array([*self._trace, (self._nfev, self._best)])
        return has_converged(trace[:, 0], self._unpenalized(trace[:, 1]), self.box.dim, len(self._population()[1]))

    def _unpenalized(self, values: Any) -> Any:
        return unpenalized(values) if self._restricted else values

    @property
    def drawn(self) -> int:
        """How often points outside the algorithm's batch were drawn."""
        return self._drawn

    @property
    def state(self) -> Any:
        """That of the algorithm."""
        return self._state

    @property
    def population(self) -> tuple[Array, Array]:
        """Current points of the algorithm and their values."""
        x, f = self._population()
        return (x if self.space is None else self.space.points(x)), f

    def _population(self) -> tuple[Array, Array]:
        if self._batches:
            x, f = self.algorithm.population(self._state)
            x = self._completed(np.asarray(x))
            x = x[: len(f)]  # of an algorithm that has begun anew, nothing is told yet
        else:
            told = ~np.isnan(self._values)
            x, f = self._asked[told], self._values[told]
        return self._rules.rounded(np.array(x)), np.array(self._unpenalized(f))

    @property
    def result(self) -> Result:
        """The best so far, in SciPy's form."""
        from autov.runs.result import Result

        if not len(self._best_x):
            raise InputError("result: no point has a value yet")
        x, f = self._population()
        reason, fun = self._reason(), float(self._unpenalized(self._best))
        best = self._rules.rounded(self._best_x)[0].copy()
        excess = self._rules.excess(best) if self._rules.constraints else None
        ended = verdict(reason or (UNFINISHED, ""), fun, excess, not fun > self._best, self._converged())
        if reason is None:
            ended |= {"success": False, "status": UNFINISHED, "message": self._progress()}
        found = Result(
            x=best, fun=fun, nfev=self._nfev, nit=max(self._batches - 1, 0), **ended, population=x,
            population_energies=f,
        )  # fmt: skip
        return shown_result(found, self.space)

    def _progress(self) -> str:
        most = f"at most {self.maxfev}" if self.until_converged else str(self.maxfev)
        return (
            f"Not finished: {self._nfev} of {most} evaluations have a value, {len(self._waiting())} points are pending."
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write settings, seed, values and pending points; `Optimizer.load` continues with identical results.

        A path that ends in ".json" gives a file to read, any other one NPZ (no pickle), which is smaller. Integers,
        stopping criteria and the time so far are in the file, functions of constraints are not.
        """
        optimizer_state.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], constraints: Any = None) -> Optimizer:
        """The optimizer that was saved; if it had constraints, they must be given again."""
        return optimizer_state.load(cls, path, constraints)

    @classmethod
    @contextmanager
    def open(
        cls, path: str | os.PathLike[str], bounds: Any = None, *, constraints: Any = None, wait: float = 60.0,
        **settings: Any,
    ) -> Iterator[Optimizer]:  # fmt: skip
        """The optimizer of a file that several people use, for one of them at a time; saved at the end of the block.

        A lock file (``lab.json.lock``) keeps others out until the block ends. After an exception nothing is
        saved.

        >>> with Optimizer.open("lab.json", [(20, 90), (5, 60)], maxfev=30) as optimizer:  # doctest: +SKIP
        ...     x = optimizer.ask(3)

        Args:
            path: of the file; where there is none, it begins with these bounds and settings.
            bounds: as for `Optimizer`; may be left out where there is a file.
            constraints: the same for everybody, since functions are not in the file.
            wait: seconds to wait for another one to end its block.
            settings: others of `Optimizer`; a file that is there has its own.
        """
        place = Path(path)
        with held(place.with_name(f"{place.name}.lock"), f"another use of {place.name}", wait):
            if place.exists():
                optimizer = cls.load(place, constraints)
                if bounds is not None and not _same_bounds(bounds, optimizer):
                    raise InputError(f"bounds: not those of {place}; leave them out, or name another file")
            elif bounds is None:
                raise FileError(f"{place}: no such file; give bounds to begin one")
            else:
                optimizer = cls(bounds, constraints=constraints, **settings)
            yield optimizer
            optimizer.save(place)


def _same_bounds(bounds: Any, optimizer: Optimizer) -> bool:
    space = space_of_bounds(bounds)
    if space is None or optimizer.space is None:
        return space is optimizer.space and Box.of(bounds) == optimizer.box
    return space.to_dict() == optimizer.space.to_dict()


def _violation_told(violation: Any, constraints: Array, count: int) -> Array:
    """The violation of constraints that are told with values."""
    if violation is not None:
        raise InputError("tell: give violation or constraints, not both")
    if constraints.ndim not in (1, 2) or len(constraints) != count:
        raise InputError(f"tell: constraints must have shape ({count},) or ({count}, k), got {constraints.shape}")
    return total_excess(constraints.reshape(count, -1))


def _unused(x: Array) -> float:
    raise AssertionError(x)
