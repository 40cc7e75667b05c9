"""How kernels are compiled: kept on disk, without the GIL, divisions unchecked so that loops vectorise."""

# pyright: reportCallIssue=false
# (njit takes more options than its stub declares)

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core import event

from autov.kernels.cache import keep
from autov.kernels.interrupts import held
from autov.kernels.parts import PartCompiler, QuickCompiler, UnitCompiler, WholeCompiler

# Reassociation lets LLVM vectorise sums; results are the same bits on one machine, whatever the number of threads.
# NaN and infinity keep their meaning: objectives may return them.
FAST = {"reassoc", "contract", "nsz", "arcp", "afn"}


SET_ASIDE = 1000  # objects that Python sets aside for itself when it starts are fewer


class _Compiling(event.Listener):
    """Says once, on a terminal, why a first run takes long; loses no Ctrl-C while it does.

    Python looks for garbage again and again in the millions of objects that a compilation makes, and finds nothing:
    that takes a tenth of the time, and waits.
    """

    said = False
    depth = 0
    collects = False

    def on_start(self, event: Any) -> None:
        """Of a compilation that the cache on disk does not spare."""
        if self.depth == 0:
            self.collects = gc.isenabled()
            gc.disable()
        self.depth += 1
        held.begin(event.data)
        own = str(event.data["dispatcher"].py_func.__module__).startswith("autov.")  # code made by exec may have None
        if own and not self.said and sys.stderr is not None and sys.stderr.isatty():
            self.said = True
            sys.stderr.write("autov: compiling, once on this machine (4 to 20 seconds) ...\n")

    def on_end(self, event: Any) -> None:
        """Of one function; those that it calls have ended before."""
        self.depth -= 1
        if self.depth == 0 and self.collects:
            if gc.get_freeze_count() < SET_ASIDE:  # nobody else has set objects aside
                gc.freeze()
                gc.unfreeze()  # now all that is left counts as old and is not looked through at once
            gc.enable()
        held.end(event.data)


event.register("numba:compile", _Compiling())


class Function:
    """A function that kernels call; Python calls it as the plain function that it is."""

    __name__: str

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], compiler: Any = PartCompiler) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = options
        wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        self.part = njit(pipeline_class=compiler, **wrappers, **options)(function)
        self._numba_type_ = self.part._numba_type_  # what Numba takes it for in other functions

    def __call__(self, *args: Any) -> Any:
        """Without compiling anything."""
        return self.py_func(*args)


class Kernel(Function):
    """A function that both call: a part of other kernels, and compiled by itself when Python calls it first."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], compiler: Any = PartCompiler) -> None:
        super().__init__(function, options, compiler)
        self.dispatcher = njit(pipeline_class=WholeCompiler, no_cfunc_wrapper=True, nogil=True, **options)(function)
        self.looked_at = False  # whether it should be compiled ahead
        self.coming: Any = None  # the process that compiles it
        keep(self.dispatcher, function)

    def __call__(self, *args: Any) -> Any:
        """Compiled."""
        coming = self.coming  # another thread may set it to None
        if coming is not None:
            coming.wait()
            self.coming = None
        return self.dispatcher(*args)


# Without counts of references: arrays belong to the caller, and counting those of every array of a tuple takes a part
# of the run and of the time to compile.
_OPTIONS = {"error_model": "numpy", "fastmath": FAST, "_nrt": False}


def kernel(function: Callable[..., Any]) -> Kernel:
    """For functions that Python calls, and others may; they are given all arrays that they need."""
    return Kernel(function, _OPTIONS | {"forceinline": True})


def allocating(function: Callable[..., Any]) -> Kernel:
    """The same for those that make arrays."""
    return Kernel(function, _OPTIONS | {"forceinline": True, "_nrt": True})


def internal(function: Callable[..., Any]) -> Function:
    """For functions that only kernels call."""
    return Function(function, _OPTIONS | {"forceinline": True})


def unit(function: Callable[..., Any]) -> Kernel:
    """For the steps of a run: each stays a function, so that its rounding does not depend on what is around it.

    LLVM also takes much longer for one long loop than for the steps in it.
    """
    return Kernel(function, _OPTIONS | {"forceinline": False}, UnitCompiler)


def _separately(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Each function is optimised by itself first, and again as a part of what calls it."""

    def decorate(function: Callable[..., Any]) -> Any:
        options_of_all = {"error_model": "numpy", "fastmath": FAST, "nogil": True, "forceinline": True}
        compiled = njit(pipeline_class=QuickCompiler, **options_of_all, **options)(function)
        keep(compiled, function)
        return compiled

    return decorate


# For objectives, whose values are published, and for what only they call: their rounding stays as it has always been.
objective = _separately(no_cfunc_wrapper=True)
helper = _separately(no_cfunc_wrapper=True, no_cpython_wrapper=True)
inlined: Any = njit(error_model="numpy", fastmath=FAST, inline="always")
