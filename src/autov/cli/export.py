"""``autov export``."""

from __future__ import annotations

from pathlib import Path

import typer

from autov.cli.options import JSON, GroupedCommand, known_names, one_of
from autov.cli.output import print_json

TARGETS = ("python", "numpy", "latex", "matlab", "markdown", "platemo")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(cls=GroupedCommand)(export)


def export(
    source: str = typer.Argument(
        autocompletion=known_names,
        help="An operator or an algorithm: a name, a JSON file, evolution:operator.json, ma-es+sigma=0.3, ...",
    ),
    to: str = one_of(..., "--to", TARGETS, "Form of the program; an algorithm can be exported to python only."),
    out: Path | None = typer.Option(
        None, "--out", metavar="FILE", help="File to write; it names the function of MATLAB programs."
    ),
    json_: bool = JSON,
) -> None:
    """Write a program that needs no autov.

    The program is an operator or an optimiser. For papers, autov writes its formula.

    Example: autov export paper-h3 --to matlab --out vary.m
    """
    from autov.adapters.exports import export as exported
    from autov.core import write_text

    name = out.stem if out is not None and to in ("matlab", "platemo") else None
    text = exported(source, to, name)
    if out is not None:
        write_text(out, text)
    if json_:
        print_json({"source": source, "to": to, "out": None if out is None else str(out), "text": text})
    elif out is None:
        typer.echo(text, nl=False)
