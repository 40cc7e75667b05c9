"""How the work of a generation is divided, and the buffers of a run.

Work goes in blocks of rows small enough for the first-level cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from autov.kernels.jit import internal, kernel
from autov.kernels.survival import Ranking, ranking

BLOCK = 4096  # variables worked on at a time


class Workspace(NamedTuple):
    """Buffers of one run."""

    picks: np.ndarray  # (n, t) rows of the pool that make each offspring
    bits: np.ndarray
    words: np.ndarray  # bits seen as 32-bit integers
    row: np.ndarray
    normal: np.ndarray
    moved: np.ndarray  # (rows of a batch, d)
    ranking: Ranking


@kernel
def block_rows(d):
    """Rows of a block: what is drawn at a time."""
    return max(1, BLOCK // d)


@internal
def batch_rows(d):
    """Rows that are evaluated at a time: whole blocks, and at least 16, which suits objectives of many variables."""
    rows = block_rows(d)
    return rows * ((15 + rows) // rows)


@internal
def workspace(n, t, d):
    """Fresh buffers for n offspring of d variables by an operator with t inputs."""
    size = max(block_rows(d) * d, t * n) + 2
    bits = np.empty(size, np.uint64)
    return Workspace(
        np.empty((n, t), np.int64), bits, bits.view(np.int32), np.empty(size, np.int32), np.empty(size, np.float32),
        np.empty((batch_rows(d), d)), ranking(n, n),
    )  # fmt: skip


@internal
def copy_rows(source, target, count):
    """Copy the first rows; a loop, since an array assignment compiles code for error messages that takes seconds."""
    for i in range(count):
        for k in range(source.shape[1]):
            target[i, k] = source[i, k]
