"""Work on an executor or a map-like callable of the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sized
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from functools import partial
from itertools import islice, takewhile
from typing import Any

from autov.core import InputError, WorkerError
from autov.core.blas import one_blas_thread
from autov.core.ending import end_if_asked
from autov.engines.engine import WAIT, Engine, Found, Item, Lost, Result, chunks, no_timeout, worker_count
from autov.engines.pickled import ByValue, pickled


def as_finished(
    pool: Executor, work: Callable[[list[Item]], list[Result]], items: Iterable[Item], limit: int, chunk: int
) -> Found[Result]:
    """Map work over chunks of the items, at most limit of them in flight; cancels what has not begun when left."""
    parts = chunks(items, chunk)
    flying: dict[Future[list[Result]], int] = {}
    try:
        while True:
            for first, part in islice(parts, limit - len(flying)):
                if not part:
                    break
                flying[pool.submit(work, part)] = first
            if not flying:
                return
            done = wait(flying, return_when=FIRST_COMPLETED).done
            end_if_asked()
            for future in sorted(done, key=_failed):  # results that are there come out before an error does
                first = flying.pop(future)
                if future.cancelled():
                    raise WorkerError("the workers were closed before all work was done")
                yield from enumerate(future.result(), first)
    finally:
        for future in flying:
            future.cancel()


def _failed(future: Future[Any]) -> bool:
    return future.cancelled() or future.exception() is not None


def call_each(call: Callable[[Item], Result], part: list[Item]) -> list[Result]:
    """Results of some items, in a process that may be anybody's: BLAS has one thread, as in processes of our own."""
    with one_blas_thread():
        return [call(item) for item in part]


def call_one(call: Callable[[Item], Result], item: Item) -> Result:
    """The result of an item, likewise."""
    return call_each(call, [item])[0]


class OnExecutor(Engine):
    """Any `concurrent.futures.Executor`; it belongs to the caller and is never shut down here."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        known = getattr(executor, "_max_workers", None)
        self.workers: int = known if isinstance(known, int) and known > 0 else worker_count(None)

    def map(
        self, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1, timeout: float | None = None,
        lost: Lost | None = None,
    ) -> Found[Result]:  # fmt: skip
        """(index, call(item)) as they finish; see Engine. Calls that run when it is cancelled continue to their end."""
        del lost  # a pool whose worker died takes no more work
        no_timeout(timeout)
        if isinstance(self.executor, ProcessPoolExecutor):
            pickled(call)  # says now what cannot be sent
            return self._map(partial(call_each, ByValue(call)), items, chunk)
        return self._map(partial(call_each, call), items, chunk)

    def _map(self, work: Callable[[list[Item]], list[Result]], items: Iterable[Item], chunk: int) -> Found[Result]:
        try:
            yield from as_finished(self.executor, work, items, 2 * self.workers, chunk)
        except BrokenExecutor as error:
            raise WorkerError(f"a worker of the executor given as workers ended abruptly ({error})") from None

    def close(self) -> None:
        """Nothing to end: the executor is the caller's."""


class OnMap(Engine):
    """Any callable that is called as `workers(call, items)` and gives one result for each item, in order."""

    def __init__(self, mapped: Callable[[Callable[[Any], Any], list[Any]], Iterable[Any]]) -> None:
        self.mapped = mapped
        self.workers = worker_count(None)  # how many it has cannot be known

    def map(
        self, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1, timeout: float | None = None,
        lost: Lost | None = None,
    ) -> Found[Result]:  # fmt: skip
        """(index, call(item)) in order, as the callable gives them; see Engine."""
        del chunk, lost
        no_timeout(timeout)
        rest, first = iter(items), 0
        while part := list(takewhile(lambda item: item is not WAIT, rest)):
            for index, result in self._map(call, part):
                yield first + index, result
            first += len(part)

    def _map(self, call: Callable[[Item], Result], items: list[Item]) -> Found[Result]:
        results = self.mapped(partial(call_one, ByValue(call)), items)  # lambdas, too, in other processes
        if not isinstance(results, Iterable):
            raise InputError(f"workers: the map must give one result for each item, got {results!r}")
        given = len(results) if isinstance(results, Sized) else None
        if given is not None and given != len(items):
            raise _wrong_number(given, len(items))
        rest = iter(results)
        given = 0
        for given, result in enumerate(islice(rest, len(items)), start=1):
            yield given - 1, result
        given += sum(1 for _ in rest)
        if given != len(items):
            raise _wrong_number(given, len(items))

    def close(self) -> None:
        """Nothing to end: what the callable runs on is the caller's."""


def _wrong_number(given: int, wanted: int) -> InputError:
    return InputError(f"workers: the map gave {given} results for {wanted} items")
