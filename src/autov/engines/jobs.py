"""What is sent to worker processes, and what is sent again."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass
class Job:
    """Items that are with a worker."""

    first: int  # the index of the first
    items: list[Any]
    again: bool = False  # they were with a worker that died
    end: float | None = None  # when they must be done

    def begin(self, timeout: float | None) -> None:
        """The clock runs from when a worker can begin, which may have to import much before."""
        if timeout is not None:
            self.end = time.monotonic() + timeout

    def late(self) -> bool:
        """Whether that moment has passed."""
        return self.end is not None and time.monotonic() >= self.end


class Queue:
    """What is to be sent: items of workers that died first, each alone, then what the caller has."""

    def __init__(self, rest: Iterator[tuple[int, list[Any]]], size: int | None) -> None:
        self.rest = rest
        self.size = size
        self.jobs: deque[Job] = deque()

    def next(self) -> Job | None:
        """What comes next, if there is anything now."""
        if not self.jobs:
            first, items = next(self.rest, (0, []))
            step = self.size or max(len(items), 1)
            self.jobs.extend(Job(first + i, items[i : i + step]) for i in range(0, len(items), step))
        return self.jobs.popleft() if self.jobs else None

    def send_again(self, job: Job) -> None:
        """Its worker died, and any of its items may be why."""
        self.jobs.extendleft([Job(job.first + i, [item], True) for i, item in enumerate(job.items)][::-1])
