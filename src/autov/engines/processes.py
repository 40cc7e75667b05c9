"""Work in processes, for Python code.

The processes have a pipe each instead of sharing the queues of `ProcessPoolExecutor`: a process can then be killed at
any moment, also while it writes a result, without leaving a thread that waits for the rest of it; the exit code of one
that dies is known without private attributes; and no item waits behind a long call while another process is idle.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autov.engines.engine import Engine, Found, Item, Lost, Result, chunks
from autov.engines.pickled import Sent, pickled, same
from autov.engines.worker_pool import (
    WorkerPool,  # imports multiprocessing, whose hook for the exit must come before ours
)

_open: weakref.WeakSet[Processes] = weakref.WeakSet()


class Processes(Engine):
    """Single-threaded worker processes that receive the function once, when they start.

    They stay for the next map of the same function, as it was when they started: what changes belongs into the items.
    Another function gets new processes, since old ones may not know what was defined after their start. When a map is
    cancelled or fails its processes are killed; the next map starts new ones. They end with their parent in any case.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pools: list[WorkerPool] = []
        self._lock = threading.Lock()
        self._parent = os.getpid()
        _open.add(self)

    def map(
        self, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1, timeout: float | None = None,
        lost: Lost | None = None,
    ) -> Found[Result]:  # fmt: skip
        """(index, call(item)) as they finish; see Engine."""
        known = any(same(pool.call, call) for pool in self._pools)
        return self._map(call, None if known else pickled(call), chunks(items, chunk), timeout, lost)

    def _map(
        self, call: Callable[[Any], Any], sent: Sent | None, parts: Iterable[Any], timeout: float | None,
        lost: Lost | None,
    ) -> Found[Any]:  # fmt: skip
        with self._pool(call, sent) as pool:
            yield from pool.run(parts, timeout, lost)

    @contextlib.contextmanager
    def _pool(self, call: Callable[[Any], Any], sent: Sent | None) -> Iterator[WorkerPool]:
        """Processes for one map, which has them for itself."""
        with self._lock:
            idle = [pool for pool in self._pools if not pool.busy]
            pool = next((pool for pool in idle if same(pool.call, call) and pool.alive()), None)
            for other in idle:
                if other is not pool:
                    self._pools.remove(other)
                    other.finish()
            if pool is None:
                pool = WorkerPool(call, sent or pickled(call), self.workers)
                self._pools.append(pool)
            pool.busy = True
        try:
            yield pool
        except BaseException:
            pool.end()
            with self._lock:
                if pool in self._pools:
                    self._pools.remove(pool)
            raise
        pool.busy = False

    def close(self) -> None:
        """End all processes, those of maps that are not finished, too."""
        with self._lock:
            pools, self._pools = self._pools, []
        for pool in pools:
            if pool.busy:
                pool.end()
            else:
                pool.finish()

    def __del__(self) -> None:
        if os.getpid() == self._parent:  # a forked copy may hold a lock that nobody will release
            self.close()


@atexit.register
def _close_all() -> None:
    """Before multiprocessing waits, at the exit, for processes that nobody has ended."""
    for engine in list(_open):
        engine.close()
