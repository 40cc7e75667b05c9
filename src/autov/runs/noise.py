"""Runs on noisy functions: is there noise, which point is recommended, and how good it is expected to be.

The smallest value of a noisy run is the luckiest one. Here a part of the budget (`REPEATS`) is kept for repeated
evaluations at the end. Candidates are weighted means of the better half of the last points (what an evolution strategy
would recommend), points whose neighbours are good in the mean, and the luckiest one. They are evaluated in stages, each
with an equal part of what was kept; the better half of them continues to the next. The last stage has one point left:
its values did not influence the choice, so that their mean is an unbiased estimate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from autov.algorithms.population import initial_points
from autov.core import Array, Box, InputError, Seed, counted, generator, seed_of, values_of
from autov.problems import (
    Constrained,
    PointFunction,
    Problem,
    instance_of,
    kinds_of,
    space_of,
    takes_points,
    unpenalized,
)
from autov.runs.budget import ConstrainedEvaluations, Evaluations
from autov.runs.described import default_algorithm, in_coordinates
from autov.runs.evaluation import DEFAULT, FaultCount, FaultPolicy, PointEvaluator, engine_for
from autov.runs.stopping import NOISY

if TYPE_CHECKING:
    from autov.runs.result import Result

REPEATS = 0.2  # part of the budget that is spent on repeating candidates
PROBES = 3  # evaluations of one point that tell whether there is noise
PROBED = 20  # evaluations at most until a point has a value that tells it: it may be infeasible
WINDOWS = (0.05, 0.1, 0.25, 0.5)  # last parts of a run of which the better half is averaged
CANDIDATES = 8
OWN = 5  # values of a point that say how noisy it is; with fewer, those of all candidates do
ALGORITHM = "lq-ma-es+popsize_factor=2"  # of noisy runs, unless another one is given
AUTO = "auto"


def noise_of(noise: Any) -> str | float | None:
    """What ``noise`` of `minimize` says: None for none, "auto", NaN for noise of unknown size, or its deviation."""
    if noise is None or noise is False:
        return None
    if noise is True:
        return np.nan
    if isinstance(noise, str) and noise == AUTO:
        return AUTO
    if isinstance(noise, (int, float, np.number)) and 0 <= noise < np.inf:
        return float(noise) or None
    raise InputError(f"noise: must be None, True, 'auto' or a standard deviation, got {noise!r}")


def probed(draw: Callable[[], Array], evaluate: Callable[[Array], Array], most: int) -> tuple[bool | None, int]:
    """Whether `PROBES` evaluations of one point differ, and how many evaluations that took, at most ``most``.

    None if that is not known, because no drawn point (d,) had a finite value: it may be infeasible, or have failed.
    """
    made = 0
    while made <= most - PROBES:
        point = draw()[None]
        first = evaluate(point)
        made += 1
        if np.isfinite(first).all():
            f = np.append(first, evaluate(np.repeat(point, PROBES - 1, axis=0)))
            f = f[np.isfinite(f)]
            return bool(np.ptp(f) > 0), made + PROBES - 1
    return None, made


def minimize_noisy(
    plain: Callable[..., Result], problem: Problem, level: str | float, algorithm: Any, x0: Any, maxfev: int | None,
    rng: Seed, workers: Any, policy: FaultPolicy, history: bool,
) -> Result:  # fmt: skip
    """A run with what is left of the budget, and the point that repeated evaluations recommend."""
    seed, instance, failed = seed_of(rng), instance_of(problem, 0), FaultCount()
    space = space_of(instance)
    x0 = x0 if space is None or x0 is None else space.several("x0", x0)
    categories = np.array(kinds_of(instance)[0])
    usual = ALGORITHM if not (categories > 1).any() else default_algorithm(instance)
    stream = generator(seed, 0, 3)

    def value(x: Array) -> Array:
        if isinstance(instance, Constrained) and instance.returned and policy == DEFAULT:
            return instance.rows(x, stream)[:, 1]  # known at infeasible points, too
        return evaluate(x)

    def evaluate(x: Array) -> Array:
        if takes_points(instance) and not (type(workers) is int and workers == 1 and policy == DEFAULT):
            with engine_for(workers, policy) as engine:
                return unpenalized(PointEvaluator(engine, policy, failed)(cast(PointFunction, instance), x))
        return unpenalized(values_of(instance(x, stream), len(x))[0])

    probes = 0
    if level == AUTO and (maxfev is None or maxfev > PROBES):
        starts = list(initial_points(instance.box, 1, x0 if x0 is None else np.atleast_2d(x0)[:1]))
        most = PROBED if maxfev is None else min(PROBED, max(maxfev // 10, PROBES))
        noisy, probes = probed(  # not at a centre, where noise may vanish
            lambda: starts.pop() if starts else instance.box.sample(1, stream)[0], value, most
        )
        if not noisy:
            result = plain(algorithm=algorithm, maxfev=None if maxfev is None else maxfev - probes, rng=seed,
                           history=history)  # fmt: skip
            result.message = _of_all(result.message, result.nfev, probes)
            result.nfev += probes
            result.message += (
                f" {probes} evaluations found no feasible point to look for noise: values were taken as exact."
                if noisy is None
                else f" {PROBES} evaluations of one point gave the same value: no noise was found."
            )
            return result
    kept = 0 if maxfev is None else min(max(int(REPEATS * maxfev), 1), maxfev - probes - 1)
    result = plain(algorithm=usual if algorithm is None else algorithm, rng=seed, history=True,
                   maxfev=None if maxfev is None else maxfev - probes - kept)  # fmt: skip
    kept = max(int(REPEATS / (1 - REPEATS) * result.nfev), 1) if maxfev is None else kept
    result.x_luckiest = result.x
    result.nfev += probes
    if kept and np.isfinite(result.fun):
        points = candidates(in_coordinates(result.history, space), instance.box, categories)
        if isinstance(problem, Constrained):
            points = problem.rounded(points)
        found = recommend(points, evaluate, kept, level if isinstance(level, float) else np.nan)
        message = _of_all(result.message, result.nfev - probes, probes + found.nfev)
        result.nfev += found.nfev
        result.message = message.replace(f" {NOISY}", "") + f" {_sentence(found)}"
        if np.isfinite(found.fun):
            x = found.x if space is None else space.point(found.x)
            result.update(x=x, fun=found.fun, fun_std=found.fun_std)
    if not history:
        del result["history"]
    return result


class Recommended(NamedTuple):
    """A point, the mean of its last values, the standard error of that, and how many evaluations were made."""

    x: Array
    fun: float
    fun_std: float
    nfev: int


def _of_all(message: str, made: int, besides: int) -> str:
    """The message of a run of ``made`` evaluations with those that were made besides in its budget."""
    spent, whole = counted(made, "evaluation"), counted(made + besides, "evaluation")
    return message.replace(f"The budget of {spent} ", f"The budget of {whole} ")


def _sentence(found: Recommended) -> str:
    """What repeated evaluations told."""
    repeated = f"{found.nfev} repeated evaluation{'s' * (found.nfev > 1)}"
    if not np.isfinite(found.fun):
        return f"Values are noisy: no candidate had a finite value in all of {repeated}; x has the smallest value seen."
    error = f"uncertain by {found.fun_std:.2g} (standard error)" if found.fun_std >= 0 else "of unknown uncertainty"
    return f"Values are noisy: {repeated} chose x, the recommended point; fun is the mean of its values, {error}."


def candidates(made: Evaluations, box: Box, categories: Array | None = None) -> Array:
    """Points (m, d) that may be the best of a noisy run, the most promising first.

    Args:
        made: the run.
        box: of the points.
        categories: how many each variable has, (d,), 0 where it has an order; None for none.
    """
    unordered = np.zeros(box.dim, dtype=bool) if categories is None else categories > 0
    values = made.best if isinstance(made, ConstrainedEvaluations) else made.fun  # infeasible points have values, too
    finite = np.isfinite(values)
    x, f = made.x[finite], values[finite]
    n, d = f.size, box.dim
    if not n:
        return x
    found = []
    for part in WINDOWS:
        last = slice(-max(int(part * n), 2 * d + 2), None)
        order = np.argsort(f[last], kind="stable")[: (len(f[last]) + 1) // 2]
        weights = np.log(len(order) + 0.5) - np.log(np.arange(1, len(order) + 1))
        mean = box.clip(weights @ x[last][order] / weights.sum())
        for i in np.flatnonzero(unordered):  # no mean of categories, but the one of most weight
            there, place = np.unique(np.rint(x[last][order][:, i]), return_inverse=True)
            mean[i] = there[np.argmax(np.bincount(place, weights))]
        found.append(mean)
    x_half, f_half = x[n // 2 :], f[n // 2 :]
    width = np.where(box.width > 0, box.width, 1.0)
    good = x_half[np.argsort(f_half, kind="stable")[: (len(f_half) + 1) // 2]]
    scaled = x_half / np.maximum(good.std(axis=0), 1e-9 * width)
    if unordered.any():  # categories are equal or not
        kinds = [np.rint(x_half[:, i, None]) == np.arange(int(box.upper[i]) + 1) for i in np.flatnonzero(unordered)]
        scaled = np.concatenate([scaled[:, ~unordered], *kinds], axis=1)
    squares = (scaled**2).sum(axis=1)
    count = min(2 * d + 1, len(f_half))
    smooth = np.empty(len(f_half))
    for start in range(0, len(f_half), 1000):
        part = slice(start, start + 1000)
        distances = squares[part, None] - 2 * scaled[part] @ scaled.T + squares
        near = np.argpartition(distances, count - 1, axis=1)[:, :count]
        smooth[part] = f_half[near].mean(axis=1)
    found += list(x_half[np.argsort(smooth, kind="stable")[: CANDIDATES - len(WINDOWS) - 1]])
    found.append(x[int(np.argmin(f))])
    distinct = {point.tobytes(): point for point in found}
    return np.array(list(distinct.values()))


def recommend(points: Array, evaluate: Callable[[Array], Array], budget: int, sigma: float) -> Recommended:
    """The best of several points by repeated evaluations: exactly ``budget`` of them, at least 1.

    Args:
        points: the most promising first.
        evaluate: values of points.
        budget: evaluations.
        sigma: standard deviation of the noise; NaN where it is not known.
    """
    alive = np.arange(min(len(points), max(budget // 2, 1)))
    values: list[list[float]] = [[] for _ in points]
    stages = int(np.ceil(np.log2(len(alive)))) + 1
    spent = 0
    last: list[float] = []
    while stages:
        each = max((budget - spent) // stages // len(alive), 1)
        if len(alive) == 1:
            each = budget - spent
        elif each * len(alive) >= budget - spent:  # too little is left to tell them apart
            alive, stages = alive[:1], 1
            continue
        f = evaluate(np.repeat(points[alive], each, axis=0)).reshape(len(alive), each)
        for i, row in zip(alive, f, strict=True):
            values[i] += row.tolist()
        spent += f.size
        last = f[0].tolist()
        order = np.argsort([_mean(values[i]) for i in alive], kind="stable")
        alive = alive[order[: (len(alive) + 1) // 2]]
        stages -= 1
    error = sigma / np.sqrt(len(last)) if sigma == sigma else _error(last, values)
    return Recommended(points[alive[0]].copy(), _mean(last), error, spent)


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else np.inf


def _error(last: list[float], values: list[list[float]]) -> float:
    """The standard error of the mean of the last values: by their own deviation, or by that of all repeated ones."""
    if not np.isfinite(last).all():
        return np.inf
    if len(last) >= OWN:
        return float(np.std(last, ddof=1) / np.sqrt(len(last)))
    groups = [np.array(group) for group in values if len(group) > 1 and np.isfinite(group).all()]
    free = sum(len(group) - 1 for group in groups)
    if not free:
        return np.nan
    variance = sum(float(((group - group.mean()) ** 2).sum()) for group in groups) / free
    return float(np.sqrt(variance / len(last)))
