"""``autov open``."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

import typer

from autov.cli.options import JSON, GroupedCommand
from autov.cli.output import print_json
from autov.core import InputError

FIRST = ("report.html", "index.html")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("open", cls=GroupedCommand)(open_)


def open_(
    folder: Path = typer.Argument(help="Folder that a command wrote (--out), or an HTML file."),
    json_: bool = JSON,
) -> None:
    """Open the page of a folder in the browser.

    Without a browser it prints the path.

    Example: autov open runs/demo
    """
    page = page_of(folder)
    opened = has_screen() and open_in_browser(page)
    if json_:
        print_json({"page": str(page), "opened": opened})
    else:
        typer.echo(f"opened {page}" if opened else f"no browser here; the page is {page}")


def page_of(folder: Path) -> Path:
    """The page of a folder: its report, its index, or the only one that there is."""
    if folder.is_file():
        if folder.suffix != ".html":
            raise InputError(f"open: {folder} is no HTML page")
        return folder.resolve()
    if not folder.is_dir():
        raise InputError(f"open: no folder {str(folder)!r}")
    pages = sorted(folder.glob("*.html"))
    first = [folder / name for name in FIRST if (folder / name).is_file()]
    if not pages:
        raise InputError(f"open: no page in {str(folder)!r}; commands write one with --out")
    if not first and len(pages) > 1:
        raise InputError(f"open: several pages in {str(folder)!r}: {', '.join(page.name for page in pages)}; name one")
    return (first or pages)[0].resolve()


def has_screen() -> bool:
    """Whether a browser could show anything: text browsers would take the terminal away."""
    if os.environ.get("BROWSER") or sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_in_browser(page: Path) -> bool:
    """Whether a browser took it; a local file, no server."""
    try:
        return webbrowser.open(page.as_uri())
    except webbrowser.Error:
        return False
