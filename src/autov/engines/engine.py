"""What an engine is: something that maps independent work, with a number of workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from itertools import islice
from numbers import Integral
from typing import Any, Protocol, TypeVar, runtime_checkable

from autov.core import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")
Found = Generator[tuple[int, Result], None, None]  # index of an item and what the call gave for it
Lost = Callable[[int, str], Any]  # index of an item and what happened to it -> what represents its result


class _Wait:
    """The type of WAIT."""


MESSAGE = 0.0003  # seconds of the sender for a message and its answer, where an engine has no ``message`` of its own
WAIT: Any = _Wait()  # among the items: there is none now, but perhaps after the next result


@runtime_checkable
class Engine(Protocol):
    """Maps independent work. Results never depend on the engine or its number of workers."""

    workers: int  # calls that may run at once

    def map(
        self, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1, timeout: float | None = None,
        lost: Lost | None = None,
    ) -> Found[Result]:  # fmt: skip
        """(index, call(item)) as they finish, in any order; `chunk` items travel together.

        What a call raises comes out here and cancels the rest. Closing the generator, or Ctrl-C while it waits, cancels
        what has not begun. Items are taken as workers need them, in the thread of the caller; where they have nothing
        until another result has come out, they give WAIT, which is not counted.

        An item whose worker dies is sent to another one, alone; if that dies, too, or if the call takes longer than
        ``timeout`` seconds (its worker is then replaced), ``lost(index, reason)`` represents its result, and without
        ``lost`` a WorkerError is raised. Engines that cannot end a call refuse a timeout.
        """
        ...

    def close(self) -> None:
        """End the workers, those of maps that are not finished, too. May be called again."""
        ...

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def in_order(
    engine: Engine, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1,
    timeout: float | None = None, lost: Lost | None = None,
) -> list[Result]:  # fmt: skip
    """All results in the order of the items."""
    with closing(engine.map(call, items, chunk=chunk, timeout=timeout, lost=lost)) as found:
        results = dict(found)
    return [results[i] for i in range(len(results))]


def chunks(items: Iterable[Item], size: int) -> Iterator[tuple[int, list[Item]]]:
    """(index of its first item, items) of each chunk, taken one after the other; no items mean WAIT."""
    rest, first = iter(items), 0
    while part := list(islice(rest, 1)):
        while len(part) < size and part[-1] is not WAIT and (more := list(islice(rest, 1))):
            part += more
        waits = part[-1] is WAIT
        if kept := part[: len(part) - waits]:
            yield first, kept
            first += len(kept)
        if waits:
            yield first, []


def no_timeout(timeout: float | None) -> None:
    """Refuse a timeout where a call that runs cannot be ended."""
    if timeout is not None:
        raise InputError("timeout: needs worker processes or Dask; threads and maps cannot end a call that hangs")


def worker_count(workers: Any, allowed: str = "a positive integer or -1 for all cores") -> int:
    """How many workers are meant: None or -1 for all cores this process may use."""
    if workers is None:
        workers = -1
    if isinstance(workers, bool) or not isinstance(workers, Integral) or (workers < 1 and workers != -1):
        raise InputError(f"workers: must be {allowed}, got {workers!r}")
    if workers == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(workers)
