"""Work on a Dask cluster: what every engine promises, and what happens when parts of the cluster end."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import warnings
from contextlib import closing
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask

from autov.core import InputError, WorkerError
from autov.designer import TrialBudget, design
from autov.engines import WAIT, Engine, OnDask, engine_of, in_order, named_engine
from autov.engines.dask import cluster as module
from autov.engines.dask import mapping
from autov.experiments import compare
from autov.problems import function_problem
from autov.runs.minimization import minimize
from tests.engines import calls
from tests.engines.clusters import client, mortal  # noqa: F401

pytestmark = [
    pytest.mark.cold,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX"),
]
BOX = [(-1, 1)] * 2


@pytest.fixture
def engine(client):  # noqa: F811
    return engine_of(client, "processes")


@pytest.mark.parametrize("chunk", [1, 4])
def test_results_are_those_of_any_engine(engine, chunk):
    assert isinstance(engine, Engine)
    assert (type(engine), engine.workers) == (OnDask, 2)
    assert in_order(engine, calls.uneven, range(11), chunk=chunk) == [(i, 0.1 * i) for i in range(11)]
    assert in_order(engine, calls.square, []) == []


def test_an_exception_comes_out_unchanged(engine):
    with pytest.raises(TypeError, match="cannot pickle what the user wrote") as caught:
        in_order(engine, calls.raise_at_3, range(8))
    assert caught.value.autov_point == [1.0, 2.0]
    assert "in raise_at_3" in str(caught.value.__cause__)
    assert in_order(engine, calls.raise_at_3, range(3)) == [0, 1, 2]


def test_items_wait_for_results_and_are_taken_as_needed(engine):
    done, taken = [], []

    def items():
        while len(taken) < 10:
            if len(taken) > len(done) + 1:
                yield WAIT
                continue
            taken.append(len(taken))
            yield taken[-1]

    for i, value in engine.map(calls.square, items()):
        assert value == i * i
        done.append(i)
    assert sorted(done) == list(range(10))
    endless = iter(lambda: 7, None)
    with closing(engine.map(calls.square, endless)) as found:
        assert next(found)[1] == 49


def test_the_function_travels_once_to_each_worker(engine, tmp_path):
    path = tmp_path / "log"
    counted = calls.Counted(str(path))
    for _ in range(3):  # maps of the same function
        assert in_order(engine, counted, range(20)) == [i * i for i in range(20)]
    assert path.read_text().count("p") == 1
    assert path.read_text().count("u") <= 2


def test_few_calls_do_not_wait_at_the_one_worker_that_has_their_function(client):  # noqa: F811
    sent = mapping.SentFunction(client, calls.square, module._pickled(calls.square))
    assert {len(places) for places in client.who_has([sent.future]).values()} == {2}


def test_functions_without_a_module_travel_with_their_code(engine):
    factor = 3
    assert in_order(engine, lambda x: factor * x, range(3)) == [0, 3, 6]
    with pytest.raises(InputError, match="cannot be sent to worker processes"):
        in_order(engine, threading.Lock().__enter__, range(3))


def test_what_ends_its_worker_each_time_is_lost_alone(mortal):  # noqa: F811
    """Its first worker takes others with it, which are innocent; the second one ends with it alone."""
    engine = engine_of(mortal, "processes")
    found = dict(engine.map(calls.die_at_3, range(4), lost=lambda i, _: ("lost", i)))
    assert found == {0: 0, 1: 1, 2: 2, 3: ("lost", 3)}


def test_a_call_that_hangs_is_given_up(mortal, tmp_path):  # noqa: F811
    engine = engine_of(mortal, "processes")
    found = dict(engine.map(calls.sleeper(tmp_path), [0, 1, 0], timeout=5.0, lost=lambda _, reason: reason))
    assert found == {0: 0, 1: "took longer than 5 s", 2: 0}
    (hung,) = calls.pids(tmp_path)
    assert calls.until(lambda: not calls.alive(hung))


def test_a_local_cluster_keeps_workers_that_are_replaced(tmp_path):
    """Dask gives up a worker that is not back after 15 s, even if that is since it is being replaced once more."""
    short = {"distributed.deploy.lost-worker-timeout": "10ms"}  # no worker is back so soon
    with dask.config.set(short), module.local_dask(1) as engine:
        found = dict(engine.map(calls.sleeper(tmp_path), [1], timeout=1.0, lost=lambda _, reason: reason))
        assert found == {0: "took longer than 1 s"}
        engine.client.wait_for_workers(1, timeout=60)
        assert in_order(engine, calls.square, range(3)) == [0, 1, 4]
    assert dask.config.get("distributed.deploy.lost-worker-timeout") == "15s"


def bowl(x):
    return float((x**2).sum())


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(mortal, tmp_path):  # noqa: F811
    """The first call that finds 30 others made kills its worker: no clock decides when; the other worker goes on."""

    def deadly(x):
        marks = tmp_path / "marks"
        with marks.open("a") as file:
            file.write("x")
        if marks.stat().st_size >= 30:
            with contextlib.suppress(FileExistsError):
                (tmp_path / "died").touch(exist_ok=False)  # by one of them only
                os.kill(os.getpid(), signal.SIGKILL)
        return float((x**2).sum())

    options = {"algorithm": "pso", "maxfev": 80, "popsize": 20, "rng": 1}
    expected = minimize(bowl, BOX, **options)
    found = minimize(deadly, BOX, workers=mortal, **options)
    assert (tmp_path / "died").exists()
    assert (found.fun, found.x.tolist(), found.nfev) == (expected.fun, expected.x.tolist(), 80)


TINY = {"population": 4, "generations": 2, "trial": TrialBudget(6, 3, 2), "rng": 1, "rows": 2, "race_runs": 1,
        "retest_runs": 2}  # fmt: skip


def everything(workers):
    """Bits of a design of a compiled problem and of a function, of a comparison and of a run."""
    found = [design("sphere", dim=3, workers=workers, **TINY), design(bowl, BOX, workers=workers, **TINY)]
    both = {"bowl": function_problem(bowl, BOX), "f9": "f9"}
    rows = compare("ga,cma-es,paper-h3", both, dim=2, maxfev=60, popsize=10, runs=2, rng=1, workers=workers).rows
    run = minimize(bowl, BOX, maxfev=60, rng=1, workers=workers)
    return (
        [(d.operator, d.history.tobytes(), d.retested.tobytes()) for d in found],
        [(row.key, row.best, row.samples.tobytes()) for row in rows],
        (run.fun, run.x.tobytes()),
    )


@pytest.mark.slow  # much is compiled
def test_the_same_bits_everywhere(client):  # noqa: F811
    expected = everything(1)
    assert everything(client) == expected
    for name in ("threads", "processes"):
        with named_engine(name, 2) as workers:
            assert everything(workers) == expected


def test_versions_that_differ_are_named(client, monkeypatch):  # noqa: F811
    ours = module.versions()
    monkeypatch.setattr(module, "versions", lambda: ours | {"numba": "0.1"})
    monkeypatch.setattr(client, "run", lambda *_, **__: {"tcp://w:1": ours})
    with pytest.raises(WorkerError, match=rf"worker tcp://w:1 has numba {ours['numba']}, the client has 0\.1"):
        OnDask(client)
    monkeypatch.setattr(client, "run", lambda *_, **__: {"tcp://w:1": ImportError("No module named 'autov'")})
    with pytest.raises(WorkerError, match=r"worker tcp://w:1 cannot run autov \(No module named 'autov'"):
        OnDask(client)


def test_versions_of_workers_that_came_later_are_looked_at_too(client, monkeypatch):  # noqa: F811
    engine, ours = OnDask(client), module.versions()
    monkeypatch.setattr(module, "versions", lambda: ours | {"numpy": "0.1"})
    with pytest.raises(WorkerError, match=rf"has numpy {ours['numpy']}, the client has 0\.1; results would differ"):
        in_order(engine, calls.square, range(3))


class TalkingClient:
    """Joins a cluster whose one worker has another version of something, of which Dask warns in many lines."""

    status = "running"

    def __init__(self, *_, **__):
        warnings.warn("Mismatched versions found\n\n| Package | Client |", UserWarning, stacklevel=2)

    def run(self, *_, **__):
        return {"tcp://w:1": module.versions() | self.other}

    def close(self):
        pass


def test_the_line_about_versions_stands_alone(monkeypatch):
    """What Dask says itself is left out where it would stand before the line that tells what matters."""
    monkeypatch.setattr(module, "distributed", lambda: SimpleNamespace(Client=TalkingClient))
    monkeypatch.setattr(TalkingClient, "other", {"numpy": "1.0"}, raising=False)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(WorkerError) as caught:
            module.joined_dask("tcp://s:1", None)
    assert str(caught.value) == (
        f"the Dask worker tcp://w:1 has numpy 1.0, the client has {np.__version__}; results would differ"
    )
    assert not told
    monkeypatch.setattr(TalkingClient, "other", {})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        module.joined_dask("tcp://s:1", None)
    assert [str(one.message).splitlines()[0] for one in told] == ["Mismatched versions found"]


def test_settings_that_do_not_fit():
    for options, text in [
        (("Dask",), "engine: must be one of auto, serial"),
        (("threads", 2, "tcp://h:1"), "only with the engine dask"),
        (("dask", 2, "tcp://h:1", "file"), "an address or a file"),
    ]:
        with pytest.raises(InputError, match=text), named_engine(*options):
            pass


@pytest.mark.slow  # much is compiled
def test_a_scheduler_that_is_gone_leaves_the_checkpoint(tmp_path, monkeypatch, capfd):
    """Joined by its file, killed in the middle of a batch by an evaluation; the search goes on here, where it was."""
    monkeypatch.setattr(mapping, "GONE_SECONDS", 1.0)
    place = tmp_path / "scheduler.json"
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    local = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(place)]
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", *local, "--port", "0"], **options
    )
    worker = None
    try:
        assert calls.until(place.exists)
        worker = subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", *local, "--nthreads", "1",
                                   "--no-nanny", "--death-timeout", "20"], **options)  # fmt: skip
        path, number, marks = tmp_path / "search.npz", scheduler.pid, tmp_path / "marks"

        def deadly(x):
            with marks.open("a") as file:
                file.write("x")
            if marks.stat().st_size == 150:
                os.kill(number, signal.SIGKILL)
            return bowl(x)

        with (
            dask.config.set({"distributed.comm.timeouts.connect": "2s", "distributed.comm.retry.count": 0}),
            named_engine("dask", None, None, str(place)) as workers,
        ):
            workers.client.wait_for_workers(1, timeout=60)
            with pytest.raises(WorkerError, match=r"the Dask scheduler at .* is gone"):
                design(function_problem(deadly, BOX, name="bowl", key="bowl"), workers=workers, checkpoint=path, **TINY)
    finally:
        for process in (scheduler, worker):
            if process is not None:
                process.kill()
                process.wait()
    assert "Traceback" not in capfd.readouterr().err
    assert marks.stat().st_size >= 150
    found = design(
        function_problem(bowl, BOX, name="bowl", key="bowl"), workers=1, checkpoint=path, resume=True, **TINY
    )
    assert np.array_equal(found.history, design(bowl, BOX, workers=1, **TINY).history)
