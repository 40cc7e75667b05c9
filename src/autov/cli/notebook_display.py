"""A live display in a notebook: one output that is replaced again and again, without widgets."""

from __future__ import annotations

import html
import importlib
import io
from typing import Any

from rich.console import Console, RenderableType

STYLE = "white-space:pre;line-height:normal;font-family:monospace"


class NotebookView:
    """Starts, updates and stops as rich's ``Live`` does, which needs ipywidgets there."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._handle: Any = None

    def start(self) -> None:
        """Make the output."""
        shown = importlib.import_module("IPython.display")
        self._html = shown.HTML
        self._handle = shown.display(self._html(""), display_id=True)

    def update(self, shown: RenderableType) -> None:
        """Replace it."""
        out = io.StringIO()
        Console(file=out, width=self._width, color_system=None, force_jupyter=False).print(shown)
        self._handle.update(self._html(f'<pre style="{STYLE}">{html.escape(out.getvalue())}</pre>'))

    def stop(self) -> None:
        """Leave nothing of it."""
        self._handle.update(self._html(""))
