"""The command ``autov``: parse, call, print. Heavy imports happen inside the commands."""

from __future__ import annotations

import signal
import sys
import threading
from typing import Any, NoReturn


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command; Ctrl-C ends it in one line from the first moment on, while libraries are loaded, too."""
    in_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, _terminated) if in_main else None
    try:
        from autov.cli.app import main as run

        run(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("autov: interrupted\n")
        raise SystemExit(130) from None
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


def _terminated(*_: Any) -> NoReturn:
    """Clusters end what takes too long by SIGTERM: what is done is kept then, as with Ctrl-C."""
    raise KeyboardInterrupt


__all__ = ["main"]
