"""Where good points of a kind of problems lie, in the unit box, and how a run tries whether they are good here.

A run first tries a few points: the best points of earlier runs (of many those that represent the others), their mean,
and where the optimum is predicted, that point. Some points of the whole box are evaluated, too; both together
are at most `PART` of the budget. The run starts cold unless the best of the former beats all of the latter, and most of
the former are better than most of the latter (`BETTER`; in long runs `SURE`), because among many points anywhere one is
the best by chance.
Else the first points of the algorithm are the few best ones, new points, and the others that were tried. Of the new
points, which are at most a fifth of the budget, every second one takes each variable from one of the best tried
(uniform crossover). The others are normal draws around the best one, with the covariance of the optima of its cluster:
the start distribution of M. Nomura et al., Warm starting CMA-ES for hyperparameter optimization, AAAI 2021, but centred
where this problem was seen to be good, and nearer (`NEARER`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autov.core import Array, Box, Generator

PART = 0.05  # of the budget that is tried first
TRIED = 0.75  # of it for points of the distribution, the rest for points of the whole box
MOST = 100  # evaluations that are tried first, at most
BETTER = 0.75  # share of pairs of a point tried and one of the whole box in which the former is better, at least
LONG, SURE = (
    50,
    0.9,
)  # the same with as many evaluations for each variable: a cold start has time, and misleading costs more
NEARER = 0.3  # standard deviations of draws over those of optima: the best of several draws is nearer than most
NEW = 4  # new points for each that is tried first, at most
PARENTS = 3  # best points tried, whose variables are recombined
CLUSTERS = 5  # of optima, at most
APART = 0.2  # part of the variance that must be left in two clusters, at most, for them to be two
NARROW = 0.01  # least standard deviation of a variable in a start distribution, as a part of the box
BEST = 4  # points tried that come before the draws


class Trial(NamedTuple):
    """Points that are tried first: those of the distribution, in the unit box and in the box, then the others.

    They are good if at least the share ``better`` of pairs says so.
    """

    tried: Array  # (n, d) in the unit box
    x: Array  # (n + m, d) in the box
    better: float = BETTER


@dataclass(frozen=True, eq=False)
class StartDistribution:
    """What is known of optima, in the unit box.

    Attributes:
        optima: (n, d) the best point of each source.
        weights: (n,) how similar each source is; equal without a context.
        spread: (d,) standard deviation of the good points of a source, the mean over sources.
        predicted: (d,) where the optimum is expected from the context; empty without one.
    """

    optima: Array
    weights: Array
    spread: Array
    predicted: Array

    def candidates(self, count: int) -> Array:
        """Points (k, d) to try, at most ``count``: predicted, mean, then optima that represent the others best."""
        first = [self.predicted] if self.predicted.size and count > 1 else []
        n = len(self.optima)
        if n > 1 and count > 2:
            first.append(np.average(self.optima, axis=0, weights=self.weights))
        chosen = self.optima[representatives(self.optima, self.weights, count - len(first))]
        return np.concatenate([np.array(first).reshape(-1, self.optima.shape[1]), chosen])

    def covariance(self, near: Array) -> Array:
        """Of the optima of the cluster nearest to a point, with what the good points of a source are spread."""
        places = clusters(self.optima)
        centres = np.array([self.optima[rows].mean(axis=0) for rows in places])
        rows = places[int(((centres - near) ** 2).sum(axis=1).argmin())]
        own, d = self.optima[rows], self.optima.shape[1]
        between = np.zeros((d, d))
        if len(own) > 1:
            between = np.atleast_2d(np.cov(own.T, aweights=self.weights[rows]))
            share = d / (len(own) + d)  # few optima say little about correlations
            between = (1 - share) * between + share * np.diag(between.diagonal())
        return between + np.diag(np.maximum(self.spread, NARROW) ** 2)

    def trial(self, box: Box, maxfev: int, rng: Generator) -> Trial:
        """The first points of a run of this number of evaluations."""
        count = max(1, min(int(PART * maxfev), MOST))
        tried = self.candidates(max(1, round(TRIED * count)))
        cold = stratified(min(count - len(tried), len(tried)), box.dim, rng)
        better = SURE if maxfev >= LONG * box.dim else BETTER
        return Trial(tried, box.clip(box.lower + np.concatenate([tried, cold]) * box.width), better)

    def first_points(self, trial: Trial, f: Array, box: Box, rng: Generator) -> Array | None:
        """First points for an algorithm, from the values of the trial; None for a cold start."""
        n, x = len(trial.tried), trial.x[: len(f)]
        order = np.argsort(f[:n], kind="stable")
        better = float((f[:n, None] < f[n:]).mean()) if len(f) > n else 1.0
        if not (f[order[0]] < f[n:].min(initial=np.inf) and better >= trial.better):
            return None
        best = trial.tried[order[0]]
        parents, d = trial.tried[order[:PARENTS]], box.dim
        size = min(first_size(d) - 1, NEW * len(trial.x) // 2)
        mixed = parents[rng.integers(0, len(parents), (size, d)), np.arange(d)]
        factor = NEARER * np.linalg.cholesky(self.covariance(best))
        drawn = best + rng.standard_normal((size, d)) @ factor.T
        new = drawn if len(parents) == 1 else np.stack([mixed, drawn], axis=1).reshape(-1, d)
        new = box.clip(box.lower + folded(new) * box.width)
        return np.concatenate([x[order[:BEST]], new, x[order[BEST:]]])


def representatives(points: Array, weights: Array, count: int) -> np.ndarray:
    """Places of points that represent the others: each next one lessens the weighted sum of distances most."""
    nearest, chosen = np.full(len(points), np.inf), []
    squares = (points**2).sum(axis=1)
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0))
    for _ in range(min(count, len(points))):
        cost = (weights[:, None] * np.minimum(nearest[:, None], distances)).sum(axis=0)
        cost[chosen] = np.inf
        chosen.append(int(np.argmin(cost)))
        nearest = np.minimum(nearest, distances[:, chosen[-1]])
    return np.array(chosen, dtype=np.int64)


def clusters(points: Array) -> list[np.ndarray]:
    """Places of points in clusters: one is split in two as long as that leaves little variance, at most a few times."""
    found, done = [np.arange(len(points))], []
    while found:
        rows = found.pop()
        parts = _split(points[rows]) if len(rows) > 3 and len(found) + len(done) + 1 < CLUSTERS else None
        if parts is None:
            done.append(rows)
        else:
            found += [rows[parts == 0], rows[parts == 1]]
    return done


def _split(points: Array) -> np.ndarray | None:
    """Which of two clusters each point is in; None if they are one."""
    total = ((points - points.mean(axis=0)) ** 2).sum()
    if not total > 0:
        return None
    first = points[((points - points.mean(axis=0)) ** 2).sum(axis=1).argmax()]
    centres = np.array([first, points[((points - first) ** 2).sum(axis=1).argmax()]])
    parts = np.zeros(len(points), np.int64)
    for _ in range(20):
        parts = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        if len(set(parts.tolist())) < 2:
            return None
        centres = np.array([points[parts == k].mean(axis=0) for k in (0, 1)])
    left = ((points - centres[parts]) ** 2).sum()
    return parts if left < APART * total else None


def first_size(dim: int) -> int:
    """New points, and the best one: a small population of an evolution strategy."""
    return 4 + int(3 * np.log(dim))


def stratified(count: int, dim: int, rng: Generator) -> Array:
    """A Latin hypercube of the unit box."""
    cells = np.argsort(rng.random((count, dim)), axis=0)
    return (cells + rng.random((count, dim))) / max(count, 1)


def folded(x: Array) -> Array:
    """Points mirrored into the unit box."""
    t = np.mod(np.abs(x), 2.0)
    return np.minimum(t, 2 - t)
