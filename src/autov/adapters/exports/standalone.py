"""Whole optimisers by their kernels alone, batch by batch: what exported programs are made of.

`assembly` writes a function of this module, with all that it calls, as one file. It runs in autov, too: that is how
the tests compare it with autov's own runs.
"""

from __future__ import annotations

import math

import numpy as np

from autov.algorithms.allotment import allot_round, allot_trials, leader_of, polishing_step, spared
from autov.core.streams import generator, seed_of
from autov.kernels.evolution.many import derive
from autov.kernels.evolution.run import evolution_ask, evolution_start, evolution_tell, evolution_work
from autov.kernels.matrix_adaptation.steps import (
    es_ask,
    es_start,
    es_tell,
    fill_rates,
    most_points,
    workspace,
)


class Evaluations:
    """The function, with the evaluations that are left and the best point so far."""

    def __init__(self, fun, maxfev):
        self.fun, self.left, self.best_x, self.best_f = fun, maxfev, None, math.inf

    def values_of(self, points):
        """Values of as many of the points as are left."""
        points = points[: self.left].copy()
        values = np.array([float(self.fun(point)) for point in points.copy()])
        values[np.isnan(values)] = np.inf
        self.left -= len(points)
        i = int(np.argmin(values))
        if self.best_x is None or values[i] < self.best_f:
            self.best_x, self.best_f = points[i], float(values[i])
        return values


class EvolutionRun:
    """Tournaments, an operator, survival: ask() gives points (m, d) of the box, tell(values) takes their values."""

    @np.errstate(all="ignore")
    def __init__(self, settings, key, lower, upper, popsize, maxfev):  # noqa: ARG002
        self.plan, self.lower, self.upper, self.used = settings["plan"], lower, upper, 0
        n = settings["popsize"] or popsize
        m = max(1, round(settings["offspring"] * n))
        self.work = evolution_work(key, self.plan, n, m, lower.size)
        evolution_start(self.plan, self.work, lower, upper, 0)

    @np.errstate(all="ignore")
    def ask(self):
        """The first population, then offspring."""
        if self.work.scalars[0].generation == 0:
            return self.work.pool[: self.work.f.size]
        evolution_ask(self.plan, self.work, self.lower, self.upper)
        return self.work.offspring

    @np.errstate(all="ignore")
    def tell(self, values):
        """Choose the survivors."""
        first = self.work.scalars[0].generation == 0
        (self.work.f if first else self.work.values)[:] = values
        evolution_tell(self.plan, self.work)
        self.used += len(values)

    def best(self):
        """The best value so far, and its point."""
        return self.work.scalars[0].best, self.work.best

    def population(self):
        """Points and values."""
        return self.work.pool[: self.work.f.size], self.work.f


class StrategyRun:
    """Matrix adaptation: ask() gives points (n, d) of the box, tell(values) takes their values."""

    @np.errstate(all="ignore")
    def __init__(self, settings, key, lower, upper, popsize, maxfev, first=None, sigma=None):  # noqa: ARG002
        """With ``first`` the first run begins at that point, which is evaluated, too, with steps of ``sigma``."""
        self.plan, self.lower, self.upper, self.used = settings["plan"], lower, upper, 0
        d = lower.size
        given = np.empty((0, d)) if first is None else first[None].copy()
        most = most_points(self.plan, d, maxfev, len(given))
        self.work = workspace(key, d, most, most, given, np.empty((0, 0)))
        es_start(self.plan, self.work, lower, upper, most, maxfev)
        if sigma is not None:
            self.work.scalars[0].sigma = sigma
        fill_rates(self.plan, self.work.scalars[0].batch, d, self.work.scalars[0], self.work.weights)

    @np.errstate(all="ignore")
    def ask(self):
        """The points of the next generation."""
        es_ask(self.plan, self.work, self.lower, self.upper)
        return self.work.x[: self.work.scalars[0].batch]

    @np.errstate(all="ignore")
    def tell(self, values):
        """Move the mean, then the paths, the matrix and the step size; perhaps begin another run."""
        self.work.f[: len(values)] = values
        es_tell(self.plan, self.work, self.lower, self.upper)
        self.used += len(values)

    def best(self):
        """The best value so far, and its point."""
        return self.work.scalars[0].best, self.work.best


def advance(run, evaluations, allotted=None):
    """Batches until no evaluation is left, or until the next one does not fit into what the run is allotted."""
    while evaluations.left > 0:
        points = run.ask()
        if allotted is not None and run.used + len(points) > allotted:
            return
        values = evaluations.values_of(points)
        if len(values) == len(points):  # of a batch that is cut short nothing is told
            run.tell(values)


def first_key(rng):
    """The stream of a run."""
    return generator(seed_of(rng), 0).integers(0, 2**64, 2, dtype=np.uint64)


def run_evolution(settings, fun, lower, upper, maxfev, popsize, rng):
    """One run of the metaheuristic; the best point and its value."""
    evaluations = Evaluations(fun, maxfev)
    advance(EvolutionRun(settings, first_key(rng), lower, upper, popsize, maxfev), evaluations)
    return evaluations.best_x, evaluations.best_f


def run_strategy(settings, fun, lower, upper, maxfev, popsize, rng):
    """One run of the evolution strategy; the best point and its value."""
    evaluations = Evaluations(fun, maxfev)
    advance(StrategyRun(settings, first_key(rng), lower, upper, popsize, maxfev), evaluations)
    return evaluations.best_x, evaluations.best_f


def run_portfolio(settings, fun, lower, upper, maxfev, popsize, rng):
    """Members in turns: trials, rounds that favour the leader, then the leader or the polisher at its best point."""
    key, members, share = first_key(rng), settings["members"], spared(settings["full_budget"], maxfev, lower.size)
    runs = []
    for i, member in enumerate(members):
        kind = EvolutionRun if "offspring" in member else StrategyRun
        runs.append(kind(member, derive(key, i, 0), lower, upper, popsize, maxfev))
    first, *others = settings["trial"]
    allotted, best = np.zeros(len(members), np.int64), np.full(len(members), np.inf)
    allot_trials(np.array([first, *(share * part for part in others)]), maxfev, allotted)
    schedule = np.array([settings["round"], share * settings["hedge"], settings["polish"]])
    evaluations, more = Evaluations(fun, maxfev), True
    while more:
        for i, run in enumerate(runs):
            advance(run, evaluations, allotted[i])
            if run.used:
                best[i] = run.best()[0]
        more = allot_round(schedule, maxfev, best, allotted)
    leader = runs[int(leader_of(best))]
    if settings["polish"] > 0 and leader.used and isinstance(leader, EvolutionRun):
        polisher, (x, f) = settings["polisher"], leader.population()
        lengths = settings["polish_step"], settings["polish_least"], polisher["longest"]
        step = polishing_step(np.ascontiguousarray(x), f, lower, upper, *lengths)
        own = derive(key, len(members), 1)
        leader = StrategyRun(polisher, own, lower, upper, popsize, maxfev, leader.best()[1], step)
    advance(leader, evaluations)
    return evaluations.best_x, evaluations.best_f
