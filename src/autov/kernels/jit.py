"""How kernels are compiled: kept on disk, without the GIL, divisions unchecked so that loops vectorise."""

# pyright: reportCallIssue=false
# (njit takes more options than its stub declares)

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core import event

from autov.kernels.cache import keep
from autov.kernels.interrupts import held

# Reassociation lets LLVM vectorise sums; results are the same bits on one machine, whatever the number of threads.
# NaN and infinity keep their meaning: objectives may return them.
FAST = {"reassoc", "contract", "nsz", "arcp", "afn"}


class _Compiling(event.Listener):
    """Says once, on a terminal, why a first run takes long; loses no Ctrl-C while it does."""

    said = False

    def on_start(self, event: Any) -> None:
        """Of a compilation that the cache on disk does not spare."""
        held.begin(event.data)
        if not self.said and event.data["dispatcher"].py_func.__module__.startswith("autov.") and sys.stderr.isatty():
            self.said = True
            sys.stderr.write("autov: compiling, once on this machine (up to a minute) ...\n")

    def on_end(self, event: Any) -> None:
        """Of one function; those that it calls have ended before."""
        held.end(event.data)


event.register("numba:compile", _Compiling())


def _compiler(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    def decorate(function: Callable[..., Any]) -> Any:
        compiled = njit(error_model="numpy", fastmath=FAST, **options)(function)
        keep(compiled, function)
        return compiled

    return decorate


# What a kernel calls becomes a part of it: a call would go to whichever copy the process has loaded first, and copies
# of one function differ in rounding where LLVM has optimised them together with other code.
kernel = _compiler(nogil=True, no_cfunc_wrapper=True, forceinline=True)
# For functions that only kernels call: no wrapper for Python, which would take a part of the compile time.
internal = _compiler(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True, forceinline=True)
inlined = _compiler(inline="always")
