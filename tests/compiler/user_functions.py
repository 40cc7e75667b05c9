"""A program of a user of Numba: it prints what its compilations gave, and what of the process they found changed.

The first argument says what happens before: nothing, autov is imported, or autov has compiled and run kernels.
"""

# ruff: noqa: T201
from __future__ import annotations

import gc
import hashlib
import inspect
import json
import re
import signal
import sys
from typing import Any

import numba
import numpy as np
from numba import carray, cfunc, njit, prange, types
from numba.core import compiler_machinery, config, event
from numba.core.datamodel import default_manager
from numba.core.registry import cpu_target
from numba.core.typing.typeof import typeof_impl
from numba.experimental import jitclass
from numba.extending import overload


@njit
def plain(x):
    total = 0.0
    for value in x:
        total += value * 3.0
    return total + min(x[0], 2.0) - x[-1]


@njit(parallel=True)
def in_parallel(x):
    total = 0.0
    for i in prange(x.size):
        total += x[i] * x[i]
    return total


@njit(fastmath=True)
def fast(x):
    total = 0.0
    for value in x:
        total += value / 3.0
    return total


@njit(cache=True)
def cached(x):
    return x[::2].sum() + np.sqrt(x).max()


@njit(error_model="python", boundscheck=True)
def checked(x, i):
    return x[i] / x[0]


@njit
def calls(x):
    parts = [value + 1 for value in x]
    return plain(x) + len(parts) + len(str(x.size))


during: list[Any] = []  # what a compilation found


def observed(x):
    """Python's version of a function that is overloaded."""
    return x


@overload(observed)
def _observed(x):  # noqa: ARG001
    during.append([gc.isenabled(), gc.get_freeze_count(), str(signal.getsignal(signal.SIGINT))])
    return lambda x: 2 * x


@njit
def observes(x):
    return observed(x[0])


@jitclass([("total", types.float64)])
class Sum:
    def __init__(self):
        self.total = 0.0

    def add(self, value):
        self.total += value
        return self.total


def patched() -> dict[str, int]:
    """Every function of every class and module of Numba and llvmlite, by its identity."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ("numba", "llvmlite"):
            for owner in [module, *(v for v in list(vars(module).values()) if inspect.isclass(v))]:
                for key, value in list(vars(owner).items()):
                    if callable(value) or isinstance(value, (property, classmethod, staticmethod)):
                        found[f"{name} {getattr(owner, '__qualname__', '')} {key}"] = id(value)
    return found


def names(registry: Any) -> list[str]:
    """The classes that something is registered for, but for autov's own."""
    found = {f"{one.__module__}.{one.__qualname__}" for one in registry if inspect.isclass(one)}
    return sorted(name for name in found if not name.startswith("autov."))


def global_state() -> dict[str, Any]:
    """What compilations of others could change."""
    context: Any = cpu_target.target_context
    return {
        "gc": [gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), len(gc.callbacks)],
        "signals": [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())],
        "hooks": [str(hook) for hook in (sys.excepthook, sys.unraisablehook, sys.gettrace(), sys.getprofile())],
        "listeners": {str(key): len(value) for key, value in event._registered.items()},
        "config": {name: repr(value) for name, value in sorted(vars(config).items()) if name.isupper()},
        "contexts": [sorted(vars(context)), sorted(vars(cpu_target.typing_context))],
        "classes": [str(type(one)) for one in (context, context.typing_context, cpu_target.typing_context)],
        "compiler": str(numba.core.compiler.Compiler),
        "models": names(default_manager._handlers),
        "types": names(typeof_impl.registry),
        "passes": names(compiler_machinery._pass_registry._registry),
    }


COUNTED = "|".join(
    (
        r"B\d+v\d+",  # the number of a compilation
        r"(?<=_)0x[0-9a-f]+|(?<=\bat )0x[0-9a-f]+|(?<=pickledata\.)\d+|(?<=picklebuf\.)\d+",  # addresses
        r"(?<=\bB)\d+",  # blocks
        r"\[\d+ x i8\]|\.size.*const.*",  # lengths of such names
        r" *;.*",  # comments
    )
)


def text_of(code: str) -> str:
    """Machine code without what Numba counts or places anew in every process."""
    return hashlib.sha256(re.sub(COUNTED, "", code).encode()).hexdigest()


def work() -> dict[str, Any]:
    """Compile and call users' functions."""
    x = np.linspace(0.5, 2.0, 1001)
    values = [float(f(x)) for f in (plain, in_parallel, fast, cached, calls, observes)] + [float(checked(x, 7))]
    total = Sum()
    values += [total.add(2.0), total.add(0.1)]

    @cfunc(types.float64(types.CPointer(types.float64), types.intp))
    def callback(pointer, size):
        found = 0.0
        for value in carray(pointer, size):
            found += value
        return found

    values.append(callback.ctypes(x.ctypes.data_as(callback.ctypes.argtypes[0]), x.size))
    functions = [f for f in (plain, fast, cached, calls, checked, observes, in_parallel) if not f.stats.cache_hits]
    code = {f.__name__: [text_of(one) for one in f.inspect_asm().values()] for f in functions}
    llvm = {f.__name__: [text_of(one) for one in f.inspect_llvm().values()] for f in functions}
    hits = [sum(cached.stats.cache_hits.values()), sum(cached.stats.cache_misses.values())]
    return {
        "values": [value.hex() for value in values], "code": code, "llvm": llvm, "cache": hits, "during": during,
        "callback": text_of(callback.inspect_llvm()),
        "pipelines": [str(f._compiler.pipeline_class) for f in functions],
    }  # fmt: skip


def use_autov(how: str) -> None:
    """What happens in the process before."""
    if how != "without":
        import autov
        import autov.algorithms
        import autov.kernels.evolution.many

        if how == "run":
            from numba.core.caching import NullCache

            from autov.kernels.order import sort_order

            sort_order.dispatcher._cache = NullCache()  # compiled here, not loaded
            sort_order(np.array([3.0, 1.0, 2.0]), 3, np.empty((2, 3), np.int64))
            autov.minimize("rastrigin", dim=3, algorithm=autov.algorithms.Evolution("paper-h3"), maxfev=300, rng=1)


if __name__ == "__main__":
    plain(np.ones(3, np.float32))  # Numba completes its contexts when it compiles for the first time
    before, functions = global_state(), patched()
    use_autov(sys.argv[1])
    changed = [name for name, value in patched().items() if functions.get(name, value) != value]
    between, done = global_state(), work()
    print(json.dumps({"changed": changed, "states": [before, between, global_state()], "work": done}))
