"""What commands print: JSON for machines, tables and progress bars for people."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer


def print_json(data: Any) -> None:
    """One JSON document on standard output."""
    from autov.core import to_json

    sys.stdout.write(to_json(data, indent=2) + "\n")


def console(stderr: bool = False) -> Any:
    """A rich console."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def with_progress(
    title: str, call: Callable[[Callable[[int, int, float | None], None]], Any], kept: str = "",
    page: Path | None = None,
) -> Any:  # fmt: skip
    """Call with a progress callback that feeds a display on standard error.

    Args:
        title: the task.
        call: what does it.
        kept: where runs are stored, if they are; Ctrl-C says how to continue, or how to store them.
        page: a report that is written anew meanwhile.
    """
    from autov.cli.live_report import LiveReport
    from autov.cli.search_display import ProgressDisplay

    note = f"runs are stored in {kept}; Ctrl-C keeps them" if kept else "not stored; --store FILE keeps all runs"
    report = None if page is None else LiveReport(page, title)
    try:
        with ProgressDisplay(title=title, hint=note, report=report) as display:
            return call(display)
    except KeyboardInterrupt:
        if kept:
            log(f"autov: finished runs are in {kept}")
            hint("the same command makes the missing runs")
        else:
            not_stored()
        raise


def folded(text: str, width: int) -> str:
    """Text whose long lines are broken between words; what follows is indented a little more than its line."""
    lines = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()))
        lines += textwrap.wrap(
            line, width, subsequent_indent=f"{indent}  ", break_long_words=False, break_on_hyphens=False
        ) or [""]  # fmt: skip
    return "\n".join(lines)


def print_words(text: str) -> None:
    """Text on standard output; in a terminal, lines are broken between words, and what is indented stays so."""
    out = console()
    out.print(folded(text, out.width - 1) if out.is_terminal else text, markup=False, highlight=False)


def log(text: str) -> None:
    """A line for people on standard error, next to the results; in a terminal it is broken between words."""
    shown = folded(text, shutil.get_terminal_size().columns) if sys.stderr.isatty() else text
    sys.stderr.write(f"{shown}\n")


def hint(text: str) -> None:
    """What to do next: a line of its own on standard error."""
    log(f"hint: {text}")


def not_stored() -> None:
    """Say that runs are gone, and how to keep them."""
    log("autov: runs are not stored")
    hint("--store FILE keeps them, and the same command then makes only the missing ones")


def show_table(table: Any, form: str = "text") -> None:
    """A table on standard output: in the width and the colours of a terminal, else as `autov.reports.render` has it.

    COLUMNS sets the width where there is no terminal.
    """
    from autov.reports.tables import print_table, render, terminal_width, to_text

    if form == "text" and sys.stdout.isatty():
        print_table(table, console())
    else:
        typer.echo(to_text(table, terminal_width()) if form == "text" else render(table, form))


def check_places(file: Path | None = None, folder: Path | None = None) -> None:
    """Say now, and not after hours of work, that results cannot be written where they are wanted."""
    from autov.core import check_writable

    if file is not None:
        check_writable(file)
    if folder is not None:
        check_writable(folder / "report.html")


def check_unused(folder: Path, file: str, resume: bool) -> Path:
    """The checkpoint in a folder; refuses one of an earlier search unless it is resumed."""
    from autov.core import InputError

    if (folder / file).exists() and not resume:
        error = InputError(f"out: {folder} holds a search")
        error.add_note("--resume continues it; or choose another --out")
        raise error
    return folder / file


def write_files(folder: Path | None, files: dict[str, Callable[[Path], object]]) -> None:
    """Write files into a folder, if there is one, and say so."""
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in files.items():
        write(folder / name)
    log(f"autov: wrote {', '.join(files)} into {folder}")
    if any(name.endswith(".html") for name in files):
        page = folder if "report.html" in files else folder / next(name for name in files if name.endswith(".html"))
        hint(f"autov open {page}")


@contextlib.contextmanager
def quiet_functions(json_: bool) -> Iterator[None]:
    """With --json, what functions of users print, in worker processes too, goes to standard error."""
    if not json_:
        yield
        return
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
