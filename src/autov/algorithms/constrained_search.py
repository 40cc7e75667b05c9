"""A local search with models of the objective and of every constraint, in the manner of COBYLA and COBYQA.

M. J. D. Powell, A direct search optimization method that models the objective and constraint functions by linear
interpolation, Advances in Optimization and Numerical Analysis, 51-67, 1994 (COBYLA); T. M. Ragonneau and Z. Zhang,
COBYQA, 2023, for quadratic models of all functions. What differs:

- A model goes through the points nearest to the centre, of all members.
- The trust region is a ball in units in which an integer has at least one unit of room; steps are rounded to integers.
- A step keeps a distance from the constraints that grows with the errors of their last predictions, because what
  counts is a feasible point.
- Points are compared by the exact penalty function, whose weights are twice the largest multipliers so far; by
  feasibility first where the objective is not known at an infeasible point.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from autov.algorithms.base import Outcome
from autov.algorithms.constrained_models import EXACT, Models, constrained_step, fitted
from autov.algorithms.local_search import LocalSearch
from autov.core import Array, Box, Generator, check_ranges
from autov.kernels.models.search_batch import INFEASIBLE

DESIGN, STEP, GEOMETRY, ENDED = range(4)  # what a batch is for
RECORD = np.dtype([("limit", "i8"), ("starts", "i8"), ("infeasible", "i8"), ("generation", "i8")])
LARGEST, GROW, SHRINK = 0.5, 1.5, 0.8  # radius, as a part of the box, and its factors
NEAR, SPREAD, AROUND = 0.01, 0.4, 2.5  # radii: of points that are the same, of good geometry, of points that count
AGAIN, GAIN = 0.1, 1e-7  # radius of another round, as a part of the first one, and what the last one must have gained
FULL = 28  # points of a full quadratic, where it needs no more
BALL = 1.0  # radii: the length of a step, at most
CLOSE = 0.05  # radii: points nearer to the centre come last
CAUTION = 0.25  # distance from constraints, in errors of their predictions
LITTLE = 1e-3  # part of a penalty that counts where an infeasible point seems better than the best feasible one
CONSTRAINTS = 100  # of a step, at most: those that are largest near the centre


class PointArchive:
    """Points (n, d) in the unit box and what is known of them, (n, 1 + m): value and constraints, or NaN.

    Adding makes a new one; both share their arrays as long as nothing else was added to the older one.
    """

    def __init__(self, dim: int) -> None:
        self.count = 0
        self._x, self._rows, self._used = np.empty((64, dim)), np.empty((64, 0)), [0]

    @property
    def x(self) -> Array:
        """The points."""
        return self._x[: self.count]

    @property
    def rows(self) -> Array:
        """What is known of them."""
        return self._rows[: self.count]

    def added(self, x: Array, rows: Array) -> PointArchive:
        """With more points."""
        made = PointArchive(0)
        made.count = self.count + len(x)
        made._x, made._rows, made._used = self._x, self._rows, self._used
        if self._used[0] != self.count or made.count > len(self._x) or rows.shape[1] != self._rows.shape[1]:
            space, width = max(2 * made.count, 64), max(rows.shape[1], self._rows.shape[1])
            made._x, made._rows = np.empty((space, x.shape[1])), np.full((space, width), np.nan)
            made._x[: self.count], made._rows[: self.count, : self._rows.shape[1]] = self.x, self.rows
        made._x[self.count : made.count], made._rows[self.count : made.count, : rows.shape[1]] = x, rows
        made._used = [made.count] if made._x is not self._x else made._used
        made._used[0] = made.count
        return made


@dataclass(frozen=True, eq=False)
class ConstrainedSearchState:
    """Lengths are parts of the box width; rows are (1 + m,)."""

    key: np.ndarray
    box: Box
    archive: PointArchive  # the last points told are at its end
    batch: Array  # points that wait for their values, in the unit box
    phase: int  # what they are for
    radius: float
    centre: int  # its place in the archive, -1 before the first
    tried: int  # points for the geometry in a row
    weights: Array  # (m,) of the penalty function
    errors: Array  # (m,) of the last predictions
    predicted: Array  # row of the step at work
    began: float  # the best feasible value when the radius was last made larger
    scalars: np.ndarray  # what `autov.algorithms.memetic.Memetic` reads: starts is 1 when the search has ended
    x: Array  # the last points told, and their values
    f: Array

    @property
    def generation(self) -> int:
        """Batches told."""
        return int(self.scalars["generation"][0])


@dataclass(frozen=True)
class ConstrainedSearch(LocalSearch):
    """Settings; lengths are parts of the box width.

    Attributes:
        integrality: which variables are integers; () for none.
        scale: first radius of the trust region.
        points: of a model, for each variable.
        smallest: radius below which the search has converged.
    """

    name: ClassVar[str] = "constrained-search"
    compiles: ClassVar[bool] = False
    integrality: tuple[bool, ...] = ()
    scale: float = 0.15
    points: float = 2.0
    smallest: float = 1e-5

    def __post_init__(self) -> None:
        check_ranges(self, scale=(1e-6, 0.5), points=(1, 20), smallest=(1e-12, 0.1))

    def start_at(  # type: ignore[override]
        self, key: np.ndarray, box: Box, maxfev: int, x: Array, f: Array, scale: float,
        archive: PointArchive | None = None,
    ) -> ConstrainedSearchState:  # fmt: skip
        """A search that starts at the first of the points (k, d); what the archive has is not evaluated again."""
        del maxfev, f
        archive, none = PointArchive(box.dim) if archive is None else archive, np.empty(0)
        start = self._rounded(box, np.clip((x[:1] - box.lower) / box.width, 0, 1))
        state = ConstrainedSearchState(
            key.copy(), box, archive, start, DESIGN, scale, -1, 0, none, none, none, np.inf, np.zeros(1, RECORD),
            np.empty((0, box.dim)), none,
        )  # fmt: skip
        size = self._size(box, scale)
        known = np.flatnonzero((np.abs(archive.x - start) <= 1e-12).all(axis=1) & _sound(archive.rows))
        near = (np.abs(archive.x - start) <= 2 * size).all(axis=1) & _sound(archive.rows)
        if len(known) and near.sum() > box.dim:
            return self._next(replace(state, centre=int(known[0])), STEP)
        up = np.where(start[0] + size <= 1, size, -size)
        around = self._rounded(box, np.clip(start + np.diag(up), 0, 1))
        return replace(state, centre=int(known[0]) if len(known) else -1,
                       batch=around if len(known) else np.concatenate([start, around]))  # fmt: skip

    def ask(self, state: ConstrainedSearchState, rng: Generator) -> tuple[Array, ConstrainedSearchState]:  # type: ignore[override]  # noqa: ARG002
        """The batch that waits; asking again gives the same."""
        return state.box.clip(state.box.lower + state.batch * state.box.width), state

    def tell(  # type: ignore[override]
        self, state: ConstrainedSearchState, x: Array, f: Array, rng: Generator  # noqa: ARG002
    ) -> ConstrainedSearchState:  # fmt: skip
        """Take the values; what is known besides is at the end of the archive."""
        record = state.scalars.copy()
        record["generation"] += 1
        rows, count, centre = state.archive.rows, state.archive.count, state.centre
        state = replace(state, scalars=record, x=np.array(x), f=np.array(f))
        if state.phase == DESIGN:
            m = max(rows.shape[1] - 1, 0)
            state = replace(state, weights=np.zeros(m), errors=np.zeros(m))
        if len(state.weights) != rows.shape[1] - 1:  # nothing was known of any point until now
            return self._ended(state)
        before = centre
        for i in range(count - len(x), count):
            if centre < 0 or _better(rows[i], rows[centre], state.weights):
                centre = i
        if not _sound(rows[centre : centre + 1]).all():
            return self._ended(state)
        state = replace(state, centre=centre)
        if state.phase == GEOMETRY:
            return self._next(state, STEP)
        if state.phase == DESIGN:
            return self._next(state, STEP)
        error = np.abs(rows[-1, 1:] - state.predicted[1:])
        state = replace(state, errors=np.where(np.isfinite(error), 0.75 * error + 0.25 * state.errors, state.errors))
        if centre == before:
            return self._next(state, GEOMETRY)
        now, old, weights = rows[centre], rows[before], state.weights
        gained, promised = (
            _merit(old, weights) - _merit(now, weights),
            _merit(old, weights) - _merit(state.predicted, weights),
        )
        size = self._size(state.box, state.radius)
        moved = (state.archive.x[centre] - state.archive.x[before]) / size
        far = max(np.abs(moved).max(), np.linalg.norm(moved) / BALL) > 0.9
        grows = far and (gained > 0.5 * promised or not np.isfinite(gained))
        radius = min(state.radius * GROW, LARGEST) if grows else state.radius
        return self._next(replace(state, radius=radius, tried=0), STEP)

    def population(self, state: ConstrainedSearchState) -> tuple[Array, Array]:  # type: ignore[override]
        """The last points told."""
        return state.x, state.f

    def calls(self, state: Any) -> list[tuple[Any, tuple[Any, ...]]]:  # noqa: ARG002
        """No kernels."""
        return []

    def run_compiled(self, *args: Any, **options: Any) -> Outcome:
        """There is no compiled form."""
        raise NotImplementedError(self.name)

    def _count(self, d: int) -> int:
        """Points of a model: all that a quadratic needs where these are few."""
        return max(int(self.points * d) + 1, min((d + 1) * (d + 2) // 2, FULL))

    def _whole(self, dim: int) -> np.ndarray:
        return np.array(self.integrality or (False,) * dim, dtype=bool)

    def _size(self, box: Box, radius: float) -> Array:
        """Half of the trust region's width, (d,): at least a unit of an integer."""
        return np.where(self._whole(box.dim), np.maximum(radius, 1.0 / box.width), radius)

    def _rounded(self, box: Box, u: Array) -> Array:
        """Points of the unit box with integers where they must be; the box reaches half a unit beyond them."""
        whole = self._whole(box.dim)
        if not whole.any():
            return u
        x = np.clip(np.rint(box.lower + u * box.width), box.lower + 0.5, box.upper - 0.5)
        return np.where(whole, np.clip((x - box.lower) / box.width, 0, 1), u)

    def _ended(self, state: ConstrainedSearchState) -> ConstrainedSearchState:
        record = state.scalars.copy()
        record["starts"] = 1
        return replace(state, scalars=record, phase=ENDED, batch=state.batch[:0])

    def _next(self, state: ConstrainedSearchState, phase: int) -> ConstrainedSearchState:
        """The next point: a step of the models, one that makes them better, or either in a smaller region."""
        while state.radius >= self.smallest:
            if phase == STEP:
                found = self._step(state)
                if len(found.batch):
                    return found
                state = found
            if state.tried < state.box.dim:
                batch = self._geometry(state)
                if len(batch):
                    return replace(state, batch=batch, phase=GEOMETRY, tried=state.tried + 1)
            state, phase = replace(state, radius=state.radius * SHRINK, tried=0, errors=state.errors * SHRINK), STEP
        best = _best_value(state.archive.rows)
        if best < state.began - GAIN * (1 + abs(best)):  # again with new weights, as long as that is of use
            again = replace(state, radius=self.scale * AGAIN, tried=0, began=best,
                            weights=np.zeros_like(state.weights), errors=np.zeros_like(state.errors))  # fmt: skip
            return self._next(again, STEP)
        return self._ended(state)

    def _step(self, state: ConstrainedSearchState) -> ConstrainedSearchState:
        """With the batch of a step; with an empty one if that is near a point that is known."""
        archive, box, d = state.archive, state.box, state.box.dim
        centre, row, size = archive.x[state.centre], archive.rows[state.centre], self._size(box, state.radius)
        s = (archive.x - centre) / size
        distance, count = np.square(s).sum(axis=1), self._count(d)
        distance[(distance > 0) & (distance < CLOSE**2)] = np.inf  # too close to tell a slope in a region of this size
        near = _nearest(distance, _sound(archive.rows), count)
        valued = _nearest(distance, _sound(archive.rows) & np.isfinite(archive.rows[:, 0]), count)
        rows = archive.rows[near]
        ranges = np.abs(rows - row).max(axis=0)
        values = archive.rows[valued, 0]
        ranges[0] = np.ptp(values) if len(values) else 1.0
        alike = np.maximum(1.0, np.abs(row))  # the unit of a constraint that is the same at all points
        alike[0] = 1.0
        ranges = np.where(ranges > 0, ranges, alike)
        kept = np.arange(1, len(row))
        if len(kept) > CONSTRAINTS:
            kept = np.sort(1 + np.argsort(-(row / ranges)[1:], kind="stable")[:CONSTRAINTS])
        columns = np.concatenate([[0], kept])
        models = fitted(s[near], np.nan_to_num(rows[:, columns]) / ranges[columns])
        if len(valued) and not np.array_equal(valued, near):  # it is not known at infeasible points
            own = fitted(s[valued], values[:, None] / ranges[0])
            models = Models(*(np.concatenate([one, rest[1:]]) for one, rest in zip(own, models, strict=True)))
        models = _within(models, BALL)
        lower, upper = np.maximum(-centre / size, -1), np.minimum((1 - centre) / size, 1)
        errors = state.errors if len(state.errors) else np.zeros(len(row) - 1)
        margin = np.append(np.clip(CAUTION * errors[kept - 1] / ranges[kept], 2 * EXACT, CAUTION), 0.0)
        step, multipliers = constrained_step(models, lower, upper, margin)
        whole = self._whole(d)
        if whole.any():  # the integers first, then the others
            fixed = (self._rounded(box, np.clip(centre + step * size, 0, 1)[None])[0] - centre) / size
            step, multipliers = constrained_step(
                models, np.where(whole, fixed, lower), np.where(whole, fixed, upper), margin
            )
        weights = state.weights.copy() if len(state.weights) else np.zeros(len(row) - 1)
        wanted = 2 * multipliers[:-1] * ranges[0] / ranges[kept]
        weights[kept - 1] = np.maximum(weights[kept - 1], wanted)
        predicted = row.copy()
        predicted[columns] = models.at(step)[:-1] * ranges[columns]
        u = self._rounded(box, np.clip(centre + step * size, 0, 1)[None])
        batch = u if _apart(archive.x, u[0], size) else u[:0]
        return replace(state, batch=batch, phase=STEP, weights=weights, errors=errors, predicted=predicted)

    def _geometry(self, state: ConstrainedSearchState) -> Array:
        """A point along the direction in which the points around the centre are spread least, if that is little."""
        archive, size = state.archive, self._size(state.box, state.radius)
        centre = archive.x[state.centre]
        s = (archive.x - centre) / size
        told = _sound(archive.rows) & (np.isfinite(archive.rows[:, 0]) | ~np.isfinite(archive.rows[state.centre, 0]))
        s = s[(np.abs(s).max(axis=1) < AROUND) & told]
        _, spread, directions = np.linalg.svd(s, full_matrices=True)
        if len(spread) == state.box.dim and spread[-1] >= SPREAD:
            return state.batch[:0]
        direction = directions[-1] / np.abs(directions[-1]).max() * size
        ends = self._rounded(state.box, np.clip(centre + np.array([direction, -direction]), 0, 1))
        room = np.abs((ends - centre) / size).max(axis=1)
        first = int(room[1] > room[0]) if max(room) > 1.5 * min(room) else self._promising(state, ends)
        for end in ends[[first, 1 - first]]:
            if _apart(archive.x, end, size):
                return end[None]
        return state.batch[:0]

    def _promising(self, state: ConstrainedSearchState, ends: Array) -> int:
        """Which of two ends of a line is nearer to the better ones of the points around."""
        size, archive = self._size(state.box, state.radius), state.archive
        s = (archive.x - archive.x[state.centre]) / size
        values = archive.rows[:, 0]
        near = (np.abs(s).max(axis=1) < AROUND) & np.isfinite(values)
        slope = s[near].T @ (values[near] - values[near].mean()) if near.any() else np.zeros(state.box.dim)
        return int((ends[1] - ends[0]) / size @ slope < 0)


