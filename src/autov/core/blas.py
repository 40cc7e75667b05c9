"""One BLAS thread where the bits of a result must not depend on how many there are."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()  # guards what follows, which belongs to the whole process, as the limit itself does
_inside = 0  # blocks that are open, in any thread
_before: Any = None  # the limits of before the first of them
_controller: Any = None
_seen = 0  # modules that were loaded when the controller looked for libraries


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread in this block; blocks may be nested and may overlap in several threads.

    The limit is taken back when the last block ends, whichever thread it is in. (Where BLAS counts for each thread,
    as its OpenMP builds do, a thread that leaves before the last keeps the limit.) Entering and leaving take some tens
    of microseconds, and some milliseconds after new modules were imported, since they may have brought another BLAS.
    One that is loaded inside the block is not limited.
    """
    global _inside, _before
    with _lock:
        limit = _libraries().limit(limits=1, user_api="blas")
        if _inside == 0:
            _before = limit
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _let_any_thread_set()
                _before.restore_original_limits()
                _let_any_thread_set()


def _libraries() -> Any:
    global _controller, _seen
    from threadpoolctl import ThreadpoolController

    _let_any_thread_set()
    if _controller is None or _seen != len(sys.modules):
        _controller, _seen = ThreadpoolController(), len(sys.modules)
    return _controller


def _let_any_thread_set() -> None:
    """Newer threadpoolctl silently ignores all threads but the first that has set a limit; here the lock is enough."""
    import threadpoolctl

    controller: Any = getattr(threadpoolctl, "OpenBLASController", None)
    if hasattr(controller, "clear_controlling_thread"):
        controller.clear_controlling_thread(force=True)
