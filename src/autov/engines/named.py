"""Engines by the names that commands know."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autov.core import InputError
from autov.engines.count import worker_count
from autov.engines.dask import joined_dask, local_dask
from autov.engines.processes import Processes
from autov.engines.serial import Serial
from autov.engines.threads import Threads

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
