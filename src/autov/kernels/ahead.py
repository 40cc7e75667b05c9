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
from typing import Any

from autov.kernels.cache import on_disk
from autov.kernels.jit import Kernel

PROGRAM = """
import pickle, sys
sys.path[:], wanted = pickle.load(sys.stdin.buffer)
from autov.kernels.ahead import serve
serve(wanted)
"""


def compile_ahead(calls: Iterable[tuple[Kernel, tuple[Any, ...]]]) -> None:
    """Have the kernels compiled for such arguments that are not yet; a call of one waits until it is.

    Each kernel is looked at once in a process, so asking again costs nothing.
    """
    missing = []
    for kernel, arguments in calls:
        if not kernel.looked_at:
            kernel.looked_at = True
            signature = tuple(kernel.dispatcher.typeof_pyval(argument) for argument in arguments)
            if signature not in kernel.dispatcher.overloads and on_disk(kernel.dispatcher, signature) is False:
                missing.append((kernel, signature))
    if missing and _worthwhile():
        _compile_elsewhere(missing)


def _worthwhile() -> bool:
    """Whether another process would have a core of its own; a program that embeds Python is not started again."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    python = Path(sys.executable or "").stem.startswith("python") and not getattr(sys, "frozen", False)
    return python and cores > 1 and multiprocessing.parent_process() is None


def _compile_elsewhere(missing: list[tuple[Kernel, Any]]) -> None:
    wanted = [(kernel.py_func.__module__, kernel.py_func.__name__, signature) for kernel, signature in missing]
    with contextlib.suppress(OSError, pickle.PicklingError, AttributeError, TypeError):  # this process can do it, too
        data = pickle.dumps((sys.path, pickle.dumps(wanted)))  # read at once: a pipe may hold little
        nothing, no_window = subprocess.DEVNULL, getattr(subprocess, "CREATE_NO_WINDOW", 0)
        # -P: files of the current folder are not modules.
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM], stdin=subprocess.PIPE, stdout=nothing, stderr=nothing,
            creationflags=no_window,
        )  # fmt: skip
        atexit.register(_end, process)
        for kernel, _ in missing:
            kernel.coming = process
        with process.stdin as pipe:  # type: ignore[union-attr]
            pipe.write(data)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def serve(wanted: bytes) -> None:
    """Compile what is wanted; in the other process."""
    for module, name, signature in pickle.loads(wanted):
        getattr(importlib.import_module(module), name).dispatcher.compile(signature)
