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


class Ended:
    """Whether the work is done, and with which exit code; from then on a signal ends the program at once."""

    code: int | None = None


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command; Ctrl-C ends it in one line from the first moment on, while libraries are loaded, too.

    Without arguments it is the whole program. If it is interrupted, it then ends without taking libraries apart: that
    takes longer than all the rest, and what is half made cannot be taken apart. A signal that comes when the work is
    done ends it in the same way, with the exit code of the work.
    """
    asked, ended = threading.Event(), Ended() if arguments is None else None
    if ended is not None:
        atexit.register(ignore_signals)  # before others, so that it is called after them
    try:
        with handled(asked, ended):
            try:
                from autov.cli.app import main as run
                from autov.core.ending import ended_by

                with ended_by(asked, KeyboardInterrupt):
                    run(arguments)
            except SystemExit as error:
                if ended is not None:
                    ended.code = error.code if isinstance(error.code, int) else int(error.code is not None)
                raise
            except KeyboardInterrupt:
                if ended is not None:
                    ended.code = 130
                raise
    except KeyboardInterrupt:
        pass
    except SystemExit as error:
        if error.code == 130 and ended is not None:
            leave(130)
        if not asked.is_set() or error.code in (None, 0, 130):
            raise
    except Exception:
        if not asked.is_set():  # else it may be what became of Ctrl-C in an import
            raise
    sys.stderr.write("autov: interrupted\n")
    if ended is not None:
        leave(130)
    raise SystemExit(130) from None


def ignore_signals() -> None:
    """Let nothing interrupt what is left: a point to be written, or Python's end, before which it has no handlers."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


def leave(code: int) -> NoReturn:
    """End this process, and those that it has started, at once."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    started = sys.modules.get("multiprocessing")
    if started is not None:
        with contextlib.suppress(Exception):
            for child in started.active_children():
                child.kill()
    os._exit(code)


@contextlib.contextmanager
def handled(asked: threading.Event, ended: Ended | None = None) -> Iterator[None]:
    """Ctrl-C and SIGTERM, by which clusters end what takes too long, raise KeyboardInterrupt here and set the flag.

    Where that cannot be raised, as in a finaliser, Python would print it; the flag is enough. With ``ended`` signals
    are looked at until the end of the program.
    """

    def ignored(unraisable: Any) -> None:
        if not (asked.is_set() and issubclass(unraisable.exc_type, KeyboardInterrupt)):
            printed(unraisable)

    def handle(*_: Any) -> NoReturn:
        if ended is not None and ended.code is not None:
            leave(ended.code)
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
            if handler is not None and ended is None:
                signal.signal(number, handler)


__all__ = ["ignore_signals", "main"]
