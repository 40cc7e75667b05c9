"""Worker processes: what reaches them, what comes back, and how they end."""

import functools
import multiprocessing
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing

import pytest

from autov.core import InputError, WorkerError
from autov.engines import OnExecutor, Processes, in_order
from tests.engines import calls
from tests.engines.calls import LONG, alive, pids, until

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="looks at processes the POSIX way")


@pytest.fixture
def engine():
    with Processes(2) as made:
        yield made


def test_the_function_travels_once_to_each_worker(engine, tmp_path):
    path = tmp_path / "log"
    call = calls.Counted(str(path))
    for _ in range(3):
        assert in_order(engine, call, range(40)) == [i * i for i in range(40)]
    assert path.read_text().count("p") == 1
    assert 1 <= path.read_text().count("u") <= 2


def test_processes_stay_for_the_same_function_and_its_method(engine):
    first = set(in_order(engine, calls.pid, range(8)))
    assert os.getpid() not in first
    assert len(first) == 2
    assert set(in_order(engine, calls.pid, range(8))) == first
    point = calls.Point()
    in_order(engine, point.value, range(8))
    pools = list(engine._pools)
    in_order(engine, point.value, range(8))  # another object, but the same method of the same point
    assert engine._pools == pools
    assert until(lambda: not any(alive(number) for number in first))  # those of the first function have gone


def test_no_more_processes_than_chunks(engine):
    assert len(set(in_order(engine, calls.pid, range(4), chunk=4))) == 1


def test_workers_have_one_thread(engine):
    for numbers in in_order(engine, calls.threads_of_blas, range(2)):
        assert len(numbers) > 1
        assert set(numbers) == {1}


@pytest.mark.parametrize("make", [lambda: Processes(2), lambda: OnExecutor(ProcessPoolExecutor(2))])
@pytest.mark.parametrize("wrapped", [lambda f: f, lambda f: functools.partial(f, y=1)])
def test_a_function_that_does_not_pickle(make, wrapped):
    lock = threading.Lock()

    def local(x, y=0):
        with lock:
            return x + y

    engine = make()
    with pytest.raises(InputError) as caught:
        engine.map(wrapped(local), range(3))
    text = str(caught.value)
    name = f"{test_a_function_that_does_not_pickle.__name__}.<locals>.local"
    assert text.startswith(f"workers: {name} cannot be sent to worker processes (")
    assert text.endswith("); define it at the top level of a module or use workers=1")
    assert "\n" not in text
    assert in_order(engine, calls.square, [2]) == [4]
    (engine.executor.shutdown if isinstance(engine, OnExecutor) else engine.close)()


@pytest.mark.parametrize("make", [lambda: Processes(2), lambda: OnExecutor(ProcessPoolExecutor(2))])
def test_lambdas_and_closures_travel_by_value(make):
    step = 3
    engine = make()
    assert in_order(engine, lambda x: x + step, range(4)) == [3, 4, 5, 6]
    if isinstance(engine, Processes):
        assert [f(1) for f in in_order(engine, lambda k: lambda x: x + k * step, [1, 2])] == [4, 7]
    (engine.executor.shutdown if isinstance(engine, OnExecutor) else engine.close)()


def test_a_function_that_does_not_unpickle(engine):
    with pytest.raises(InputError, match=r"^workers: Unknown cannot be sent to .* \(not known here\); define"):
        in_order(engine, calls.Unknown(), range(3))


def test_items_and_results_that_do_not_pickle(engine):
    with pytest.raises(InputError, match=r"^workers: an item for square cannot be sent to worker processes \("):
        in_order(engine, calls.square, [1, threading.Lock()])
    with pytest.raises(InputError, match=r"^workers: a result of result_without_pickle cannot be sent from worker"):
        in_order(engine, calls.result_without_pickle, [1])


def test_exceptions_that_cannot_travel(engine):
    with pytest.raises(
        WorkerError, match=r"the function raised tests\.engines\.calls\.DemandingError: code 7 at the end"
    ):
        in_order(engine, calls.raise_demanding, [1])
    with pytest.raises(WorkerError, match=r"raised tests\.engines\.calls\.LockedError: the door is locked"):
        in_order(engine, calls.raise_locked, [1])


def test_the_cause_tells_where_it_was_raised(engine):
    with pytest.raises(TypeError) as caught:
        in_order(engine, calls.raise_at_3, range(5))
    assert "in raise_at_3" in str(caught.value.__cause__)


def test_system_exit_is_an_exception_like_others(engine):
    with pytest.raises(SystemExit) as caught:
        in_order(engine, calls.leave, [1])
    assert caught.value.code == 4


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (calls.exit_3, "a worker process exited with code 3, twice"),
        (calls.kill_itself, "a worker process was ended by signal 9 (killed; out of memory?), twice"),
        (calls.terminate_itself, "a worker process was ended by signal 15 (terminated), twice"),
    ],
)
def test_a_worker_that_dies(engine, call, text):
    with pytest.raises(WorkerError) as caught:
        in_order(engine, call, range(5))
    assert str(caught.value) == text
    assert in_order(engine, calls.square, range(3)) == [0, 1, 4]


