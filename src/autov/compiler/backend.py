"""Which backend compiles the kernels: plain Numba, or the fast one where it was tested."""

from __future__ import annotations

import functools
import importlib
import logging
import os
from types import ModuleType

# Versions of Numba with which the golden tests and the kernels' tests pass on the fast backend and with its cache.
TESTED = ("0.68.0", "0.68.1")
BACKENDS = ("plain", "fast")


class BackendError(ValueError):
    """A backend that does not exist was asked for."""


def is_tested() -> bool:
    """Whether the fast backend and the cache were tested with this version of Numba."""
    import numba  # here, because the command needs only the error above to show its help

    return numba.__version__ in TESTED


@functools.cache
def backend_name() -> str:
    """What AUTOV_COMPILER says, otherwise ``fast`` for tested versions of Numba and ``plain`` for others."""
    chosen = os.environ.get("AUTOV_COMPILER", "")
    if chosen and chosen not in BACKENDS:
        raise BackendError(f"AUTOV_COMPILER: must be {' or '.join(BACKENDS)}, got {chosen!r}")
    if chosen or is_tested():
        return chosen or "fast"
    import numba

    logging.getLogger("autov").info(
        "Numba %s is not one of %s: the plain backend compiles, which takes longer at first use",
        numba.__version__, ", ".join(TESTED),
    )  # fmt: skip
    return "plain"


def knows_internals() -> bool:
    """Whether autov's own cache works with this version of Numba; otherwise Numba's has to do."""
    return is_tested() or backend_name() == "fast"


def backend() -> ModuleType:
    """The options of every kind of function."""
    return importlib.import_module(f"autov.compiler.{backend_name()}")
