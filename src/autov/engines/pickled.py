"""What travels between processes, and what is said where something cannot."""

from __future__ import annotations

import functools
import pickle
import traceback
from typing import Any

from autov.core import InputError, WorkerError


def pickled(call: Any) -> bytes:
    """A callable as bytes for worker processes."""
    try:
        return dumps(call)
    except Exception as error:
        raise unsendable(name_of(call), one_line(error)) from None


def dumps(value: Any) -> bytes:
    """Bytes of a value."""
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def unsendable(what: str, reason: str) -> InputError:
    """The error for something that does not pickle."""
    return InputError(
        f"workers: {what} cannot be sent to worker processes ({reason}); define it at the top level of a module or use "
        f"workers=1"
    )


def name_of(call: Any) -> str:
    """A callable's own name, or that of its class."""
    while (
        inner := call.func if isinstance(call, functools.partial) else getattr(call, "__wrapped__", None)
    ) is not None:
        call = inner
    return getattr(call, "__qualname__", None) or type(call).__qualname__


def one_line(error: BaseException) -> str:
    """The text of an error without line breaks, or its type where it has no text."""
    return " ".join(str(error).split()) or type(error).__name__


class WorkerTraceback(Exception):  # noqa: N818
    """Where an exception was raised in a worker process; the cause of the one that comes out here."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def pack_error(error: BaseException) -> bytes:
    """An exception as bytes, with its attributes and notes if it survives pickling, else by type and text."""
    try:
        sent = dumps(error)
        pickle.loads(sent)
    except Exception:
        sent = None
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return dumps((sent, name, _text(error), "".join(traceback.format_exception(error))))


def unpack_error(packed: Any) -> BaseException:
    """The exception, with the traceback of the worker as its cause."""
    sent, name, text, trace = pickle.loads(packed)
    error = None
    if sent is not None:
        try:
            error = pickle.loads(sent)
        except Exception:
            error = None
    if not isinstance(error, BaseException):
        error = WorkerError(f"the function raised {name}: {text} (this exception cannot be sent between processes)")
    error.__cause__ = WorkerTraceback(trace)
    return error


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "(no text)"
