"""The cluster on paper, by hand and against workers that are counted."""

import numpy as np
import pytest

from benchmarks.simulation import search_on_paper, simulate


def test_by_hand():
    """Two workers, a message takes 1 s: 0-1 send a, 1-2 send b, a runs 1-4, b 2-3, 3-4 send c, which runs 4-6."""
    found = simulate([np.array([3.0, 1.0, 2.0])], 2, 1.0)
    assert found == (6.0, 0.5, 0.5, 3)


def test_messages_that_wait_at_a_worker():
    """One worker, a message takes 1 s, two may be there: a runs 1-4, b 4-5, c is sent at 4-5 and runs 5-7."""
    durations = np.array([3.0, 1.0, 2.0])
    assert simulate([durations], 1, 1.0, ahead=2) == (7.0, pytest.approx(6 / 7), pytest.approx(3 / 7), 3)
    assert simulate([durations], 1, 1.0).seconds == 9.0


def test_without_overhead_one_worker_is_always_busy():
    durations = np.random.default_rng(0).uniform(0, 1, 50)
    assert simulate([durations], 1, 0.0)[:2] == (pytest.approx(durations.sum()), pytest.approx(1.0))


def test_a_barrier_waits_for_the_last():
    assert simulate([np.array([1.0, 3.0])] * 2, 2, 0.0).seconds == 6.0
    assert simulate([np.array([1.0, 3.0, 1.0, 3.0])], 2, 0.0).seconds == 5.0


def test_the_dispatcher_limits_many_workers_unless_points_travel_together():
    options = {"workers": 1000, "seconds": 1.0, "overhead": 0.003, "population": 20, "generations": 0, "popsize": 100,
               "steps": 1, "runs": 10}  # fmt: skip
    alone, together = (search_on_paper(chunk=chunk, **options) for chunk in (1, 5))
    assert alone["dispatching"] > 0.9
    assert together["days"] < 0.5 * alone["days"]
    assert (alone["evaluations"], alone["messages"], together["messages"]) == (20_000, 20_000, 4000)
