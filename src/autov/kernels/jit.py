"""How kernels are compiled: kept on disk, without the GIL, divisions unchecked so that loops vectorise."""

# pyright: reportCallIssue=false
# (njit takes more options than its stub declares)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

from autov.kernels.cache import keep

# Reassociation lets LLVM vectorise sums; results are the same bits on one machine, whatever the number of threads.
# NaN and infinity keep their meaning: objectives may return them.
FAST = {"reassoc", "contract", "nsz", "arcp", "afn"}


def _compiler(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    def decorate(function: Callable[..., Any]) -> Any:
        compiled = njit(error_model="numpy", fastmath=FAST, **options)(function)
        keep(compiled, function)
        return compiled

    return decorate


kernel = _compiler(nogil=True, no_cfunc_wrapper=True)
# For functions that only kernels call: no wrapper for Python, which would take a part of the compile time.
internal = _compiler(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)
inlined = _compiler(inline="always")
