"""What earlier runs on problems of one kind teach about the next one: where good points lie, and how they are spread.

A run with experience first tries a few points: the best points of earlier runs (of many those that represent the
others), their mean, and where a context is given the point that ridge regression predicts. Some points of the whole box
are evaluated beside them; both together are at most `PART` of the budget. The run starts cold unless the best of the
former beats all of the latter, and most of the former are better than most of the latter (`BETTER`), because among many
points anywhere one is the best by chance. Else the first points of the algorithm are the few best ones, draws around
the best, and the others that were tried. The draws are normal, with the covariance of the optima of its cluster: the
start distribution of M. Nomura et al., Warm starting CMA-ES for hyperparameter optimization, AAAI 2021, but centred
where this problem was seen to be good, and nearer (`NEARER`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autov.core import Array, Box, FileError, Generator, to_json
from autov.core.atomic_files import check_depth
from autov.runs.budget import BudgetedObjective, Evaluations
from autov.runs.sources import Source

PART = 0.05  # of the budget that is tried first
TRIED = 0.75  # of it for points of the sources, the rest for points of the whole box
MOST = 100  # evaluations that are tried first, at most
BETTER = 0.75  # share of pairs of a point tried and one of the whole box in which the former is better, at least
NEARER = 0.7  # standard deviations of draws, beside those of optima: the best of several is nearer than any of them
CLUSTERS = 5  # of optima, at most
APART = 0.2  # part of the variance that must be left in two clusters, at most, for them to be two
NARROW = 0.01  # least standard deviation of a variable in a start distribution, as a part of the box
BEST = 4  # points tried that come before the draws
RIDGE = 0.1  # of the regression on contexts, beside standardized numbers


@dataclass(frozen=True, eq=False)
class Experience:
    """What was learnt, in the unit box; it is kept with a run, so that the run can go on when its sources have grown.

    Attributes:
        labels: of the sources.
        optima: (n, d) the best point of each source.
        weights: (n,) how similar each source is; equal without a context.
        spread: (d,) standard deviation of the good points of a source, the mean over sources.
        predicted: (d,) where the optimum is expected from the context; empty without one.
    """

    labels: tuple[str, ...]
    optima: Array
    weights: Array
    spread: Array
    predicted: Array

    def candidates(self, count: int) -> Array:
        """So many points (k, d) to try: predicted, mean, then optima that represent the others best."""
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

    def begin(
        self, spent: BudgetedObjective, popsize: int, rng: Generator
    ) -> tuple[Evaluations, Array | None]:  # fmt: skip
        """Try points. What is known then, and first points for the algorithm; None for a cold start."""
        box = spent.box
        count = max(1, min(int(PART * spent.maxfev), MOST))
        tried = self.candidates(max(1, round(TRIED * count)))
        cold = stratified(min(count - len(tried), len(tried)), box.dim, rng)
        x = spent.affordable(box.clip(box.lower + np.concatenate([tried, cold]) * box.width))
        f = spent.take(x)
        n = len(tried)
        order = np.argsort(f[:n], kind="stable")
        better = float((f[:n, None] < f[n:]).mean()) if len(cold) else 1.0
        if not (f[order[0]] < f[n:].min(initial=np.inf) and better >= BETTER):
            return Evaluations(x, f), None
        best = tried[order[0]]
        factor = NEARER * np.linalg.cholesky(self.covariance(best))
        drawn = best + rng.standard_normal((first_size(box.dim) - 1, box.dim)) @ factor.T
        drawn = box.clip(box.lower + folded(drawn) * box.width)
        first = np.concatenate([x[order[:BEST]], drawn, x[order[BEST:]]])
        return Evaluations(x, f), first[: max(1, popsize // 2)]

    def free(self, which: np.ndarray) -> Experience:
        """Of the variables that are not fixed."""
        predicted = self.predicted[which] if self.predicted.size else self.predicted
        return Experience(self.labels, self.optima[:, which], self.weights, self.spread[which], predicted)

    def sentence(self, used: bool) -> str:
        """What to tell people."""
        count = f"{len(self.labels)} earlier {'run' if len(self.labels) == 1 else 'runs'}"
        return f"It started where {count} found good points." if used else f"Points of {count} were of no use."

    def to_bytes(self) -> bytes:
        """As it is kept in a store."""
        arrays = {name: getattr(self, name).tolist() for name in ("optima", "weights", "spread", "predicted")}
        return to_json({"labels": list(self.labels), **arrays}).encode()

    @classmethod
    def from_bytes(cls, data: bytes, dim: int) -> Experience | None:
        """What `to_bytes` made, checked: a store may come from anywhere; None for none."""
        if not data:
            return None
        try:
            told = json.loads(data)
            check_depth(told)
            names = ("optima", "weights", "spread", "predicted")
            optima, weights, spread, predicted = (np.array(told[name], dtype=np.float64) for name in names)
            labels = tuple(str(label) for label in told["labels"])
            n = len(labels)
            fits = optima.shape == (n, dim) and weights.shape == (n,) and spread.shape == (dim,) and n > 0
            if not fits or predicted.shape not in ((0,), (dim,)):
                raise ValueError("shapes do not fit")
            for part in (optima, weights, spread, predicted):
                if not ((part >= 0) & (part <= 1)).all():
                    raise ValueError("numbers are not between 0 and 1")
            return cls(labels, optima, weights, spread, predicted)
        except (KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
            raise FileError(f"learn_from: what the store kept cannot be read: {str(error)[:200]}") from None


def learn(sources: Sequence[Source], box: Box, context: Array | None = None) -> Experience | None:
    """What sources teach; None if there are none.

    Args:
        sources: of this box.
        box: where to search.
        context: numbers that describe the instance; sources without some of them count as far away.
    """
    if not sources:
        return None
    width = np.where(box.width > 0, box.width, 1.0)
    optima = np.array([np.clip((source.x[0] - box.lower) / width, 0, 1) for source in sources])
    spread = np.mean([(source.x / width).std(axis=0) for source in sources], axis=0)
    weights, predicted = np.ones(len(sources)), np.empty(0)
    if context is not None:
        weights, predicted = from_context(sources, optima, context)
    labels = tuple(source.label for source in sources)
    return Experience(labels, optima, weights, np.clip(spread, 0, 1), predicted)


def from_context(sources: Sequence[Source], optima: Array, context: Array) -> tuple[Array, Array]:
    """Weights of the sources by similarity of their contexts, and the optimum that ridge regression predicts."""
    has = np.array([source.context.shape == context.shape for source in sources])
    weights = np.full(len(sources), 0.1)
    if not has.any():
        return weights, np.empty(0)
    known = np.array([source.context for source, there in zip(sources, has, strict=True) if there])
    scale = known.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    a, now = (known - known.mean(axis=0)) / scale, (context - known.mean(axis=0)) / scale
    distance = np.sqrt(((a - now) ** 2).sum(axis=1))
    typical = float(np.median(distance)) or 1.0
    weights[has] = np.maximum(np.exp(-0.5 * (distance / typical) ** 2), 0.1)
    if len(known) < 3:
        return weights, np.empty(0)
    mean = optima[has].mean(axis=0)
    gram = a.T @ a + RIDGE * len(known) * np.eye(a.shape[1])
    predicted = mean + now @ np.linalg.solve(gram, a.T @ (optima[has] - mean))
    return weights, np.clip(predicted, 0, 1)


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
    """Draws from the start distribution: a small population of an evolution strategy."""
    return 4 + int(3 * np.log(dim))


def stratified(count: int, dim: int, rng: Generator) -> Array:
    """A Latin hypercube of the unit box."""
    cells = np.argsort(rng.random((count, dim)), axis=0)
    return (cells + rng.random((count, dim))) / max(count, 1)


def folded(x: Array) -> Array:
    """Points mirrored into the unit box."""
    t = np.mod(np.abs(x), 2.0)
    return np.minimum(t, 2 - t)
