"""Messages of the command about bad input: they name an argument as the option that was typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from autov.core import unknown

OTHER_NAMES = {"algorithm": "algorithms", "problem": "problems", "checkpoint": "out"}  # in a message -> of the option


def options_of(command: Any) -> dict[str, str]:
    """The name of a parameter of a command -> its option."""
    params = [] if command is None else command.params
    found = {param.name.rstrip("_"): param.opts[0] for param in params if param.opts[0].startswith("--")}
    return {name: found[other] for name, other in OTHER_NAMES.items() if other in found} | found


def as_options(text: str, options: dict[str, str]) -> str:
    """A message whose first words are arguments, with their options: ``maxfev: ...`` becomes ``--maxfev: ...``."""
    head, colon, rest = text.partition(": ")
    return ", ".join(options.get(name, name) for name in head.split(", ")) + colon + rest


def hint_as_options(text: str, options: dict[str, str]) -> str:
    """A hint with options for arguments such as ``time=`` and ``resume=True``."""
    return re.sub(r"\b(\w+)=(?:True\b)?(?=[\s),;]|$)", lambda found: options.get(found[1], found[0]), text)


def usage(error: Any, typed: Sequence[str]) -> str:
    """What to say of a command that cannot be read, in the words of other messages.

    Args:
        error: of the library that reads commands.
        typed: all words behind the name of the program.
    """
    message, kind = " ".join(error.format_message().split()), type(error).__name__
    if kind == "NoSuchOption":
        known = [name for param in error.ctx.command.params for name in (*param.opts, *param.secondary_opts)]
        whole = "--help" if hasattr(error.ctx.command, "commands") else "--help-all"
        where = f"{error.ctx.command_path} {whole} lists all"
        return _unknown("option", error.option_name, [*known, "--help"], where)
    if match := re.match(r"No such command '(.*?)'", message):
        return _unknown("command", match[1], error.ctx.command.commands, "autov --help lists all")
    if match := re.match(r"Got unexpected extra argument\S* \((.*)\)", message):
        return f"unexpected argument {match[1]!r}"
    if kind == "BadOptionUsage":
        return f"{error.option_name}: {'takes no value' if 'not take' in message else 'needs a value'}"
    param = getattr(error, "param", None)
    if param is None:
        return message
    name = param.opts[0]
    if kind == "MissingParameter":
        return f"{name}: needed"
    what = "a number" if re.search("number|float", error.message) else "an integer"
    least = getattr(param, "min", getattr(getattr(param, "type", None), "min", None))
    rule = what if least is None else f"{what} of at least {least:g}"
    return f"{name}: must be {rule}, got {_value(typed, name)!r}"


def _unknown(what: str, name: str, known: Iterable[str], otherwise: str) -> str:
    return f"unknown {what} {unknown(name, known, otherwise).removeprefix('unknown ')}"


def _value(typed: Sequence[str], option: str) -> str:
    """What was typed for an option the last time."""
    found = ""
    for word, following in zip(typed, [*typed[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == option:
            found = value if equals else following
    return found
