"""The older map over processes, for callers that do not use an Engine yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any, TypeVar

from autov.engines.worker import single_threaded

Item = TypeVar("Item")
Result = TypeVar("Result")


def _ordered(pool: Executor, call: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    futures: list[Future[Result]] = [pool.submit(call, item) for item in items]
    try:
        for future in futures:
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def map_processes(
    call: Callable[[Item], Result], items: Iterable[Item], workers: int, initializer: Callable[..., Any] | None = None
) -> Iterator[Result]:
    """Results of call over items as an ordered stream, each worker process single-threaded."""
    with ProcessPoolExecutor(workers, initializer=initializer or single_threaded) as pool:
        yield from _ordered(pool, call, items)