def _within(models: Models, radius: float) -> Models:
    """With another constraint: steps no longer than a radius."""
    d = models.slope.shape[1]
    more = Models(np.array([-0.5]), np.zeros((1, d)), np.eye(d)[None] / radius**2)
    return Models(*(np.concatenate(pair) for pair in zip(models, more, strict=True)))


def penalty_weights(rows: Array, multipliers: Array) -> Array:
    """Weights (m,) of violations: those of a local search, but no less than what makes a typical violation count."""
    values, outside = rows[:, 0], np.maximum(rows[:, 1:], 0.0)
    known = np.isfinite(values) & np.isfinite(outside).all(axis=1)
    spread = np.subtract(*np.percentile(values[known], [75, 25])) if known.any() else 0.0
    least = np.zeros(rows.shape[1] - 1)
    for j in range(len(least)):
        met = outside[known & (outside[:, j] > 0), j]
        least[j] = spread / np.median(met) if len(met) else 0.0
    return np.maximum(least, multipliers) if len(multipliers) == len(least) else least


def penalized(rows: Array, f: Array, weights: Array, best: float) -> Array:
    """Values of points with weighted violations in place of Deb's numbers, where the objective is known there.

    An infeasible point never counts as better than the best feasible one, whatever the weights.
    """
    if best >= INFEASIBLE or len(weights) != rows.shape[1] - 1:
        return f
    excess = np.maximum(rows[:, 1:], 0.0) @ weights
    made = np.maximum(rows[:, 0] + excess, best + LITTLE * excess)
    return np.where((f >= INFEASIBLE) & np.isfinite(made), made, f)


