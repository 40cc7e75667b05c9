"""How kernels are compiled: cached on disk, without the GIL, divisions unchecked so that loops vectorise."""

# pyright: reportCallIssue=false
# (njit takes more options than its stub declares)

from __future__ import annotations

from numba import njit

# Reassociation lets LLVM vectorise sums; results are the same bits on one machine, whatever the number of threads.
# NaN and infinity keep their meaning: objectives may return them.
FAST = {"reassoc", "contract", "nsz", "arcp", "afn"}

kernel = njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST, no_cfunc_wrapper=True)
# For functions that only kernels call: no wrapper for Python, which would take a part of the compile time.
internal = njit(
    cache=True, nogil=True, error_model="numpy", fastmath=FAST, no_cfunc_wrapper=True, no_cpython_wrapper=True
)
inlined = njit(cache=True, error_model="numpy", fastmath=FAST, inline="always")
