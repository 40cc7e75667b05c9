"""Where random numbers come from: every (seed, candidate, run) owns its streams.

Two kinds of stream hang on the same triple: NumPy generators for code written in NumPy, and two-word keys of the
counter-based stream for compiled code. Neither depends on the order in which work is done.
"""

from __future__ import annotations

import numpy as np

from autov.core.errors import InputError
from autov.core.types import Generator, Seed


def seed_of(rng: Seed) -> int:
    """One integer seed from what people pass as ``rng``: None, integers, or a Generator (which advances)."""
    if rng is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(0, 2**63))
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool):
        if rng < 0:
            raise InputError(f"rng: a seed must not be negative, got {rng}")
        return int(rng)
    try:
        sequence = rng if isinstance(rng, np.random.SeedSequence) else np.random.SeedSequence(rng)
    except (TypeError, ValueError):
        raise InputError(f"rng: expected None, an integer, integers or a numpy Generator, got {rng!r}") from None
    return int(sequence.generate_state(1, np.uint64)[0])


def generator(seed: int, *path: int) -> Generator:
    """The NumPy generator of (seed, *path)."""
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(seed, spawn_key=path)))


def stream_key(seed: int, *path: int) -> np.ndarray:
    """The two-word key of (seed, *path) for the compiled stream of `autov.kernels.random`."""
    return np.random.SeedSequence(seed, spawn_key=path).generate_state(2, np.uint64)
