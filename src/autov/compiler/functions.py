"""The kinds of compiled functions, as decorators; the backend has the options of each."""

# pyright: reportCallIssue=false
# (njit takes more options than its stub declares)

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numba
from numba import njit, types
from numba.extending import models, register_model, typeof_impl

from autov.compiler.backend import backend, has_own_cache
from autov.compiler.plain import FASTMATH
from autov.compiler.signals import compiling

_options: Any = backend()
NOT_CACHED = (
    "autov: compiled code cannot be kept, every process compiles anew: neither the package nor the user's cache folder "
    "can be written; set NUMBA_CACHE_DIR to a folder that can"
)


class Function:
    """A function that kernels call; Python calls it as the plain function that it is."""

    __name__: str

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.callee = njit(**options)(function)  # what other compiled functions call

    def __call__(self, *args: Any) -> Any:
        """Without compiling anything."""
        return self.py_func(*args)


class Kernel(Function):
    """A function that both call: other kernels, and Python, for which it is compiled when it is called first."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], more: dict[str, Any]) -> None:
        super().__init__(function, options | more)
        self.dispatcher = _cached(njit(**(_options.KERNEL | more))(function))
        self.considered = False  # whether it should be precompiled
        self.pending: Any = None  # the process that precompiles it

    def __call__(self, *args: Any) -> Any:
        """Compiled."""
        pending = self.pending  # another thread may set it to None
        if pending is not None:
            pending.wait()
            self.pending = None
        return self.dispatcher(*args)


class CalleeType(types.Dispatcher):
    """The type of a `Function` in compiled code: Numba compiles it once for all constants of a type, not for each."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature for such arguments."""
        return super().get_call_type(context, tuple(types.unliteral(arg) for arg in args), kws)


register_model(CalleeType)(models.OpaqueModel)


@typeof_impl.register(Function)
def _type_of(function: Function, _context: Any) -> CalleeType:
    return CalleeType(function.callee)


def _cached(dispatcher: Any) -> Any:
    """The dispatcher, which keeps its machine code on disk and compiles and loads in a `compiling` block."""
    if has_own_cache():
        from autov.compiler.cache import enable_cache

        enable_cache(dispatcher, dispatcher.py_func)
    else:
        try:
            dispatcher.enable_caching()
        except RuntimeError:  # Numba finds no folder that it can write
            _warn_once()
    compile_for_args = getattr(dispatcher, "_compile_for_args", None)
    if compile_for_args is not None:

        def in_block(*args: Any, **kws: Any) -> Any:
            with compiling():
                return compile_for_args(*args, **kws)

        dispatcher._compile_for_args = in_block
    return dispatcher


@functools.cache
def _warn_once() -> None:
    warnings.warn(NOT_CACHED, RuntimeWarning, stacklevel=2)


def kernel(function: Callable[..., Any]) -> Kernel:
    """For functions that Python calls, and others may; they are given all arrays that they need."""
    return Kernel(function, _options.INLINE, {})


def allocating(function: Callable[..., Any]) -> Kernel:
    """The same for those that make arrays."""
    return Kernel(function, _options.INLINE, _options.ALLOCATING)


def noinline(function: Callable[..., Any]) -> Kernel:
    """For the steps of a run: each stays a function, so that its rounding does not depend on what is around it.

    LLVM also takes much longer for one long loop than for the steps in it.
    """
    return Kernel(function, _options.NOINLINE, {})


def internal(function: Callable[..., Any]) -> Function:
    """For functions that only kernels call."""
    return Function(function, _options.INLINE)


# Objectives, whose values are published, and what only they call are optimised one by one, as Numba does it, whatever
# the backend: their rounding stays as it has always been.
def objective(function: Callable[..., Any]) -> Any:
    """For functions that objectives are made of; Python calls them compiled."""
    return _cached(njit(**_options.OBJECTIVE)(function))


def helper(function: Callable[..., Any]) -> Any:
    """For functions that only objectives call."""
    return njit(no_cpython_wrapper=True, **_options.OBJECTIVE)(function)


inlined: Any = njit(error_model="numpy", fastmath=FASTMATH, inline="always")


def _c_function_of_numba(function: Callable[..., None], signature: Any, cache: bool) -> Any:
    try:
        return numba.cfunc(signature, cache=cache, **_options.C_FUNCTION)(function)
    except RuntimeError:
        if not cache:
            raise
        _warn_once()
        return numba.cfunc(signature, **_options.C_FUNCTION)(function)


def compile_c_function(function: Callable[..., None], signature: Any, cache: bool = True) -> Any:
    """A C function; the result must be kept alive while its ``address`` is in use."""
    with compiling():
        if not has_own_cache():
            return _c_function_of_numba(function, signature, cache)
        from numba.core.ccallback import CFunc

        from autov.compiler.cache import enable_cache

        options = dict(_options.C_FUNCTION)
        pipeline = {name: options.pop(name) for name in ("pipeline_class",) if name in options}
        compiled = CFunc(function, (signature.args, signature.return_type), locals={}, options=options, **pipeline)
        if cache:
            enable_cache(compiled, function)
        compiled.compile()
        return compiled
