"""The engine that is meant by an argument `workers`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Any, Literal

from autov.engines.base import MESSAGE, Engine, Found, Item, Lost, Result
from autov.engines.count import worker_count
from autov.engines.dask import OnDask, is_client
from autov.engines.executor import OnExecutor, OnMap
from autov.engines.processes import Processes
from autov.engines.serial import Serial
from autov.engines.threads import Threads

Workers = int | None | Engine | Executor | Callable[..., Iterable[Any]]
ALLOWED = "a positive whole number, -1 for all cores, an Executor, a Dask client or a map-like callable"


class Borrowed(Engine):
    """An engine of somebody else: closing this one leaves it open."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.workers = engine.workers
        self.message = getattr(engine, "message", MESSAGE)

    def map(
        self, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1, timeout: float | None = None,
        lost: Lost | None = None,
    ) -> Found[Result]:  # fmt: skip
        """Map on the borrowed engine; see Engine."""
        return self.engine.map(call, items, chunk=chunk, timeout=timeout, lost=lost)

    def close(self) -> None:
        """Nothing: the engine is the caller's."""


def engine_of(workers: Workers, kind: Literal["threads", "processes"]) -> Engine:
    """The engine meant by workers, to be closed by who asked for it; what the caller made stays open then.

    Args:
        workers: a number (1 for the thread of the caller, None or -1 for all cores this process may use), an Engine, an
            Executor, a Dask client, or a callable `workers(call, items)` that gives one result for each item.
        kind: what a number of workers is a number of.
    """
    if isinstance(workers, Engine):
        return Borrowed(workers)
    if is_client(workers):
        return OnDask(workers)
    if isinstance(workers, Executor):
        return OnExecutor(workers)
    if callable(workers):
        return OnMap(workers)
    count = worker_count(workers, ALLOWED)
    if count == 1:
        return Serial()
    return Threads(count) if kind == "threads" else Processes(count)
