"""Work in the process and thread of the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from autov.engines.base import Engine, Found, Item, Result


class Serial(Engine):
    """One call after the other, here."""

    workers = 1

    def map(self, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1) -> Found[Result]:
        """(index, call(item)) in order; see Engine."""
        del chunk
        for i, item in enumerate(items):
            yield i, call(item)

    def close(self) -> None:
        """Nothing is open."""
