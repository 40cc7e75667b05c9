"""What a run of the metaheuristic works on: its plan, its arrays, and how the work of a generation is divided.

Work goes in blocks of rows small enough for the first-level cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from autov.compiler.functions import internal
from autov.kernels.evolution.survival import Ranking, ranking
from autov.kernels.evolution.variation import EXTRA, Variation

BLOCK = 4096  # variables worked on at a time

# Plan.numbers are those of autov.kernels.evolution.selection; Plan.choices:
SURVIVAL, FRAME, BOUNDS, CHOICES = range(4)
PLUS, COMMA = range(2)  # of SURVIVAL
AXES, LEARNED = range(2)  # of FRAME
CLIP, MIDPOINT = range(2)  # of BOUNDS
COUNTS = ("generation", "nfev", "nans", "learned_at")  # batches told; evaluations, also when a basis was learned last
STATE = np.dtype((np.record, [*((name, np.int64) for name in COUNTS), ("best", np.float64)]))


class Plan(NamedTuple):
    """What the settings say; nothing of it but the number of weights causes a new compilation."""

    variation: Variation
    numbers: np.ndarray  # (2,) sizes of the tournaments for x1 and for x2, x3, ...
    choices: np.ndarray  # (CHOICES,) int64


class Frame(NamedTuple):
    """What a learned frame needs."""

    basis: np.ndarray  # (d, d)
    lower: np.ndarray  # (d,) draws are clipped nowhere: what is turned back is
    upper: np.ndarray  # (d,)
    turned: np.ndarray  # the pool in the frame
    matrix: np.ndarray  # (d, d) scratch
    scratch: np.ndarray  # (d,)


class Work(NamedTuple):
    """State of a run and, from ``centre`` on, buffers that a step fills before it reads them.

    Whether there is a frame is known to the compiler: without one, nothing of it is compiled.
    """

    key: np.ndarray  # (2,) uint64
    scalars: np.ndarray  # (1,) a record, STATE
    pool: np.ndarray  # (n + EXTRA + m, d) the population, then what an operator reads besides
    f: np.ndarray  # (n,) values of the population
    frame: Frame | None
    best: np.ndarray  # (d,)
    centre: np.ndarray  # (d,) the mean of the population
    offspring: np.ndarray  # (m, d)
    values: np.ndarray  # (m,)
    picks: np.ndarray  # (m, t) rows of the pool that make each offspring
    bits: np.ndarray
    words: np.ndarray  # bits seen as 32-bit integers
    row: np.ndarray
    normal: np.ndarray
    moved: np.ndarray  # (rows of a batch, d)
    ranking: Ranking
    order: np.ndarray  # (2, largest of n, m, d) int64


@internal
def block_rows(d):
    """Rows of a block: what is drawn at a time."""
    return max(1, BLOCK // d)


@internal
def batch_rows(d):
    """Rows that are evaluated at a time: whole blocks, and at least 16, which suits objectives of many variables."""
    rows = block_rows(d)
    return rows * ((15 + rows) // rows)


def evolution_work(key, plan, n, m, d):
    """Arrays for a population of n and m offspring in d variables; `evolution_start` fills the state.

    Not compiled: NumPy makes the arrays faster than compiled code hands them over to Python.

    Args:
        key: (2,) uint64, the stream of the run; kept, not copied.
        plan: decides which arrays are needed.
        n: at least 2.
        m: at least 1, and at least n if the offspring replace all.
        d: number of variables.
    """
    t = plan.variation.inputs.size
    size = max(min(block_rows(d), m) * d, t * m) + 2
    bits = np.empty(size, np.uint64)
    rows, frame = n + EXTRA + m, None
    if plan.choices[FRAME] == LEARNED:
        frame = Frame(
            np.empty((d, d)), np.full(d, -np.inf), np.full(d, np.inf), np.empty((rows, d)), np.empty((d, d)),
            np.empty(d),
        )  # fmt: skip
    return Work(
        key, np.zeros(1, STATE), np.empty((rows, d)), np.empty(n), frame,
        np.empty(d), np.empty(d), np.empty((m, d)), np.empty(m), np.empty((m, t), np.int64), bits, bits.view(np.int32),
        np.empty(size, np.int32), np.empty(size, np.float32), np.empty((batch_rows(d), d)), ranking(n, m),
        np.empty((2, max(n, m, d)), np.int64),
    )  # fmt: skip
