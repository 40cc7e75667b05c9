"""A flag that asks long work in a thread to end.

Ctrl-C reaches the first thread of a program only, so others must be asked. In the first one its exception may get lost:
where it is raised in code that lets none out, such as a finaliser or a callback from C. A handler that sets a flag,
too, makes sure that long work ends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from autov.core.errors import WorkerError

_here = threading.local()


def _closed() -> WorkerError:
    return WorkerError("the workers were closed before all work was done")


@contextmanager
def ended_by(flag: threading.Event, error: Callable[[], BaseException] = _closed) -> Iterator[None]:
    """Work of this thread inside the block looks at the flag, and raises this error when it is set."""
    before = getattr(_here, "asked", None)
    _here.asked = flag, error
    try:
        yield
    finally:
        _here.asked = before


def end_if_asked() -> None:
    """Called between pieces of long work: raises the error of this thread when its flag is set."""
    asked = getattr(_here, "asked", None)
    if asked is not None and asked[0].is_set():
        raise asked[1]()
