"""The command ``autov``: parse, call, print. Heavy imports happen inside the commands."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any, NoReturn


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command; Ctrl-C ends it in one line from the first moment on, while libraries are loaded, too.

    Without arguments it is the whole program, which then ends without taking libraries apart: that takes longer than
    all the rest.
    """
    asked, ended = threading.Event(), threading.Event()
    if arguments is None:
        atexit.register(_leave, ended)  # before others, so that it is called after them
    try:
        with handled(asked):
            from autov.cli.app import main as run
            from autov.core.ending import ended_by

            with ended_by(asked, KeyboardInterrupt):
                run(arguments)
    except KeyboardInterrupt:
        pass
    except SystemExit as error:
        if error.code == 130:
            ended.set()
        if not asked.is_set() or error.code in (None, 0, 130):
            raise
    except Exception:
        if not asked.is_set():  # else it may be what became of Ctrl-C in an import
            raise
    ended.set()
    sys.stderr.write("autov: interrupted\n")
    raise SystemExit(130) from None


def _leave(ended: threading.Event) -> None:
    if ended.is_set():
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(130)


@contextlib.contextmanager
def handled(asked: threading.Event) -> Iterator[None]:
    """Ctrl-C and SIGTERM, by which clusters end what takes too long, raise KeyboardInterrupt here and set the flag.

    Where that cannot be raised, as in a finaliser, Python would print it; the flag is enough.
    """

    def ignored(unraisable: Any) -> None:
        if not (asked.is_set() and issubclass(unraisable.exc_type, KeyboardInterrupt)):
            printed(unraisable)

    def handle(*_: Any) -> NoReturn:
        asked.set()
        raise KeyboardInterrupt

    before, printed = {}, sys.unraisablehook
    try:
        sys.unraisablehook = ignored
        if threading.current_thread() is threading.main_thread():
            before[signal.SIGTERM] = signal.signal(signal.SIGTERM, handle)
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is to be ignored
                before[signal.SIGINT] = signal.signal(signal.SIGINT, handle)
        yield
    finally:
        sys.unraisablehook = printed
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)


__all__ = ["main"]
