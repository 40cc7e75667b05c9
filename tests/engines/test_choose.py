"""What the argument `workers` may be."""

import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import Pool, ThreadPool

import numpy as np
import pytest

from autov.core import InputError
from autov.engines import OnExecutor, OnMap, Processes, Serial, Threads, engine_of, in_order, worker_count
from autov.engines.engine import WAIT, chunks
from tests.engines.calls import square, threads_of_blas


@pytest.mark.parametrize("kind", ["threads", "processes"])
@pytest.mark.parametrize("bad", [0, -2, True, False, 2.0, "2", np.float64(2.0), np.bool_(True), [2]])
def test_bad_values(bad, kind):
    with pytest.raises(InputError) as caught:
        engine_of(bad, kind)
    assert str(caught.value) == (
        "workers: must be a positive integer, -1 for all cores, an Executor, a Dask client or a map-like "
        f"callable, got {bad!r}"
    )  # fmt: skip
    with pytest.raises(InputError, match=r"^workers: "):
        worker_count(bad)


def test_numbers():
    assert isinstance(engine_of(1, "processes"), Serial)
    assert isinstance(engine_of(np.int64(1), "threads"), Serial)
    for count in (2, np.int32(2), np.uint8(2)):
        threads, processes = engine_of(count, "threads"), engine_of(count, "processes")
        assert isinstance(threads, Threads)
        assert isinstance(processes, Processes)
        assert threads.workers == processes.workers == 2
        assert type(threads.workers) is int
    assert engine_of(None, "threads").workers == engine_of(-1, "threads").workers == worker_count(None)
    assert worker_count(np.int64(3)) == 3


def test_an_engine_of_the_caller_stays_open():
    with Processes(2) as mine:
        with engine_of(mine, "threads") as engine:
            assert engine.workers == 2
            numbers = set(in_order(engine, getpid, range(6)))
        assert set(in_order(mine, getpid, range(6))) <= numbers  # the same processes


def getpid(_):
    import os
    import time

    time.sleep(0.05)
    return os.getpid()


def test_an_executor_of_the_caller_is_not_shut_down():
    with ThreadPoolExecutor(3) as executor:
        with engine_of(executor, "processes") as engine:
            assert isinstance(engine, OnExecutor)
            assert engine.workers == 3
            assert in_order(engine, square, range(3)) == [0, 1, 4]
        assert executor.submit(square, 3).result() == 9


def test_map_like_callables():
    with ThreadPool(2) as pool:
        for mapped in (map, pool.map, pool.imap, lambda call, items: np.array([call(i) for i in items])):
            engine = engine_of(mapped, "processes")
            assert isinstance(engine, OnMap)
            assert in_order(engine, square, iter(range(4))) == [0, 1, 4, 9]


def test_lambdas_and_closures_travel_through_the_map_of_a_pool():
    step, lock = 3, threading.Lock()
    with Pool(2) as pool:
        assert in_order(engine_of(pool.map, "processes"), lambda x: step * x, range(3)) == [0, 3, 6]
        with pytest.raises(InputError, match="cannot be sent to worker processes"):
            in_order(engine_of(pool.map, "processes"), lambda x: (lock, x), range(3))


@pytest.mark.parametrize(
    ("mapped", "count"),
    [
        (lambda call, items: [call(i) for i in items][1:], 3),
        (lambda call, items: (call(i) for i in items[1:]), 3),
        (lambda call, items: (call(i) for i in items * 2), 8),
        (lambda call, items: [], 0),  # noqa: ARG005
        (lambda call, items: iter(()), 0),  # noqa: ARG005
    ],
)
def test_a_map_with_the_wrong_number_of_results(mapped, count):
    with pytest.raises(InputError) as caught:
        in_order(engine_of(mapped, "threads"), square, range(4))
    assert str(caught.value) == f"workers: the map gave {count} results for 4 items"


def test_a_map_without_results():
    with pytest.raises(InputError, match=r"^workers: "):
        in_order(engine_of(lambda call, items: None, "threads"), square, range(4))  # noqa: ARG005


def test_a_map_has_one_thread_of_blas_too():
    import scipy.linalg  # noqa: F401  (what is loaded inside a call is not limited)

    for *blas, _ in in_order(engine_of(map, "processes"), threads_of_blas, range(2)):
        assert set(blas) == {1}


def test_an_engine_of_the_caller_gets_all_that_it_is_asked():
    asked = {}

    class Noting(Serial):
        def map(self, call, items, **options):
            asked.update(options)
            return super().map(call, items)

    def lost(index, reason):
        return index, reason

    with engine_of(Noting(), "processes") as engine:
        assert in_order(engine, square, [3], chunk=4, timeout=7.0, lost=lost) == [9]
    assert asked == {"chunk": 4, "timeout": 7.0, "lost": lost}


def test_chunks_count_items_alone():
    items = [10, 11, 12, WAIT, 13, WAIT, WAIT, 14, 15]
    assert list(chunks(items, 2)) == [(0, [10, 11]), (2, [12]), (3, []), (3, [13]), (4, []), (4, []), (4, [14, 15])]
