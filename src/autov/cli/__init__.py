"""The command ``autov``: parse, call, print. Heavy imports happen inside the commands."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any, NoReturn


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command; Ctrl-C ends it in one line from the first moment on, while libraries are loaded, too."""
    asked = threading.Event()
    try:
        with handled(asked):
            from autov.cli.app import main as run
            from autov.core.ending import ended_by

            with ended_by(asked, KeyboardInterrupt):
                run(arguments)
    except KeyboardInterrupt:
        pass
    except SystemExit as ended:
        if not asked.is_set() or ended.code in (None, 0, 130):
            raise
    except Exception:
        if not asked.is_set():  # else it may be what became of Ctrl-C in an import
            raise
    sys.stderr.write("autov: interrupted\n")
    raise SystemExit(130) from None


@contextlib.contextmanager
def handled(asked: threading.Event) -> Iterator[None]:
    """Ctrl-C and SIGTERM, by which clusters end what takes too long, raise KeyboardInterrupt here and set the flag."""

    def handle(*_: Any) -> NoReturn:
        asked.set()
        raise KeyboardInterrupt

    before = {}
    try:
        if threading.current_thread() is threading.main_thread():
            before[signal.SIGTERM] = signal.signal(signal.SIGTERM, handle)
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is to be ignored
                before[signal.SIGINT] = signal.signal(signal.SIGINT, handle)
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)


__all__ = ["main"]
