"""The command line: what exists, and how every command ends."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.main import get_command

from autov.cli import check, compare, design, explain, export, minimize, open_page, reproduce, show

app = typer.Typer(
    name="autov", no_args_is_help=True, add_completion=True, rich_markup_mode=None, pretty_exceptions_enable=False,
    help="Minimise black-box functions, and design optimisers for the kinds of problems that you solve again and "
    "again.",
)  # fmt: skip
for module in (minimize, design, explain, check, compare, reproduce, show, open_page, export):
    module.register(app)


def _version(value: bool) -> None:
    if value:
        import autov

        typer.echo(f"autov {autov.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Options of the command itself."""


def _end(message: str, code: int, hints: Sequence[str] = ()) -> NoReturn:
    sys.stderr.write("".join([f"autov: {message}\n", *(f"hint: {each}\n" for each in hints)]))
    raise SystemExit(code)


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    """Warnings of this package are one line without its source; those of users' functions stay as they are."""
    whole, home = warnings.formatwarning, str(Path(__file__).parents[1])

    def one_line(message: Any, category: Any, filename: str, lineno: int, line: str | None = None) -> str:
        if not filename.startswith(home):
            return whole(message, category, filename, lineno, line)
        return f"autov: {' '.join(str(message).split()).removeprefix('autov: ')}\n"

    warnings.formatwarning = one_line
    try:
        yield
    finally:
        warnings.formatwarning = whole


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command. Exit codes: 0 success, 1 a required property does not hold, 2 bad input, 130 Ctrl-C."""
    from autov.compiler.backend import BackendError
    from autov.core.errors import InputError, WorkerError

    # Typer carries its own copy of click in some versions: find the class that its errors derive from.
    usage_error = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
    try:
        with _plain_warnings():
            code = get_command(app).main(arguments, prog_name="autov", standalone_mode=False)
    except usage_error as error:  # type: ignore[misc]
        message = error.format_message()  # type: ignore[attr-defined]
        if type(error).__name__ == "NoArgsIsHelpError":
            sys.stdout.write(message + "\n")
            raise SystemExit(2) from None
        _end(" ".join(message.split()), 2)
    except (InputError, BackendError) as error:
        _end(" ".join(str(error).split()), 2, getattr(error, "__notes__", ()))
    except WorkerError as error:
        _end(str(error), 1)
    except Exception as error:
        said = str(error)
        if hasattr(error, "autov_point"):  # the user's function failed
            said = "; ".join([said, *getattr(error, "__notes__", ())])
        elif isinstance(error, BrokenPipeError):
            raise SystemExit(0) from None
        elif not isinstance(error, (OSError, MemoryError)):
            raise
        _end(f"{type(error).__name__}: {' '.join(said.split())}", 2)
    except (KeyboardInterrupt, typer.Abort):
        _end("interrupted", 130)
    if code == 130:
        _end("interrupted", 130)
    raise SystemExit(code if isinstance(code, int) else 0)
