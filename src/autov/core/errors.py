"""What autov raises when the caller, not autov, must change something."""

import difflib
from collections.abc import Iterable


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
