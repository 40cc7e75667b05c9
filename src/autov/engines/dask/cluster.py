"""Work on a Dask cluster: a local one, or one that somebody started with Dask's own tools.

The network, the queue and the replacement of workers that die are Dask's. Here is only what an `Engine` promises beyond
that: the function reaches each worker once, what a call raises comes out, a call that hangs is given up and its worker
restarted, and versions that differ are named before anything is computed.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autov.core import InputError, WorkerError
from autov.core.objects import executed_modules
from autov.engines.dask.mapping import DaskMap, SentFunction, gone
from autov.engines.dask.worker import difference, versions
from autov.engines.engine import Engine, Found, Item, Lost, Result, chunks
from autov.engines.jobs import Queue
from autov.engines.pickled import name_of, one_line, unsendable

COUNT_SECONDS = 2.0  # between two looks at how many workers there are


def distributed() -> Any:
    """The library, imported when it is needed."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise InputError('engine: dask is not installed; in a copy of the repository: pip install ".[dask]"') from None


def is_client(value: Any) -> bool:
    """Whether it is a Dask client; nothing is imported to find out."""
    library = sys.modules.get("distributed")
    return library is not None and isinstance(value, library.Client)


class OnDask(Engine):
    """The workers of a Dask client, which belongs to the caller unless ``owned`` things are to be closed with this."""

    message = 0.003  # seconds of the sender for a message and its answer, assumed (docs/parallel.md)

    def __init__(self, client: Any, owned: Iterable[Any] = ()) -> None:
        self.client = client
        self._owned = list(owned)
        self._workers, self._counted = 1, -COUNT_SECONDS
        self._function: SentFunction | None = None  # of the last map; it stays for the next, as in worker processes
        self.check_versions()

    @property
    def workers(self) -> int:  # type: ignore[override]
        """Threads of all workers that are there, asked every few seconds: it is a message to the scheduler."""
        if time.monotonic() - self._counted > COUNT_SECONDS:
            with contextlib.suppress(Exception):
                self._workers = max(1, sum(self.client.nthreads().values()))
            self._counted = time.monotonic()
        return self._workers

    def check_versions(self) -> None:
        """Say which worker has another version of what decides bits, or lacks it."""
        try:
            found = self.client.run(versions, on_error="return")
        except Exception as error:
            raise gone(self.client, error) from None
        ours = versions()
        for worker, theirs in found.items():
            if isinstance(theirs, BaseException):
                raise WorkerError(f"the Dask worker {worker} cannot run autov ({one_line(theirs)})")
            if (other := difference(worker, theirs, ours)) is not None:
                raise WorkerError(other)

    def map(
        self, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1, timeout: float | None = None,
        lost: Lost | None = None,
    ) -> Found[Result]:  # fmt: skip
        """(index, call(item)) as they finish; see Engine. Calls that run when it is cancelled continue to their end."""
        if self._function is None or not self._function.serves(call):
            self._function = SentFunction(self.client, call, _pickled(call))
        queue = Queue(iter(chunks(items, chunk)), 1 if timeout is not None else None)
        return DaskMap(self.client, lambda: self.workers, self._function, queue, timeout, lost).run()

    def close(self) -> None:
        """End what was started here; a client of the caller stays."""
        self._function = None
        close_all(self._owned)

    def __exit__(self, kind: Any = None, *_: Any) -> None:
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            return self.close()
        # Dask needs seconds to end a cluster, and an interrupted program none of that: it ends with all it has started.
        threading.Thread(target=self.close, daemon=True).start()
        return None


def close_all(opened: list[Any]) -> None:
    """Close clusters and clients, the last that was opened first."""
    while opened:
        with contextlib.suppress(Exception):
            opened.pop().close()


