"""The worker processes of one function, as the parent sees them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import wait
from typing import Any

from autov.core import InputError, WorkerError
from autov.core.ending import end_if_asked
from autov.engines.engine import Found, Lost
from autov.engines.jobs import Job, Queue
from autov.engines.pickled import Sent, dumps, name_of, one_line, unpack_error, unsendable
from autov.engines.worker_process import DONE, RAISED, READY, UNKNOWN, UNSENDABLE, serve

DIED = b"0"
PIPE = 16_384  # bytes that a pipe holds at least, whatever the system
PATIENCE = 5.0  # seconds that an idle worker has to end by itself

_starting = threading.Lock()


@contextlib.contextmanager
def without_main() -> Iterator[None]:
    """Processes that start inside do not run the main script, so that it needs no guard; nothing for forked ones."""
    if multiprocessing.get_start_method() == "fork":
        yield
        return
    with _starting:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")  # without a file or a name to import
        try:
            yield
        finally:
            sys.modules["__main__"] = main


class _Worker:
    """A process and the pipe to it."""

    def __init__(self, call: Sent) -> None:
        self._needs_main = call.needs_main
        self.connection, self._theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=serve, args=(self._theirs, call.data), name="autov-worker")
        self.started = False  # its function is there, and it takes items
        self._held = b""

    def start(self) -> None:
        with contextlib.nullcontext() if self._needs_main else without_main():
            try:
                self.process.start()
            except RuntimeError:
                if not getattr(multiprocessing.current_process(), "_inheriting", False):
                    raise
                raise SystemExit(1) from None  # a worker that runs its script again: the parent says what is missing
        self._theirs.close()

    def send(self, items: bytes) -> None:
        """Send items; more than a pipe holds when the worker has started, since nobody would empty it until then."""
        if not self.started and len(items) > PIPE:
            self._held = items
            return
        with contextlib.suppress(OSError):  # it is dead, which the next look at it says better
            self.connection.send_bytes(items)

    def receive(self) -> tuple[bytes, Any]:
        """What kind of answer there is, and its content."""
        try:
            answer = self.connection.recv_bytes() if self.connection.poll() else DIED
        except (EOFError, OSError):
            answer = DIED
        kind, content = answer[:1], memoryview(answer)[1:]
        if kind == READY:
            self.started = True
            if self._held:
                self.send(self._held)
                self._held = b""
        return kind, content

    def end(self) -> None:
        if self.process.pid is not None:
            self.process.kill()
            self.process.join()
        self.connection.close()
        self._theirs.close()


class WorkerPool:
    """Up to `limit` processes, started when there is work for them, each with one chunk of items at a time."""

    def __init__(self, call: Callable[[Any], Any], sent: Sent, limit: int) -> None:
        self.call = call
        self.busy = False
        self.ended = False
        self._sent = sent
        self._limit = limit
        self._workers: list[_Worker] = []
        self._parent = os.getpid()

    def run(
        self, parts: Iterable[tuple[int, list[Any]]], timeout: float | None = None, lost: Lost | None = None
    ) -> Found[Any]:
        """(index, result) as chunks (index of the first, items) are done; see `Engine.map` for timeout and lost."""
        queue = Queue(iter(parts), 1 if timeout is not None else None)
        idle, busy = list(self._workers), dict[_Worker, Job]()
        self._hand_out(queue, idle, busy, timeout)
        while busy:
            end_if_asked()
            results: list[tuple[int, list[Any]]] = []
            failure = None
            for worker in self._ready(busy):
                kind, content = worker.receive()
                if kind == READY:
                    busy[worker].begin(timeout)
                    continue
                job = busy.pop(worker)
                if kind == DIED and self.ended:
                    failure = failure or WorkerError("closed")
                    continue
                if kind == DIED:
                    reason = _death(worker)
                    self._dismiss(worker)
                    if worker.started and not job.again:
                        queue.send_again(job)
                    elif lost is not None and worker.started:
                        results.append((job.first, [lost(job.first, f"{reason}, twice")]))
                    else:
                        failure = failure or _lost(f"{reason}{', twice' if worker.started else ''}", job)
                    continue
                idle.append(worker)
                if kind == DONE:
                    try:
                        results.append((job.first, pickle.loads(content)))
                        continue
                    except Exception as error:
                        kind, content = UNSENDABLE, dumps(one_line(error))
                failure = failure or self._failure(kind, content)
            for worker in [worker for worker in busy if busy[worker].late()]:
                job, reason = busy.pop(worker), f"took longer than {timeout:g} s"
                self._dismiss(worker)
                if lost is not None:
                    results.append((job.first, [lost(job.first, reason)]))
                else:
                    failure = failure or _lost(f"an evaluation {reason}", job)
            if failure is None:
                self._hand_out(queue, idle, busy, timeout)  # before the caller, who may take long, sees the results
            for first, values in results:
                yield from enumerate(values, first)
            if self.ended and (busy or failure is not None):
                raise WorkerError("the workers were closed before all work was done")
            if failure is not None:
                raise failure
            self._hand_out(queue, idle, busy, timeout)  # where there was nothing until the caller saw the results

    def _hand_out(self, queue: Queue, idle: list[_Worker], busy: dict[_Worker, Job], timeout: float | None) -> None:
        while not self.ended and (idle or len(self._workers) < self._limit):
            job = queue.next()
            if job is None:
                return
            try:
                sent = dumps(job.items)
            except Exception as error:
                raise unsendable(f"an item for {name_of(self.call)}", one_line(error)) from None
            worker = idle.pop() if idle else self._start()
            worker.send(sent)
            busy[worker] = job
            if worker.started:
                job.begin(timeout)

    def _dismiss(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.end()

    def _start(self) -> _Worker:
        worker = _Worker(self._sent)
        self._workers.append(worker)  # first, so that Ctrl-C while it starts finds it here
        worker.start()
        return worker

    def _ready(self, busy: dict[_Worker, Job]) -> list[_Worker]:
        watched: dict[Any, _Worker] = {end: w for w in busy for end in (w.connection, w.process.sentinel)}
        ends = [job.end for job in busy.values() if job.end is not None]
        left = max(0.0, min(ends) - time.monotonic()) if ends else None
        return list(dict.fromkeys(watched[found] for found in wait(list(watched), left)))

    def _failure(self, kind: bytes, content: Any) -> BaseException:
        if kind == RAISED:
            return unpack_error(content)
        if kind == UNKNOWN:
            return unsendable(name_of(self.call), pickle.loads(content))
        reason = pickle.loads(content)
        return InputError(
            f"workers: a result of {name_of(self.call)} cannot be sent from worker processes ({reason}); return plain "
            f"data or use workers=1"
        )

    def alive(self) -> bool:
        """Whether all processes that were started are there."""
        return all(worker.process.is_alive() for worker in self._workers)

    def finish(self) -> None:
        """Let idle processes end by themselves."""
        if os.getpid() == self._parent and not self.ended:
            for worker in self._workers:
                worker.send(b"")
            for worker in self._workers:
                worker.process.join(PATIENCE)
        self.end()

    def end(self) -> None:
        """End the processes at once, whatever they do. Does nothing in a forked copy of the parent."""
        if os.getpid() != self._parent or self.ended:
            return
        self.ended = True
        for worker in self._workers:
            if worker.process.pid is not None:
                worker.process.kill()
        for worker in self._workers:
            worker.end()


def _lost(reason: str, job: Job) -> WorkerError:
    error = WorkerError(reason)
    error.item = job.items[0]  # type: ignore[attr-defined]
    return error


def _death(worker: _Worker) -> str:
    worker.process.join(PATIENCE)
    code = worker.process.exitcode
    if code is None:  # its function closed files that it did not open
        how = "closed the pipe to its parent"
    elif code < 0:
        meaning = "killed; out of memory?" if code == -9 else (signal.strsignal(-code) or "unknown").lower()
        how = f"was ended by signal {-code} ({meaning})"
    else:
        how = f"exited with code {code}"
    if worker.started:
        return f"a worker process {how}"
    again = multiprocessing.get_start_method() != "fork"  # a starting worker runs the script again
    advice = '; what a script does must stand under `if __name__ == "__main__":`' if again else ""
    return f"a worker process {how} while it started{advice}"
