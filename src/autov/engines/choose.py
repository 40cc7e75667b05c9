"""The engine that is meant by an argument `workers`, or by a name that commands know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, Literal

from autov.core import InputError
from autov.engines.dask.cluster import OnDask, is_client, joined_dask, local_dask
from autov.engines.engine import MESSAGE, Engine, Found, Item, Lost, Result, worker_count
from autov.engines.executor import OnExecutor, OnMap
from autov.engines.processes import Processes
from autov.engines.serial import Serial
from autov.engines.threads import Threads

Workers = int | None | Engine | Executor | Callable[..., Iterable[Any]]
ALLOWED = "a positive integer, -1 for all cores, an Executor, a Dask client or a map-like callable"


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


NAMES = ("auto", "serial", "threads", "processes", "dask")


@contextmanager
def named_engine(
    name: str = "auto", workers: int | None = None, scheduler: str | None = None, scheduler_file: str | None = None
) -> Iterator[Any]:
    """What to pass as ``workers``: a number for "auto", which lets each use choose, else an engine that ends here.

    Args:
        name: one of NAMES.
        workers: how many; None for all cores.
        scheduler: address of a Dask scheduler to join, such as tcp://host:8786; else a local cluster is started.
        scheduler_file: the file in which a Dask scheduler wrote its address.
    """
    if name not in NAMES:
        raise InputError(f"engine: must be one of {', '.join(NAMES)}, got {name!r}")
    if (scheduler or scheduler_file) and name != "dask":
        raise InputError("scheduler: only with the engine dask")
    if scheduler and scheduler_file:
        raise InputError("scheduler: give an address or a file, not both")
    count = worker_count(workers)
    if name == "auto":
        yield workers
        return
    if name == "dask":
        engine = joined_dask(scheduler, scheduler_file) if scheduler or scheduler_file else local_dask(count)
    else:
        engine = {"serial": lambda: Serial(), "threads": lambda: Threads(count), "processes": lambda: Processes(count)}[
            name
        ]()
    with engine:
        yield engine
