"""All that was told to an `Optimizer`, and points that fill a batch which the algorithm cannot fill by itself."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from autov.core import Array, Box, Generator, InputError, real_numbers
from autov.problems import Constrained
from autov.problems.feasibility import LEVEL, total_excess

RECENT = 10, 4  # last points told that say where to look: this many, and this many for each variable
CHOICES = 16  # draws of which the one farthest from all others becomes a point
LEAST_STEP = 1e-3  # of the box
TRIES = 20  # how often draws are made anew where all of them are known, as with integers


class ToldPoints:
    """Values by point, in the order in which points came; a point that is told again has the mean of its values.

    Values that failed (infinite) or belong to infeasible points do not take part in a mean where there are others.

    Attributes:
        best: the smallest mean.
        best_x: its point, (1, d); (0, d) before anything is told.
        improved: evaluations that had been made when it was found.
        trace: evaluations, and the best mean then, when it got better.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self._places: dict[bytes, int] = {}
        self._means: list[float] = []
        self._counts: list[int] = []
        self.best, self.best_x, self.improved = np.inf, np.empty((0, dim)), 0
        self.trace: list[tuple[int, float]] = []

    def __len__(self) -> int:
        return len(self._means)

    def __contains__(self, point: Array) -> bool:
        return _key(point) in self._places

    def add(self, x: Array, f: Array, nfev: int) -> tuple[Array, np.ndarray]:
        """Take values (m,) of points (m, d); the means at these points, and how often they were told.

        ``nfev`` evaluations were made until now.
        """
        places = []
        for point, value in zip(x, f.tolist(), strict=True):
            place = self._places.setdefault(_key(point), len(self._means))
            if place == len(self._means):
                self._means.append(value)
                self._counts.append(1)
            else:
                self._merge(place, value)
            places.append(place)
        means = np.array([self._means[i] for i in places])
        self._note_best(x, means, nfev)
        return means, np.array([self._counts[i] for i in places], np.int64)

    def _note_best(self, x: Array, means: Array, nfev: int) -> None:
        """The best mean; that of the best point so far may have become worse."""
        i = int(np.argmin(means))
        again = len(self.best_x) > 0 and (x == self.best_x).all(axis=1)
        if np.any(again) and (means[again] > self.best).any():
            place = int(np.argmin(self._means))
            self.best = self._means[place]
            self.best_x = np.frombuffer(list(self._places)[place], dtype=np.float64)[None].copy()
            self.trace = [(count, max(value, self.best)) for count, value in self.trace]
        elif means[i] < self.best or not len(self.best_x):
            self.best, self.best_x, self.improved = float(means[i]), x[i : i + 1].copy(), nfev
            self.trace.append((nfev, self.best))

    def _merge(self, place: int, value: float) -> None:
        mean, count = self._means[place], self._counts[place]
        if not _usable(value) and _usable(mean):
            return
        if _usable(value) and _usable(mean):
            count += 1
            value = mean + (value - mean) / count
        else:
            count = 1
        self._means[place], self._counts[place] = value, count

    def arrays(self) -> tuple[Array, Array, np.ndarray]:
        """Points (n, d), means (n,) and how often each was told (n,)."""
        points = np.frombuffer(b"".join(self._places), dtype=np.float64).reshape(-1, self.dim)
        return points.copy(), np.array(self._means, dtype=np.float64), np.array(self._counts, dtype=np.int64)

    def recent(self, count: int) -> tuple[Array, Array]:
        """The last points (n, d), and their means (n,)."""
        last = list(islice(reversed(self._places), count))[::-1]
        points = np.frombuffer(b"".join(last), dtype=np.float64).reshape(-1, self.dim)
        return points, np.array(self._means[len(self._means) - len(last) :], dtype=np.float64)

    def restore(self, x: Array, f: Array, counts: np.ndarray) -> None:
        """Take what `arrays` gave, in place of all."""
        self._places = {_key(point): i for i, point in enumerate(x)}
        self._means, self._counts = f.tolist(), counts.tolist()
        if len(self._places) != len(f):
            raise ValueError("a point occurs twice")

    def nearest(self, points: Array, box: Box) -> Array:
        """For each point the value of the nearest one that was told; infinite where nothing was."""
        x, f, _ = self.arrays()
        if not len(f):
            return np.full(len(points), np.inf)
        return f[np.argmin(_distances(points, x, _widths(box)), axis=1)]


