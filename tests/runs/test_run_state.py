"""What callbacks and the log are told while a run goes on."""

from __future__ import annotations

import dataclasses
import logging

import numpy as np
import pytest

import autov
from autov.runs import run_state
from autov.runs.run_state import Progress, WorkerTime, duration

BOUNDS = [(-5.0, 5.0)] * 3


def sphere(x):
    return float((x**2).sum())


class Clock:
    """Seconds that pass when somebody says so."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize(("workers", "seconds", "count", "told"), [
    (4, 20.0, 40, True), (4, 39.0, 40, False), (1, 1.0, 40, False), (4, 0.1, 40, False), (4, 0.0, 0, False),
])  # fmt: skip
def test_who_waits_for_slow_evaluations_is_told_of_the_other_schedule(monkeypatch, workers, seconds, count, told):
    clock, spent = Clock(), WorkerTime()
    monkeypatch.setattr(run_state.time, "perf_counter", clock)
    spent.begin(workers)
    for _ in range(count):
        spent.add(seconds / count)
    clock.now = 10.0
    assert ("asynchronous" in spent.advice) == told


def test_the_log_gets_a_line_at_doubling_intervals_up_to_a_minute(caplog):
    clock, times = Clock(), []
    progress = Progress(1000, members=lambda: {"a": 3, "b": 1}, now=clock)
    with caplog.at_level(logging.INFO, "autov"):
        for second in range(1, 301):
            clock.now, before = float(second), len(caplog.records)
            progress.arrived(1.0 / second)
            if len(caplog.records) > before:
                times.append(second)
    assert times == [10, 20, 40, 80, 140, 200, 260]
    line = caplog.records[0].getMessage()
    assert "10 of 1000 evaluations" in line
    assert "0.1" in line
    assert "16 min 30 s left" in line
    assert "a 75%, b 25%" in line


def test_values_of_a_store_do_not_count_for_the_time_left():
    clock = Clock()
    progress = Progress(100, now=clock)
    for _ in range(50):
        progress.stored_value(1.0)
    assert progress.seconds_left(50) is None
    clock.now = 20.0
    progress.arrived(1.0)
    assert progress.nfev == 51
    assert progress.seconds_left(51) == 20.0 * 49


def test_nothing_is_logged_by_default_and_a_slow_run_is_logged_where_that_is_wanted(caplog, monkeypatch):
    monkeypatch.setattr(run_state, "SOONEST", 0.0)
    monkeypatch.setattr(run_state, "LATEST", 0.0)
    autov.minimize(sphere, BOUNDS, maxfev=40, rng=1)
    assert not caplog.records
    with caplog.at_level(logging.INFO, "autov"):
        result = autov.minimize(sphere, BOUNDS, maxfev=40, rng=1)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 41
    assert lines[-1].endswith(result.message)
    assert "busy" in lines[-2]
    assert "coordinate" in lines[-2]


def test_the_log_of_a_constrained_run_says_when_nothing_is_feasible(caplog, monkeypatch):
    monkeypatch.setattr(run_state, "SOONEST", 0.0)
    monkeypatch.setattr(run_state, "LATEST", 0.0)
    never = {"type": "ineq", "fun": lambda x: -1.0 - x[0] ** 2}
    with caplog.at_level(logging.INFO, "autov"):
        autov.minimize(sphere, BOUNDS, maxfev=20, rng=1, constraints=never)
    assert "no feasible" in caplog.records[0].getMessage()


@pytest.mark.parametrize("vectorized", [False, True])
@pytest.mark.parametrize("algorithm", [None, "de"])
def test_a_callback_gets_a_state_that_cannot_be_changed(algorithm, vectorized):
    states = []
    fun = (lambda x: (x**2).sum(axis=1)) if vectorized else sphere
    result = autov.minimize(
        fun, BOUNDS, maxfev=200, popsize=20 if algorithm else None, rng=1, algorithm=algorithm, vectorized=vectorized,
        callback=lambda state: states.append(state),
    )  # fmt: skip
    last = states[-1]
    assert isinstance(last, autov.RunState)
    assert (last.nfev, last.maxfev, last.fun) == (200, 200, result.fun)
    assert np.array_equal(last.x, result.x)
    assert sum(last.members.values()) == 200
    assert [s.nfev for s in states] == sorted({s.nfev for s in states})
    assert sum(states[0].members.values()) == states[0].nfev < 200  # as it was then
    with pytest.raises(dataclasses.FrozenInstanceError):
        last.nfev = 3
    with pytest.raises(ValueError, match="read-only"):
        last.x[0] = 3.0
    with pytest.raises(TypeError):
        last.members["de"] = 3


def test_a_callback_with_a_state_may_end_the_run():
    result = autov.minimize(sphere, BOUNDS, maxfev=500, rng=1, callback=lambda state: state.nfev >= 50)
    assert result.status == 1
    assert 50 <= result.nfev < 500


def test_workers_are_busy_as_far_as_their_seconds_say(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(run_state.time, "perf_counter", clock)
    spent = WorkerTime()
    assert spent.busy is None
    spent.begin(2)
    for _ in range(3):
        spent.add(1.0)
    spent.add(float("nan"))
    clock.now = 2.0
    assert spent.busy == 0.75


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min"), (185, "3 min 5 s"), (7800, "2 h 10 min"), (3 * 86400 + 4 * 3600, "3 d 4 h")],
)
def test_durations(seconds, text):
    assert duration(seconds) == text
