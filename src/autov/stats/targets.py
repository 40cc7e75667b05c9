"""Targets reached: hits, ECDF, the area under it, expected running times, performance profiles.

N. Hansen, A. Auger, D. Brockhoff, T. Tusar, Anytime performance assessment in blackbox optimization benchmarking, IEEE
Transactions on Evolutionary Computation 26, 2022 (targets, ECDF, expected running time); E. D. Dolan and J. J. More,
Benchmarking optimization software with performance profiles, Mathematical Programming 91, 2002.
"""

from __future__ import annotations

import math

import numpy as np

from autov.core import Array

TARGETS: Array = 10.0 ** np.linspace(2, -8, 51)  # gaps to the minimum, those of COCO


def hits(counts: np.ndarray, bests: Array, minimum: float, targets: Array = TARGETS) -> Array:
    """Evaluations made when best - minimum <= target was first seen, for each target; infinite if it never was.

    Args:
        counts: evaluations made at the improvements of a run, rising.
        bests: the best value then, falling.
        minimum: of the problem.
        targets: gaps, in any order.
    """
    gaps = np.asarray(bests, dtype=np.float64) - minimum
    reached = gaps[None, :] <= np.asarray(targets, dtype=np.float64)[:, None]
    if not reached.shape[1]:
        return np.full(len(targets), np.inf)
    return np.where(reached.any(axis=1), np.asarray(counts, dtype=np.float64)[reached.argmax(axis=1)], np.inf)


def ecdf(found: Array) -> tuple[Array, Array]:
    """Counts of evaluations at which the share of reached targets rises, and the share from there on.

    ``found`` holds the hits of all (problem, run, target) triples, infinite where a target was not reached.
    """
    flat = np.ravel(found)
    counts, times = np.unique(flat[np.isfinite(flat)], return_counts=True)
    return counts, np.cumsum(times) / max(flat.size, 1)


def ecdf_area(found: Array, maxfev: int) -> float:
    """The mean of the ECDF over log10(evaluations) from 0 to log10(maxfev).

    The ECDF is a step function: a triple reached after n evaluations counts from n on. So the integral of its share
    over the logarithm, divided by log10(maxfev), is the mean over all triples of 1 - log n / log maxfev, or 0 for those
    not reached within maxfev. It is 1 if all targets are reached by the first evaluation, 0 if none is before the last.
    For maxfev = 1 it is the share of targets reached.
    """
    flat = np.ravel(found)
    within = flat[flat <= maxfev]
    if not flat.size:
        return math.nan
    if maxfev == 1:
        return within.size / flat.size
    return float((1.0 - np.log(within) / math.log(maxfev)).sum() / flat.size)


def expected_running_time(found: Array, maxfev: int) -> Array:
    """Evaluations of all runs until they reached the target, or ended, divided by the runs that reached it.

    ``found`` is (runs, targets) or (runs,); infinite where no run reached a target.
    """
    reached = found <= maxfev
    spent = np.where(reached, found, maxfev).sum(axis=0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.divide(spent, reached.sum(axis=0), dtype=np.float64))


def performance_profile(costs: Array) -> tuple[Array, Array]:
    """Ratios to the smallest cost at which any profile rises, and the shares (algorithms, ratios) there.

    ``costs`` is (cases, algorithms), infinite where an algorithm failed. A profile at tau is the share of cases that an
    algorithm solved at no more than tau times the smallest cost of that case. Cases that no algorithm solved are left
    out: they say nothing about differences.
    """
    costs = np.asarray(costs, dtype=np.float64)
    solved = costs[np.isfinite(costs).any(axis=1)]
    if not len(solved):
        return np.empty(0), np.empty((costs.shape[1], 0))
    ratios = solved / solved.min(axis=1, keepdims=True)
    taus = np.unique(ratios[np.isfinite(ratios)])
    shares = (ratios.T[:, :, None] <= taus).mean(axis=1)
    return taus, shares
