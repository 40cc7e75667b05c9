"""Maps over threads and processes that keep the order of results and stop at once on an error or Ctrl-C."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any, TypeVar

from autov.core import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")


def worker_count(workers: int | None) -> int:
    """How many workers are meant: None or -1 for all cores this process may use."""
    if workers is None or workers == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise InputError(f"workers: must be a positive whole number or -1 for all cores, got {workers!r}")
    return workers


def _ordered(pool: Executor, call: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    futures: list[Future[Result]] = [pool.submit(call, item) for item in items]
    try:
        for future in futures:
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def single_threaded() -> None:
    """Initialise a worker process: one thread for BLAS and for Numba, so that workers do not fight for cores."""
    import numba
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    numba.set_num_threads(1)


def map_processes(
    call: Callable[[Item], Result], items: Iterable[Item], workers: int, initializer: Callable[..., Any] | None = None
) -> Iterator[Result]:
    """Results of call over items as an ordered stream, each worker process single-threaded."""
    with ProcessPoolExecutor(workers, initializer=initializer or single_threaded) as pool:
        yield from _ordered(pool, call, items)
