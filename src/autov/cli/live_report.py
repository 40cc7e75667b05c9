"""A report that is written anew while long work goes on: a live view without a server."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from autov.cli.output import log

LONG, EVERY = 60.0, 10.0  # seconds of work before the first page, and between pages at least


class LiveReport:
    """Writes ``report.html`` of work that takes longer than a minute; the finished report replaces it.

    Args:
        path: of the page; printed when the work has begun.
        title: the task.
        now: seconds of a clock.
    """

    def __init__(self, path: Path, title: str, now: Callable[[], float] = time.monotonic) -> None:
        self._path, self._title, self._now = path, title, now
        self._begun, self._last = now(), float("-inf")
        self._shown: tuple[list[str], list[str], Any] | None = None
        self._told = False

    def due(self) -> bool:
        """Whether it is time for another page; asked at every step of the work."""
        if not self._told:
            self._told = True
            log(f"autov: writing {self._path} (updated during the run)")
        now = self._now()
        return now - self._begun >= LONG and now - self._last >= EVERY

    def write(self, facts: Sequence[str], lines: Sequence[str], history: Any = None) -> None:
        """Write the page.

        Args:
            facts: how far the work is.
            lines: what is best so far.
            history: of a search, rows as in `autov.designer.search.HISTORY`.
        """
        self._last = self._now()
        self._shown = list(facts), list(lines), history
        self._page(running=True)

    def stop(self) -> None:
        """Say on the page that the work was interrupted."""
        if self._shown is not None:
            self._page(running=False)

    def _page(self, running: bool) -> None:
        from autov.core import write_text
        from autov.reports.live_page import live_page

        assert self._shown is not None
        facts, lines, history = self._shown
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_text(self._path, live_page(self._title, facts, lines, history, running, int(EVERY)))
