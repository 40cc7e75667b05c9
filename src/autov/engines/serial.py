"""Work in the process and thread of the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from autov.core.ending import end_if_asked
from autov.engines.engine import WAIT, Engine, Found, Item, Lost, Result, no_timeout


class Serial(Engine):
    """One call after the other, here."""

    workers = 1

    def map(
        self, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1, timeout: float | None = None,
        lost: Lost | None = None,
    ) -> Found[Result]:  # fmt: skip
        """(index, call(item)) in order; see Engine."""
        del chunk, lost  # a call that ends its process ends this one
        no_timeout(timeout)
        for i, item in enumerate(item for item in items if item is not WAIT):
            yield i, call(item)
            end_if_asked()

    def close(self) -> None:
        """Nothing is open."""
