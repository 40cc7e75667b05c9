"""Ctrl-C and SIGTERM while LLVM works.

LLVM asks Python for compiled code through callbacks of ctypes. What a handler of a signal raises in one of them is
printed and forgotten, and code that was asked for is then missing. There, and only there, a signal is noted instead;
its handler is called when LLVM has done its work.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

from llvmlite.binding import executionengine

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Held:
    """Signals that came in a callback, held back between `begin` and `end` of the same owner, and of those inside."""

    def __init__(self) -> None:
        self._owner: Any = None
        self._before: dict[int, Any] = {}
        self._noted: list[int] = []

    def begin(self, owner: Any) -> None:
        """What an owner does may call LLVM; handlers belong to the first thread, others need nothing."""
        if self._owner is not None or threading.current_thread() is not threading.main_thread():
            return
        self._owner = owner
        for number in _SIGNALS:
            before = signal.getsignal(number)
            if callable(before):  # in Python; others end the program at once or are ignored
                self._before[number] = before
                signal.signal(number, self._handle)

    def end(self, owner: Any) -> None:
        """It is done, or a part of it; now signals have their effect."""
        if threading.current_thread() is not threading.main_thread():
            return
        noted, self._noted = self._noted, []
        before = dict(self._before)
        if owner is self._owner:
            for number, handler in before.items():
                signal.signal(number, handler)
            self._before, self._owner = {}, None
        for number in noted:
            before[number](number, None)

    def _handle(self, number: int, frame: FrameType | None) -> Any:
        if _in_callback(frame):
            self._noted.append(number)
            return None
        return self._before[number](number, frame)


def _in_callback(frame: FrameType | None) -> bool:
    """Whether LLVM waits for an answer: callbacks are the functions of this file that begin so."""
    while frame is not None:
        code = frame.f_code
        if code.co_filename == executionengine.__file__ and code.co_name.startswith("_raw_"):
            return True
        frame = frame.f_back
    return False


held = Held()
