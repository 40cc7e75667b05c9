"""What is sent to a Dask cluster and when, against a cluster on paper whose calls end when the test says so."""

import asyncio
import concurrent.futures
from types import SimpleNamespace

import pytest

from autov.core import WorkerError
from autov.engines.dask import mapping
from autov.engines.dask.mapping import AHEAD, DaskMap, SentFunction
from autov.engines.dask.worker import LATE, same_bytes
from autov.engines.engine import WAIT, chunks
from autov.engines.jobs import Queue
from tests.engines.calls import square


class KilledWorker(Exception):  # noqa: N818
    """Known by its name, as Dask's is."""


class PaperClient:
    """Calls that end when somebody looks, two by two; one with a deadly item ends its worker, and the one beside it."""

    status = "running"

    def __init__(self, deadly=()):
        self.deadly, self.log, self.flying = set(deadly), [], []

    def submit(self, call, *args, **_):
        if call is same_bytes:
            return None
        items = args[2]
        self.log.append(("submit", tuple(items)))
        future = PaperFuture(key=f"key-{len(self.log)}", items=items, client=self)
        self.flying.append(future)
        return future

    def gather(self, futures):
        self.log.append(("gather", tuple(future.items[0] for future in futures)))
        return [("done", [square(item) for item in future.items]) for future in futures]

    def cancel(self, futures, **_):
        self.log.append(("cancel", len(futures)))


class PaperFuture(SimpleNamespace):
    """What is known of a call."""

    __hash__ = object.__hash__

    def __eq__(self, other):
        return self is other

    @property
    def status(self):
        flying = self.client.flying
        if self not in flying[:2]:
            return "pending" if self in flying else self.ended
        both = flying[:2]
        killed = self.client.deadly.intersection(item for future in both for item in future.items)
        for future in both:
            flying.remove(future)
            future.ended = "error" if killed else "finished"
        return self.ended

    def exception(self):
        return KilledWorker("it ended")


def mapped(client, items, lost=None, workers=1, chunk=1):
    queue = Queue(iter(chunks(items, chunk)), None)
    return DaskMap(client, lambda: workers, SentFunction(client, square, b""), queue, 1.0, lost).run()


def test_the_next_calls_are_sent_before_answers_are_fetched():
    client = PaperClient()
    assert sorted(mapped(client, range(20))) == [(i, i * i) for i in range(20)]
    kinds = [kind for kind, _ in client.log]
    assert kinds[:AHEAD] == ["submit"] * AHEAD
    first = kinds.index("gather")
    assert kinds[AHEAD:first] == ["submit"] * AHEAD  # in the place of those that have ended
    assert kinds.count("gather") == 20 // AHEAD
    assert len(set(client.log)) == len(client.log)


def test_waiting_items_are_asked_for_again_after_results():
    done = []

    def items():
        for i in range(6):
            while len(done) < i:
                yield WAIT
            yield i

    for index, value in mapped(PaperClient(), items()):
        assert value == index * index
        done.append(index)
    assert done == list(range(6))


def test_what_ends_its_worker_is_found_by_trying_suspects_alone():
    client = PaperClient(deadly={3})
    found = dict(mapped(client, range(8), lost=lambda i, reason: (i, reason.split()[2])))
    assert found == {i: i * i for i in range(8)} | {3: (3, "worker")}
    sent = [items for kind, items in client.log if kind == "submit"]
    assert sent.count((3,)) == 2
    again = [i for i, items in enumerate(sent) if items in sent[:i]]
    assert sent[again[0] :] == [(2,), (3,)]  # the one beside it is innocent
    with pytest.raises(WorkerError, match="ended several times") as caught:
        dict(mapped(PaperClient(deadly={3}), range(8)))
    assert caught.value.item == 3


def test_items_that_travelled_with_a_deadly_one_are_sent_singly():
    found = dict(mapped(PaperClient(deadly={3}), range(8), lost=lambda i, _: f"lost {i}", chunk=4))
    assert found == {i: i * i for i in range(8)} | {3: "lost 3"}


class SlowScheduler(PaperClient):
    """Every call takes too long; that one was cancelled reaches the scheduler some looks after the call returned."""

    def __init__(self):
        super().__init__()
        self.held, self.cancelled = set(), []

    def gather(self, futures):
        self.held.update(future.key for future in futures)
        return [(LATE, "tcp://w:1") for _ in futures]

    def cancel(self, futures, **_):
        self.cancelled = [*[None] * 3, *(future.key for future in futures)]

    def has_what(self, workers):
        assert workers == ["tcp://w:1"]
        if self.cancelled:
            self.held.discard(self.cancelled.pop(0))
        return {"tcp://w:1": tuple(self.held)}

    def restart_workers(self, workers, **_):
        self.log.append(("restart", tuple(workers), len(self.held)))


def test_a_worker_is_restarted_when_the_scheduler_knows_that_its_call_is_cancelled():
    """Else Dask would make the call that hangs once more, elsewhere, since its result is lost with the worker."""
    client = SlowScheduler()
    assert dict(mapped(client, [7], lost=lambda i, _: ("lost", i))) == {0: ("lost", 0)}
    assert [entry for entry in client.log if entry[0] == "restart"] == [("restart", ("tcp://w:1",), 0)]


class Forgetful(PaperClient):
    """Whose worker ends before the first answers are fetched: Dask makes the calls again, which takes some looks."""

    def gather(self, futures):
        if not any(kind == "gather" for kind, _ in self.log):
            for future in futures:
                future.ended, future.looks = "lost", 3
            self.log.append(("gather", ()))
            raise RuntimeError("the worker is gone")
        return super().gather(futures)


def test_answers_that_are_lost_with_their_worker_are_waited_for(monkeypatch):
    def status(future, ended=PaperFuture.status.fget):
        if getattr(future, "looks", 0):
            future.looks -= 1
            future.ended = "lost" if future.looks else "finished"
        return ended(future)

    monkeypatch.setattr(PaperFuture, "status", property(status))
    library = SimpleNamespace(wait=lambda *_, **__: None, TimeoutError=TimeoutError)
    monkeypatch.setattr(mapping, "importlib", SimpleNamespace(import_module=lambda _: library))
    client = Forgetful()
    assert sorted(mapped(client, range(12))) == [(i, i * i) for i in range(12)]
    sent = [items for kind, items in client.log if kind == "submit"]
    assert len(sent) == len(set(sent))  # nothing is sent twice: Dask remembers what it was asked for


@pytest.mark.parametrize("kind", [asyncio.CancelledError, concurrent.futures.CancelledError])
def test_a_scheduler_that_is_lost_while_one_waits_is_told(monkeypatch, kind):
    """Dask then raises while it waits, in many lines, that futures were cancelled."""
    client = PaperClient()
    monkeypatch.setattr(PaperFuture, "status", property(lambda future: future.client.state))
    client.state = "pending"

    def wait(*_, **__):
        client.state = "cancelled"
        raise kind("8 Futures cancelled:\nReasons:")

    library = SimpleNamespace(wait=wait, TimeoutError=TimeoutError)
    monkeypatch.setattr(mapping, "importlib", SimpleNamespace(import_module=lambda _: library))
    with pytest.raises(WorkerError, match=r"^the Dask scheduler at unknown is gone; what was written is kept"):
        dict(mapped(client, range(3)))
