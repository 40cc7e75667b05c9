"""The course of a run as its improvements: how many evaluations were made when the best value fell, and to what.

On problems that only Python can call (BBOB, functions of users) every evaluation counts for itself. A compiled run only
knows its batches, and so that all algorithms are measured alike, on a compiled problem all are: what a batch finds is
found at its end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from autov.core import Array

LONGEST = 400  # improvements that are kept of a run


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
        grid = np.geomspace(counts[better[0]], counts[better[-1]], longest - 1)
        last = np.searchsorted(counts[better], grid * (1 + 1e-12), side="right") - 1
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
