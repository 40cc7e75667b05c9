"""The course of a run as its improvements: how many evaluations were made when the best value fell, and to what.

On problems that only Python can call (BBOB, functions of users) every evaluation counts for itself. A compiled run only
knows its batches, and so that all algorithms are measured alike, on a compiled problem all are: what a batch finds is
found at its end. A curve is what tables keep of it: the best value so far at fixed counts of evaluations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from autov.core import Array

LONGEST = 400  # improvements that are kept of a run
POINTS, DECADES = 50, 2.0  # of a curve


class Trace(NamedTuple):
    """Improvements of the best value, in the order of the run."""

    counts: np.ndarray  # (n,) int64, evaluations made
    bests: Array  # (n,) best value then; falling


def improvements(trace_nfev: np.ndarray, trace_best: Array, longest: int = LONGEST) -> Trace:
    """What bettered the best value in a trace, all of it if that is at most ``longest`` times.

    Of more, the last ones before counts that are evenly spaced in their logarithm are kept, and the first and the last
    one: every pair that is kept is true, and what is left out makes a target look reached later, never earlier.
    """
    counts, bests = np.asarray(trace_nfev, dtype=np.int64), np.asarray(trace_best, dtype=np.float64)
    lowest = np.minimum.accumulate(np.append(np.inf, bests))
    better = np.flatnonzero(lowest[1:] < lowest[:-1])
    if len(better) > longest:
        spaced = np.geomspace(counts[better[0]], counts[better[-1]], longest - 1)
        last = np.searchsorted(counts[better], spaced * (1 + 1e-12), side="right") - 1
        better = better[np.unique(np.append(np.maximum(last, 0), [0, len(better) - 1]))]
    return Trace(counts[better], bests[better])


def encode_trace(trace: Trace) -> tuple[bytes, bytes]:
    """As little-endian numbers of eight bytes."""
    return np.asarray(trace.counts, "<i8").tobytes(), np.asarray(trace.bests, "<f8").tobytes()


def decode_trace(counts: bytes, bests: bytes) -> Trace:
    """The trace of such bytes; ValueError if they do not fit."""
    found = Trace(np.frombuffer(counts, "<i8").astype(np.int64), np.frombuffer(bests, "<f8").astype(np.float64))
    if len(found.counts) != len(found.bests):
        raise ValueError(f"a trace of {len(found.counts)} counts and {len(found.bests)} values")
    return found


def grid(maxfev: int) -> np.ndarray:
    """At most 50 evaluation counts, evenly spaced in their logarithm over the last two decades of the budget."""
    points = np.geomspace(max(1.0, maxfev / 10**DECADES), maxfev, POINTS)
    return np.unique(np.rint(points).astype(np.int64))


def sample(trace_nfev: np.ndarray, trace_best: Array, counts: np.ndarray) -> Array:
    """Best value after each count of evaluations; NaN before the first batch is finished."""
    last = np.searchsorted(np.asarray(trace_nfev), counts, side="right") - 1
    best = np.asarray(trace_best, dtype=np.float64)
    return np.where(last >= 0, best[np.maximum(last, 0)], np.nan)
