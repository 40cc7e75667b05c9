"""The inside of a worker process."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from autov.engines.pickled import dumps, one_line, pack_error

# The first byte of every answer says what follows it.
READY, UNKNOWN, DONE, RAISED, UNSENDABLE = b"1", b"2", b"3", b"4", b"5"


def serve(connection: Connection, call: bytes) -> None:
    """Unpickle the function once, then answer each list of items with the list of results; nothing sent ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends the workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a forked worker may have the parent's handler
    threading.Thread(target=_follow_parent, args=(os.getppid(),), daemon=True).start()
    try:
        function = pickle.loads(call)
    except Exception as error:
        connection.send_bytes(UNKNOWN + dumps(one_line(error)))
        return
    single_threaded()  # after the function has brought its libraries
    connection.send_bytes(READY)
    try:
        while received := connection.recv_bytes():
            connection.send_bytes(_answer(function, received))
    except (EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone, which is no news of this process
        os._exit(1)


def _answer(function: Callable[[Any], Any], received: bytes) -> bytes:
    try:
        results = [function(item) for item in pickle.loads(received)]
    except BaseException as error:
        return RAISED + pack_error(error)
    try:
        return DONE + dumps(results)
    except Exception as error:
        return UNSENDABLE + dumps(one_line(error))


def single_threaded() -> None:
    """Initialise a worker process: one thread for BLAS and for Numba, so that workers do not fight for cores."""
    from threadpoolctl import threadpool_limits

    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # for libraries that are loaded later
    threadpool_limits(1)
    if "numba" in sys.modules:
        import numba

        numba.set_num_threads(1)
    else:  # not imported for this alone, which would take longer than the rest of the start
        os.environ["NUMBA_NUM_THREADS"] = "1"


def _follow_parent(parent_id: int) -> None:
    """End with the parent, even if it was killed."""
    parent = multiprocessing.parent_process()
    # Processes forked later may hold the parent's end of what `join` waits for, so its number is looked at, too.
    while parent is not None and parent.is_alive() and os.getppid() == parent_id:
        parent.join(0.5)
    os._exit(1)
