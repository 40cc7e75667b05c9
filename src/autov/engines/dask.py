"""Work on a Dask cluster: a local one, or one that somebody started with Dask's own tools.

The network, the queue and the replacement of workers that die are Dask's. Here is only what an `Engine` promises beyond
that: the function reaches each worker once, what a call raises comes out, a call that hangs is given up and its worker
restarted, and versions that differ are named before anything is computed.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.metadata
import platform
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from autov.core import InputError, WorkerError
from autov.core.objects import executed_modules
from autov.core.threads import one_blas_thread
from autov.engines.base import Engine, Found, Item, Lost, Result, chunks
from autov.engines.jobs import Job, Queue
from autov.engines.pickled import name_of, one_line, pack_error, unpack_error, unsendable

DONE, RAISED, UNKNOWN, LATE = "done", "raised", "unknown", "late"
GONE_SECONDS = 10.0  # without a connection, after which a scheduler is taken for dead
COUNT_SECONDS = 2.0  # between two looks at how many workers there are
_functions: dict[str, Any] = {}  # in a worker: digest -> function, unpickled once


def distributed() -> Any:
    """The library, imported when it is needed."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise InputError('engine: dask is not installed; pip install "autov[dask]"') from None


def is_client(value: Any) -> bool:
    """Whether it is a Dask client; nothing is imported to find out."""
    library = sys.modules.get("distributed")
    return library is not None and isinstance(value, library.Client)


def versions() -> dict[str, str]:
    """What must be the same on client and workers for the same bits."""
    found = {name: importlib.metadata.version(name) for name in ("autov", "numpy", "numba")}
    return {"python": platform.python_version(), **found}


class Suspects:
    """Calls that were at a worker when it ended: each is made once more, alone, since only one of them is to blame."""

    def __init__(self) -> None:
        self._waiting: deque[Job] = deque()
        self._seen: set[int] = set()

    def take(self, job: Job) -> bool:
        """Whether it gets another chance."""
        if job.first in self._seen:
            return False
        self._seen.add(job.first)
        self._waiting.append(job)
        return True

    def next(self) -> Job | None:
        """The next one, for a cluster that has nothing else to do."""
        return self._waiting.popleft() if self._waiting else None


class OnDask(Engine):
    """The workers of a Dask client, which belongs to the caller unless ``owned`` things are to be closed with this."""

    def __init__(self, client: Any, owned: Iterable[Any] = ()) -> None:
        self.client = client
        self._owned = list(owned)
        self._workers, self._counted = 1, -COUNT_SECONDS
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
            raise self._gone(error) from None
        ours = versions()
        for worker, theirs in found.items():
            if isinstance(theirs, BaseException):
                raise WorkerError(f"the Dask worker {worker} cannot run autov ({one_line(theirs)})")
            for name, version in ours.items():
                if theirs.get(name) != version:
                    raise WorkerError(
                        f"the Dask worker {worker} has {name} {theirs.get(name)}, the client has {version}; results "
                        f"would differ"
                    )

    def map(
        self, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1, timeout: float | None = None,
        lost: Lost | None = None,
    ) -> Found[Result]:  # fmt: skip
        """(index, call(item)) as they finish; see Engine. Calls that run when it is cancelled go on to their end."""
        sent = _pickled(call)
        return self._map(
            call, sent, Queue(iter(chunks(items, chunk)), 1 if timeout is not None else None), timeout, lost
        )

    def _map(
        self, call: Any, sent: bytes, queue: Queue, timeout: float | None, lost: Lost | None
    ) -> Found[Any]:  # fmt: skip
        digest = hashlib.sha256(sent).hexdigest()
        flying: dict[Any, Job] = {}
        suspects = Suspects()
        try:
            # A task of its own, which Dask moves to each worker once, and computes again if all that had it are gone.
            function = self.client.submit(_bytes, sent, key=f"autov-function-{digest}-{id(queue)}", pure=False)
            self._fill(queue, suspects, flying, function, digest, timeout)
            while flying:
                ready: deque[tuple[int, list[Any]]] = deque()
                failure = None
                done = self._finished(flying)
                answers = self._gathered(done)
                for future in done:
                    job = flying.pop(future)
                    answer = answers.get(future.key)
                    results, problem = self._outcome(call, future, answer, job, queue, suspects, timeout, lost)
                    failure = failure or problem
                    if results is not None:
                        ready.append((job.first, results))
                if failure is None:
                    self._fill(queue, suspects, flying, function, digest, timeout)
                for first, results in ready:
                    yield from enumerate(results, first)
                if failure is not None:
                    raise failure
                self._fill(queue, suspects, flying, function, digest, timeout)
        finally:
            with contextlib.suppress(Exception):
                self.client.cancel(list(flying), force=True)

    def _fill(
        self, queue: Queue, suspects: Suspects, flying: dict[Any, Job], function: Any, digest: str,
        timeout: float | None,
    ) -> None:  # fmt: skip
        limit = 4 * self.workers  # some wait at the workers, so that none waits for a message
        while len(flying) < limit:
            job = queue.next() or (None if flying else suspects.next())
            if job is None:
                return
            try:
                future = self.client.submit(_work, function, digest, job.items, timeout, pure=False, retries=0)
            except Exception as error:
                raise self._gone(error) from None
            flying[future] = job

    def _finished(self, flying: dict[Any, Job]) -> list[Any]:
        """Futures that are done, one way or another; WorkerError if the scheduler is gone."""
        library, since = distributed(), None
        while True:
            done = [future for future in flying if future.status != "pending"]
            if done:
                return done
            if self.client.status != "running":
                since = since or time.monotonic()
                if self.client.status in ("closed", "closing") or time.monotonic() - since > GONE_SECONDS:
                    raise self._gone(None)
                time.sleep(0.1)
                continue
            since = None
            with contextlib.suppress(library.TimeoutError, TimeoutError):
                library.wait(list(flying), timeout=1.0, return_when="FIRST_COMPLETED")

    def _gathered(self, done: list[Any]) -> dict[str, Any]:
        """Answers of futures that have one, fetched together."""
        finished = [future for future in done if future.status == "finished"]
        with contextlib.suppress(Exception):
            return {f.key: a for f, a in zip(finished, self.client.gather(finished), strict=True)}
        return {}  # one of them is lost: they are asked one by one

    def _outcome(
        self, call: Any, future: Any, answer: Any, job: Job, queue: Queue, suspects: Suspects,
        timeout: float | None, lost: Lost | None,
    ) -> tuple[list[Any] | None, BaseException | None]:  # fmt: skip
        """Results of a future, or what went wrong."""
        if future.status in ("cancelled", "lost"):
            return None, self._gone(None)
        if future.status == "error":
            error = future.exception()
            if type(error).__name__ != "KilledWorker":
                return None, unsendable(name_of(call), one_line(error))
            if not job.again and len(job.items) > 1:
                queue.send_again(job)
                return None, None
            if suspects.take(job):
                return None, None
            reason = "its Dask worker ended several times, each time in this call (out of memory?)"
            return self._give_up(job, lost, reason)
        try:
            kind, content = answer or future.result()
        except Exception as error:
            return None, self._gone(error)
        if kind == DONE:
            return content, None
        if kind == RAISED:
            return None, unpack_error(content)
        if kind == UNKNOWN:
            return None, unsendable(name_of(call), content)
        with contextlib.suppress(Exception):  # a worker without a nanny cannot be restarted, but goes on
            self.client.cancel([future], force=True)  # else its loss would make Dask compute, and hang, again
            self.client.restart_workers([content], raise_for_error=False)
        return self._give_up(job, lost, f"took longer than {timeout:g} s")

    def _give_up(self, job: Job, lost: Lost | None, reason: str) -> tuple[list[Any] | None, BaseException | None]:
        if lost is not None:
            return [lost(job.first, reason)], None
        error = WorkerError(f"an evaluation {reason}" if reason.startswith("took") else reason)
        error.item = job.items[0]  # type: ignore[attr-defined]
        return None, error

    def _gone(self, error: BaseException | None) -> WorkerError:
        address = getattr(getattr(self.client, "scheduler", None), "address", None) or "unknown"
        why = f" ({one_line(error)})" if error is not None else ""
        return WorkerError(f"the Dask scheduler at {address} is gone{why}; what was written is kept, go on with resume")

    def close(self) -> None:
        """End what was started here; a client of the caller stays."""
        while self._owned:
            with contextlib.suppress(Exception):
                self._owned.pop().close()


