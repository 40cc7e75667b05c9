"""What every engine promises."""

import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing

import pytest

from autov.core import InputError
from autov.engines import WAIT, Engine, OnExecutor, OnMap, Processes, Serial, Threads, engine_of, in_order
from tests.engines.calls import negate, raise_at_3, square, uneven

MAKERS = {
    "serial": Serial,
    "threads": lambda: Threads(2),
    "processes": lambda: Processes(2),
    "executor of threads": lambda: OnExecutor(ThreadPoolExecutor(2)),
    "executor of processes": lambda: OnExecutor(ProcessPoolExecutor(2)),
    "builtin map": lambda: OnMap(map),
    "borrowed": lambda: engine_of(Threads(2), "processes"),
}


@pytest.fixture(params=MAKERS)
def engine(request):
    made = MAKERS[request.param]()
    yield made
    made.close()
    if isinstance(made, OnExecutor):
        made.executor.shutdown()


def test_is_an_engine(engine):
    assert isinstance(engine, Engine)
    assert engine.workers >= 1


@pytest.mark.parametrize("chunk", [1, 4, 100])
def test_results_do_not_depend_on_the_engine(engine, chunk):
    expected = [(i, 0.1 * i) for i in range(11)]
    assert sorted(engine.map(uneven, range(11), chunk=chunk)) == list(enumerate(expected))
    assert in_order(engine, uneven, (i for i in range(11)), chunk=chunk) == expected


def test_no_items(engine):
    assert in_order(engine, square, []) == []


def test_several_functions_in_turn(engine):
    for _ in range(2):
        assert in_order(engine, square, range(4)) == [0, 1, 4, 9]
        assert in_order(engine, negate, range(4)) == [0, -1, -2, -3]


def test_an_exception_comes_out_unchanged_and_the_engine_goes_on(engine):
    with pytest.raises(TypeError, match="cannot pickle what the user wrote") as caught:
        in_order(engine, raise_at_3, range(8))
    assert caught.value.autov_point == [1.0, 2.0]
    assert caught.value.__notes__ == ["a note"]
    assert in_order(engine, raise_at_3, range(3)) == [0, 1, 2]


class Immediate(Executor):
    """Runs a call when it is submitted."""

    _max_workers = 2

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def test_results_that_are_there_come_out_before_an_exception():
    found = OnExecutor(Immediate()).map(raise_at_3, [3, 0, 1, 2])  # all four have finished at the first look
    assert sorted(next(found) for _ in range(3)) == [(1, 0), (2, 1), (3, 2)]
    with pytest.raises(TypeError, match="the user"):
        next(found)


def test_closed_early_and_used_again(engine):
    with closing(engine.map(square, range(50))) as found:
        i, value = next(found)
    assert value == i * i
    assert in_order(engine, square, range(5)) == [0, 1, 4, 9, 16]


def test_a_map_inside_a_map(engine):
    for i, outer in engine.map(square, range(4)):
        assert in_order(engine, negate, [outer]) == [-i * i]


def test_what_the_items_raise_comes_out(engine):
    def items():
        yield 1
        raise KeyError("no more")

    with pytest.raises(KeyError, match="no more"):
        in_order(engine, square, items())
    assert in_order(engine, square, [3]) == [9]


def test_close_twice_and_as_context_manager():
    for make in MAKERS.values():
        with make() as engine:
            assert in_order(engine, square, [2, 3]) == [4, 9]
            if isinstance(engine, OnExecutor):
                engine.executor.shutdown()
        engine.close()


@pytest.mark.parametrize("name", ["threads", "processes", "executor of threads"])
@pytest.mark.parametrize("chunk", [1, 3])
def test_items_are_taken_as_they_are_needed(name, chunk):
    taken = []

    def items():
        for i in range(1000):
            taken.append(i)
            yield i

    with MAKERS[name]() as engine, closing(engine.map(square, items(), chunk=chunk)) as found:
        for consumed in range(1, 21):
            next(found)
            # in flight, and one round that has finished but is not consumed
            assert len(taken) <= consumed + chunk * 4 * engine.workers
    assert len(taken) < 1000


@pytest.mark.parametrize("name", ["threads", "processes"])
def test_close_ends_a_map_that_is_not_finished(name):
    engine = MAKERS[name]()
    found = engine.map(square, range(1000))
    next(found)
    engine.close()
    with pytest.raises(RuntimeError, match=r"closed before all work was done|after shutdown"):
        list(found)
    assert in_order(engine, square, [5]) == [25]
    engine.close()


@pytest.mark.parametrize("name", ["threads", "processes"])
def test_close_after_the_last_result_is_no_error(name):
    engine = MAKERS[name]()
    found = engine.map(square, range(2))
    assert sorted([next(found), next(found)]) == [(0, 0), (1, 1)]
    engine.close()
    assert list(found) == []


def test_threads_finish_running_calls_before_a_cancelled_map_ends():
    began, go, ended = threading.Event(), threading.Event(), []

    def call(i):
        if i == 0:
            return i
        began.set()
        go.wait(60)
        ended.append(i)
        return i

    with Threads(2) as engine:
        found = engine.map(call, range(100), chunk=1)
        assert next(found) == (0, 0)
        assert began.wait(60)
        threading.Timer(0.1, go.set).start()
        found.close()
        at_close = list(ended)
    assert ended == at_close  # nothing ran on
    assert 1 <= len(ended) <= 2  # and nothing began


def test_items_may_wait_for_results(engine):
    """Item i + 1 is there when the result of item i has come out; of ten, two may be taken before any."""
    done, taken = [], []

    def items():
        while len(taken) < 10:
            if len(taken) > len(done) + 1:
                yield WAIT
                continue
            taken.append(len(taken))
            yield taken[-1]

    for i, value in engine.map(square, items(), chunk=3):
        assert value == i * i
        done.append(i)
    assert sorted(done) == list(range(10))


@pytest.mark.parametrize("name", ["serial", "threads", "executor of threads", "builtin map"])
def test_engines_that_cannot_end_a_call_refuse_a_timeout(name):
    with MAKERS[name]() as engine, pytest.raises(InputError, match=r"^timeout: "):
        in_order(engine, square, [1], timeout=1.0)
