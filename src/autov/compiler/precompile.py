"""Kernels that will be needed soon are compiled in another process, while this one compiles what it needs now.

Compiling takes seconds of one core, once on a machine. What the other process has compiled is found on disk, as if an
earlier program had left it there; if it fails, this one compiles for itself.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import multiprocessing
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from autov.compiler.backend import has_own_cache
from autov.compiler.functions import Kernel

PROGRAM = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from autov.compiler.precompile import serve
serve(sys.stdin.buffer)
"""
_ready: list[subprocess.Popen[bytes]] = []  # one that waits for work


def start_worker() -> None:
    """Let the other process load what it needs already, if nothing at all is on disk yet: there will be work for it."""
    if not _ready and _is_worthwhile():
        from autov.compiler.cache import is_empty

        if is_empty():
            _start()


def precompile(calls: Iterable[tuple[Kernel, tuple[Any, ...]]]) -> None:
    """Have the kernels compiled for such arguments that are not yet; a call of one waits until it is.

    Each kernel is considered once in a process, so asking again costs nothing.
    """
    if not _is_worthwhile():
        return
    from autov.compiler.cache import is_cached

    missing = []
    for kernel, arguments in calls:
        if not kernel.considered:
            kernel.considered = True
            signature = tuple(kernel.dispatcher.typeof_pyval(argument) for argument in arguments)
            if signature not in kernel.dispatcher.overloads and is_cached(kernel.dispatcher, signature) is False:
                missing.append((kernel, signature))
    if missing:
        _compile_in_worker(missing)


def _is_worthwhile() -> bool:
    """Whether another process would have a core of its own; a program that embeds Python is not started again.

    What Numba's own cache has on disk is unknown, so nothing is precompiled for it.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    python = Path(sys.executable or "").stem.startswith("python") and not getattr(sys, "frozen", False)
    return has_own_cache() and python and cores > 1 and multiprocessing.parent_process() is None


def _start() -> None:
    nothing, no_window = subprocess.DEVNULL, getattr(subprocess, "CREATE_NO_WINDOW", 0)
    with contextlib.suppress(OSError):  # this process can do it, too
        # -P: files of the current folder are not modules.
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM], stdin=subprocess.PIPE, stdout=nothing, stderr=nothing,
            creationflags=no_window,
        )  # fmt: skip
        atexit.register(_end, process)
        _ready.append(process)
        _send(process, sys.path)


def _compile_in_worker(missing: list[tuple[Kernel, Any]]) -> None:
    wanted = [(kernel.py_func.__module__, kernel.py_func.__name__, signature) for kernel, signature in missing]
    if not _ready:
        _start()
    if _ready:
        process = _ready.pop()
        for kernel, _ in missing:
            kernel.pending = process
        _send(process, wanted)
        process.stdin.close()  # type: ignore[union-attr]


def _send(process: subprocess.Popen[bytes], what: Any) -> None:
    with contextlib.suppress(OSError, pickle.PicklingError, AttributeError, TypeError):  # then it does nothing
        process.stdin.write(pickle.dumps(what))  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def serve(orders: BinaryIO) -> None:
    """Compile what is wanted; in the other process."""
    from numba.core.registry import cpu_target

    context: Any = cpu_target.target_context
    context.refresh()  # what every compilation needs, before it is known which
    with contextlib.suppress(EOFError):  # nothing was wanted
        for module, name, signature in pickle.load(orders):
            getattr(importlib.import_module(module), name).dispatcher.compile(signature)
