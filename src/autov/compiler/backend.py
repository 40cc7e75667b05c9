"""Which backend compiles the kernels: plain Numba, or the fast one where it was tested."""

from __future__ import annotations

import functools
import importlib
import logging
import os
from types import ModuleType

# Versions of Numba with which the golden tests and those of kernels and compiler pass on the fast backend. With 0.61
# they do not: runs with a learned frame differ between ask and tell and the compiled loop; the cause is unknown.
FAST = ("0.63.1", "0.65.1", "0.68.0", "0.68.1")
CACHED = ("0.61.0", *FAST)  # with which they pass with autov's own cache
BACKENDS = ("plain", "fast")


class BackendError(ValueError):
    """A backend that does not exist was asked for."""


def numba_version() -> str:
    """The version that is installed."""
    import numba  # here, because the command needs only the error above to show its help

    return numba.__version__


@functools.cache
def backend_name() -> str:
    """What AUTOV_COMPILER says, otherwise ``fast`` for tested versions of Numba and ``plain`` for others."""
    chosen = os.environ.get("AUTOV_COMPILER", "")
    if chosen and chosen not in BACKENDS:
        raise BackendError(f"AUTOV_COMPILER: must be {' or '.join(BACKENDS)}, got {chosen!r}")
    if chosen or numba_version() in FAST:
        return chosen or "fast"
    logging.getLogger("autov").info(
        "Numba %s is not one of %s: the plain backend compiles, which takes longer at first use",
        numba_version(), ", ".join(FAST),
    )  # fmt: skip
    return "plain"


def has_own_cache() -> bool:
    """Whether autov's own cache works with this version of Numba; otherwise Numba's has to do."""
    return numba_version() in CACHED or backend_name() == "fast"


def backend() -> ModuleType:
    """The options of every kind of function."""
    return importlib.import_module(f"autov.compiler.{backend_name()}")
