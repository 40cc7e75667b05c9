"""A flag that asks long work in a thread to end: Ctrl-C reaches the first thread of a program only."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from autov.core.errors import WorkerError

_here = threading.local()


@contextmanager
def ended_by(flag: threading.Event) -> Iterator[None]:
    """Work of this thread inside the block looks at the flag."""
    before = getattr(_here, "flag", None)
    _here.flag = flag
    try:
        yield
    finally:
        _here.flag = before


def end_if_asked() -> None:
    """Called between pieces of long work: raises WorkerError when the flag of this thread is set."""
    flag = getattr(_here, "flag", None)
    if flag is not None and flag.is_set():
        raise WorkerError("the workers were closed before all work was done")
