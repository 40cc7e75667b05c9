"""What autov raises when the caller, not autov, must change something."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

import numpy as np

from autov.core.types import Array


def meant(name: str, names: Iterable[str]) -> str:
    """What to say behind an unknown name: the most similar of those that are known, or nothing."""
    found = difflib.get_close_matches(name, names, n=1, cutoff=0.7)
    return f" (did you mean {found[0]!r}?)" if found else ""


class InputError(ValueError):
    """Bad input, found at the edge: one line that names the argument, the value and what is allowed."""


class WorkerError(RuntimeError):
    """A worker process died."""


class FileError(InputError):
    """A file that cannot be read as what it should be."""


def locate(error: BaseException, point: Array, what: str = "objective") -> None:
    """Put the point into the message of an exception that the objective, or what is named, raised."""
    error.autov_point = point  # type: ignore[attr-defined]
    where = f"{what} failed at x = {np.array2string(point, threshold=20, separator=', ')}"
    if len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]} ({where})",)
    else:
        error.add_note(where)