def test_ctrl_c_is_not_for_workers(engine):
    assert in_order(engine, calls.interrupt_itself, range(2)) == [True, True]


def test_idle_workers_that_died_are_replaced(engine):
    for number in set(in_order(engine, calls.pid, range(8))):
        os.kill(number, 9)
        assert until(lambda number=number: number not in [child.pid for child in multiprocessing.active_children()])
    assert len(set(in_order(engine, calls.pid, range(8)))) == 2


def test_items_are_not_blamed_for_workers_that_died_idle(engine, tmp_path):
    """An item is lost if it ends two workers; what ends one only is made again."""
    before = {child.pid for child in multiprocessing.active_children()}
    call = functools.partial(calls.die_once, str(tmp_path), 3)
    assert in_order(engine, call, [0, 1]) == [0, 1]
    for child in [child for child in multiprocessing.active_children() if child.pid not in before]:
        child.kill()
        child.join()
    assert in_order(engine, call, [3, 4]) == [3, 4]


def test_large_items_and_results(engine):
    items = [bytes([i]) * 3_000_000 for i in range(6)]
    assert in_order(engine, bytes, items) == items


def test_closing_while_large_results_are_on_their_way(engine):
    for _ in range(3):
        with closing(engine.map(bytes, [20_000_000] * 8)) as found:
            assert len(next(found)[1]) == 20_000_000
    assert in_order(engine, calls.square, [3]) == [9]


def test_closing_ends_sleeping_workers_at_once(engine, tmp_path):
    start = time.monotonic()
    with closing(engine.map(calls.sleeper(tmp_path), range(4))) as found:
        assert next(found) == (0, 0)
        assert until(lambda: len(pids(tmp_path)) == 2)
    assert not any(alive(number) for number in pids(tmp_path))
    assert in_order(engine, calls.square, [3]) == [9]
    assert time.monotonic() - start < LONG / 4


def test_an_error_ends_sleeping_workers(engine, tmp_path):
    def items():
        yield 1
        until(lambda: pids(tmp_path))
        raise KeyError("stop")

    start = time.monotonic()
    with pytest.raises(KeyError, match="stop"):
        in_order(engine, calls.sleeper(tmp_path), items())
    assert not any(alive(number) for number in pids(tmp_path))
    assert time.monotonic() - start < LONG / 4


def test_close_from_another_thread_ends_sleeping_workers(engine, tmp_path):
    def close():
        until(lambda: len(pids(tmp_path)) == 2)
        engine.close()

    closer = threading.Thread(target=close)
    closer.start()
    with pytest.raises(WorkerError, match="closed before all work was done"):
        in_order(engine, calls.sleeper(tmp_path), [1, 2])
    closer.join()
    assert not any(alive(number) for number in pids(tmp_path))


def test_an_engine_that_nobody_closes_ends_its_workers():
    engine = Processes(2)
    numbers = set(in_order(engine, calls.pid, range(8)))
    del engine
    assert until(lambda: not any(alive(number) for number in numbers))


def test_a_worker_that_dies_once_is_replaced_and_nothing_is_lost(engine, tmp_path):
    call = functools.partial(calls.die_once, str(tmp_path), 3)
    assert in_order(engine, call, range(8)) == list(range(8))
    assert in_order(engine, functools.partial(calls.die_once, str(tmp_path), 5), range(8), chunk=4) == list(range(8))


def test_what_kills_its_worker_twice_is_lost_alone(engine):
    seen = []

    def lost(index, reason):
        seen.append((index, reason))
        return None

    found = dict(engine.map(calls.die_at_3, range(9), chunk=3, lost=lost))
    assert found == {i: (None if i == 3 else i) for i in range(9)}
    assert seen == [(3, "a worker process was ended by signal 9 (killed; out of memory?), twice")]
    assert in_order(engine, calls.die_at_3, range(3)) == [0, 1, 2]


def test_the_item_that_kills_is_told(engine):
    with pytest.raises(WorkerError) as caught:
        in_order(engine, calls.die_at_3, range(9), chunk=3)
    assert caught.value.item == 3


def test_a_call_that_hangs_is_ended_and_its_worker_replaced(engine, tmp_path):
    call = calls.sleeper(tmp_path)
    found = dict(engine.map(call, [0, 1, 0, 0, 2, 0], chunk=3, timeout=1.0, lost=lambda _, reason: reason))
    assert found == {0: 0, 1: "took longer than 1 s", 2: 0, 3: 0, 4: "took longer than 1 s", 5: 0}
    assert not any(calls.alive(number) for number in calls.pids(tmp_path))
    with pytest.raises(WorkerError, match=r"an evaluation took longer than 0\.2 s") as caught:
        in_order(engine, call, [7], timeout=0.2)
    assert caught.value.item == 7


def test_the_start_of_a_worker_is_not_part_of_the_timeout(engine):
    assert in_order(engine, calls.SlowToArrive(1.5), range(3), timeout=1.0) == [0, 1, 4]
