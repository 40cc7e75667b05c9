"""The worker processes of one function, as the parent sees them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import wait
from typing import Any

from autov.core import InputError, WorkerError
from autov.engines.base import Found
from autov.engines.pickled import Sent, dumps, name_of, one_line, unpack_error, unsendable
from autov.engines.worker import DONE, RAISED, READY, UNKNOWN, UNSENDABLE, serve

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
            self.process.start()
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


class Team:
    """Up to `limit` processes, started when there is work for them, each with one chunk of items at a time."""

    def __init__(self, call: Callable[[Any], Any], sent: Sent, limit: int) -> None:
        self.call = call
        self.busy = False
        self.ended = False
        self._sent = sent
        self._limit = limit
        self._workers: list[_Worker] = []
        self._parent = os.getpid()

    def run(self, parts: Iterable[tuple[int, list[Any]]]) -> Found[Any]:
        """(index, result) as chunks (index of the first, items) are done."""
        rest, idle, busy = iter(parts), list(self._workers), dict[_Worker, int]()
        self._hand_out(rest, idle, busy)
        while busy:
            results: list[tuple[int, list[Any]]] = []
            failure = None
            for worker in self._ready(list(busy)):
                kind, content = worker.receive()
                if kind == READY:
                    continue
                first = busy.pop(worker)
                idle.append(worker)
                if kind == DONE:
                    try:
                        results.append((first, pickle.loads(content)))
                        continue
                    except Exception as error:
                        kind, content = UNSENDABLE, dumps(one_line(error))
                failure = failure or self._failure(worker, kind, content)
            if failure is None:
                self._hand_out(rest, idle, busy)  # before the caller, who may take long, sees the results
            for first, values in results:
                yield from enumerate(values, first)
            if self.ended and (busy or failure is not None):
                raise WorkerError("the workers were closed before all work was done")
            if failure is not None:
                raise failure

    def _hand_out(self, rest: Iterator[tuple[int, list[Any]]], idle: list[_Worker], busy: dict[_Worker, int]) -> None:
        while idle or len(self._workers) < self._limit:
            part = next(rest, None)
            if part is None:
                return
            try:
                sent = dumps(part[1])
            except Exception as error:
                raise unsendable(f"an item for {name_of(self.call)}", one_line(error)) from None
            worker = idle.pop() if idle else self._start()
            worker.send(sent)
            busy[worker] = part[0]

    def _start(self) -> _Worker:
        worker = _Worker(self._sent)
        self._workers.append(worker)  # first, so that Ctrl-C while it starts finds it here
        worker.start()
        return worker

    def _ready(self, workers: list[_Worker]) -> list[_Worker]:
        watched: dict[Any, _Worker] = {end: w for w in workers for end in (w.connection, w.process.sentinel)}
        return list(dict.fromkeys(watched[found] for found in wait(list(watched))))

    def _failure(self, worker: _Worker, kind: bytes, content: Any) -> BaseException:
        if kind == RAISED:
            return unpack_error(content)
        if kind == UNKNOWN:
            return unsendable(name_of(self.call), pickle.loads(content))
        if kind == UNSENDABLE:
            reason = pickle.loads(content)
            return InputError(
                f"workers: a result of {name_of(self.call)} cannot be sent from worker processes ({reason}); return "
                f"plain data or use workers=1"
            )
        return WorkerError(_death(worker))

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