def filling_points(
    told: ToldPoints, pending: Array, box: Box, count: int, rng: Generator, categories: np.ndarray | None = None
) -> Array:  # fmt: skip
    """Draws (count, d) where recent values were good, each far from all points that are told or pending.

    They come from the normal distribution of the better half of the last points told; before there is one, they cover
    the box. Where there are ``categories``, (d,) how many, 0 for what has an order, those of the good points are drawn.
    """
    x, f = told.recent(RECENT[0] + RECENT[1] * box.dim)
    kept = np.argsort(f, kind="stable")[: (len(f) + 1) // 2]
    kept = kept[np.isfinite(f[kept])]
    width = _widths(box)
    others, points = np.concatenate([x, pending]), np.empty((0, box.dim))
    if len(kept) < 2:
        centre, step, root = None, width, np.empty(0)
    else:
        weights = np.log(len(kept) + 0.5) - np.log(np.arange(1, len(kept) + 1))
        weights /= weights.sum()
        centre = weights @ x[kept]
        moved = (x[kept] - centre) * np.sqrt(weights)[:, None]
        step = np.maximum(np.sqrt((moved**2).sum(axis=0)), LEAST_STEP * width)
        root = moved
    unordered = np.zeros(box.dim, dtype=bool) if categories is None else categories > 0
    apart = np.where(unordered, np.inf, step)  # no distance between categories
    for _ in range(count):
        if centre is None:
            draws = box.sample(CHOICES, rng)
        else:  # half of the variance along what the points have in common, half along the axes
            along = rng.standard_normal((CHOICES, len(root))) @ root
            draws = box.clip(centre + np.sqrt(0.5) * (along + rng.standard_normal((CHOICES, box.dim)) * step))
        if categories is not None and unordered.any():
            _draw_categories(draws, x[kept], categories, rng)
        if len(others):
            draws = draws[[int(np.argmax(_distances(draws, others, apart).min(axis=1)))]]
        points, others = np.concatenate([points, draws[:1]]), np.concatenate([others, draws[:1]])
    return points


def _draw_categories(draws: Array, good: Array, categories: np.ndarray, rng: Generator) -> None:
    """Give draws categories of good points, each from another point; one in four draws has another one somewhere."""
    other = rng.random((len(draws), len(categories))) < 0.25 / (categories > 0).sum()
    for i in np.flatnonzero(categories):
        anywhere = rng.integers(0, categories[i], len(draws))
        theirs = good[rng.integers(0, len(good), len(draws)), i] if len(good) else anywhere
        draws[:, i] = np.where(other[:, i], anywhere, theirs)


def unknown_points(
    told: ToldPoints, waiting: Array, rules: Constrained, count: int, rng: Generator, categories: np.ndarray | None
) -> Array:  # fmt: skip
    """`filling_points` that nobody told or waits for, and that break constraints only if all do.

    There are fewer than count only if there are no more.
    """
    found = waiting[:0]
    for last in [False] * TRIES + [True]:
        if len(found) >= count:
            break
        around = np.concatenate([waiting, found])
        fresh = rules.rounded(filling_points(told, around, rules.problem.box, count, rng, categories))
        if rules.constraints and not last:
            fresh = fresh[rules.violation(fresh) <= 0]
        for point in fresh:
            if point not in told and not (np.concatenate([waiting, found]) == point).all(axis=1).any():
                found = np.concatenate([found, point[None]])
    return found[:count]


def told_values(
    x: Any, f: Any, violation: Any, constraints: Any, box: Box
) -> tuple[Array, Array, Array, Array | None]:  # fmt: skip
    """Points (m, d), values (m,), violations (m,) and constraints of what `Optimizer.tell` was given, checked."""
    try:
        x, f = np.atleast_2d(np.asarray(x, dtype=np.float64)), np.atleast_1d(real_numbers(f))
        broken = np.zeros(len(f)) if violation is None else np.atleast_1d(real_numbers(violation))
        outside = None if constraints is None else real_numbers(constraints)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"tell: points and values must be numbers ({error})") from None
    if outside is not None:
        if violation is not None:
            raise InputError("tell: give violation or constraints, not both")
        outside = outside.reshape(1, -1) if len(f) == 1 and outside.ndim < 2 else outside
        if outside.ndim not in (1, 2) or len(outside) != len(f):
            raise InputError(f"tell: constraints must have shape ({len(f)},) or ({len(f)}, k), got {outside.shape}")
        broken = total_excess(outside.reshape(len(f), -1))
    if x.shape != (len(f), box.dim) or f.ndim != 1:
        raise InputError(f"tell: expected x of shape (m, {box.dim}) and f of shape (m,), got {x.shape} and {f.shape}")
    if broken.shape != f.shape or not (broken >= 0).all():
        raise InputError(f"tell: violation must hold one number of at least 0 for each of {len(f)} points")
    if not box.holds(x):
        raise InputError("tell: all points must lie inside the bounds")
    return x, f, broken, outside


def _usable(value: float) -> bool:
    return -np.inf < value <= LEVEL


def _key(point: Array) -> bytes:
    return (point + 0.0).tobytes()  # no negative zeros


def _widths(box: Box) -> Array:
    return np.where(box.width > 0, box.width, 1.0)


def _distances(one: Array, other: Array, scale: Array) -> Array:
    """Squared distances (n, m)."""
    one, other = one / scale, other / scale
    return np.maximum((one**2).sum(axis=1)[:, None] - 2 * one @ other.T + (other**2).sum(axis=1), 0.0)
