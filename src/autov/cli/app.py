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
from autov.cli.usage import as_options, hint_as_options, options_of, usage

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
def _plain_warnings(options: dict[str, str]) -> Iterator[None]:
    """Warnings of this package are one line without its source; those of users' functions stay as they are."""
    whole, home = warnings.formatwarning, str(Path(__file__).parents[1])

    def one_line(message: Any, category: Any, filename: str, lineno: int, line: str | None = None) -> str:
        if not filename.startswith(home):
            return whole(message, category, filename, lineno, line)
        text = " ".join(str(message).split()).removeprefix("autov: ")
        return f"autov: {as_options(hint_as_options(text, options), options)}\n"

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
    command, typed = get_command(app), sys.argv[1:] if arguments is None else arguments
    options = options_of(command.commands.get(typed[0]) if typed else None)  # type: ignore[attr-defined]
    try:
        with _plain_warnings(options):
            code = command.main(arguments, prog_name="autov", standalone_mode=False)
    except usage_error as error:  # type: ignore[misc]
        message = error.format_message()  # type: ignore[attr-defined]
        if type(error).__name__ == "NoArgsIsHelpError":
            sys.stdout.write(message + "\n")
            raise SystemExit(2) from None
        _end(usage(error, typed), 2)
    except (InputError, BackendError) as error:
        hints = [hint_as_options(note, options) for note in getattr(error, "__notes__", ())]
        _end(as_options(" ".join(str(error).split()), options), 2, hints)
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
