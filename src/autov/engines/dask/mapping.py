"""One map on the workers of a Dask client: what is sent, what comes back, and what is sent again."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import hashlib
import importlib
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from autov.core import WorkerError
from autov.core.ending import end_if_asked
from autov.engines.dask.worker import DONE, OTHER, RAISED, UNKNOWN, same_bytes, work
from autov.engines.engine import Found, Lost
from autov.engines.jobs import Job, Queue
from autov.engines.pickled import name_of, one_line, same, unpack_error, unsendable

GONE_SECONDS = 10.0  # without a connection, after which a scheduler is taken for dead
CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError)  # Dask's is one of them
COMING = ("pending", "lost")  # calls without an answer: Dask makes those again whose answer was lost with a worker
AHEAD = 4  # calls in flight for each worker: some wait there, so that no worker waits for a message


class SentFunction:
    """A function at the workers: a task of its own, which Dask moves to each worker once, and again if all are gone."""

    def __init__(self, client: Any, call: Any, sent: bytes) -> None:
        self.call, self.digest = call, hashlib.sha256(sent).hexdigest()
        key = f"autov-function-{self.digest}-{id(self)}"
        try:
            self.future = client.submit(same_bytes, sent, key=key, pure=False)
        except Exception as error:
            raise gone(client, error) from None
        # Dask sends a call to where its function is. Where only one worker has it, few calls wait there for each other.
        with contextlib.suppress(Exception, *CANCELLED):
            importlib.import_module("distributed").wait(self.future, timeout=1.0)
            client.replicate([self.future])

    def serves(self, call: Any) -> bool:
        """Whether it is this function, and still there."""
        return same(self.call, call) and self.future.status in ("pending", "finished")


class Suspects:
    """Calls that were at a worker when it ended: each is made once more, alone, since only one of them is to blame."""

    def __init__(self) -> None:
        self.trying: Any = None  # the future of the one that is being made
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


class DaskMap:
    """See `Engine.map`; ``workers`` says how many workers there are now."""

    def __init__(
        self, client: Any, workers: Callable[[], int], function: SentFunction, queue: Queue, timeout: float | None,
        lost: Lost | None,
    ) -> None:  # fmt: skip
        self.client, self.workers, self.function, self.queue = client, workers, function, queue
        self.timeout, self.lost = timeout, lost
        self._flying: dict[Any, Job] = {}
        self._suspects = Suspects()

    def run(self) -> Found[Any]:
        """(index, result) as they come."""
        try:
            self._fill()
            while self._flying:
                end_if_asked()
                done = {future: self._flying.pop(future) for future in self._finished()}
                if all(future.status == "finished" for future in done):
                    self._fill()  # first, since fetching the answers takes several messages
                answers = self._gathered(list(done))
                ready: list[tuple[int, list[Any]]] = []
                failure = None
                for future, job in done.items():
                    results, problem = self._outcome(future, answers.get(future.key), job)
                    failure = failure or problem
                    if results is not None:
                        ready.append((job.first, results))
                if failure is None:
                    self._fill()  # before the caller, who may take long, sees the results
                for first, results in ready:
                    yield from enumerate(results, first)
                if failure is not None:
                    raise failure
                self._fill()  # where there was nothing until the caller saw the results
        finally:
            with contextlib.suppress(Exception):
                self.client.cancel(list(self._flying), force=True)

    def _fill(self) -> None:
        suspects, flying = self._suspects, self._flying
        limit = AHEAD * self.workers()
        while len(flying) < limit and suspects.trying not in flying:
            job = self.queue.next()
            alone = job is None and not flying
            job = suspects.next() if alone else job
            if job is None:
                return
            try:
                future = self.client.submit(
                    work, self.function.future, self.function.digest, job.items, self.timeout, pure=False, retries=0
                )
            except Exception as error:
                raise gone(self.client, error) from None
            flying[future] = job
            if alone:
                suspects.trying = future

    def _finished(self) -> list[Any]:
        """Futures that are done, one way or another; WorkerError if the scheduler is gone."""
        since = None
        while True:
            done = [future for future in self._flying if future.status not in COMING]
            if done:
                return done
            if self.client.status != "running":
                since = since or time.monotonic()
                if self.client.status in ("closed", "closing") or time.monotonic() - since > GONE_SECONDS:
                    raise gone(self.client)
                time.sleep(0.1)
                continue
            since, library = None, importlib.import_module("distributed")
            # Futures that a lost scheduler cancels are raised, too: their status says it better.
            with contextlib.suppress(library.TimeoutError, TimeoutError, *CANCELLED):
                library.wait(list(self._flying), timeout=1.0, return_when="FIRST_COMPLETED")

    def _gathered(self, done: list[Any]) -> dict[str, Any]:
        """Answers of futures that have one, fetched together."""
        finished = [future for future in done if future.status == "finished"]
        with contextlib.suppress(Exception, *CANCELLED):
            return {f.key: a for f, a in zip(finished, self.client.gather(finished), strict=True)}
        return {}  # one of them is lost: they are asked one by one

    def _outcome(self, future: Any, answer: Any, job: Job) -> tuple[list[Any] | None, BaseException | None]:
        """Results of a future, or what went wrong; neither if the job is sent again."""
        status = "finished" if answer is not None else future.status
        if status in COMING:
            self._flying[future] = job
            return None, None
        if status == "cancelled":
            return None, gone(self.client)
        if status == "error":
            error = future.exception()
            if type(error).__name__ != "KilledWorker":
                return None, unsendable(name_of(self.function.call), one_line(error))
            if not job.again and len(job.items) > 1:
                self.queue.send_again(job)
                return None, None
            if self._suspects.take(job):
                return None, None
            return self._give_up(job, "its Dask worker ended several times, each time in this call (out of memory?)")
        try:
            kind, content = answer or future.result()
        except (Exception, *CANCELLED) as error:
            return None, gone(self.client, error)
        if kind == DONE:
            return content, None
        if kind == RAISED:
            return None, unpack_error(content)
        if kind == UNKNOWN:
            return None, unsendable(name_of(self.function.call), content)
        if kind == OTHER:
            return None, WorkerError(content)
        self._replace(content, future)
        return self._give_up(job, f"took longer than {self.timeout:g} s")

    def _replace(self, worker: str, future: Any) -> None:
        """Restart the worker of a call that hangs; one without a nanny cannot be restarted, but continues.

        Its loss would make Dask compute the call, and hang, again; so the scheduler must have heard before that nobody
        wants it, which takes another way than the wish to restart.
        """
        with contextlib.suppress(Exception):
            self.client.cancel([future], force=True)
            end = time.monotonic() + GONE_SECONDS
            while future.key in self.client.has_what([worker]).get(worker, ()) and time.monotonic() < end:
                time.sleep(0.01)
            self.client.restart_workers([worker], timeout=GONE_SECONDS, raise_for_error=False)  # others wait meanwhile

    def _give_up(self, job: Job, reason: str) -> tuple[list[Any] | None, BaseException | None]:
        if self.lost is not None:
            return [self.lost(job.first, reason)], None
        error = WorkerError(f"an evaluation {reason}" if reason.startswith("took") else reason)
        error.item = job.items[0]  # type: ignore[attr-defined]
        return None, error


def gone(client: Any, error: BaseException | None = None) -> WorkerError:
    """The error of a scheduler that does not answer."""
    address = getattr(getattr(client, "scheduler", None), "address", None) or "unknown"
    why = f" ({one_line(error)})" if error is not None else ""
    return WorkerError(f"the Dask scheduler at {address} is gone{why}; what was written is kept: resume")
