"""Small Dask clusters for tests: two processes, no dashboard, this machine only."""

from contextlib import contextmanager

import pytest

pytest.importorskip("distributed")

import dask
import distributed


@contextmanager
def cluster_of_two(allowed_failures):
    """A client; a call whose worker has ended more often than that is given up by Dask."""
    settings = {"distributed.scheduler.allowed-failures": allowed_failures, "distributed.comm.retry.count": 0}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            host="127.0.0.1",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        made.wait_for_workers(2, timeout=300)
        yield made


@pytest.fixture(scope="session")
def client():
    """For all tests that leave the workers alive."""
    with cluster_of_two(1) as made:
        yield made


@pytest.fixture
def mortal():
    """For one test, which may kill its workers: none has to come back, which may take a minute on a busy machine."""
    with cluster_of_two(0) as made:
        yield made
