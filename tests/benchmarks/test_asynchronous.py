"""Values told as they come, in simulated time."""

import json
from pathlib import Path

import numpy as np
import pytest

from autov.problems import resolve_problem
from benchmarks.asynchronous import FILE, Cluster, asynchronous_table, bench_asynchronous, solved

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def sphere():
    return resolve_problem("sphere", dim=6)


@pytest.mark.parametrize("as_they_come", [False, True])
def test_each_run_makes_its_budget_and_time_goes_on(sphere, as_they_come):
    cluster = solved(sphere, 4, 1, as_they_come, 80)
    assert len(cluster.times) == 80
    assert (np.diff(cluster.times) >= 0).all()
    assert (np.diff(cluster.gaps) <= 0).all()
    assert cluster.busy <= 4 * cluster.clock


def test_values_as_they_come_keep_workers_busy(sphere):
    come, batches = (solved(sphere, 4, 1, way, 200) for way in (True, False))
    assert come.busy / (4 * come.clock) > 0.95
    assert come.clock < batches.clock


def test_what_is_reached_by_a_time(sphere):
    cluster = Cluster(sphere, 1, 1)
    cluster.times, cluster.gaps = [1.0, 2.0], [10.0, 0.0]
    assert cluster.reached(0.5) == (0.0, 0)
    assert 0 < cluster.reached(1.5)[0] < 1
    assert cluster.reached(2.0) == (1.0, 2)


def test_the_page_has_the_stored_figures():
    rows = json.loads(FILE.read_text(encoding="utf-8"))["rows"]
    page = (ROOT / "docs" / "parallel.md").read_text(encoding="utf-8")
    for row in rows:
        assert f"| {row['workers']} | {row['busy']:.0%} | {row['evaluations']:.0f} | {row['reached']:.3f} |" in page
        assert f"| {row['evaluations_by_batches']:.0f} | {row['reached_by_batches']:.3f} |" in page


def test_a_table_of_it():
    pytest.importorskip("ioh")
    found = bench_asynchronous((2,), (1,), 2, 30, None)
    assert asynchronous_table(found).rows[0][0] == "2"
