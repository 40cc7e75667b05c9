"""The reference backend: `numba.njit` with options that every version since 0.61 has."""

from __future__ import annotations

from typing import Any

# Reassociation lets LLVM vectorise sums; results are bit-identical on one machine, for any number of threads.
# NaN and infinity keep their meaning: objectives may return them.
FASTMATH = {"reassoc", "contract", "nsz", "arcp", "afn"}
COMMON: dict[str, Any] = {"error_model": "numpy", "fastmath": FASTMATH}

INLINE = NOINLINE = COMMON | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
KERNEL = COMMON | {"nogil": True, "no_cfunc_wrapper": True}
ALLOCATING: dict[str, Any] = {}
OBJECTIVE = COMMON | {"nogil": True, "forceinline": True, "no_cfunc_wrapper": True}
C_FUNCTION = COMMON


def cpu_features(context: Any) -> str:
    """What the processor that is compiled for can do, in LLVM's words; nothing where Numba does not say it."""
    magic = getattr(context.codegen(), "magic_tuple", None)
    return "" if magic is None else str(magic()[-1])
