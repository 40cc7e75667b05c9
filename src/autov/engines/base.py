"""What an engine is: something that maps independent work."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from itertools import islice
from typing import Any, Protocol, TypeVar, runtime_checkable

Item = TypeVar("Item")
Result = TypeVar("Result")
Found = Generator[tuple[int, Result], None, None]  # index of an item and what the call gave for it


@runtime_checkable
class Engine(Protocol):
    """Maps independent work. Results never depend on the engine or its number of workers."""

    workers: int  # calls that may run at once

    def map(self, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1) -> Found[Result]:
        """(index, call(item)) as they finish, in any order; `chunk` items travel together.

        What a call raises comes out here and cancels the rest. Closing the generator, or Ctrl-C while it waits, cancels
        what has not begun. Items are taken as workers need them, in the thread of the caller.
        """
        ...

    def close(self) -> None:
        """End the workers, those of maps that are not finished, too. May be called again."""
        ...

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def in_order(engine: Engine, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1) -> list[Result]:
    """All results in the order of the items."""
    with closing(engine.map(call, items, chunk=chunk)) as found:
        results = dict(found)
    return [results[i] for i in range(len(results))]


def chunks(items: Iterable[Item], size: int) -> Iterator[tuple[int, list[Item]]]:
    """(index of its first item, items) of each chunk, taken one after the other."""
    rest, first = iter(items), 0
    while part := list(islice(rest, size)):
        yield first, part
        first += len(part)
