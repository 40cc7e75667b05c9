"""Where a function of the user's failed."""

from __future__ import annotations

import numpy as np

from autov.core import Array


def locate(error: BaseException, point: Array, what: str = "objective") -> None:
    """Put the point into the message of an exception that the objective, or what is named, raised."""
    error.autov_point = point  # type: ignore[attr-defined]
    where = f"{what} failed at x = {np.array2string(point, threshold=20, separator=', ')}"
    if len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]} ({where})",)
    else:
        error.add_note(where)
