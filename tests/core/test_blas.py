import threading

import numpy as np  # noqa: F401  (brings a BLAS)
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from autov.core.blas import one_blas_thread


def counts():
    return [library["num_threads"] for library in ThreadpoolController().info() if library["user_api"] == "blas"]


@pytest.fixture(autouse=True)
def _two_threads():
    with threadpool_limits(2, user_api="blas"):
        if set(counts()) != {2}:
            pytest.skip("this BLAS has one thread only")
        yield


def test_one_thread_inside_and_as_before_outside():
    with one_blas_thread():
        assert set(counts()) == {1}
        with one_blas_thread():
            assert set(counts()) == {1}
        assert set(counts()) == {1}
    assert set(counts()) == {2}


def test_restored_after_an_error():
    with pytest.raises(KeyError), one_blas_thread():
        raise KeyError
    assert set(counts()) == {2}


def test_a_thread_that_leaves_first_does_not_lift_the_limit_of_the_other():
    inside, leave = threading.Event(), threading.Event()

    def first():
        with one_blas_thread():
            inside.set()
            leave.wait(60)

    thread = threading.Thread(target=first)
    thread.start()
    assert inside.wait(60)
    with one_blas_thread():
        leave.set()
        thread.join()
        assert set(counts()) == {1}
    assert set(counts()) == {2}


def test_a_library_that_was_loaded_later_is_limited(monkeypatch):
    import sys
    import types

    with one_blas_thread():
        pass
    from autov.core import blas

    before = blas._controller
    with one_blas_thread():
        assert blas._controller is before
    monkeypatch.setitem(sys.modules, "autov_imported_later", types.ModuleType("autov_imported_later"))
    with one_blas_thread():
        assert blas._controller is not before


def test_overlapping_blocks_of_many_threads_restore_what_was_before():
    seen = []

    def work():
        for _ in range(50):
            with one_blas_thread():
                seen.append(set(counts()))

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert seen == [{1}] * 150
    assert set(counts()) == {2}
