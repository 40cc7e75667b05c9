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

FORMATS = ("text", "markdown", "latex", "csv", "json")
JSON = typer.Option(False, "--json", help="Print JSON for machines.")
SEED = typer.Option(1, "--seed", min=0, help="Seed of all random numbers.")
INSTANCES = typer.Option(
    None,
    "--instances",
    help="Of bbob-f1..bbob-f24 and ma-bbob: 1..5, or 1..5,71..80; run r gets number r, again and again.",
)
ENGINE = typer.Option("auto", "--engine", help="auto, serial, threads, processes or dask.")
SCHEDULER = typer.Option(None, "--scheduler", help="Join the Dask cluster at this address, such as tcp://HOST:8786.")
SCHEDULER_FILE = typer.Option(None, "--scheduler-file", help="Join the Dask cluster whose scheduler wrote this file.")
LOWER = typer.Option(None, "--lower", help="Lower bound of all variables, or 0,0,1 (your function).")
UPPER = typer.Option(None, "--upper", help="Upper bound of all variables, or 5,5,2 (your function).")
BOUNDS = typer.Option(None, "--bounds", help="CSV file: lower,upper of one variable a line.")
VECTORIZED = typer.Option(False, "--vectorized", help="Your function takes batches (n, d).")
TIMEOUT = typer.Option(
    None, "--timeout", help="Seconds for an evaluation of your function; then it counts as infinitely bad."
)
ON_ERROR = typer.Option("raise", "--on-error", help="raise, or worst: an exception counts as infinitely bad.")
WORKERS = typer.Option(None, "--workers", help="Threads or processes; all cores by default.")
NOT_STORED = "autov: runs are not stored; with --store FILE they are, and the same command makes only what is missing"


def print_json(data: Any) -> None:
    """One JSON document on standard output."""
    from autov.core import to_json

    sys.stdout.write(to_json(data, indent=2) + "\n")


def console(stderr: bool = False) -> Any:
    """A rich console."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def with_progress(title: str, call: Callable[[Callable[[int, int, float | None], None]], Any], kept: str = "") -> Any:
    """Call with a progress callback that feeds a display on standard error.

    Args:
        title: what is being done.
        call: what does it.
        kept: where runs are stored, if they are; Ctrl-C says how to go on, or how to store them.
    """
    from autov.cli.search_display import ProgressDisplay

    going_on = "Ctrl-C stops and keeps all runs, the same command goes on"
    hint = going_on if kept else "not stored; --store FILE keeps all runs"
    try:
        with ProgressDisplay(title=title, hint=hint) as display:
            return call(display)
    except KeyboardInterrupt:
        log(f"autov: finished runs are in {kept}; the same command goes on" if kept else NOT_STORED)
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
    """A line for people on standard error, beside the results; in a terminal it is broken between words."""
    shown = folded(text, shutil.get_terminal_size().columns) if sys.stderr.isatty() else text
    sys.stderr.write(f"{shown}\n")


def show_table(table: Any, form: str = "text") -> None:
    """A table on standard output: in the width and the colours of a terminal, else as `autov.reports.render` has it."""
    from autov.reports.tables import print_table, render

    if form == "text" and sys.stdout.isatty():
        print_table(table, console())
    else:
        typer.echo(render(table, form))


def check_places(file: Path | None = None, folder: Path | None = None) -> None:
    """Say now, and not after hours of work, that results cannot be written where they are wanted."""
    from autov.core import check_writable

    if file is not None:
        check_writable(file)
    if folder is not None:
        check_writable(folder / "report.html")


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
        sys.stderr.write(f"autov: look at it: autov open {page}\n")


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
