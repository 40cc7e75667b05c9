"""What travels between processes, and what is said where something cannot.

Plain pickle goes first: it names functions, and a forked worker finds them. What it cannot name (lambdas, closures,
functions of a notebook), and what it names in ``__main__`` where workers do not have that, cloudpickle sends by value.
"""

from __future__ import annotations

import contextlib
import copyreg
import functools
import io
import multiprocessing
import pickle
import traceback
from types import MethodType
from typing import Any, NamedTuple

import cloudpickle

from autov.core import InputError, WorkerError


class Sent(NamedTuple):
    """A callable as bytes, and whether a worker must run the main script to understand them."""

    data: bytes
    needs_main: bool


def pickled(call: Any) -> Sent:
    """A callable for worker processes."""
    try:
        data = dumps(call)
    except Exception as error:
        raise unsendable(name_of(call), one_line(error)) from None
    return Sent(data, names_main(data))


def dumps(value: Any) -> bytes:
    """Bytes of a value: by name where a worker finds the name, else by value."""
    try:
        data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        try:
            return cloudpickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        except Exception:
            raise error from None  # what plain pickle says is shorter
    if names_main(data):
        with contextlib.suppress(Exception):  # then the worker runs the script, which needs its guard
            return cloudpickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return data


def names_main(data: bytes) -> bool:
    """Whether bytes name something in the main script that a new worker does not have; forked ones have all."""
    return b"__main__" in data and multiprocessing.get_start_method() != "fork" and not _by_value(data)


def _by_value(data: bytes) -> bool:
    return b"cloudpickle" in data


class ByValue:
    """A callable that travels by value where plain pickle cannot name it, for executors that pickle themselves."""

    def __init__(self, call: Any) -> None:
        self.call = call

    def __call__(self, *args: Any) -> Any:
        """Call it."""
        return self.call(*args)

    def __reduce__(self) -> Any:
        return _restored, (pickled(self.call).data,)


def _restored(data: bytes) -> ByValue:
    return ByValue(pickle.loads(data))


def same(a: Any, b: Any) -> bool:
    """Whether a worker that has one callable need not be sent the other."""
    return a is b or (isinstance(a, MethodType) and a == b)  # problem.point is a new object whenever it is named


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
        sent = _error_bytes(error)
        pickle.loads(sent)
    except Exception:
        sent = None
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return dumps((sent, name, _text(error), "".join(traceback.format_exception(error))))


def _error_bytes(error: BaseException) -> bytes:
    """In its own way: Dask registers another one for all exceptions, which loses the code of SystemExit."""
    own = {kind: way for kind, way in copyreg.dispatch_table.items() if not issubclass(kind, BaseException)}
    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = own
    try:
        pickler.dump(error)
    except Exception:
        return dumps(error)
    return dumps(error) if names_main(file.getvalue()) else file.getvalue()


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
