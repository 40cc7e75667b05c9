"""What happens in a process while autov compiles or loads one of its own kernels, and only then.

LLVM asks Python for compiled code through callbacks of ctypes. What a handler of a signal raises in one of them is
printed and forgotten, and code that was asked for is then missing. There, and only there, a signal is deferred; its
handler is called when the callback has returned.
"""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
RETRY = 0.01  # seconds until a deferred signal is raised again
PATIENCE = 0.5  # seconds after which a compilation is announced; loading takes milliseconds


class DeferredSignals:
    """Defers signals that arrive in a callback of LLVM, in a ``with`` block of the main thread."""

    def __init__(self) -> None:
        self._depth = 0
        self._before: dict[int, Any] = {}
        self._noted: list[int] = []

    def __enter__(self) -> DeferredSignals:
        """Handlers belong to the main thread, others need nothing."""
        if threading.current_thread() is threading.main_thread():
            self._depth += 1
            if self._depth == 1:
                for number in _SIGNALS:
                    before = signal.getsignal(number)
                    if callable(before):  # in Python; others end the program at once or are ignored
                        self._before[number] = before
                        signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the handlers, and call them for what was deferred."""
        if threading.current_thread() is threading.main_thread():
            self._depth -= 1
            if self._depth == 0:
                before, self._before = self._before, {}
                for number, handler in before.items():
                    signal.signal(number, handler)
                while self._noted:
                    number = self._noted.pop()
                    before[number](number, None)

    def _handle(self, number: int, frame: FrameType | None) -> Any:
        if _in_callback(frame):
            self._noted.append(number)
            retry = threading.Timer(RETRY, self._raise_again, (number,))
            retry.daemon = True
            retry.start()
            return None
        return self._before[number](number, frame)

    def _raise_again(self, number: int) -> None:
        with contextlib.suppress(ValueError):  # it had its effect at the end of the block
            self._noted.remove(number)
            signal.raise_signal(number)


def _in_callback(frame: FrameType | None) -> bool:
    """Whether LLVM waits for an answer: its callbacks are functions of llvmlite that begin with ``_raw_``."""
    while frame is not None:
        if frame.f_code.co_name.startswith("_raw_") and frame.f_globals.get("__name__", "").startswith("llvmlite."):
            return True
        frame = frame.f_back
    return False


class _Pause:
    """No garbage collection while kernels compile: it searches millions of objects in vain, a tenth of the time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = 0
        self._enabled = False

    def __enter__(self) -> None:
        with self._lock:
            if self._depth == 0:
                self._enabled = gc.isenabled()
                gc.disable()
            self._depth += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0 and self._enabled:
                gc.enable()


deferred, _pause = DeferredSignals(), _Pause()
_announced = threading.Event()


def announce() -> None:
    """Say once, on a terminal, why a first run takes long."""
    if not _announced.is_set() and sys.stderr is not None and sys.stderr.isatty():
        _announced.set()
        sys.stderr.write("autov: compiling, once on this machine (up to half a minute) ...\n")


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Around every compilation of autov's own kernels, and around loading them."""
    waiting = threading.Timer(PATIENCE, announce)
    waiting.daemon = True
    waiting.start()
    try:
        with deferred, _pause:
            yield
    finally:
        waiting.cancel()
