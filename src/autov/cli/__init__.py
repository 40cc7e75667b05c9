"""The command ``autov``: parse, call, print. Heavy imports happen inside the commands."""

from __future__ import annotations

import sys
from typing import NoReturn


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command; Ctrl-C ends it in one line from the first moment on, while libraries are loaded, too."""
    try:
        from autov.cli.app import main as run

        run(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("autov: interrupted\n")
        raise SystemExit(130) from None


__all__ = ["main"]
