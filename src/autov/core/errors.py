"""What autov raises when the caller, not autov, must change something."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

import numpy as np


def unknown(name: str, names: Iterable[str], allowed: str = "") -> str:
    """What to say of an unknown name: the most similar known one, or else what is allowed."""
    found = difflib.get_close_matches(name, names, n=1, cutoff=0.7)
    if found:
        return f"unknown {name!r}; did you mean {found[0]!r}?"
    return f"unknown {name!r}; {allowed}" if allowed else f"unknown {name!r}"


class InputError(ValueError):
    """Bad input: one line that names the argument, the value and what is allowed."""


def unknown_name(
    argument: str, name: str, names: Iterable[str], hint: str = "autov list shows all names"
) -> InputError:
    """The error for an unknown name: it proposes the most similar known one, or else has a hint."""
    error = InputError(f"{argument}: {unknown(name, names)}")
    if "did you mean" not in str(error):
        error.add_note(hint)
    return error


class WorkerError(RuntimeError):
    """A worker process died."""


class FileError(InputError):
    """A file that is not of the expected kind."""


def locate(error: BaseException, point: Any, what: str = "objective") -> None:
    """Put the point into the message of an exception that the objective, or what is named, raised."""
    error.autov_point = point  # type: ignore[attr-defined]
    text = np.array2string(point, threshold=20, separator=", ") if isinstance(point, np.ndarray) else str(point)
    where = f"{what} failed at x = {text}"
    if len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]} ({where})",)
    else:
        error.add_note(where)