def local_dask(workers: int) -> OnDask:
    """A cluster of single-threaded processes on this machine, reachable from it only; it ends with the engine."""
    library = distributed()
    cluster = library.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1",
        silence_logs=50,
    )  # fmt: skip
    client = library.Client(cluster)
    return OnDask(client, [cluster, client])


def joined_dask(scheduler: str | None, scheduler_file: str | None) -> OnDask:
    """A cluster that runs somewhere, by the address or the file of its scheduler."""
    library = distributed()
    try:
        client = library.Client(scheduler, scheduler_file=scheduler_file, timeout="10s")
    except Exception as error:
        place = scheduler or scheduler_file
        raise WorkerError(f"no Dask scheduler answers at {place} ({one_line(error)})") from None
    return OnDask(client, [client])


def _pickled(call: Any) -> bytes:
    """Bytes of a callable; functions of scripts and of files that were named travel with their code."""
    cloudpickle = importlib.import_module("cloudpickle")
    modules = executed_modules()
    try:
        for module in modules:
            cloudpickle.register_pickle_by_value(module)
        return cloudpickle.dumps(call)
    except Exception as error:
        raise unsendable(name_of(call), one_line(error)) from None
    finally:
        for module in modules:
            with contextlib.suppress(ValueError):
                cloudpickle.unregister_pickle_by_value(module)


def _bytes(sent: bytes) -> bytes:
    return sent


def _work(sent: bytes, digest: str, items: list[Any], timeout: float | None) -> tuple[str, Any]:
    """In a worker: results of some items, or what went wrong."""
    if digest not in _functions:
        try:
            _functions[digest] = importlib.import_module("cloudpickle").loads(sent)
        except Exception as error:
            return UNKNOWN, one_line(error)
        while len(_functions) > 8:
            _functions.pop(next(iter(_functions)))
    function = _functions[digest]
    if timeout is None:
        return _results(function, items)
    found: list[tuple[str, Any]] = []
    thread = threading.Thread(target=lambda: found.append(_results(function, items)), daemon=True)
    thread.start()
    thread.join(timeout)
    return found[0] if found else (LATE, distributed().get_worker().address)


def _results(function: Callable[[Any], Any], items: list[Any]) -> tuple[str, Any]:
    try:
        with one_blas_thread():
            return DONE, [function(item) for item in items]
    except BaseException as error:
        return RAISED, pack_error(error)
