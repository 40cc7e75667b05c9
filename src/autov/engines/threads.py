"""Work in threads, for compiled code that releases the interpreter's lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from autov.core import WorkerError
from autov.core.ending import ended_by
from autov.engines.engine import Engine, Found, Item, Lost, Result, no_timeout
from autov.engines.executor import as_finished


class _Pool:
    """The threads of one map."""

    def __init__(self, workers: int) -> None:
        self.executor = ThreadPoolExecutor(workers)
        self.cancelled = threading.Event()

    def end(self) -> None:
        """Wait for the calls that run; begin no other."""
        self.cancelled.set()
        self.executor.shutdown(cancel_futures=True)


class Threads(Engine):
    """Threads of this process. A map that is cancelled ends when the calls that run have ended: no call outlives it.

    Compiled runs look, several times a second, whether they are cancelled (`autov.core.ending`).
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._idle: list[_Pool] = []  # a pool serves one map at a time, so that a map inside a map cannot block
        self._busy: list[_Pool] = []

    def map(
        self, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1, timeout: float | None = None,
        lost: Lost | None = None,
    ) -> Found[Result]:  # fmt: skip
        """(index, call(item)) as they finish; see Engine."""
        del lost  # threads do not die alone
        no_timeout(timeout)
        try:
            pool = self._idle.pop()
        except IndexError:
            pool = _Pool(self.workers)
        self._busy.append(pool)

        def work(part: list[Item]) -> list[Result]:
            results = []
            for item in part:
                if pool.cancelled.is_set():
                    raise WorkerError("the workers were closed before all work was done")
                with ended_by(pool.cancelled):
                    results.append(call(item))
            return results

        done = False
        try:
            yield from as_finished(pool.executor, work, items, 2 * self.workers, chunk)
            done = not pool.cancelled.is_set()
        finally:
            if done:
                self._idle.append(pool)
            else:
                pool.end()
            if pool in self._busy:
                self._busy.remove(pool)

    def close(self) -> None:
        """End the threads, those of maps that are not finished when the calls that run have ended."""
        while self._idle or self._busy:
            (self._idle or self._busy).pop().end()