def _best_value(rows: Array) -> float:
    """The smallest value of a feasible point, infinity if there is none."""
    values = rows[(rows[:, 1:] <= 0).all(axis=1), 0]
    return float(values[np.isfinite(values)].min(initial=np.inf))


def _sound(rows: Array) -> np.ndarray:
    """Of which points all constraints are known, (n,) bool."""
    return np.isfinite(rows[:, 1:]).all(axis=1) & (rows.shape[1] > 0)


def _nearest(distance: Array, among: np.ndarray, count: int) -> np.ndarray:
    """The places of this number of points, nearest first."""
    places = np.flatnonzero(among)
    return places[np.argsort(distance[places], kind="stable")[:count]]


def _apart(x: Array, u: Array, size: Array) -> bool:
    """Whether a point is none that is known."""
    return bool((np.abs((x - u) / size).max(axis=1) > NEAR).all())


def _merit(row: Array, weights: Array) -> float:
    return float(row[0] + weights @ np.maximum(row[1:], 0.0))


def _better(one: Array, other: Array, weights: Array) -> bool:
    """Whether one point is better than another."""
    if not np.isfinite(one[1:]).all() or not np.isfinite(other[1:]).all():
        return bool(np.isfinite(one[1:]).all())
    if np.isfinite(one[0]) and np.isfinite(other[0]):
        return _merit(one, weights) < _merit(other, weights)
    with np.errstate(over="ignore"):
        outside, others = np.maximum(one[1:], 0.0).sum(), np.maximum(other[1:], 0.0).sum()
    return bool(outside < others)
