"""The older pool for Python functions of one point, for callers that do not use an Engine yet."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import numpy as np

from autov.core import Array, InputError

_point: Callable[[Array], float] | None = None


def _start(point: Callable[[Array], float]) -> None:
    global _point
    _point = point
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends the workers


def _call(x: Array) -> float:
    assert _point is not None
    return _point(x)


class PointPool:
    """Processes that each hold the function once and evaluate points of a batch in any order."""

    def __init__(self, point: Callable[[Array], float], workers: int) -> None:
        self._pool = ProcessPoolExecutor(workers, initializer=_start, initargs=(point,))
        self._workers = workers

    def __call__(self, x: Array) -> Array:
        """Values of the rows of x, in order."""
        try:
            chunk = max(1, len(x) // (4 * self._workers))
            return np.array(list(self._pool.map(_call, x, chunksize=chunk)))
        except (BrokenProcessPool, pickle.PicklingError, AttributeError, TypeError) as error:
            if isinstance(error, (BrokenProcessPool, pickle.PicklingError)) or "pickle" in str(error):
                raise InputError(
                    f"workers: the function cannot run in worker processes ({error}); define it at the top level of a "
                    f"module or use workers=1"
                ) from None
            raise

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> PointPool:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