def apart(make: Callable[[], Any]) -> Any:
    """What ``make`` gives, made by a thread that Ctrl-C does not reach, nor the processes that it starts.

    A terminal sends Ctrl-C to all processes of a program; workers would all tell of it. And the caller, who waits, can
    be interrupted at any moment, while Dask cannot.
    """
    found: list[Any] = []
    given_up = threading.Event()

    def work() -> None:
        if hasattr(signal, "pthread_sigmask"):
            multiprocessing.get_context("spawn").Lock()  # starts Python's tracker of such things, which would undo this
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            found.append((make(), None))
        except Exception as error:
            found.append((None, error))
        if given_up.is_set():
            close_all([made for made, _ in found if made is not None])

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.1)
    except BaseException:
        given_up.set()
        raise
    made, error = found[0]
    if error is not None:
        raise error
    return made


@contextlib.contextmanager
def quiet_tracker() -> Iterator[None]:
    """Python's process that cleans up after a program that was ended, if it starts inside, does so without a word."""
    before = os.environ.get("PYTHONWARNINGS")
    quiet = "ignore:resource_tracker:UserWarning"
    os.environ["PYTHONWARNINGS"] = f"{before},{quiet}" if before else quiet
    try:
        yield
    finally:
        del os.environ["PYTHONWARNINGS"]
        if before is not None:
            os.environ["PYTHONWARNINGS"] = before


def _staying() -> contextlib.ExitStack:
    """Clusters of this process keep workers that are away until this is closed.

    A while after a worker went, Dask ends it for good if it is not there. One that is replaced whenever a call hangs
    may be away at just that moment, again; then there would be fewer and fewer workers, and none at last.
    """
    stack = contextlib.ExitStack()
    stack.enter_context(importlib.import_module("dask").config.set({"distributed.deploy.lost-worker-timeout": "1000d"}))
    return stack


def local_dask(workers: int) -> OnDask:
    """A cluster of single-threaded processes on this machine, reachable from it only; it ends with the engine."""
    library = distributed()
    opened: list[Any] = [_staying()]  # also what was opened before something failed is closed
    try:
        with quiet_tracker():
            cluster = apart(lambda: library.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0",
                host="127.0.0.1", silence_logs=50,
            ))  # fmt: skip
        opened.append(cluster)
        client = library.Client(cluster)
        opened.append(client)
        return OnDask(client, opened)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):  # see OnDask.__exit__
            threading.Thread(target=close_all, args=(opened,), daemon=True).start()
            raise
        close_all(opened)
        if isinstance(error, Exception) and not isinstance(error, WorkerError):
            raise WorkerError(f"no Dask cluster can be started here ({one_line(error)})") from None
        raise


def joined_dask(scheduler: str | None, scheduler_file: str | None) -> OnDask:
    """A cluster that runs somewhere, by the address or the file of its scheduler."""
    library = distributed()
    for name in ("distributed", "distributed.client"):  # what is lost is told in one line here
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with warnings.catch_warnings(record=True) as told:  # Dask tells of other versions, too, in a table
        warnings.simplefilter("always")
        try:
            client = library.Client(scheduler, scheduler_file=scheduler_file, timeout="10s")
        except Exception as error:
            place = scheduler or scheduler_file
            raise WorkerError(f"no Dask scheduler answers at {place} ({one_line(error)})") from None
    try:
        found = OnDask(client, [client])
    except BaseException:
        client.close()
        raise
    for one in told:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return found


def _pickled(call: Any) -> bytes:
    """Versions of the client and a callable; functions of scripts and of files that were named travel as code."""
    cloudpickle = importlib.import_module("cloudpickle")
    modules = executed_modules()
    try:
        for module in modules:
            cloudpickle.register_pickle_by_value(module)
        return pickle.dumps((versions(), cloudpickle.dumps(call)))
    except Exception as error:
        raise unsendable(name_of(call), one_line(error)) from None
    finally:
        for module in modules:
            with contextlib.suppress(ValueError):
                cloudpickle.unregister_pickle_by_value(module)
