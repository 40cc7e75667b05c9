"""Compiled runs in slices: the same bits, and they can be ended between two of them."""

import threading
from contextlib import closing

import numba
import numpy as np
import pytest

import autov
from autov.algorithms import compiled
from autov.algorithms.resolve import resolve_algorithm
from autov.core import WorkerError
from autov.engines import Threads
from autov.problems import function_problem, resolve_problem
from autov.runs import solve
from autov.runs.live_run import LiveRun
from autov.runs.many_runs import ManyRuns, repeat
from tests.algorithms.driver import sized

OPTIONS = {"dim": 5, "maxfev": 1000, "rng": 1}
SIZED = OPTIONS | {"popsize": 20}


@pytest.fixture
def small_slices(monkeypatch):
    monkeypatch.setattr(compiled, "FIRST", 5 * 37)  # less than two batches
    monkeypatch.setattr(compiled, "SLICE", 0.0)  # then one evaluation more each time


@pytest.fixture
def ended_at_slice_100(monkeypatch, small_slices):  # noqa: ARG001
    seen = []

    def ctrl_c():
        seen.append(None)
        if len(seen) == 100:
            raise KeyboardInterrupt

    monkeypatch.setattr(compiled, "end_if_asked", ctrl_c)


@pytest.mark.parametrize("algorithm", ["paper-h3", "ma-es", "portfolio+members=ma-es/paper-h3"])
def test_slices_change_no_bits(algorithm, request):
    options = {"algorithm": algorithm, **OPTIONS, **sized(algorithm, 20)}
    whole = autov.minimize("rastrigin", **options)
    request.getfixturevalue("small_slices")
    cut = autov.minimize("rastrigin", **options)
    assert (cut.fun, cut.nit, cut.nfev) == (whole.fun, whole.nit, 1000)
    for name in ("x", "population", "population_energies", "trace_nfev", "trace_best"):
        assert np.array_equal(cut[name], whole[name]), name


def test_ctrl_c_carries_what_was_found(ended_at_slice_100):  # noqa: ARG001
    with pytest.raises(KeyboardInterrupt) as caught:
        autov.minimize("rastrigin", algorithm="paper-h3", **SIZED)
    found = caught.value.autov_result
    assert 100 <= found.nfev < 200
    assert found.nfev % 20 == 0
    shorter = autov.minimize("rastrigin", algorithm="paper-h3", **(SIZED | {"maxfev": found.nfev}))
    assert (found.fun, found.x.tolist()) == (shorter.fun, shorter.x.tolist())
    assert caught.value.__notes__ == [f"{found.nfev} evaluations were made, see error.autov_result"]


def test_after_ctrl_c_in_several_runs_those_that_ended_are_there(ended_at_slice_100):  # noqa: ARG001
    problem, algorithm = resolve_problem("rastrigin", dim=5), resolve_algorithm("paper-h3")
    work = ManyRuns(problem, algorithm, maxfev=80, popsize=20, runs=30, seed=1, workers=1)
    with pytest.raises(KeyboardInterrupt):
        work.run()
    cut = work.so_far().values
    whole = repeat(problem, algorithm, maxfev=80, popsize=20, runs=30, seed=1, workers=1).values
    assert 1 <= len(cut) < 30
    assert cut[:-1] == whole[: len(cut) - 1]


def test_a_run_in_a_thread_ends_when_its_map_is_closed():
    """The run would take minutes; it is asked to end and says so."""
    ended, began = [], threading.Event()

    def call(i):
        if i == 0:
            began.wait()
            return
        began.set()
        try:
            solve(resolve_problem("sphere", dim=30), resolve_algorithm("paper-h3"), maxfev=100_000_000, popsize=100)
        except WorkerError as error:
            ended.append(str(error))
            raise

    with closing(Threads(2).map(call, [0, 1])) as found:
        assert next(found) == (0, None)
    assert ended == ["the workers were closed before all work was done"]


@numba.njit
def bowl(x):
    return ((x - 1) ** 2).sum()


def test_a_compiled_run_of_a_user_s_function_is_there_after_ctrl_c(ended_at_slice_100):  # noqa: ARG001
    live, problem = LiveRun(), function_problem(bowl, [(-5, 5)] * 3)
    with pytest.raises(KeyboardInterrupt):
        solve(problem, resolve_algorithm("paper-h3"), maxfev=1000, popsize=20, seed=1, live=live)
    found = live.run
    shorter = solve(problem, resolve_algorithm("paper-h3"), maxfev=found.nfev, popsize=20, seed=1)
    assert 0 < found.nfev < 1000
    assert (found.fun, found.x.tolist()) == (shorter.fun, shorter.x.tolist())
    assert np.array_equal(found.population, shorter.population)
    assert found.stopped


def test_what_several_runs_have_found_is_there_while_they_run():
    problem, algorithm = resolve_problem("rastrigin", dim=5), resolve_algorithm("paper-h3")
    seen = []
    work = ManyRuns(
        problem, algorithm, maxfev=80, popsize=20, runs=4, seed=1, workers=1,
        progress=lambda _: seen.append(work.so_far().values),
    )  # fmt: skip
    assert work.so_far() is None
    whole = work.run()
    assert [len(values) for values in seen] == [1, 2, 3, 4]
    assert seen[-1] == whole.values == work.so_far().values
